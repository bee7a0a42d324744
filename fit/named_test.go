package fit

import (
	"slices"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/published"
)

// A model that is asked for by its name predicts by its lines, and the interval holds the sizes of
// published machines that were left out.
func TestNamedModel(t *testing.T) {
	curves, err := published.Curves()
	if err != nil {
		t.Fatal(err)
	}
	models := map[string]func(t *benchfile.Table) (*Result, error){
		"linear":    func(t *benchfile.Table) (*Result, error) { return Linear(t, "") },
		"piecewise": func(t *benchfile.Table) (*Result, error) { return Piecewise(t, 0) },
	}
	for name, model := range models {
		type count struct{ in, of float64 }
		machines := map[string]count{}
		for _, c := range curves {
			if c.Kind != benchfile.OneWay || len(c.Samples) < 12 || machines[c.Machine].of > 100 {
				continue
			}
			given := c.Table
			var left []benchfile.Sample
			given.Samples = nil
			for i, s := range c.Samples {
				if i%3 == 1 && i < len(c.Samples)-1 {
					left = append(left, s)
				} else {
					given.Samples = append(given.Samples, s)
				}
			}
			r, err := model(&given)
			if err != nil {
				continue
			}
			l, err := r.Layer()
			if err != nil {
				t.Fatal(err)
			}
			n := machines[c.Machine]
			for _, s := range left {
				if s.Size == 0 {
					continue
				}
				next, err := l.Next(s.Size)
				if err != nil || next == nil {
					t.Fatal(err)
				}
				if next.Value != float64(r.Time(s.Size)) || l.OneWay(s.Size) != r.Time(s.Size) {
					t.Fatalf("%s, %v: %v, and the line %v", name, s.Size, next, r.Time(s.Size))
				}
				n.of++
				if time := float64(s.Mean); next.Low <= time && time <= next.High {
					n.in++
				}
			}
			machines[c.Machine] = n
		}
		var shares []float64
		mean := 0.0
		for _, n := range machines {
			shares = append(shares, n.in/n.of)
			mean += n.in / n.of / float64(len(machines))
		}
		slices.Sort(shares)
		t.Logf("%s: %.1f %% of %d machines, the least %.2f", name, 100*mean, len(shares), shares[:3])
		if mean < 0.92 {
			t.Errorf("%s: intervals hold %.1f %%, want 95", name, 100*mean)
		}
	}
}

// Rates of one or two digits leave β open by their rounding, even where all of them agree.
func TestCoarseRates(t *testing.T) {
	const out = "# OSU MPI Bandwidth Test\n# Size Bandwidth (MB/s)\n1 0.06\n2 0.12\n4 0.24\n8 0.48\n"
	file, err := benchfile.Read(strings.NewReader(out), "bw.txt", benchfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	// The last rate is of 0.475 to 0.485 MB/s.
	if b := fitted(t)(Linear(&file.Tables[0], "")).Segments[0].Beta; !(b.Low < 16.5 && b.High > 16.8) {
		t.Errorf("%+v", b)
	}
}
