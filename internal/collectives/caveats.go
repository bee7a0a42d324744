package collectives

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/fitted"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/remark"
)

// Caveats count the predictions that a note is about: at each of them it would be the same
// sentence.
type caveats struct {
	beyond, crossed int
	reasons         []string                      // why some times have no interval
	forms           map[string]map[string]float64 // by series: sums of weights
}

// caveatsOf counts the caveats of fitted times.
func caveatsOf(times []Timing) *caveats {
	c := &caveats{}
	for _, t := range times {
		for _, p := range t.predicted {
			c.count(p.of, p.Prediction)
		}
		if t.crossed {
			c.crossed++
		}
	}
	return c
}

// count counts a prediction.
func (c *caveats) count(f *fitOf, p fitted.Prediction) {
	if p.Beyond > 0 {
		c.beyond++
	}
	if p.NoInterval != "" && !slices.Contains(c.reasons, p.NoInterval) {
		c.reasons = append(c.reasons, p.NoInterval)
	}
	// An algorithm of the registry has one form. That of another, or of a choice, is searched. Of
	// GPUs, forms are no algorithms that run: NCCL lacks most of them.
	if f.Data.Of.Name != "" || strings.Contains(f.Data.Name, "nccl-tests") {
		return
	}
	series := fmt.Sprintf("%s, %s", f.Entry.Name, f.Data.Statistic)
	if c.forms == nil {
		c.forms = map[string]map[string]float64{}
	}
	if c.forms[series] == nil {
		c.forms[series] = map[string]float64{}
	}
	for _, w := range p.Forms {
		c.forms[series][w.Algorithm] += w.Weight
	}
}

// beyondNotes returns the notes about times beyond the measurements. If calls were repeated, the
// intervals have what differs between days.
func (c *caveats) beyondNotes(repeated bool) (notes []remark.Note) {
	if c.beyond == 0 {
		return nil
	}
	if notes = append(notes, remark.BeyondCalls(c.beyond)); !repeated {
		notes = append(notes, remark.NotRepeated())
	}
	return notes
}

// noInterval returns the reasons for missing intervals, which also say what to measure.
func (c *caveats) noInterval() []remark.Note { return list.Map(c.reasons, remark.NoIntervals) }

// notes returns the notes about forms and averages.
func (c *caveats) notes() (notes []remark.Note) {
	for _, series := range slices.Sorted(maps.Keys(c.forms)) {
		notes = append(notes, remark.Averaged(series, shares(c.forms[series])))
	}
	if c.crossed > 0 {
		notes = append(notes, remark.AboveSlowest(c.crossed))
	}
	return notes
}

// shares lists the names of at least 5 % of the sum of weights, the heaviest first.
func shares(weights map[string]float64) string {
	names := slices.SortedFunc(maps.Keys(weights), func(a, b string) int {
		return cmp.Or(cmp.Compare(weights[b], weights[a]), strings.Compare(a, b))
	})
	sum := 0.0
	for _, name := range names {
		sum += weights[name]
	}
	var parts []string
	for _, name := range names {
		// Smaller shares hardly change the time and would make the note long.
		if part := 100 * weights[name] / sum; part >= 5 {
			parts = append(parts, fmt.Sprintf("%s %.0f %%", name, part))
		}
	}
	return strings.Join(parts, ", ")
}
