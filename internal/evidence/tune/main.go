// Tune prints the loss of reports/tune's choices against the best algorithms as CSV, by the share
// of points that are measured, on machines where every algorithm was measured, beside the loss that
// it states and that of the library's own choice. docs/tune.md has its table.
//
//	go -C internal/evidence run ./tune -replicas 3 > docs/tables/tune.csv
//	go -C internal/evidence run ./tune -models
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"slices"
	"strings"

	scores "github.com/halfpeak/halfpeak/internal/evidence/judge"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/parallel"
	"github.com/halfpeak/halfpeak/reports/tune/tuner"
	"gonum.org/v1/gonum/stat"
)

// shares are the parts of all points that are measured, as the columns of docs/tune.md. A user who
// can measure more than a quarter of all points measures all of them.
var shares = [...]float64{0.05, 0.1, 0.25}

// A method selects measurements, chooses an algorithm for each call, and states the loss of a
// choice.
type method interface {
	Next(ctx context.Context, n int, progress func(done, total int)) ([]int, error)
	Add(more []tuner.Measurement)
	Choose(call int) int
	Loss(candidate int, contrasts ...tuner.Contrast) float64
}

// A setting is a line of the tables: a method, with a name.
type setting struct {
	name string
	with func(s *set) method
}

// tuned is the setting of a changed prior.
func tuned(name string, change func(p *tuner.Prior)) setting {
	return setting{name, func(s *set) method {
		prior := tuner.Default()
		change(&prior)
		return newLocal(s.all, prior)
	}}
}

// stripped is the setting in which candidates have fewer names or no schedules.
func stripped(name string, change func(c *tuner.Candidate)) setting {
	return setting{name, func(s *set) method {
		all := slices.Clone(s.all)
		for i := range all {
			change(&all[i])
		}
		return newLocal(all, tuner.Default())
	}}
}

// settings has tune itself first, then others of its constants, then ablations and the rival.
var settings = []setting{
	tuned("tune", func(*tuner.Prior) {}),
	tuned("Network 1", func(p *tuner.Prior) { p.Network = 1 }),
	tuned("Shared 0.25", func(p *tuner.Prior) { p.Shared = 0.25 }),
	tuned("Shared 1", func(p *tuner.Prior) { p.Shared = 1 }),
	tuned("Size 4, Ranks 1.5", func(p *tuner.Prior) { p.Size, p.Ranks = 4, 1.5 }),
	tuned("Size 16, Ranks 6", func(p *tuner.Prior) { p.Size, p.Ranks = 16, 6 }),
	tuned("Near 64", func(p *tuner.Prior) { p.Near = 64 }),
	tuned("all measurements", func(p *tuner.Prior) { p.Near = math.MaxInt }),
	tuned("Verify 2", func(p *tuner.Prior) { p.Verify = 2 }),
	tuned("no verified choices", func(p *tuner.Prior) { p.Verify = math.MaxInt }),
	tuned("no scale of deviations", func(p *tuner.Prior) { p.Weight = math.MaxInt }),
	tuned("no term of the network", func(p *tuner.Prior) { p.Network = 0 }),
	stripped("no schedules' times", func(c *tuner.Candidate) { c.Parts = tuner.Parts{}; bare(c) }),
	stripped("no term of the author", func(c *tuner.Candidate) { c.Author = c.Group }),
	stripped("no term of the schedule", func(c *tuner.Candidate) { c.Schedule = c.Variant }),
	stripped("no term of the variant", func(c *tuner.Candidate) { c.Variant = c.Schedule }),
	{"nearest measurements", newNearest},
}

// bare gives a candidate the parts of any algorithm of its call.
func bare(c *tuner.Candidate) {
	one := []tuner.Candidate{*c}
	tuner.Complete(one)
	*c = one[0]
}

// A result holds means over calls: of the choices' losses, of those that are stated, and of the
// losses of the library's own choices, where these were measured. Inside is the share of the times
// that were not measured, but for the library's choices, within their intervals.
type result struct {
	real, stated, inside [len(shares)]float64
	spread               [len(shares)]float64 // the standard error of real over replicas
	own                  float64
}

// judge measures what the method asks for at each share, a quarter more at a time: a user runs a
// job of many measurements, and not one after the other. Measurements of a smaller share are kept
// in the larger ones.
func (s *set) judge(m method) (r result, err error) {
	calls, least, owned := s.calls(), map[int]float64{}, 0
	for _, call := range calls.order {
		least[call] = math.Inf(1)
		for _, i := range calls.of[call] {
			least[call] = min(least[call], s.times[i])
		}
		for _, i := range calls.of[call] {
			if s.all[i].Library {
				r.own, owned = r.own+s.times[i]/least[call]-1, owned+1
			}
		}
	}
	r.own /= float64(owned) // NaN without any
	done := 0
	for k, share := range shares {
		for n := int(share * float64(len(s.all))); done < n; {
			next, err := m.Next(context.Background(), min(n-done, max(10, done/4)), nil)
			if err != nil {
				return r, err
			}
			if len(next) == 0 {
				break
			}
			var more []tuner.Measurement
			for _, i := range next {
				more = append(more, tuner.Measurement{Candidate: i, Time: s.times[i]})
			}
			m.Add(more)
			done += len(next)
		}
		for _, call := range calls.order {
			i := m.Choose(call)
			r.real[k] += (s.times[i]/least[call] - 1) / float64(len(calls.order))
			r.stated[k] += m.Loss(i) / float64(len(calls.order))
		}
		r.inside[k] = s.inside(m)
	}
	return r, nil
}

// judgeAll judges a setting on replicas of a set, and returns the mean.
func (s *set) judgeAll(c setting, replicas int) (mean result, err error) {
	each, errs := make([]result, replicas), make([]error, replicas)
	parallel.For(replicas, func(seed int) {
		o := s.replicate(uint64(seed))
		each[seed], errs[seed] = o.judge(c.with(o))
	})
	for i, r := range each {
		if errs[i] != nil {
			return mean, errs[i]
		}
		mean.own += r.own / float64(replicas)
		for k := range shares {
			mean.real[k] += r.real[k] / float64(replicas)
			mean.stated[k] += r.stated[k] / float64(replicas)
			mean.inside[k] += r.inside[k] / float64(replicas)
		}
	}
	for k := range shares {
		real := list.Map(each, func(r result) float64 { return r.real[k] })
		mean.spread[k] = stat.StdErr(stat.StdDev(real, nil), float64(replicas))
	}
	return mean, nil
}

func main() {
	log.SetFlags(0)
	replicas := flag.Int("replicas", 4, "selections of seven eighths of the points")
	only := flag.String("only", "", "settings whose names begin so")
	chosen := flag.Bool("chosen", false, "no look at the machines that are only reported")
	compare := flag.Bool("models", false, "print the errors of both models instead")
	flag.Parse()
	if *compare {
		if err := models(os.Stdout); err != nil {
			log.Fatal(err)
		}
		return
	}
	if *chosen {
		questions = slices.DeleteFunc(questions, func(q question) bool {
			return scores.HalfOf(q.machine) == scores.Report
		})
	}
	kept := slices.DeleteFunc(slices.Clone(settings), func(c setting) bool {
		return !strings.HasPrefix(c.name, *only)
	})
	all, err := results(kept, *replicas)
	if err != nil {
		log.Fatal(err)
	}
	writeCSV(os.Stdout, kept, all, *replicas)
}

// results returns the results by setting and question.
func results(of []setting, replicas int) ([][]result, error) {
	all := make([][]result, len(of))
	for _, q := range questions {
		s, err := load(q)
		if err != nil {
			return nil, err
		}
		for i, c := range of {
			r, err := s.judgeAll(c, replicas)
			if err != nil {
				return nil, err
			}
			all[i] = append(all[i], r)
		}
	}
	return all, nil
}

// writeCSV writes all results, of each setting the means of the half that is chosen on last.
func writeCSV(w io.Writer, of []setting, all [][]result, replicas int) {
	fmt.Fprintln(w, "machine,half,question,setting,points_percent,loss_percent,stated_percent,"+
		"library_percent,inside_percent,loss_spread_percent,selections")
	for i, c := range of {
		var mean result
		n := 0.0
		row := func(machine string, half scores.Half, name string, r result) {
			for k, share := range shares {
				if c.name != settings[0].name { // what is stated to nobody
					r.stated[k] = math.NaN()
				}
				fmt.Fprintf(w, "%s,%s,%q,%q,%g,%s,%s,%s,%s,%s,%d\n", machine, half, name, c.name,
					100*share, percent(r.real[k]), percent(r.stated[k]), percent(r.own),
					percent(r.inside[k]), percent(r.spread[k]), replicas)
			}
		}
		for j, q := range questions {
			half, r := scores.HalfOf(q.machine), all[i][j]
			row(q.machine, half, q.name, r)
			if half == scores.Choose {
				n++
				for k := range shares {
					mean.real[k] += (r.real[k] - mean.real[k]) / n
					mean.stated[k] += (r.stated[k] - mean.stated[k]) / n
					mean.inside[k] += (r.inside[k] - mean.inside[k]) / n
					mean.spread[k] = math.NaN()
				}
			}
		}
		mean.own = math.NaN()
		row("mean", scores.Choose, "", mean)
	}
}

// percent prints a share in percent, or nothing if it is not a number.
func percent(share float64) string {
	if math.IsNaN(share) {
		return ""
	}
	return fmt.Sprintf("%.1f", 100*share)
}
