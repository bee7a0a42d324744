//go:build !js

package collective

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// machineTime is the best time of a call on a machine, by which it is Slower than the fastest
// machine, in percent.
type machineTime struct {
	Timing
	machine string
	slower  float64
}

// machineRows compares machines by their best times of each call, which come in ascending order of
// ranks and sizes, the machines in theirs.
func machineRows(machines []*Times) table.Rows {
	var all []machineTime
	for _, m := range machines {
		for _, c := range m.Times {
			if !c.Compared || c.Best {
				all = append(all, machineTime{Timing: c, machine: m.Machine})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b machineTime) int {
		return cmp.Or(cmp.Compare(a.Ranks, b.Ranks), cmp.Compare(a.Size(), b.Size()))
	})
	fastest := map[Place]quantity.Micros{}
	for _, c := range all {
		if least, ok := fastest[c.Place()]; !ok || shownTime(c.Timing) < least {
			fastest[c.Place()] = shownTime(c.Timing)
		}
	}
	for i := range all {
		c := &all[i]
		// Times of one rank may all be 0.
		if time, least := shownTime(c.Timing), fastest[c.Place()]; time > least {
			c.slower = 100 * (float64(time/least) - 1)
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
		more := append(slices.Clone(m.Notes), m.On)
		if len(m.TooLarge) > 0 {
			more = append(more, m.Machine+": "+m.LeftOut())
		}
		for _, doubt := range m.Doubts {
			if !slices.Contains(rows.Doubts, doubt) {
				rows.Doubts = append(rows.Doubts, doubt)
			}
		}
		rows.Notes = append(rows.Notes, more...)
	}
	if len(all) > 0 {
		rows.Verdict = machineVerdict(all)
		off := slices.IndexFunc(machines, func(t *Times) bool { return t.Off != "" })
		if off >= 0 {
			rows.Verdict = table.Say("%v; %s", rows.Verdict, machines[off].Off)
		}
	}
	return rows
}

// machineVerdict names the fastest machine for the last call.
func machineVerdict(all []machineTime) table.Sentence {
	last := all[len(all)-1]
	here := slices.DeleteFunc(slices.Clone(all), func(c machineTime) bool {
		return c.Place() != last.Place()
	})
	bySlower := func(a, b machineTime) int { return cmp.Compare(a.slower, b.slower) }
	best, worst := slices.MinFunc(here, bySlower), slices.MaxFunc(here, bySlower)
	call := fmt.Sprintf("%s of %v on %d ranks", last.Collective, last.Size(), last.Ranks)
	switch {
	case len(here) < 2:
		return table.Say("%s: only on %s, %v", call, best.machine, shownTime(best.Timing))
	case worst.slower < 0.05:
		return table.Say("%s: %v on each", call, shownTime(best.Timing))
	}
	with := " with " + best.Name
	if best.IsLibraryChoice() {
		with = ""
	}
	return table.Say("%s: %s is fastest, %v%s; %s takes %s longer", call, best.machine,
		shownTime(best.Timing), with, worst.machine, percentText(worst.slower))
}
