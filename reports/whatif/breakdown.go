package whatif

import (
	"context"

	"github.com/halfpeak/halfpeak/internal/curves"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/internal/study"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// A BreakdownQuestion asks which stage or parameter owns how much of the one-way time and of the
// gap of messages, or which kind of event how much of the times of the design's calls.
type BreakdownQuestion struct {
	Case
	// Areas asks for a figure over sizes. That of messages is of the gap if that is the first
	// quantity, else of the one-way time; calls have none.
	Areas bool
}

// A Breakdown has the parts of costs.
type Breakdown struct {
	Case
	Parts []Parted // of messages by size, of calls by quantity

	NoGap         error // why messages have no gap; nil: they have
	cut, measured bool  // there are packets; times are those of a measured curve
	notes         []remark.Note
	noInterval    string // what is known of the error of values without an interval

	curve      []Parted // of the figure, over sizes
	marks      []table.Mark
	curveNotes []string
}

// Parted are the parts of a cost: of a message in the order of the file, or of the time of a call,
// the largest first.
type Parted struct {
	Quantity    Quantity       // of a call
	Size        quantity.Bytes // of a message
	OneWay, Gap quantity.Micros
	Shares      []study.Share
	// Now is the one-way time, or the time of the call, with the interval of the next measurement
	// where that is known.
	Now quantity.Interval
}

func (p Parted) now() quantity.Interval { return p.Now }

func (q BreakdownQuestion) Ask(context.Context) (*Breakdown, error) {
	b := &Breakdown{Case: q.Case}
	if len(q.After.Calls) > 0 {
		return b, b.divideCalls()
	}
	b.Sizes, b.Quantities = q.sizesOr(TableSizes), q.quantitiesOr("one_way")
	m := q.After.Layer.Model
	b.NoGap = q.After.Layer.GapError()
	b.measured = model.LinesOf(m) != m
	var err error
	if b.Parts, err = q.After.parted(b.Sizes); err != nil {
		return nil, err
	}
	b.noInterval = q.After.noInterval(b.Quantities, list.Map(b.Parts, Parted.now)...)
	for _, n := range b.Sizes {
		b.cut = b.cut || model.PacketSize(m, n) < n
	}
	if !q.Areas {
		return b, nil
	}
	if b.ofGap() && b.NoGap != nil {
		return nil, b.NoGap
	}
	// Where protocols switch, shares jump.
	var sizes []quantity.Bytes
	sizes, b.marks, b.curveNotes = curves.Boundaries(q.After.Layer, q.curve("1..1MiB/16"))
	b.curve, err = q.After.parted(sizes)
	return b, err
}

// ofGap reports whether the figure is of the gap.
func (b *Breakdown) ofGap() bool { return b.Quantities[0].Name == "gap" }

// divideCalls divides the times of calls, such as along the critical path of a finish.
func (b *Breakdown) divideCalls() error {
	b.Quantities = b.quantitiesOr()
	b.notes = NotesOf(b.Quantities)
	for _, of := range b.Quantities {
		shares, err := b.After.limits(of)
		if err != nil {
			return err
		}
		now, err := b.After.predicted(of)
		if err != nil {
			return err
		}
		b.Parts = append(b.Parts, Parted{Quantity: of, Shares: shares, Now: now})
	}
	b.noInterval = b.After.noInterval(b.Quantities, list.Map(b.Parts, Parted.now)...)
	return nil
}

// parted divides the costs of messages of these sizes.
func (d Design) parted(sizes []quantity.Bytes) (all []Parted, err error) {
	for _, n := range sizes {
		p := Parted{Size: n, OneWay: d.Layer.Model.OneWay(n), Gap: d.Layer.Model.Gap(n)}
		if p.Shares, err = d.Owners(n); err != nil {
			return nil, err
		}
		oneWay, err := d.quantityOf("one_way", n)
		if err != nil {
			return nil, err
		}
		if p.Now, err = d.predicted(oneWay); err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}
