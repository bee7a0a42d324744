package export

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

var (
	offBy   = regexp.MustCompile(`(?:one way|it) is off by up to ([0-9.e+-]+) %`)
	rounded = regexp.MustCompile(`which is rounded by ([0-9.e+-]+) %`)
)

// promised returns the greatest error of a one-way time that the file promises: that of its lines
// and that of its digits.
func promised(t *testing.T, f File) float64 {
	t.Helper()
	both := 1.0
	for _, kind := range []*regexp.Regexp{offBy, rounded} {
		most := 0.0
		for _, found := range kind.FindAllStringSubmatch(strings.Join(f.Lost, "\n"), -1) {
			x, err := strconv.ParseFloat(found[1], 64)
			if err != nil {
				t.Fatal(err)
			}
			most = max(most, x/100)
		}
		both *= 1 + most
	}
	return both - 1
}

// readSimGrid reads the costs of a platform as SMPI's documentation describes them: a section holds
// for sizes above its first number, and messages have a header of 16 bytes.
func readSimGrid(text string) (func(n float64) float64, error) {
	var p struct {
		Props []struct {
			ID    string `xml:"id,attr"`
			Value string `xml:"value,attr"`
		} `xml:"config>prop"`
		Cluster struct {
			BW  string `xml:"bw,attr"`
			Lat string `xml:"lat,attr"`
		} `xml:"cluster"`
	}
	if err := xml.Unmarshal([]byte(text), &p); err != nil {
		return nil, err
	}
	sections := map[string][][]float64{}
	for _, prop := range p.Props {
		for part := range strings.SplitSeq(prop.Value, ";") {
			var values []float64
			for x := range strings.SplitSeq(part, ":") {
				v, err := strconv.ParseFloat(x, 64)
				if err != nil {
					break
				}
				values = append(values, v)
			}
			sections[prop.ID] = append(sections[prop.ID], values)
		}
	}
	at := func(id string, n float64) []float64 {
		found := sections[id][0]
		for _, s := range sections[id] {
			if n > s[0] {
				found = s
			}
		}
		return found
	}
	bw, err := strconv.ParseFloat(strings.TrimSuffix(p.Cluster.BW, "Bps"), 64)
	if err != nil {
		return nil, err
	}
	lat, err := strconv.ParseFloat(strings.TrimSuffix(p.Cluster.Lat, "s"), 64)
	return func(n float64) float64 {
		os, or := at("smpi/os", n), at("smpi/or", n)
		wire := 2*lat*at("smpi/lat-factor", n+16)[1] + (n+16)/(bw*at("smpi/bw-factor", n+16)[1])
		return 1e6 * (os[1] + os[2]*n + wire + or[1] + or[2]*n)
	}, err
}

// readLogGOPSim reads a command line: a message takes L + 2o + (n−1)G, in ns or in the unit that
// the file says.
func readLogGOPSim(f File) (func(n float64) float64, error) {
	var l, o, g, perByte, ns float64 = 0, 0, 0, 0, 1
	if _, err := fmt.Sscanf(f.Text, "-L %f -o %f -g %f -G %f", &l, &o, &g, &perByte); err != nil {
		return nil, err
	}
	if _, by,
		ok := strings.Cut(strings.Join(f.Lost, "\n"),
		"multiply calc in GOAL, which is in ns, by "); ok {
		if _, err := fmt.Sscan(by, &ns); err != nil {
			return nil, err
		}
	}
	return func(n float64) float64 { return (l + 2*o + (n-1)*perByte) / ns / 1e3 }, nil
}

// readCalculon reads a network: a message takes its latency in s and its bytes over GB/s.
func readCalculon(text string) (func(n float64) float64, error) {
	var all struct {
		Networks []struct{ Bandwidth, Efficiency, Latency float64 }
	}
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		return nil, err
	}
	w := all.Networks[0]
	return func(n float64) float64 { return 1e6*w.Latency + n/(1e3*w.Bandwidth*w.Efficiency) }, nil
}

// A file promises the greatest error of the one-way times that a program gets from it. Reading it
// back as the program does gives no greater one, at random sizes and at the switches of protocols.
func TestPromisedError(t *testing.T) {
	all, err := platforms.All()
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	checked := 0
	for _, p := range all {
		for _, l := range p.Layers {
			sizes := model.Boundaries(l.Model, 1, 1<<20)
			for _, b := range sizes {
				sizes = append(sizes, b+1)
			}
			for range 200 {
				sizes = append(sizes, quantity.Bytes(math.Floor(math.Exp2(20*r.Float64()))))
			}
			for _, name := range []string{"simgrid", "loggopsim", "calculon"} {
				target, err := Find(name)
				if err != nil {
					t.Fatal(err)
				}
				f, err := target.Write(machineOf(l.Ref(),
					machine.Level{Name: "all", Arity: 2, Layer: l.Model}), Sizes{1, 1 << 20})
				if err != nil {
					continue // its message is in the goldens
				}
				var time func(n float64) float64
				// What lines may be off without a word, and half of the step between the sizes that
				// are looked at.
				most := promised(t, f) + 1./8192
				switch name {
				case "simgrid":
					time, err = readSimGrid(f.Text)
					most = max(most, 2*tolerance)
				case "loggopsim":
					time, err = readLogGOPSim(f)
					most += 0.0005
				case "calculon":
					time, err = readCalculon(f.Text)
					most += 0.0005
				}
				if err != nil {
					t.Fatalf("%s, %s: %v", l.Ref(), name, err)
				}
				checked++
				worst, at := 0.0, quantity.Bytes(0)
				for _, n := range sizes {
					if off := math.Abs(time(float64(n))/float64(l.Model.OneWay(n)) -
						1); !(off <= worst) {
						worst, at = off, n
					}
				}
				if !(worst <= most) {
					t.Errorf("%s, %s: %.3g %% off at %v, promised %.3g %%", l.Ref(), name,
						100*worst, at, 100*most)
				}
			}
		}
	}
	if checked < 30 {
		t.Errorf("only %d files were read", checked)
	}
}
