package collective

import (
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// timeRows tabulates the times. Intervals are absent if the calls had none.
func (a Answer) timeRows() table.Rows {
	t, digits := a.Times[0], 0
	if t.Rough() {
		digits = uncertainDigits
	}
	algorithms, own := shownTimes(t)
	times := slices.Concat(algorithms, own)
	named := a.named
	col := table.Col[Timing]
	ranOtherwise := slices.ContainsFunc(times, func(c Timing) bool {
		return c.RanAs != ""
	})
	slower := func(c Timing) any {
		return table.OrAbsent(c.Slower, c.Compared && !c.Undecided)
	}
	nextSlower := func(c Timing) any {
		return table.OrAbsent(c.NextSlower, c.Next != nil)
	}
	mayLose := func(c Timing) any {
		// Only a choice among fits has a bound of what it may lose.
		known := t.Fitted && c.Best && !math.IsNaN(c.MayLose)
		return table.OrAbsent(table.Finite(c.MayLose), known)
	}
	within := func(c Timing) quantity.Interval { return c.Within }
	average := func(c Timing) quantity.Interval { return c.AverageWithin }
	time := table.SpreadOf("time", "", quantity.DimTime, within)
	averaged := table.SpreadOf("average", "", quantity.DimTime, average)
	low, high := ends(digits, t.Fitted)
	timed := slices.ContainsFunc(times, func(c Timing) bool {
		return !math.IsNaN(float64(c.Time))
	})
	algbw := func(c Timing) any {
		alg, _ := c.Bandwidths()
		return table.OrAbsent(alg, alg > 0)
	}
	busbw := func(c Timing) any {
		_, bus := c.Bandwidths()
		return table.OrAbsent(bus, bus > 0)
	}
	averageTime := col("average_us", "average",
		func(c Timing) any { return c.Average }).Rounded(digits, "time")
	if timed { // else it is the answer
		averageTime = averageTime.Ranked(4)
	}
	timeHead := "time"
	if t.Fitted { // of the statistics that were measured
		timeHead = "slowest rank"
	}
	rows := table.TableOf(times,
		col("collective", "", func(c Timing) any { return c.Collective }),
		col("algorithm", "algorithm", func(c Timing) any { return c.Name }).
			Texted(named),
		col("ranks", "ranks", func(c Timing) any { return c.Ranks }),
		col("size_bytes", "size", func(c Timing) any { return c.Size() }),
		col("time_us", timeHead,
			func(c Timing) any { return c.Time }).Rounded(digits, "time"),
		time.Low, time.High,
		low.If(timed), high.If(timed),
		averageTime,
		low.If(!timed), high.If(!timed),
		col("best", "best", func(c Timing) any {
			return table.OrAbsent(c.Best, c.Compared && !c.Undecided)
		}),
		col("segment_bytes", "segment", segment),
		col("slower_percent", "slower by", slower).Texted(percentText),
		col("next", "runner-up",
			func(c Timing) any { return table.OrNil(next(c).Name) }).
			Texted(named).Ranked(2),
		col("next_segment_bytes", "its segment",
			func(c Timing) any { return segment(next(c)) }).Ranked(6),
		col("next_slower_percent", "runner-up slower by",
			nextSlower).Texted(percentText).Ranked(3),
		col("from", "method", func(c Timing) any { return c.From }).Ranked(5),
		col("ran_as", table.HeadIf(ranOtherwise, "ran as"), func(c Timing) any {
			return table.OrNil(c.RanAs)
		}).Ranked(1),
		col("latency_bound_us", "", func(c Timing) any { return c.LatencyBound }),
		col("bandwidth_bound_us", "", func(c Timing) any { return c.BandwidthBound }),
		averaged.Low, averaged.High,
		col("loss_high_percent", table.HeadIf(t.Fitted, "may lose"),
			mayLose).Texted(percentText).Ranked(3),
		col("algbw_mb_s", "algbw", algbw).Rounded(digits).Ranked(8),
		col("busbw_mb_s", "busbw", busbw).Rounded(digits).Ranked(7),
	)
	rows.Add(t.LeftOut()...)
	if rows.Add(t.Notes...); !t.Fitted {
		rows.Add(remark.Described(t.On))
	}
	if len(times) > 0 {
		rows.Verdict = closing(t, times, own, named).Say()
	}
	rows.RowRank, rows.AskedRank = rowRank(times, len(algorithms)), answerRank
	return rows
}

// ends returns the ends of the interval, which people read beside the time or, without one, beside
// the average.
func ends(digits int, fitted bool) (low, high table.Field[Timing]) {
	low = table.Col("", "95 % from", func(c Timing) any {
		return quantity.Micros(c.Answer().Low)
	})
	high = table.Col("", "to", func(c Timing) any {
		return quantity.Micros(c.Answer().High)
	})
	return low.Rounded(digits, "time").If(fitted), high.Rounded(digits, "time").If(fitted)
}

// rowRank keeps the best algorithm of each call the longest, with all the segments that were asked
// for, and schedules of one's own, which are the last times. Of a range of ranks it keeps the
// largest number.
func rowRank(times []Timing, algorithms int) func(i int) int {
	type call struct {
		collective, algorithm string
		ranks                 int
		size                  quantity.Bytes
	}
	of := func(c Timing) call { return call{c.Collective, c.Name, c.Ranks, c.Size()} }
	best, most := map[call]bool{}, 0
	for _, c := range times {
		best[of(c)] = best[of(c)] || c.Best
		most = max(most, c.Ranks)
	}
	return func(i int) int {
		switch c := times[i]; {
		case i < algorithms && c.Compared && !best[of(c)]:
			return answerRank + 1
		case c.Ranks < most:
			return answerRank
		}
		return 0
	}
}

// answerRank is the rank of the best algorithms on fewer than the most ranks.
const answerRank = 1

// shownTimes returns the times of algorithms that were asked for, and those of schedules of one's
// own.
func shownTimes(t *Times) (algorithms, own []Timing) {
	algorithms, own = t.Times[:len(t.Times)-t.Own], t.Times[len(t.Times)-t.Own:]
	if t.BestOnly {
		slower := func(c Timing) bool { return !c.Best && c.Compared && !c.Undecided }
		algorithms = slices.DeleteFunc(slices.Clone(algorithms), slower)
	}
	return algorithms, own
}

// named returns a name as people read it: that of a schedule of one's own is a path.
func (a Answer) named(name any) string {
	text := fmt.Sprint(name)
	if short, own := a.short[text]; own {
		return short
	}
	return text
}

// closing returns the times of the best algorithms, with the schedules of one's own or, without
// any, the second best.
func closing(t *Times, all, own []Timing, named func(any) string) table.Closing {
	var said table.Closing
	measure := ""
	places := table.Groups(all, func(c Timing) Place { return c.Place() })
	last := all[len(all)-1]
	severalRanks := slices.ContainsFunc(all, func(c Timing) bool { return c.Ranks != last.Ranks })
	said.Subject = fmt.Sprintf("%s on %s", last.Collective, quantity.Plural(last.Ranks, "rank"))
	if !slices.ContainsFunc(all, func(c Timing) bool { return !silent(c) }) {
		said.Values = []table.Closed{{Value: "one rank sends no message"}}
		return said
	}
	if severalRanks {
		said.Subject = last.Collective
	}
	if !severalRanks {
		said.Changes = fastestBySize(all, named)
	}
	for _, place := range places {
		for _, c := range place {
			if c.Compared && !c.Best && !c.Undecided || silent(c) {
				continue
			}
			v, timed := closed(t, c, own, named)
			if !timed {
				continue
			}
			if v.Of = c.Size(); severalRanks {
				v.Of = fmt.Sprintf("%v on %d ranks", c.Size(), c.Ranks)
			}
			said.Values = append(said.Values, v)
			if c.Measure != "" {
				measure = "not an answer to plan with, measure " + c.Measure + " first: "
			}
			if c.Undecided {
				break // said once
			}
		}
	}
	said.Subject = measure + said.Subject
	if t.Off == "" {
		return said
	}
	said.Error, said.Next = t.Within.Source, "halfpeak calibrate measures the machine"
	if len(said.Values) > table.MaxClosed { // all have the same interval, in parts of the time
		said.Error = t.Off
		for i := range said.Values {
			v := &said.Values[i]
			if in, is := v.Value.(table.Interval); is {
				v.Value = table.Shown(in.Dim, quantity.Alone(in.Value))
			}
		}
	}
	return said
}

// fastestBySize says which algorithms are the fastest, each up to which size.
func fastestBySize(all []Timing, named func(any) string) string {
	var names []string
	var sizes []quantity.Bytes
	best := slices.DeleteFunc(slices.Clone(all), func(c Timing) bool {
		return !c.Compared || !c.Best || c.Undecided
	})
	for _, c := range best {
		names, sizes = append(names, called(c, named)), append(sizes, c.Size())
	}
	if said := table.Stretches(names, sizes); said != "" {
		return "fastest: " + said
	}
	return ""
}

// silent reports whether the call is of one rank, which sends no message.
func silent(c Timing) bool { return c.Ranks == 1 && c.Time == 0 }

// closed returns a time as the closing line has it; false if it is unknown.
func closed(t *Times, c Timing, own []Timing, named func(any) string) (v table.Closed, ok bool) {
	switch {
	case c.Undecided:
		return table.Closed{Value: "the fastest is not known, one has no time"}, true
	case math.IsNaN(c.Answer().Value):
		return v, false
	}
	within := c.Answer()
	with := ""
	if !c.IsLibraryChoice() {
		with = " with " + called(c, named)
	}
	if t.Fitted && !within.Known() {
		with += ", no interval"
	}
	for _, o := range own {
		if o.Place() == c.Place() && o.Slower > 0 {
			with += fmt.Sprintf(", %s takes %s longer", called(o, named), percentText(o.Slower))
		}
	}
	if len(own) == 0 && c.Next != nil && c.NextSlower >= 0.05 {
		with += fmt.Sprintf(", %s takes %s longer", called(*c.Next, named),
			percentText(c.NextSlower))
	}
	return table.Closed{Value: table.Shown(quantity.DimTime, within), With: with}, true
}

// called returns the algorithm of a call, with the segments of its messages.
func called(c Timing, named func(any) string) string {
	if c.Call.Segment == 0 {
		return named(c.Name)
	}
	return fmt.Sprintf("%s in segments of %s", named(c.Name), quantity.Bytes(c.Call.Segment))
}
