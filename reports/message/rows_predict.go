package message

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// Rows returns the table of the costs. If not all times are those of messages,
// columns give the timed quantity and its time. A column is absent as a whole if no
// row can have it, so that the usual table of one platform from a paper stays narrow.
func (p *Predictions) Rows() table.Rows {
	other := slices.ContainsFunc(p.Costs, func(p Predicted) bool { return !isMessage(p) })
	fitted := slices.ContainsFunc(p.Costs, func(p Predicted) bool { return p.Next != nil })
	ranged := slices.ContainsFunc(p.Costs, func(p Predicted) bool { return p.Beyond > 0 })
	// Scripts depend on these keys: with other times beside those of messages, the key must not say
	// one way.
	name := "one_way"
	if other {
		name = "time"
	}
	spread := table.SpreadOf(name, "", quantity.DimTime, within)
	// A paper's parameters have more digits than a measurement.
	digits := 4
	if fitted || ranged {
		digits = 0
	}
	// People read the ends beside the time.
	low := table.Col("", "95 % from", func(p Predicted) any {
		return quantity.Micros(within(p).Low)
	}).Rounded(digits, name).If(fitted)
	high := table.Col("", "to", func(p Predicted) any {
		return quantity.Micros(within(p).High)
	}).Rounded(digits, name).If(fitted)
	kindRank := 1 // one kind tells no rows apart
	if slices.ContainsFunc(p.Costs, func(c Predicted) bool {
		return c.Timed != p.Costs[0].Timed
	}) {
		kindRank = 0
	}
	rows := table.TableOf(p.Costs,
		table.Col("platform", "platform", func(p Predicted) any {
			return p.Platform
		}).Ranked(1),
		table.Col("layer", "layer", func(p Predicted) any { return p.Layer }).Ranked(1),
		table.Col("of", "kind", func(p Predicted) any {
			return p.Timed.String()
		}).If(other).Ranked(kindRank),
		table.Col("size_bytes", "size", func(p Predicted) any { return p.Size }),
		// Programs get all times in one column. People see a gap in its own column,
		// so "time" leaves it out.
		table.Col("time_us", "", func(p Predicted) any { return p.Time }).If(other),
		table.Col("", "time", func(p Predicted) any {
			return table.OrAbsent(p.Time, !hasPeak(p))
		}).Rounded(0, "time").If(other),
		table.Col("one_way_us", "one way", func(p Predicted) any {
			return table.OrAbsent(p.OneWay, isMessage(p))
		}).Rounded(digits, name),
		low.If(!other), high.If(!other),
		table.Col("rtt_us", "RTT", func(p Predicted) any {
			return table.OrAbsent(p.RTT, isMessage(p))
		}).Rounded(digits).Ranked(3),
		table.Col("gap_us", "gap", func(p Predicted) any {
			return table.OrAbsent(p.Gap, p.GapKnown)
		}).Rounded(digits).Ranked(gapRank(p.Costs)),
		low.If(other), high.If(other),
		table.Col("bandwidth_mb_s", "bandwidth", func(p Predicted) any {
			return table.OrAbsent(p.Bandwidth, isMessage(p) && !p.Short)
		}).Rounded(digits),
		table.Col("throughput_mb_s", "throughput", func(p Predicted) any {
			return table.OrAbsent(p.Throughput, p.GapKnown && !p.Short)
		}).Rounded(digits).Ranked(4),
		table.Col("algbw_mb_s", "algbw", func(p Predicted) any {
			alg, _ := bandwidths(p)
			return alg
		}).If(other).Ranked(3),
		table.Col("busbw_mb_s", "busbw", func(p Predicted) any {
			_, bus := bandwidths(p)
			return bus
		}).If(other),
		table.Col("packet_bytes", "packet", func(p Predicted) any {
			return table.OrAbsent(p.Packet, isMessage(p))
		}).Ranked(5),
		table.Col("regime", "protocol", func(p Predicted) any {
			return table.OrNil(p.Regime)
		}).Ranked(2),
		table.Col("r_inf_mb_s", "", func(p Predicted) any {
			return table.OrAbsent(p.Peak.Asymptote, hasPeak(p) && p.Peak.Known)
		}),
		table.Col("n_half_bytes", "", func(p Predicted) any {
			return table.OrAbsent(p.Peak.Half, hasPeak(p) && p.Peak.Known && p.Peak.Exists)
		}),
		spread.Low.If(fitted), spread.High.If(fitted),
		table.Col("beyond", "extrapolated", func(p Predicted) any {
			return table.OrAbsent(p.Beyond > 1, p.Beyond > 0)
		}).If(fitted || ranged),
		table.Col("from", "from", func(p Predicted) any {
			if p.Next == nil {
				return nil
			}
			return string(p.Next.From)
		}).If(fitted).Ranked(6),
		table.Col("model_us", "", func(p Predicted) any { return p.Model }).If(fitted),
	)
	rows.Add(doubts(p)...)
	rows.Add(p.readings(fitted, other)...)
	rows.Verdict = verdict(p.Costs)
	return inCycles(rows, p.clocks)
}

// Figure returns none: a [CurveQuestion] draws costs.
func (p *Predictions) Figure() (table.Picture, error) { return nil, nil }

// doubts says of which layers the measurements are no curve, that sizes are extrapolated, and why
// the first size without an interval has none.
func doubts(p *Predictions) []remark.Note {
	all := slices.Clone(p.Notes)
	if slices.ContainsFunc(p.Costs, func(p Predicted) bool { return p.Beyond > 1 }) {
		all = append(all, remark.BeyondMeasured())
	}
	unknown := func(p Predicted) bool { return p.Next != nil && p.Next.Unknown != "" }
	if i := slices.IndexFunc(p.Costs, unknown); i >= 0 {
		c := p.Costs[i]
		all = append(all, remark.NoInterval(nameOf(c), c.Size, c.Next.Unknown))
	}
	return all
}

// verdict closes a table: with the times of one layer, or of several with the fastest and the
// slowest at each size. Several levels of machines are compared at the largest size.
func verdict(all []Predicted) table.Sentence {
	bySize := table.Groups(all, func(p Predicted) string {
		return p.Size.String() + " " + p.Timed.String()
	})
	several := false
	for i, here := range bySize {
		levels := levelsOf(here)
		if levels != nil && i == len(bySize)-1 {
			return levelVerdict(levels)
		}
		several = several || len(here) > 1
	}
	if several {
		return fastestVerdict(bySize)
	}
	var c table.Closing
	for _, p := range all {
		v := table.Closed{Of: p.Size, Value: table.Shown(quantity.DimTime, p.Within())}
		if p.Short {
			v.With = table.Say(" at least, since LogP has no cost per byte")
		} else if p.NoLatency {
			v.With = table.Say(" at least, since L is not known")
		} else if isMessage(p) && p.Next == nil {
			v.With = table.Say(" one way, %v%s", p.Bandwidth, extrapolated(p))
		} else if p.Beyond > 1 {
			v.With = extrapolated(p)
		}
		c.Values = append(c.Values, v)
	}
	if c.Error, c.Next = errorOf(all); c.Next == "" {
		c.Subject = notToPlanWith(all)
	}
	return c.Say()
}

// errorOf says why times have no interval, and what makes a wide one narrower.
func errorOf(all []Predicted) (why, next string) {
	farthest := all[0]
	for _, p := range all {
		if p.Beyond > farthest.Beyond {
			farthest = p
		}
	}
	const wide = 1.5 // the ratio of the ends
	within := farthest.Within()
	planable := notToPlanWith(all) == ""
	if farthest.Beyond > 1 && !(within.High/within.Low < wide) && planable {
		next = fmt.Sprintf("for a narrower interval, measure up to %v", farthest.Size)
	}
	if !slices.ContainsFunc(all, func(p Predicted) bool { return p.Within().Known() }) {
		if why = all[0].NoInterval; all[0].Next != nil {
			why = all[0].Next.Unknown
		}
	}
	return why, next
}

// notToPlanWith says before times what to measure first, if the interval of one is too wide to plan
// with; else it is empty.
func notToPlanWith(all []Predicted) string {
	i := slices.IndexFunc(all, func(p Predicted) bool { return p.measureFirst() > 0 })
	if i < 0 {
		return ""
	}
	of := ""
	if len(all) > 1 {
		of = fmt.Sprintf("%v is ", all[i].Size)
	}
	return fmt.Sprintf("%snot an answer to plan with, measure up to %v first", of,
		all[i].measureFirst())
}

// fastestVerdict names the fastest layer at each size; sizes where it is the same are joined.
func fastestVerdict(bySize [][]Predicted) table.Sentence {
	type stretch struct {
		first, last quantity.Bytes
		worst       []Predicted // at the size with the largest ratio
	}
	ratio := func(here []Predicted) float64 {
		fastest, slowest := extremes(here)
		return float64(slowest.Time / fastest.Time)
	}
	var all []stretch
	for _, here := range bySize {
		fastest, _ := extremes(here)
		if n := len(all); n > 0 && len(bySize) > table.MaxClosed {
			before, _ := extremes(all[n-1].worst)
			if nameOf(before) == nameOf(fastest) {
				all[n-1].last = here[0].Size
				if ratio(here) > ratio(all[n-1].worst) {
					all[n-1].worst = here
				}
				continue
			}
		}
		all = append(all, stretch{first: here[0].Size, last: here[0].Size, worst: here})
	}
	line := table.Listed("; ", all, func(s stretch) table.Sentence {
		fastest, slowest := extremes(s.worst)
		if fastest.Time == slowest.Time {
			return table.Say("%v: %v each", s.first, fastest.Time)
		}
		by := table.Faster(float64(slowest.Time / fastest.Time))
		if s.first != s.last {
			return table.Say("%v to %v: %s is up to %s than %s", s.first, s.last, nameOf(fastest),
				by, nameOf(slowest))
		}
		between := ","
		if fastest.Next != nil || fastest.Beyond > 1 {
			between = ";" // the interval has commas
		}
		return table.Say("%v: %v%s %v: %s", s.first, named(fastest), between, named(slowest), by)
	})
	if why, next := errorOf(slices.Concat(bySize...)); why+next != "" {
		line = table.Say("%v; %s", line, why+next)
	}
	return line
}

// named returns the time of a layer with its interval.
func named(p Predicted) table.Sentence {
	return table.Say("%s %v%s", nameOf(p), table.Shown(quantity.DimTime, p.Within()),
		extrapolated(p))
}

// extremes returns the fastest and the slowest; of equal times, the first.
func extremes(all []Predicted) (fastest, slowest Predicted) {
	byTime := func(a, b Predicted) int { return cmp.Compare(a.Time, b.Time) }
	return slices.MinFunc(all, byTime), slices.MaxFunc(all, byTime)
}

// levelsOf returns the layers of several machines by level, the innermost first, each in the order
// of the machines; nil if there is one platform, or if each has one layer. Layers of the same name
// are of one level; without any, levels are counted from the outermost.
func levelsOf(all []Predicted) (levels [][]Predicted) {
	var platforms []string
	layers, named := map[string][]Predicted{}, map[string][]Predicted{}
	var names []string
	for _, p := range all {
		if layers[p.Platform] == nil {
			platforms = append(platforms, p.Platform)
		}
		if named[p.Layer] == nil {
			names = append(names, p.Layer)
		}
		layers[p.Platform] = append(layers[p.Platform], p)
		again := func(of Predicted) bool { return of.Platform == p.Platform }
		if !slices.ContainsFunc(named[p.Layer], again) {
			named[p.Layer] = append(named[p.Layer], p)
		}
	}
	if len(platforms) < 2 || len(all) == len(platforms) {
		return nil
	}
	for _, name := range names {
		if len(named[name]) > 1 {
			levels = append(levels, named[name])
		}
	}
	if levels != nil {
		return levels
	}
	for up := 1; ; up++ {
		var level []Predicted
		for _, of := range platforms {
			if n := len(layers[of]); n >= up {
				level = append(level, layers[of][n-up])
			}
		}
		if len(level) < 2 {
			return levels
		}
		levels = slices.Insert(levels, 0, level)
	}
}

// levelVerdict names the level at which the machines differ most: in the time, or if that is equal
// at all levels, in the bandwidth of large messages.
func levelVerdict(levels [][]Predicted) table.Sentence {
	ratio := func(level []Predicted) float64 {
		fastest, slowest := extremes(level)
		return float64(slowest.Time / fastest.Time)
	}
	byRatio := func(a, b []Predicted) int { return cmp.Compare(ratio(a), ratio(b)) }
	most := slices.MaxFunc(levels, byRatio)
	fastest, slowest := extremes(most)
	if ratio(most) > 1 {
		return table.Say("%v: %s %v, %s %v: %s", fastest.Size, nameOf(fastest),
			fastest.Time, nameOf(slowest), slowest.Time, table.Faster(ratio(most)))
	}
	peaks := func(level []Predicted) (high, low Predicted, ratio float64) {
		byPeak := func(a, b Predicted) int {
			return cmp.Compare(a.Peak.Asymptote, b.Peak.Asymptote)
		}
		known := !slices.ContainsFunc(level, func(p Predicted) bool {
			return !p.Peak.Known
		})
		high, low = slices.MaxFunc(level, byPeak), slices.MinFunc(level, byPeak)
		if ratio = float64(high.Peak.Asymptote / low.Peak.Asymptote); !known || !(ratio > 1) {
			ratio = 1
		}
		return high, low, ratio
	}
	most = slices.MaxFunc(levels, func(a, b []Predicted) int {
		_, _, x := peaks(a)
		_, _, y := peaks(b)
		return cmp.Compare(x, y)
	})
	if high, low, r := peaks(most); r > 1 {
		return table.Say("%v is equal at each level; large messages: %s %v, %s %v: %s",
			high.Size, nameOf(high), high.Peak.Asymptote, nameOf(low), low.Peak.Asymptote,
			table.Faster(r))
	}
	return table.Say("%v is equal at each level", fastest.Size)
}

// gapRank returns the rank of the gap's column: of streams it is the only time, which stays beside
// its interval.
func gapRank(costs []Predicted) int {
	if slices.ContainsFunc(costs, isMessage) {
		return 2
	}
	return 0
}

// notes explains the intervals, names each peak, and says what the times are of if
// not messages. An interval from one run does not cover another run (docs/fit.md:
// 78 % instead of 95 % if runs differ by 10 %), so the note says how many runs there
// were.
func (p *Predictions) readings(fitted, other bool) (notes []remark.Note) {
	if fitted {
		what := "One way"
		if other {
			what = "The time"
		}
		byCurve := slices.ContainsFunc(p.Costs, func(c Predicted) bool {
			return c.Next != nil && c.Model != c.Time
		})
		notes = append(notes, remark.NextMeasurement(what, byCurve, p.Runs))
	}
	for _, c := range p.Costs {
		if c.betweenProtocols() {
			notes = append(notes, remark.BetweenProtocols(c.Size, c.Layer, c.Regime))
		}
	}
	return append(notes, p.kinds...)
}
