package fleet

import (
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// Blocks that are given explain what would be slow nodes, also if they are small; of several the
// link is slow that is slower than the others. Nodes and pairs are found beside it.
func TestPlaces(t *testing.T) {
	const n = 20
	rack := func(a int) int { return a * 7 % 5 } // of 4 nodes each
	places := map[string]string{}
	for a := range n {
		places[fmt.Sprintf("n%02d", a)] = fmt.Sprint("rack", rack(a))
	}
	r := rand.New(rand.NewPCG(3, 3))
	e := fileSummary{curves: measured("b", n, func(a, b int) float64 {
		y := 0.002 * r.NormFloat64()
		if rack(a) != rack(b) {
			y += 0.2
		}
		if min(rack(a), rack(b)) == 1 && max(rack(a), rack(b)) == 3 {
			y += math.Log(1.1)
		}
		if a == 4 || b == 4 {
			y += math.Log(1.08)
		}
		return y
	})}
	a, err := report([]fileSummary{e}, nil, Options{Places: places})
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, f := range a.Findings {
		got += fmt.Sprintf("%s %s %.0f %%, ", kindOfFinding(f), f.subject(), 100*f.Effect.Value)
	}
	if want := "link rack1 to rack3 10 %, node n04 8 %, "; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	m := a.groups[0].Spreads[0].model
	for i, node := range m.order() {
		name := m.names[node]
		if want := fmt.Sprint("rack", i/4); places[name] != want {
			t.Errorf("%s of %s stands among %s", name, places[name], want)
		}
	}
	if _, err := report([]fileSummary{e}, nil,
		Options{Places: map[string]string{"x": "rack"}}); err == nil {
		t.Error("places of other nodes are taken")
	}
}

func TestReadPlaces(t *testing.T) {
	got, err := ReadPlaces(strings.NewReader("node,group\n# a comment\nn1, rack1\nn2,rack2,more\n"))
	if err != nil || !maps.Equal(got, map[string]string{"n1": "rack1", "n2": "rack2"}) {
		t.Error(got, err)
	}
	for text, want := range map[string]string{
		"": "no node has a group", "node,group\n": "no node has a group",
		"n1\n": "line 1: want a node", "n1,a\n\nn1,b\n": "line 3: node \"n1\" is in",
	} {
		if _, err := ReadPlaces(strings.NewReader(text)); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if got, err := ReadPlaces(strings.NewReader("\ufeffn1,rack1\n")); err != nil ||
		got["n1"] != "rack1" {
		t.Errorf("with a byte order mark: %v, %v", got, err)
	}
	if endless, err := os.Open("/dev/zero"); err == nil {
		defer endless.Close()
		if _, err := ReadPlaces(endless); err == nil {
			t.Error("/dev/zero is a list of places")
		}
	}
	long := io.MultiReader(strings.NewReader("n1,rack1\n"),
		strings.NewReader(strings.Repeat("# longer than a list of nodes\n", 3<<20)))
	if _, err := ReadPlaces(long); err == nil ||
		!strings.Contains(err.Error(), "larger than 64 MiB") {
		t.Errorf("a list that is cut off at 64 MiB: %v", err)
	}
}

// Where the columns name the sender, a node is slow as a sender, as a receiver or as both, and
// healthy fleets have no finding. Without their names, a direction is not looked for.
func TestDirections(t *testing.T) {
	curves := func(fault float64, seed uint64) []fileSummary {
		r := rand.New(rand.NewPCG(seed, 4))
		send, receive := map[int]float64{7: fault, 2: fault}, map[int]float64{4: fault, 2: fault}
		var e fileSummary
		for _, reverse := range []bool{false, true} {
			more := measured("b", 12, func(a, b int) float64 {
				if reverse {
					a, b = b, a
				}
				return send[a] + receive[b] + 0.01*r.NormFloat64()
			})
			for _, c := range more {
				if reverse {
					slices.Reverse(c.Nodes)
				}
				e.curves = append(e.curves, c)
			}
		}
		return []fileSummary{e}
	}
	named := Options{Columns: []string{"src", "dst"}}
	for seed := range uint64(20) {
		a, err := report(curves(0.3, seed), nil, named)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]bool{}
		for _, f := range a.Findings {
			if got[kindOfFinding(f)+" "+f.subject()] = true; math.Abs(f.Effect.Value-0.35) > 0.05 {
				t.Errorf("%s: %v", f.subject(), f.Effect.Value)
			}
		}
		if want := map[string]bool{"sender n07": true, "receiver n04": true,
			"sender n02": true, "receiver n02": true}; !maps.Equal(got, want) {
			t.Errorf("seed %d: %v", seed, got)
		}
		if a, err := report(curves(0, seed), nil, named); err != nil || len(a.Findings) > 0 {
			t.Errorf("healthy, seed %d: %+v, %v", seed, a.Findings, err)
		}
	}
}

// A pair that is 1.5 times as slow at 32 MiB and 17 times at 16 GiB is not three times as slow.
func TestBySize(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 4))
	var entries []fileSummary
	for a := range 12 {
		for b := range a {
			table := benchfile.Table{Format: "synthetic", Kind: benchfile.OneWay}
			run := math.Exp(0.01 * r.NormFloat64())
			for i := range 10 {
				n := float64(int(32<<20) << i)
				slow := run * math.Exp(0.003*r.NormFloat64())
				switch {
				case a == 7 && b == 3:
					slow *= 1.5 * math.Pow(17/1.5, float64(i)/9)
				case a == 9 && b == 1:
					slow *= 1.5
				}
				time := quantity.Micros(slow * (20 + 4e-5*n))
				table.Samples = append(table.Samples,
					benchfile.Sample{Size: quantity.Bytes(n), Count: 1, Mean: time, Median: time})
			}
			c, ok := summarise(&table, []string{fmt.Sprint("n", a), fmt.Sprint("n", b)}, nil, nil)
			if !ok {
				t.Fatal("no curve")
			}
			entries = append(entries,
				fileSummary{path: fmt.Sprint(a, " ", b), curves: []curveSummary{c}})
		}
	}
	a, err := report(entries, nil, Options{})
	if err != nil || len(a.Findings) != 2 {
		t.Fatalf("%+v, %v", a.Findings, err)
	}
	if f := a.Findings[0]; f.subject() != "n7 n3" || !f.Wrong || math.Abs(f.First-0.5) > 0.05 ||
		math.Abs(f.Last-16) > 0.5 {
		t.Errorf("%+v", f)
	}
	if f := a.Findings[1]; f.subject() != "n9 n1" || f.Wrong || math.Abs(f.Effect.Value-0.5) > 0.05 ||
		math.Abs(f.Last-0.5) > 0.05 {
		t.Errorf("%+v", f)
	}
}

// A pair inside a block of two has all nodes of that side of the link, and is none of its pairs.
func TestLinkCovers(t *testing.T) {
	link := Finding{Nodes: []string{"a", "b"}, Across: []string{"c", "d"}}
	for pair, want := range map[[2]string]bool{
		{"a", "b"}: false, {"c", "d"}: false, {"a", "c"}: true, {"d", "b"}: true, {"a", "e"}: false,
	} {
		if link.covers(unit{nodes: pair[:]}) != want {
			t.Errorf("%s: covered %v, want %v", pair, !want, want)
		}
	}
}
