package study

import (
	"context"
	"fmt"
	"math"

	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/fit/shared"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// The constants of a platform file that say between which factors of the predicted time a
// collective's is. Without the higher one it cannot be told how long one takes.
const (
	lowConstant  = "collective_low"
	highConstant = "collective_high"
)

// IntervalOf is the interval of a platform's collectives; the zero value if its file says none.
func IntervalOf(p platforms.Platform) (i shared.Interval) {
	given := false
	i.High = math.Inf(1)
	for _, c := range p.Constants {
		switch c.Owner {
		case lowConstant:
			i.Low, i.Source, given = c.Value.Num, c.Source, true
		case highConstant:
			i.High = c.Value.Num
		}
	}
	if !given {
		return shared.Interval{}
	}
	return i
}

// intervalTables are the constants of an interval.
func intervalTables(i shared.Interval) []platforms.Table {
	all := []platforms.Table{newTable("constant", lowConstant, "value", fmt.Sprintf("%.4g", i.Low), "source", i.Source)}
	if !math.IsInf(i.High, 1) {
		all = append(all, newTable("constant", highConstant, "value", fmt.Sprintf("%.4g", i.High), "source", i.Source))
	}
	return all
}

// intervalNote says in words how sure the times are; "" without an interval.
func intervalNote(i shared.Interval) string {
	switch {
	case i == shared.Interval{}:
		return ""
	case math.IsInf(i.High, 1):
		return "How long a collective takes here cannot be told: " + i.Source + "."
	}
	return fmt.Sprintf("A time is between %.2g and %.2g of what is predicted: %s.", i.Low, i.High, i.Source)
}

// within gives the cells their intervals; an end is absent where it cannot be told.
func (q CollectiveQuestion) within(cells []CollectiveTime) {
	for i := range cells {
		if c := &cells[i]; q.Within != (shared.Interval{}) && c.From != "" {
			if c.Low, c.High = q.Within.Of(c.Time); math.IsInf(float64(c.High), 0) {
				c.High = quantity.Micros(math.NaN())
			}
		}
	}
}

// ends are the columns of an interval about a time; absent where there is none.
func ends(i shared.Interval, of func(CollectiveTime) quantity.Micros) (low, high func(CollectiveTime) any) {
	end := func(factor float64) func(CollectiveTime) any {
		return func(c CollectiveTime) any {
			t := of(c) * quantity.Micros(factor)
			if i == (shared.Interval{}) || math.IsNaN(float64(t)) || math.IsInf(float64(t), 0) {
				return nil
			}
			return t
		}
	}
	return end(i.Low), end(i.High)
}

// loop times the cell as OSU's benchmarks do.
func (c *CollectiveTime) loop(ctx context.Context, m simulate.Machine) error {
	l, err := shared.NewLoop(c.Entry, c.Ranks, c.Call)
	if err != nil {
		return err
	}
	t, err := l.Run(ctx, m)
	if err != nil {
		return err
	}
	c.Time, c.Average, c.From = t.Max, t.Average, Looped
	return nil
}
