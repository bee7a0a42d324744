package model

import (
	"fmt"
	"math"

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

	// Beta and Tau change the measurement: Beta is the time β of the smallest size, Tau the slope
	// τ of the line from there to the largest. If they differ from the measured ones, the time of
	// each size changes as its parts do: the bytes' by the change of τ, and the rest, of which a
	// protocol with a handshake has several times β, by that of β:
	//
	//	T'(n) = (T(n) − B(n))·β'/β + B(n)·τ'/τ
	//	B(n) = (n − n_0)·max(τ, min(slope below n, slope above n)) ≤ T(n) − β
	//
	// The smaller slope leaves out the step of a protocol. Gaps change likewise, but by τ alone: a
	// shorter latency lets no more messages through. Both are 0 without a change.
	Beta quantity.Micros
	Tau  quantity.MicrosPerByte
}

// OneWay returns the time at n on the curve of the times.
func (t *Table) OneWay(n quantity.Bytes) quantity.Micros { return t.times().at(n) }

// Gap returns the gap at n on the curve of the gaps, or of the times if no gap was measured.
func (t *Table) Gap(n quantity.Bytes) quantity.Micros { return t.gaps().at(n) }

// Overheads returns zeros, since the overheads are unknown.
func (t *Table) Overheads(quantity.Bytes) (send, receive quantity.Micros) { return 0, 0 }

// resources returns one resource, which a message crosses in its time and occupies for its gap.
func (t *Table) resources() Resources {
	delay, busy := PacketCost{Curve: t.times().curve()}, PacketCost{Curve: t.gaps().curve()}
	return Route{Hops: []Hop{{Resource: "path", Delay: delay, Busy: busy}}}
}

// A tableColumn is measured costs and by which factors their parts change.
type tableColumn struct {
	measured   Curve
	fixed, tau float64
}

func (t *Table) times() tableColumn {
	c := tableColumn{Curve{t.Sizes, t.Times}, 1, 1}
	if t.Beta != 0 || t.Tau != 0 {
		beta, tau := c.line()
		c.fixed = float64(t.Beta / beta)
		if tau > 0 {
			c.tau = float64(t.Tau / tau)
		}
	}
	return c
}

func (t *Table) gaps() tableColumn {
	c := t.times()
	if len(t.Gaps) > 0 {
		c.measured.Costs, c.fixed = t.Gaps, 1
	}
	return c
}

// line returns the line through the ends of the measured costs; a falling one counts as flat.
func (c tableColumn) line() (beta quantity.Micros, tau quantity.MicrosPerByte) {
	return c.measured.Costs[0], max(0, c.slope(0, len(c.measured.Sizes)-1))
}

// slope returns the time per byte between the i'th and the j'th size.
func (c tableColumn) slope(i, j int) quantity.MicrosPerByte {
	costs, sizes := c.measured.Costs, c.measured.Sizes
	return (costs[j] - costs[i]).Per(sizes[j] - sizes[i])
}

// changedCost returns the changed cost of the i'th size. A table takes logarithms, so a time of 0
// is one of minCost.
func (c tableColumn) changedCost(i int) quantity.Micros {
	all := c.measured.Costs[i]
	if c.fixed == 1 && c.tau == 1 {
		return all
	}
	beta, tau := c.line()
	near := c.slope(max(0, i-1), max(1, i))
	if i > 0 && i < len(c.measured.Sizes)-1 {
		near = min(near, c.slope(i, i+1))
	}
	bytes := max(tau, near).Times(c.measured.Sizes[i] - c.measured.Sizes[0])
	bytes = max(0, min(bytes, all-beta))
	changed := float64(all-bytes)*c.fixed + float64(bytes)*c.tau
	return max(minCost, quantity.Micros(changed))
}

// minCost is a time in µs that is shorter than any of a message.
const minCost = 1e-6

// at returns the cost of n bytes. It needs two sizes alone, so that nothing is allocated.
func (c tableColumn) at(n quantity.Bytes) quantity.Micros {
	return c.measured.changedAt(n, c.changedCost)
}

// curve returns the curve of the changed costs.
func (c tableColumn) curve() *Curve {
	changed := &Curve{Sizes: c.measured.Sizes}
	for i := range changed.Sizes {
		changed.Costs = append(changed.Costs, c.changedCost(i))
	}
	return changed
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
		{
			Key: "beta", Measure: Time, Optional: true, Symbol: "β",
			Phrase: "time of the smallest size", Ends: true,
			At: func(l Layer) any { return &l.(*Table).Beta },
		},
		{
			Key: "tau", Measure: PerByte, Optional: true, Symbol: "τ",
			Phrase: "time per byte from the smallest to the largest size", Ends: true,
			At: func(l Layer) any { return &l.(*Table).Tau },
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
			if !(v > 0) || math.IsInf(float64(v), 1) { // a curve takes logarithms
				return fmt.Sprintf("%s.%d", column.key, i), fmt.Errorf("must be above zero")
			}
		}
	}
	return "", nil
}

func (*Table) kind() *Kind { return tableKind }
