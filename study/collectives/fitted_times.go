package collectives

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	fitted "github.com/halfpeak/halfpeak/fit/collective"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A grid answers a question by fits, call by call, and counts what its notes say.
type grid struct {
	FittedQuestion
	algorithms Algorithms
	fits       map[string]map[fitted.Statistic]*Fit // by algorithm
	used       []*Fit
	twice      []string // notes on tables that are not used
	slowest    bool     // all have the time of the slowest rank

	beyond, crossed int
	reasons         []string                      // why some times have no interval
	forms           map[string]map[string]float64 // by series: sums of weights
	copied          int
}

// timings returns the times of the algorithms for one call, with the best marked. The time of the
// slowest rank is never below the average.
func (g *grid) timings(ranks int, n quantity.Bytes) (here []Timing, err error) {
	at, block := fitted.Placement{Ranks: ranks, PerNode: g.PerNode}, n
	if g.Total && (collective.Entry{Collective: g.algorithms[0].Collective}).InBlocks() {
		block = quantity.Bytes(math.Floor(float64(n) / float64(ranks)))
	}
	var results []*fitted.Result
	var predictions []fitted.Prediction
	for _, e := range g.algorithms {
		c := Timing{Entry: e, Ranks: ranks, From: FromFit, Time: quantity.Unknown, Average: quantity.Unknown, Low: quantity.Unknown, High: quantity.Unknown,
			LatencyBound: quantity.Unknown, BandwidthBound: quantity.Unknown}
		c.Call.Bytes, c.Total = uint64(n), g.Total
		for _, statistic := range fitted.Statistics {
			f, has := g.fits[e.Name][statistic]
			if !has {
				continue
			}
			here := at
			if here.PerNode == 0 {
				here = f.PlacementOf(ranks)
			}
			p, err := f.PredictAt(here, block)
			if err != nil {
				return nil, err
			}
			g.note(f, p)
			compared := statistic == fitted.Slowest || !g.slowest // by what all have
			if statistic == fitted.Average {
				c.Average = p.Time
			}
			if statistic == fitted.Average || compared {
				c.Low, c.High = p.Low, p.High
			}
			if compared {
				c.Time = p.Time
				results, predictions = append(results, f.Result), append(predictions, p)
			}
		}
		if c.Average > c.Time { // the fits cross
			g.crossed++
			c.High = max(c.High, c.Average)
			c.Average = c.Time
		}
		here = append(here, c)
	}
	if len(here) > 1 {
		choice := fitted.Choose(results, predictions, at, block)
		if choice.Copied {
			g.copied++
		}
		compare(here, choice.Index)
		here[choice.Index].MayLose = 100 * choice.LossHigh
	}
	if !g.slowest {
		for i := range here {
			here[i].Time = quantity.Unknown
		}
	}
	return here, nil
}

// note counts what is to be said of a prediction.
func (g *grid) note(f *Fit, p fitted.Prediction) {
	if p.Beyond {
		g.beyond++
	}
	if p.NoInterval != "" && !slices.Contains(g.reasons, p.NoInterval) {
		g.reasons = append(g.reasons, p.NoInterval)
	}
	if f.Entry.Name != libraryChoice {
		return
	}
	series := fmt.Sprintf("%s, %s", f.Entry.Name, f.Data.Statistic)
	if g.forms[series] == nil {
		g.forms[series] = map[string]float64{}
	}
	for _, w := range p.Forms {
		g.forms[series][w.Algorithm] += w.Weight
	}
}

// notes say what was averaged, what has no interval, and how the best was chosen.
func (g *grid) notes() (notes []string) {
	for _, s := range slices.Sorted(maps.Keys(g.forms)) {
		var parts []string
		names := slices.SortedFunc(maps.Keys(g.forms[s]), func(a, b string) int {
			return cmp.Or(cmp.Compare(g.forms[s][b], g.forms[s][a]), strings.Compare(a, b))
		})
		sum := 0.0
		for _, name := range names {
			sum += g.forms[s][name]
		}
		for _, name := range names {
			if part := 100 * g.forms[s][name] / sum; part >= 5 {
				parts = append(parts, fmt.Sprintf("%s %.0f %%", name, part))
			}
		}
		notes = append(notes, fmt.Sprintf("%s: averaged by weight of evidence over %s.", s, strings.Join(parts, ", ")))
	}
	for _, why := range g.reasons {
		notes = append(notes, "No interval: "+why+".")
	}
	if g.copied > 0 {
		notes = append(notes, fmt.Sprintf("%d of the best were the fastest at the nearest measured call; another is predicted to be faster, but not surely.", g.copied))
	}
	if g.crossed > 0 {
		notes = append(notes, fmt.Sprintf("%d averages over ranks were fitted to more than the slowest rank takes: they are given as its time, whose interval holds both.", g.crossed))
	}
	return notes
}
