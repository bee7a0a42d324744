package whatif

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/table"
)

// A ChangeQuestion asks for the costs of messages before and after a change, or for the times of
// the design's calls.
type ChangeQuestion struct{ Case }

// A Change is the costs before and after: of messages, or of calls.
type Change struct {
	Case
	Costs []CostChange // of messages, by size
	Times []TimeChange // of calls

	PeakBefore, PeakAfter platforms.Peak
	NoGap                 error // why messages have no gap, before or after; nil: they have
	ranged                bool  // a parameter has an interval
	notes                 []remark.Note
}

// A CostChange is the cost of a message of one size, before and after.
type CostChange struct {
	Before, After Costs
	// Then is the one-way time after the change with the interval by those of the parameters, where
	// they have any.
	Then quantity.Interval
}

// A TimeChange is the time of a call, before and after, in µs.
type TimeChange struct {
	Quantity
	Before, After float64
	Next          quantity.Interval // of After, predicted from a measurement
	Ratio         quantity.Interval // After over Before; both share the error of the measurement
	Limit         *Limit            // what the time depends on if it does not change
}

func (q ChangeQuestion) Ask(context.Context) (*Change, error) {
	c := &Change{Case: q.Case}
	c.ranged = slices.ContainsFunc(q.After.Uses(), func(p platforms.Param) bool {
		return p.PlusMinus > 0
	})
	if len(q.After.Calls) > 0 {
		c.Quantities = q.quantitiesOr()
		return c, c.compareTimes()
	}
	c.Sizes = q.sizesOr(TableSizes)
	return c, c.compareCosts()
}

// compareCosts computes the costs of messages. Peaks are compared once: they have no size.
func (c *Change) compareCosts() error {
	// 1,000 samples give the ends of an interval to a few percent of its width.
	then, err := c.After.Predict("one_way", c.Sizes, Sampling{Samples: 1000, Seed: 1})
	if err != nil && !errors.Is(err, ErrExact) {
		return err
	}
	for i, n := range c.Sizes {
		before, err := c.Before.At(n)
		if err != nil {
			return err
		}
		after, err := c.After.At(n)
		if err != nil {
			return err
		}
		change := CostChange{before, after, quantity.Alone(after.OneWay)}
		if c.ranged {
			change.Then = then[i]
		}
		c.Costs = append(c.Costs, change)
	}
	before, after := c.Before.Layer, c.After.Layer
	c.PeakBefore, c.PeakAfter = before.Peak(), after.Peak()
	c.NoGap = cmp.Or(before.GapError(), after.GapError())
	c.notes = c.Before.beyond("", c.Sizes)
	return nil
}

// noEffect is the part of a quantity below which a change is printed as +0.0 %.
const noEffect = 0.0005

// compareTimes computes the times of the design's calls.
func (c *Change) compareTimes() error {
	costs := c.After.Costs()
	for _, q := range c.Quantities {
		before, err := c.Before.ValueOf(q)
		if err != nil {
			return err
		}
		after, err := c.After.ValueOf(q)
		if err != nil {
			return err
		}
		c.Times = append(c.Times, TimeChange{Quantity: q, Before: before, After: after,
			Next: q.Within(costs, after), Ratio: q.Ratio(costs, before, after)})
	}
	for i, t := range c.Times {
		if len(c.After.Changes) == 0 || math.Abs(t.After/t.Before-1) >= noEffect {
			continue
		}
		limit, ok := c.After.limiting(t.Quantity, t.After)
		if ok && !slices.ContainsFunc(c.After.Changes,
			func(a platforms.Assignment) bool { return a.Path == limit.Param.Path }) {
			c.Times[i].Limit = &limit
		}
	}
	c.notes = NotesOf(c.Quantities)
	known := func(t TimeChange) bool { return t.Ratio.Known() }
	switch {
	case len(c.After.Changes) == 0:
	case slices.ContainsFunc(c.Times, known):
		c.notes = append(c.notes, remark.ChangeShared())
	default:
		c.notes = append(c.notes, remark.RatioUnknown("The change has"))
	}
	return nil
}

// Figure returns nil: two numbers are no picture.
func (c *Change) Figure() (table.Picture, error) { return nil, nil }

// Costs are those of a message of one size in a design.
type Costs struct {
	Size        quantity.Bytes
	OneWay, Gap quantity.Micros
	Bandwidth   quantity.MBps
	BestPacket  quantity.Bytes // the best equal packets of the pipeline in use; 0: no pipeline
	// the stage or parameter that owns most of the gap; see [Design.Shares]
	Bottleneck string
}

// At returns the costs of a message of n bytes, n ≥ 1. The bottleneck is the owner of
// most of the gap, not of the one-way time: it limits a stream of messages, while
// every stage delays a single one.
func (d Design) At(n quantity.Bytes) (Costs, error) {
	l := d.Layer.Model
	a := Costs{Size: n, OneWay: l.OneWay(n), Gap: l.Gap(n), Bandwidth: model.Bandwidth(l, n),
		BestPacket: model.BestPacket(l, n)}
	owners, err := d.Owners(n)
	most := quantity.Micros(0)
	for _, o := range owners {
		if o.Gap > most {
			a.Bottleneck, most = o.Owner, o.Gap
		}
	}
	return a, err
}
