package model

import (
	"fmt"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// Table is a measurement at some sizes: costs between two sizes are interpolated in logarithms, and
// above the largest they follow the line through the last two; see [Curve]. Without a measured gap,
// the gap is the one-way time, as with [Linear].
//
// Overheads are zero, since the share of the processors is unknown.
type Table struct {
	Sizes []quantity.Bytes  // at least two, rising
	Times []quantity.Micros // one way, of each size, > 0
	Gaps  []quantity.Micros // of each size, > 0; or none
	// GapUnknown marks one-way times, which do not show whether messages overlap; without Gaps.
	GapUnknown bool
}

// OneWay returns the time at n on the curve of the times.
func (t *Table) OneWay(n quantity.Bytes) quantity.Micros {
	c := Curve{t.Sizes, t.Times}
	return c.At(n)
}

// Gap returns the gap at n on the curve of the gaps, or of the times if no gap was measured.
func (t *Table) Gap(n quantity.Bytes) quantity.Micros {
	c := Curve{t.Sizes, t.gaps()}
	return c.At(n)
}

func (t *Table) gaps() []quantity.Micros {
	if len(t.Gaps) == 0 {
		return t.Times
	}
	return t.Gaps
}

// Overheads returns zeros, since the overheads are unknown.
func (t *Table) Overheads(quantity.Bytes) (send, receive quantity.Micros) { return 0, 0 }

// Resources returns one resource, which a message crosses in its time and occupies for its gap.
func (t *Table) Resources() Resources {
	delay := PacketCost{Curve: &Curve{t.Sizes, t.Times}}
	busy := PacketCost{Curve: &Curve{t.Sizes, t.gaps()}}
	return Route{Hops: []Hop{{Resource: "path", Delay: delay, Busy: busy}}}
}

var tableKind = &Kind{
	Name: "table", Cost: "the measured cost, interpolated in logarithms", zero: &Table{},
	GapUnknown: func(l Layer) *bool { return &l.(*Table).GapUnknown },
	Fields: []Field{
		{
			Key: "sizes", Measure: Size, List: true, Phrase: "measured size",
			At: func(l Layer) any { return &l.(*Table).Sizes },
		},
		{
			Key: "times", Measure: Time, List: true, Symbol: "measured times",
			Phrase: "measured one-way time",
			At:     func(l Layer) any { return &l.(*Table).Times },
		},
		{
			Key: "gaps", Measure: Time, List: true, Optional: true, Symbol: "measured gaps",
			Phrase: "measured gap",
			At:     func(l Layer) any { return &l.(*Table).Gaps },
		},
	},
	Check: func(l Layer) (string, error) { return l.(*Table).check() },
}

func (t *Table) check() (key string, err error) {
	if len(t.Sizes) < 2 {
		return "sizes", fmt.Errorf(`a table must have at least two, as in sizes = ["1B", "1KiB"]`)
	}
	if t.GapUnknown && len(t.Gaps) > 0 {
		return "gaps", fmt.Errorf("are given, so the gap is not unknown")
	}
	for i := 1; i < len(t.Sizes); i++ {
		if t.Sizes[i] <= t.Sizes[i-1] {
			key := fmt.Sprintf("sizes.%d", i)
			return key, fmt.Errorf("must exceed the previous size, %s", t.Sizes[i-1])
		}
	}
	for _, column := range []struct {
		key    string
		values []quantity.Micros
	}{{"times", t.Times}, {"gaps", t.Gaps}} {
		if column.key == "gaps" && len(column.values) == 0 {
			continue // optional
		}
		if len(column.values) != len(t.Sizes) {
			return column.key, fmt.Errorf("must have one value for each of the %d sizes (got %d)",
				len(t.Sizes), len(column.values))
		}
		for i, v := range column.values {
			if !positive(float64(v)) { // a curve takes logarithms
				return fmt.Sprintf("%s.%d", column.key, i), fmt.Errorf("must be above zero")
			}
		}
	}
	return "", nil
}

func (*Table) kind() *Kind { return tableKind }
