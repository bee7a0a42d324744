package main

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/forecast"
	"github.com/halfpeak/halfpeak/internal/published"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Curve is one table of a benchmark's file.
type Curve struct {
	// Machine is the machine of the curve; see [Published].
	Machine string
	// Name is the file within its folder, and the table.
	Name string
	Kind benchfile.Kind
	// Points by size, without the empty message.
	Points     []forecast.Point
	Resolution quantity.Micros
	// Planted marks a curve that [Planted] made.
	Planted bool
}

// minSizes is the minimum number of sizes of a curve; with fewer, too few are left to
// predict from once some are held out.
const minSizes = 12

// Latency reports whether the curve has times of messages. Round trips count: a
// factor of two changes no shape.
func Latency(c *Curve) bool { return c.Kind == benchfile.OneWay || c.Kind == benchfile.RoundTrip }

// Stream reports whether the curve has the gaps of streams, which soon are in proportion to the
// size.
func Stream(c *Curve) bool { return c.Kind == benchfile.Gap }

// Operation reports whether the curve has times of operations or collectives, which jump most.
func Operation(c *Curve) bool {
	return c.Kind == benchfile.Operation || c.Kind == benchfile.Collective
}

// ofSize returns the point of a size, or no points.
func (c *Curve) ofSize(n quantity.Bytes) []forecast.Point {
	bySize := func(p forecast.Point, n quantity.Bytes) int { return cmp.Compare(p.Size, n) }
	i, found := slices.BinarySearchFunc(c.Points, n, bySize)
	if !found {
		return nil
	}
	return c.Points[i : i+1]
}

// near returns the point nearest to a size, if it is at most 3 % away; sizes of netgauge and
// NetPIPE are not powers of two.
func (c *Curve) near(n quantity.Bytes) []forecast.Point {
	best := 0
	off := func(i int) float64 { return math.Abs(math.Log(float64(c.Points[i].Size / n))) }
	for i := range c.Points {
		if off(i) < off(best) {
			best = i
		}
	}
	// Within 3 % of the size a time changes by 3 % at most, which is the noise of good benchmarks.
	if off(best) > 0.03 {
		return nil
	}
	return c.Points[best : best+1]
}

// run matches the part of a name that distinguishes the runs of one measurement: run_3, iter-3,
// -3.out, and the number of a table among those with the same title.
var run = regexp.MustCompile(`run_\d+|iter-\d+(-\d+)?|-\d+\.out| \(\d+\)$`)

// measurement returns the name of the measurement; its runs share it. Another run is
// only known from the names of files, which differ in nothing else.
func (c *Curve) measurement() string { return run.ReplaceAllString(c.Name, "") }

// repeats reports whether two curves are runs of one measurement, or the same run.
func (c *Curve) repeats(o *Curve) bool {
	return c.Machine == o.Machine && c.Kind == o.Kind && len(c.Points) == len(o.Points) &&
		c.measurement() == o.measurement()
}

// benchmarks are names of folders for benchmarks, not machines.
var benchmarks = []string{
	"imb", "iperf3", "nccl-tests", "netgauge", "netperf", "netpipe", "osu", "perftest", "qperf",
	"simgrid-calibration", "sockperf", "ucx_perftest",
}

// systems maps other names of a machine to its name. The same machine under two names
// would be left out by one name and learned from by the other.
var systems = map[string]string{"AWS EKS hpc6a": "aws-eks-hard"}

// Published returns the curves of the published tables. The machine of a curve is the name of the
// folder of its file or, of a folder named after a benchmark, the machine in the list of sources,
// or else the file itself. Curves with the same points as an earlier one are left out, which are
// copies of the same run.
func Published() (curves []Curve, err error) {
	all, err := published.Curves()
	for _, c := range all {
		_, name, _ := strings.Cut(c.File, "/")
		curves = add(curves, name, machineOf(name, c.Machine), &c.Table)
	}
	return curves, err
}

// machineOf returns the machine of a file by its name below a folder, and by its listed machine.
func machineOf(name, listed string) string {
	machine, _, within := strings.Cut(name, "/")
	if !within || slices.Contains(benchmarks, machine) {
		machine = cmp.Or(listed, path.Base(name))
	}
	return cmp.Or(systems[machine], machine)
}

// add appends the curve of a table, unless it has few sizes or copies an earlier one.
func add(curves []Curve, name, machine string, t *benchfile.Table) []Curve {
	c := Curve{Machine: machine, Name: strings.TrimSpace(name + " " + t.Title), Kind: t.Kind,
		Resolution: t.Quantum}
	for _, s := range t.Samples {
		if s.Size > 0 && s.Mean > 0 {
			c.Points = append(c.Points, forecast.Point{Size: s.Size, Time: s.Mean})
		}
	}
	// Repositories copy each other's files, and machines would count twice, also as ones that were
	// left out.
	copied := slices.ContainsFunc(curves, func(o Curve) bool {
		return o.Kind == c.Kind && slices.Equal(o.Points, c.Points)
	})
	if len(c.Points) < minSizes || copied {
		return curves
	}
	return append(curves, c)
}

// PlantedCurves is the number of planted curves of a kind that a calibration learns from.
const PlantedCurves = 12

// planted is the prefix of the names of planted machines.
const planted = "planted: "

// Planted returns four runs each of count curves of every kind, each kind as a
// machine of its own: straight lines with independent noise of 0.2 to 5 %, and two protocols. Their
// truth is known, so that an interval which is too narrow for plain noise shows;
// published curves alone leave in doubt what is noise.
func Planted(as benchfile.Kind, count int, seed uint64) (all []Curve) {
	for k, kind := range []struct {
		name     string
		noise    float64
		protocol bool
	}{
		{planted + "a line, 0.2 % noise", 0.002, false},
		{planted + "a line, 1 % noise", 0.01, false},
		{planted + "a line, 3 % noise", 0.03, false},
		{planted + "a line, 5 % noise", 0.05, false},
		{planted + "two protocols, 3 % noise", 0.03, true},
	} {
		random := rand.New(rand.NewPCG(seed, uint64(k)))
		for i := range count {
			beta := math.Exp(random.Float64()*4 - 0.5) // 0.6 to 33 µs
			half := math.Exp2(9 + 6*random.Float64())  // n½ of 512 B to 32 KiB
			eager := math.Exp2(math.Floor(10 + 7*random.Float64()))
			jump, slower := 1.2+random.Float64(), 0.5+0.5*random.Float64()
			truth := func(n float64) float64 {
				if kind.protocol && n > eager {
					return beta*jump*(1+eager/half) + beta/half*slower*(n-eager)
				}
				return beta * (1 + n/half)
			}
			for run := range 4 {
				c := Curve{Machine: kind.name, Name: fmt.Sprintf("curve %d run_%d", i, run+1),
					Kind: as, Resolution: 0.01, Planted: true}
				for x := range 23 {
					n := math.Exp2(float64(x))
					v := truth(n) * math.Exp(kind.noise*random.NormFloat64())
					c.Points = append(c.Points, forecast.Point{
						Size: quantity.Bytes(n), Time: quantity.Micros(math.Round(v*100) / 100)})
				}
				all = append(all, c)
			}
		}
	}
	return all
}
