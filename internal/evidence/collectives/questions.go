package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/halfpeak/halfpeak/internal/evidence/judge"
	"github.com/halfpeak/halfpeak/internal/fitted"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A question is a fit to some calls of a machine, and others that it is asked for.
type question struct {
	name        string
	kept, asked series
}

// questions returns those of the table:
//
//	×2 to ×16: times the nodes of fits to two, three or four neighbouring numbers of nodes,
//	one ×2 to one ×8: of fits to one number of nodes,
//	between: every second number of nodes,
//	÷2: half of the nodes of all other calls,
//	sizes ×4 to ×1024: larger sizes than the lower quarter or half of the octaves.
//
// The simulated machines answer ×2 to ×16.
func questions(all []series) (asks []question) {
	for _, s := range all {
		counts := s.counts()
		if s.machine == "ORFEO" {
			counts = []int{6, 14, 30, 62, 126} // in the first node, by doublings
		}
		for k := 1; k <= 4; k++ {
			for first := 0; first+k < len(counts); first++ {
				asks = append(asks, ahead(s.on(counts[first:first+k]...),
					s.on(counts[first+k:]...), counts[first:first+k])...)
			}
		}
		asks = append(append(append(asks, between(s)...), below(s)...), larger(s)...)
	}
	return slices.DeleteFunc(append(asks, planted()...), func(q question) bool {
		return len(q.asked.points) == 0 || !slices.Contains(names, q.name)
	})
}

var names = []string{"×2", "×4", "×8", "×16", "one ×2", "one ×4", "one ×8", "between", "÷2",
	"sizes ×4", "sizes ×64", "sizes ×1024"}

// on returns the calls on some numbers of nodes.
func (s series) on(counts ...int) series {
	return s.sub(func(p fitted.Point) bool { return slices.Contains(counts, nodes(p)) })
}

// ahead asks a fit to the calls on some numbers of nodes for those on more, by the nearest
// doubling.
func ahead(kept, later series, on []int) (asks []question) {
	for octaves := range 5 {
		name := fmt.Sprintf("×%.0f", math.Exp2(float64(octaves)))
		if len(on) == 1 {
			name = "one " + name
		}
		asks = append(asks, question{name, kept, later.sub(func(p fitted.Point) bool {
			far := math.Log2(float64(nodes(p)) / float64(slices.Max(on)))
			return math.Round(far) == float64(octaves)
		})})
	}
	return asks
}

// between leaves out every second number of nodes.
func between(s series) []question {
	counts := s.counts()
	if len(counts) < 5 {
		return nil
	}
	out := func(p fitted.Point) bool {
		i := slices.Index(counts, nodes(p))
		return i%2 == 1 && i < len(counts)-1
	}
	return []question{{"between", s.sub(func(p fitted.Point) bool { return !out(p) }), s.sub(out)}}
}

// below leaves out the smallest number of nodes, if it is half of the next.
func below(s series) []question {
	counts := s.counts()
	if len(counts) < 3 || counts[1] != 2*counts[0] {
		return nil
	}
	return []question{{"÷2", s.on(counts[1:]...), s.on(counts[0])}}
}

// larger fits the sizes up to a quarter and a half of the octaves, and asks for the larger ones.
func larger(s series) (asks []question) {
	octave := func(p fitted.Point) float64 { return math.Log2(max(1, float64(p.Size))) }
	low, high := math.Inf(1), 0.0
	for _, p := range s.points {
		low, high = min(low, octave(p)), max(high, octave(p))
	}
	for _, part := range []float64{0.25, 0.5} {
		last := low + part*(high-low)
		kept := s.sub(func(p fitted.Point) bool { return octave(p) <= last })
		for _, most := range []float64{2, 6, 10} {
			least := max(0, most-4)
			asks = append(asks, question{fmt.Sprintf("sizes ×%.0f", math.Exp2(most)), kept,
				s.sub(func(p fitted.Point) bool {
					beyond := octave(p) - last
					return least < beyond && beyond <= most
				})})
		}
	}
	return asks
}

// planted asks clusters and GPUs of known laws.
func planted() (asks []question) {
	for k, kind := range kinds {
		random := rand.New(rand.NewPCG(47, uint64(k)))
		for range clusters / 2 {
			c := newCluster(kind, random)
			for counts := 2; counts <= 4; counts++ {
				var on []int
				for i := range counts {
					on = append(on, c.first<<i)
				}
				last := on[counts-1]
				kept := c.campaign(on, 1, random)
				kept.machine = "simulated " + kind
				later := c.campaign([]int{2 * last, 4 * last, 8 * last}, 1, random)
				farther := rand.New(rand.NewPCG(48, uint64(last)))
				more := c.campaign([]int{16 * last}, 1, farther)
				later.points = append(later.points, more.points...)
				asks = append(asks, ahead(kept, later, on)...)
			}
		}
	}
	random := rand.New(rand.NewPCG(51, 0))
	for i := range clusters {
		l := newLaw(random)
		for _, on := range [][]int{{1, 2}, {1, 2, 4}, {2, 4, 8}} {
			last := on[len(on)-1]
			d := l.log(i%2 == 0, random, on...)
			kept := series{machine: "simulated GPUs", collective: d.Of.Collective,
				algorithm: d.Of.Name, points: d.Points}
			later := l.log(i%2 == 0, random, 2*last, 4*last, 8*last, 16*last)
			asks = append(asks, ahead(kept, series{points: later.Points}, on)...)
		}
	}
	return asks
}

// answers asks the questions.
func answers(asks []question) (all []judge.Answer, err error) {
	var predict model
	var of *fitted.Point // the first call of the fit, which tells questions of one fit
	for _, q := range asks {
		if len(q.kept.points) < 2 {
			continue
		}
		if first := &q.kept.points[0]; first != of {
			if predict, err = fitSeries(q.kept); err != nil {
				return nil, err
			}
			of = first
		}
		for _, p := range q.asked.points {
			v, low, high := predict(p)
			all = append(all, judge.Answer{Machine: q.kept.machine, Question: q.name,
				Case: q.about(p), Measured: float64(p.Time),
				Interval: quantity.Interval{Value: v, Low: low, High: high}})
		}
	}
	return all, nil
}

// about says what was measured and what is asked.
func (q question) about(p fitted.Point) string {
	algorithm := cmp.Or(q.kept.algorithm, q.kept.forced, "by the library's choice")
	return fmt.Sprintf("%s, %s %s of %v on %d ranks, from %d nodes or ranks", q.kept.name,
		q.kept.collective, algorithm, p.Size, p.Ranks, q.kept.counts())
}

// typical is how much the log of a time grows in an octave of ranks: a rival's guess, of
// collectives with the size of the message and of a rank's block.
var typical = map[bool]float64{false: 0.3, true: 0.45}

// rivals answers the questions by a rival of ten lines: from the largest number of ranks, a time
// grows with each octave by the mean of what it grew in the last one and of what is typical. Its
// intervals have constant width.
func rivals(asks []question) (all []judge.Answer) {
	for _, q := range asks {
		for _, p := range q.asked.points {
			var near, last fitted.Point // the largest of at most half of the ranks of the last
			for _, k := range q.kept.points {
				if k.Size == p.Size && k.PerNode == p.PerNode {
					if near = last; 2*near.Ranks > k.Ranks {
						near = fitted.Point{}
					}
					last = k
				}
			}
			if last.Ranks == 0 {
				continue
			}
			growth := typical[entry(q.kept.collective, "").InBlocks()]
			if near.Ranks > 0 {
				own := math.Log(float64(last.Time / near.Time))
				growth = (growth + own/math.Log2(float64(last.Ranks)/float64(near.Ranks))) / 2
			}
			octaves := math.Log2(float64(p.Ranks) / float64(last.Ranks))
			all = append(all, judge.Answer{Machine: q.kept.machine, Question: q.name,
				Measured: float64(p.Time),
				Interval: quantity.Alone(float64(last.Time) * math.Exp(growth*octaves))})
		}
	}
	return all
}

// scored returns the scores of answers, for each question by machine and in the mean of each half.
func scored(all []judge.Answer) (scores []judge.Score) {
	for _, name := range names {
		var asked []judge.Answer
		for _, a := range all {
			if a.Question == name {
				asked = append(asked, a)
			}
		}
		machines := judge.ByMachine(asked)
		for i := range machines {
			machines[i].Name = name + ", " + machines[i].Name
		}
		scores = append(append(scores, machines...), judge.ByHalf(name, asked)...)
	}
	return scores
}

// table writes docs/tables/collectives.csv.
func table(w io.Writer, all []series) error {
	asks := questions(all)
	of, err := answers(asks)
	if err != nil {
		return err
	}
	scores := scored(of)
	by := rivals(asks)
	for _, name := range names[:4] { // beyond the nodes
		rival := judge.ConstantWidth(slices.DeleteFunc(slices.Clone(by), func(a judge.Answer) bool {
			return a.Question != name
		}))
		scores = append(scores, judge.ByHalf(name+", rival", rival)...)
	}
	return judge.WriteCSV(w, scores)
}

// worst writes the answers that are farthest outside of their intervals.
func worst(w io.Writer, all []series) error {
	of, err := answers(questions(all))
	if err != nil {
		return err
	}
	return judge.WriteWorst(w, slices.DeleteFunc(of, func(a judge.Answer) bool {
		return judge.HalfOf(a.Machine) == judge.Made
	}))
}
