// Jobs measures how well `fit --against` tells a change from another job, on published measurements
// that were repeated: how many pairs of unchanged runs count as changed, and how many planted
// changes are found, by class of network and machine.
//
//	go -C internal/evidence run ./jobs >docs/tables/jobs.csv
//
// A machine is judged by the factors between jobs of all other machines. With -known it prints
// those of all machines, for internal/known/known.json.
package main

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"maps"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/evidence/judge"
	"github.com/halfpeak/halfpeak/internal/known"
	"github.com/halfpeak/halfpeak/internal/published"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A measurement has the runs of one benchmark on an unchanged system, each in a job of its own.
type measurement struct {
	*published.Repeated
	on fit.Network
}

// measurements returns the published ones.
func measurements() (all []*measurement, err error) {
	repeats, err := published.Repeats()
	for _, r := range repeats {
		all = append(all, &measurement{r, network(r.Name)})
	}
	return all, err
}

// network returns the class of the network of a published measurement.
func network(name string) fit.Network {
	has := func(word string) bool { return strings.Contains(name, word) }
	switch {
	case has("shm"):
		return fit.Node
	case has("aws") || has("azure") || has("tcp"):
		return fit.Shared
	}
	return fit.Fabric
}

// neighbours is the number of neighbouring sizes that a change has at least.
const neighbours = 3

// apart returns the factor by which runs differ the most at three neighbouring sizes.
func (m *measurement) apart() (factor float64) {
	for i, a := range m.Runs {
		for _, b := range m.Runs[:i] {
			var logs []float64
			for _, s := range a.Samples {
				for _, r := range b.Samples {
					if s.Size == r.Size && s.Mean > 0 && r.Mean > 0 {
						logs = append(logs, math.Log(float64(s.Mean/r.Mean)))
					}
				}
			}
			for k := range max(0, len(logs)-neighbours+1) {
				near := logs[k : k+neighbours]
				factor = max(factor, slices.Min(near), -slices.Max(near))
			}
		}
	}
	return math.Exp(factor)
}

// factors returns, by class, twice the largest difference of jobs, as a factor, of the machines
// that count. A class without any has that of the class before, since networks vary more than
// nodes.
func factors(all []*measurement, counts func(machine string) bool) map[string]float64 {
	of, before := map[string]float64{}, 1.0
	for _, on := range fit.Networks {
		largest := 1.0
		for _, m := range all {
			if m.on == on && counts(m.Machine) {
				largest = max(largest, m.apart())
			}
		}
		before = max(before, largest*largest)
		of[string(on)] = math.Round(100*before) / 100
	}
	return of
}

// changed reports whether runs count as changed.
func changed(before, after *benchfile.Table, on fit.Network) (bool, error) {
	b, err := fit.PerSize(before)
	if err != nil {
		return false, err
	}
	a, err := fit.PerSize(after)
	if err != nil {
		return false, err
	}
	changes, err := fit.Compare(b, a, on)
	return slices.ContainsFunc(changes, func(c fit.Change) bool { return c.Real }), err
}

// slower returns a run in which all sizes from one on take factor times as long.
func slower(t *benchfile.Table, from int, factor quantity.Micros) *benchfile.Table {
	slow := *t
	slow.Samples = slices.Clone(t.Samples)
	for i := range slow.Samples[from:] {
		s := &slow.Samples[from+i]
		*s = benchfile.Sample{Size: s.Size, Mean: s.Mean * factor, Count: 1}
	}
	return &slow
}

// A count is of pairs of runs, and of those that count as changed.
type count struct{ changed, pairs float64 }

func (c *count) add(before, after *benchfile.Table, on fit.Network) error {
	is, err := changed(before, after, on)
	c.pairs++
	if is {
		c.changed++
	}
	return err
}

// A score is that of a measurement: unchanged pairs, and changes of a factor from some size on,
// with so many runs before.
type score struct {
	runs                        int
	unchanged, tenth, third, x3 count
}

// judged compares the runs of a measurement, with one or three runs before; nil with too few.
func (m *measurement) judged(runs int) (*score, error) {
	if len(m.Runs) <= runs {
		return nil, nil
	}
	s := &score{runs: runs}
	for i := range m.Runs {
		before, rest := m.Runs[i], slices.Delete(slices.Clone(m.Runs), i, i+1)
		if runs > 1 {
			one, err := fit.Runs(append([]*benchfile.Table{before}, rest[:runs-1]...)...)
			if err != nil {
				return nil, err
			}
			before, rest = one, rest[runs-1:]
		}
		for _, after := range rest {
			if err := s.unchanged.add(before, after, m.on); err != nil {
				return nil, err
			}
		}
		after := rest[0]
		for from := i % 3; from+neighbours <= len(after.Samples); from += 6 {
			for factor, c := range map[quantity.Micros]*count{1.1: &s.tenth, 1.3: &s.third,
				3: &s.x3} {
				if err := c.add(before, slower(after, from, factor), m.on); err != nil {
					return nil, err
				}
			}
		}
	}
	return s, nil
}

func main() {
	log.SetFlags(0)
	print := flag.Bool("known", false, "print the factors of all machines")
	flag.Parse()
	all, err := measurements()
	if err == nil && *print {
		err = json.NewEncoder(os.Stdout).Encode(factors(all, func(string) bool { return true }))
	} else if err == nil {
		err = table(all)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// table writes a row for each class of networks, machine and number of runs before: the factor
// between jobs by the other machines, and shares as means over measurements.
func table(all []*measurement) error {
	fmt.Println("network,machine,half,measurements,factor,runs_before,pairs,unchanged_flagged," +
		"found_1.1,found_1.3,found_3")
	slices.SortStableFunc(all, func(a, b *measurement) int {
		return cmp.Or(cmp.Compare(slices.Index(fit.Networks, a.on),
			slices.Index(fit.Networks, b.on)), cmp.Compare(a.Machine, b.Machine))
	})
	for len(all) > 0 {
		end := slices.IndexFunc(all, func(m *measurement) bool {
			return m.on != all[0].on || m.Machine != all[0].Machine
		})
		if end < 0 {
			end = len(all)
		}
		if err := row(all[:end]); err != nil {
			return err
		}
		all = all[end:]
	}
	return nil
}

// row writes the rows of the measurements of a machine in a class.
func row(of []*measurement) error {
	every, err := measurements()
	if err != nil {
		return err
	}
	machine, on := of[0].Machine, of[0].on
	others := factors(every, func(m string) bool { return m != machine })
	maps.Copy(known.Machines().Jobs, others)
	for _, runs := range []int{1, 3} {
		var shares [4]float64
		n, pairs := 0.0, 0.0
		for _, m := range of {
			s, err := m.judged(runs)
			if err != nil {
				return err
			}
			if s == nil {
				continue
			}
			n, pairs = n+1, pairs+s.unchanged.pairs
			for i, c := range []count{s.unchanged, s.tenth, s.third, s.x3} {
				shares[i] += c.changed / c.pairs
			}
		}
		if n > 0 {
			fmt.Printf("%s,%s,%s,%.0f,%g,%d,%.0f,%.3f,%.3f,%.3f,%.3f\n", on, machine,
				judge.HalfOf(machine), n, others[string(on)], runs, pairs,
				shares[0]/n, shares[1]/n, shares[2]/n, shares[3]/n)
		}
	}
	return nil
}
