//go:build !js

package collective

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// machineTime is the best time of a call on a machine, by which it is Slower than the fastest
// machine, in percent.
type machineTime struct {
	Timing
	machine string
	slower  float64
	off     bool // the interval is of other machines, and the closing line says it once
}

// machineRows compares machines by their best times of each call, which come in ascending order of
// ranks and sizes, the machines in theirs.
func machineRows(machines []*Times) table.Rows {
	var all []machineTime
	for _, m := range machines {
		for _, c := range m.Times {
			if !c.Compared || c.Best {
				all = append(all, machineTime{Timing: c, machine: m.Machine,
					off: m.Off != ""})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b machineTime) int {
		return cmp.Or(cmp.Compare(a.Ranks, b.Ranks), cmp.Compare(a.Size(), b.Size()))
	})
	fastest := map[Place]float64{}
	for _, c := range all {
		if least, ok := fastest[c.Place()]; !ok || c.Answer().Value < least {
			fastest[c.Place()] = c.Answer().Value
		}
	}
	for i := range all {
		c := &all[i]
		// Times of one rank may all be 0.
		if time, least := c.Answer().Value, fastest[c.Place()]; time > least {
			c.slower = 100 * (time/least - 1)
		}
	}
	col := table.Col[machineTime]
	timed := table.SpreadOf("time", "", quantity.DimTime,
		func(c machineTime) quantity.Interval { return c.Within })
	fitted := slices.ContainsFunc(machines, func(m *Times) bool {
		return m.Fitted
	})
	rows := table.TableOf(all,
		col("platform", "platform", func(c machineTime) any { return c.machine }),
		col("collective", "", func(c machineTime) any { return c.Collective }),
		col("algorithm", "algorithm", func(c machineTime) any { return c.Name }),
		col("ranks", "ranks", func(c machineTime) any { return c.Ranks }),
		col("size_bytes", "size", func(c machineTime) any { return c.Size() }),
		col("segment_bytes", "segment", func(c machineTime) any { return segment(c.Timing) }).
			If(slices.ContainsFunc(all, func(c machineTime) bool { return c.Call.Segment > 0 })),
		col("time_us", "time", func(c machineTime) any {
			return c.Time
		}).Rounded(uncertainDigits, "time"),
		col("", "95 % from", func(c machineTime) any {
			return quantity.Micros(c.Within.Low)
		}).Rounded(uncertainDigits, "time").If(fitted),
		col("", "to", func(c machineTime) any {
			return quantity.Micros(c.Within.High)
		}).Rounded(uncertainDigits, "time").If(fitted),
		timed.Low, timed.High,
		col("average_us", "average", func(c machineTime) any {
			return c.Average
		}).Rounded(uncertainDigits).Ranked(4),
		col("slower_percent", "slower by",
			func(c machineTime) any { return c.slower }).Texted(percentText),
		col("from", "method", func(c machineTime) any { return c.From }).Ranked(5),
	)
	for _, m := range machines {
		rows.Add(m.Notes...)
		rows.Add(remark.Described(m.On))
		for _, n := range m.LeftOut() {
			rows.Add(n.About(m.Machine))
		}
	}
	if len(all) > 0 {
		rows.Verdict = machineVerdict(all, machines)
	}
	return rows
}

// machineVerdict names the fastest machine for each call.
func machineVerdict(all []machineTime, machines []*Times) table.Sentence {
	last := all[len(all)-1]
	otherRanks := func(c machineTime) bool { return c.Ranks != last.Ranks }
	sameRanks := !slices.ContainsFunc(all, otherRanks)
	closing := table.Closing{Subject: last.Collective}
	if sameRanks {
		closing.Subject = fmt.Sprintf("%s on %d ranks", last.Collective, last.Ranks)
	}
	var names []string
	var sizes []quantity.Bytes
	for _, here := range table.Groups(all, func(c machineTime) Place { return c.Place() }) {
		best, v := placeVerdict(here)
		if v.Of = any(best.Size()); !sameRanks {
			v.Of = fmt.Sprintf("%v on %d ranks", best.Size(), best.Ranks)
		}
		closing.Values = append(closing.Values, v)
		names, sizes = append(names, best.machine), append(sizes, best.Size())
	}
	if fastest := table.Stretches(names, sizes); sameRanks && fastest != "" {
		closing.Changes = "fastest: " + fastest
	}
	for _, m := range machines {
		if m.Off != "" {
			closing.Error = m.Off
		}
	}
	return closing.Say()
}

// placeVerdict returns the fastest machine for a call, and its time with that of the slowest.
func placeVerdict(here []machineTime) (best machineTime, v table.Closed) {
	bySlower := func(a, b machineTime) int { return cmp.Compare(a.slower, b.slower) }
	best = slices.MinFunc(here, bySlower)
	worst := slices.MaxFunc(here, bySlower)
	in := best.Answer()
	if best.off {
		in = quantity.Alone(in.Value)
	}
	v.Value = table.Shown(quantity.DimTime, in)
	with := " with " + best.Name
	if best.IsLibraryChoice() {
		with = ""
	}
	switch {
	case len(here) < 2:
		v.With = fmt.Sprintf(" on %s, the only one with a time", best.machine)
	case worst.slower < 0.05:
		v.With = " on each"
	default:
		v.With = fmt.Sprintf(" on %s, the fastest%s; %s takes %s longer", best.machine, with,
			worst.machine, percentText(worst.slower))
	}
	return best, v
}
