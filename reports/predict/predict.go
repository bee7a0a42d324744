// Package predict predicts the costs of messages on unchanged platforms: times, gaps
// and bandwidths (Costs, Compare), the best packets (Cuts), curves and timelines
// (Curves, Timeline), files of other programs (Exported), and tables of a platform's
// parameters.
//
// Answers are typed. Only their method Rows has the columns of a table; package
// reports prints it. Begin with Costs, from which Compare and the pages take their
// numbers.
//
// Two sources of a time meet here. The model's lines explain a layer. A layer that
// was fitted also has its measured curve, and then the printed time is the next
// measurement predicted from that curve, with a 95 % interval; the time by the lines
// stands beside it in model_us. A changed layer has no measurements, so its interval
// is gone.
package predict

import (
	"fmt"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/forecast"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports"
)

// Predictions are the costs of messages in some layers, layer by layer in the order
// given.
type Predictions struct {
	Costs []Predicted
	Peaks []platforms.Peak // one for each layer
	// Doubts name the layers whose measured points make no curve: their costs are the model's.
	Doubts []string
	// gapless says of each layer without a known gap what is missing.
	gapless []string
	// estimated names the layers whose parameters alone have intervals.
	estimated []string
	// others names the fitted layers beside those that stand for their platforms.
	others []string
	runs   int // minimum over the fitted layers' measurements
}

// Predicted is the cost of a message of one size in a layer, or of an operation or a collective.
type Predicted struct {
	Platform, Layer string
	Timed           platforms.Timed
	Size            quantity.Bytes
	// Time is the quantity that was timed: one way for messages, the gap for streams. Fields below
	// that do not apply are 0.
	Time                  quantity.Micros
	OneWay, RTT, Gap      quantity.Micros
	Bandwidth, Throughput quantity.MBps
	GapKnown              bool // false: Gap and Throughput are 0, and no column shows them
	Packet                quantity.Bytes
	Regime                string // the branches of switches, see [model.Regime]
	Peak                  platforms.Peak
	// Next is the next measurement of this size, predicted from the measurements that the layer was
	// fitted to; nil if the layer has none, or has been changed. Time is its middle.
	Next *forecast.Forecast
	// Beyond reports a size outside the measured ones. Ranged reports that these are known.
	Beyond, Ranged bool
	// Model is the time by the lines of the layer's model.
	Model quantity.Micros
}

// Costs computes the costs of messages of these sizes, at least 1 byte each, in each layer.
func Costs(sizes []quantity.Bytes, designs ...platforms.Design) *Predictions {
	all := &Predictions{}
	for _, d := range designs {
		peak := d.Layer.Peak()
		// A peak belongs to a layer, so it is computed once and not for each size.
		all.Peaks = append(all.Peaks, peak)
		all.doubt(d)
		for _, n := range sizes {
			p := predicted(d, n)
			p.Peak = peak
			all.Costs = append(all.Costs, p)
		}
	}
	return all
}

// doubt notes how far the costs in the design can be trusted.
func (p *Predictions) doubt(d platforms.Design) {
	// The error is that of the curve, the same at every size.
	if _, err := d.Next(1); err != nil {
		p.Doubts = append(p.Doubts, err.Error()+"; the costs are by the model alone")
	}
	if err := d.Layer.GapError(); err != nil && d.Layer.Timed.Of == platforms.Message {
		p.gapless = append(p.gapless, "no gap or throughput: "+err.Error())
	}
	// The note about runs must hold for every layer, so it has the fewest.
	if d.Forecastable() && (p.runs == 0 || d.Layer.Measured.Runs < p.runs) {
		p.runs = d.Layer.Measured.Runs
	}
	if names := otherFits(d); len(names) > 0 {
		p.others = append(p.others, fmt.Sprintf("%s is one of %d fitted layers; the others are %s",
			d.Layer.Ref(), len(names)+1, strings.Join(names, ", ")))
	}
	uncertain := func(p platforms.Param) bool { return p.PlusMinus > 0 }
	if !d.Forecastable() && slices.ContainsFunc(d.Uses(), uncertain) {
		p.estimated = append(p.estimated, d.Layer.Ref()+": the parameters have intervals; "+
			"whatif gives those of the times")
	}
}

// otherFits returns the other layers with measurements of a platform that the design's layer stands
// for: whoever names the platform alone may not know them. A machine's levels show its layers.
func otherFits(d platforms.Design) (names []string) {
	if d.Layer.Measured == nil || d.Layer.Name != d.Platform.Default || len(d.Platform.Levels) > 0 {
		return nil
	}
	for _, l := range d.Platform.Layers {
		if l.Measured != nil && l.Name != d.Layer.Name {
			names = append(names, l.Ref())
		}
	}
	return names
}

// predicted returns the cost of a message of n bytes, without the peak. The times of a stream show
// no latency, and those of a collective or another operation show no cost of one message. A field
// that does not follow from them stays 0 and is absent in the table: a guess would look like a
// prediction.
func predicted(d platforms.Design, n quantity.Bytes) Predicted {
	p := Predicted{Platform: d.Platform.Name, Layer: d.Layer.Name, Timed: d.Layer.Timed, Size: n}
	if sizes := measuredSizes(d.Layer); len(sizes) > 0 {
		p.Ranged, p.Beyond = true, n < sizes[0] || n > sizes[len(sizes)-1]
	}
	p.Next = d.Forecast(n)
	m := d.Layer.Model
	p.Time, p.Model, p.Regime = m.OneWay(n), model.LinesOf(m).OneWay(n), model.Regime(m, n)
	// platforms.Operation and Collective have no case: nothing follows from such a time.
	switch rate := n.Over; p.Timed.Of {
	case platforms.Message:
		p.OneWay, p.RTT, p.Bandwidth = p.Time, model.RTT(m, n), rate(p.Time)
		p.Packet = model.PacketSize(m, n)
		if p.GapKnown = model.HasGap(m); p.GapKnown {
			p.Gap = m.Gap(n)
			p.Throughput = rate(p.Gap)
		}
	case platforms.Stream:
		p.Gap, p.Throughput, p.GapKnown = p.Time, rate(p.Time), true
	}
	return p
}

// InAllStates returns the designs, each followed by the layers that its level has for other states
// of memory: relay and fresh.
func InAllStates(designs []platforms.Design) (all []platforms.Design) {
	for _, d := range designs {
		all = append(all, d)
		at := slices.IndexFunc(d.Platform.Levels, func(l platforms.Level) bool {
			return l.Layers["layer"] == d.Layer.Name
		})
		for _, key := range []string{"relay", "fresh"} {
			if at < 0 || d.Platform.Levels[at].Layers[key] == "" {
				continue
			}
			state := d
			var err error
			state.Layer, err = d.Platform.Layer(d.Platform.Levels[at].Layers[key])
			if err == nil { // the platform has it, unless a change left it out
				all = append(all, state)
			}
		}
	}
	return all
}

// measuredSizes returns the measured sizes of the layer's times. A layer from a paper has
// parameters and no range, so none of its sizes is beyond it.
func measuredSizes(l platforms.Layer) []quantity.Bytes {
	if l.Measured != nil {
		return l.Measured.Sizes
	}
	// A table is its measurements, so what lies outside it is extrapolated, too.
	if table, ok := l.Model.(*model.Table); ok {
		return table.Sizes
	}
	return nil
}

// Rows returns the table of the costs. If not all times are those of messages,
// columns give the timed quantity and its time. A column is absent as a whole if no
// row can have it, so that the usual table of one platform from a paper stays narrow.
func (p *Predictions) Rows(units quantity.UnitChoice) reports.Rows {
	other := slices.ContainsFunc(p.Costs, func(p Predicted) bool { return !p.isMessage() })
	fitted := slices.ContainsFunc(p.Costs, func(p Predicted) bool { return p.Next != nil })
	ranged := slices.ContainsFunc(p.Costs, func(p Predicted) bool { return p.Ranged })
	next := func(key, head string, of func(f forecast.Forecast) any) reports.Field[Predicted] {
		return nextCol(key, head, of).If(fitted)
	}
	// Scripts depend on these keys: with other times beside those of messages, the key must not say
	// one way.
	low, high := "one_way_low_us", "one_way_high_us"
	if other {
		low, high = "time_low_us", "time_high_us"
	}
	rows := reports.TableOf(p.Costs,
		reports.Col("platform", "platform", func(p Predicted) any { return p.Platform }).Ranked(1),
		reports.Col("layer", "layer", func(p Predicted) any { return p.Layer }).Ranked(1),
		reports.Col("of", "kind", func(p Predicted) any { return p.Timed.String() }).If(other),
		reports.Col("size_bytes", "size", func(p Predicted) any { return p.Size }),
		// Programs get all times in one column. People see a gap in its own column,
		// so "time" leaves it out.
		reports.Col("time_us", "", func(p Predicted) any { return p.Time }).If(other),
		reports.Col("", "time", func(p Predicted) any {
			return reports.OrAbsent(p.Time, !p.hasPeak())
		}).If(other),
		reports.Col("one_way_us", "one way", func(p Predicted) any {
			return reports.OrAbsent(p.OneWay, p.isMessage())
		}),
		reports.Col("rtt_us", "RTT", func(p Predicted) any {
			return reports.OrAbsent(p.RTT, p.isMessage())
		}).Ranked(3),
		reports.Col("gap_us", "gap", func(p Predicted) any {
			return reports.OrAbsent(p.Gap, p.GapKnown)
		}).Ranked(2),
		reports.Col("bandwidth_mb_s", "bandwidth", func(p Predicted) any {
			return reports.OrAbsent(p.Bandwidth, p.isMessage())
		}),
		reports.Col("throughput_mb_s", "throughput", func(p Predicted) any {
			return reports.OrAbsent(p.Throughput, p.GapKnown)
		}).Ranked(4),
		reports.Col("algbw_mb_s", "algbw", func(p Predicted) any {
			alg, _ := p.Timed.Bandwidths(p.Size, p.Time)
			return reports.OrAbsent(alg, alg > 0)
		}).If(other),
		reports.Col("busbw_mb_s", "busbw", func(p Predicted) any {
			_, bus := p.Timed.Bandwidths(p.Size, p.Time)
			return reports.OrAbsent(bus, bus > 0)
		}).If(other),
		reports.Col("packet_bytes", "packet", func(p Predicted) any {
			return reports.OrAbsent(p.Packet, p.isMessage())
		}).Ranked(5),
		reports.Col("regime", "regime", func(p Predicted) any {
			return reports.OrNil(p.Regime)
		}).Ranked(2),
		reports.Col("r_inf_mb_s", "", func(p Predicted) any {
			return reports.OrAbsent(p.Peak.Asymptote, p.hasPeak() && p.Peak.Known)
		}),
		reports.Col("n_half_bytes", "", func(p Predicted) any {
			return reports.OrAbsent(p.Peak.Half, p.hasPeak() && p.Peak.Known && p.Peak.Exists)
		}),
		next("", "95 % prediction interval", func(f forecast.Forecast) any {
			return reports.Interval{Dim: quantity.DimTime, Interval: quantity.Interval{
				Value: float64(f.Middle), Low: float64(f.Low), High: float64(f.High),
			}}
		}),
		next(low, "", func(f forecast.Forecast) any { return f.Low }),
		next(high, "", func(f forecast.Forecast) any { return f.High }),
		reports.Col("beyond", "extrapolated", func(p Predicted) any {
			return reports.OrAbsent(p.Beyond, p.Ranged)
		}).If(fitted || ranged),
		next("from", "from", func(f forecast.Forecast) any { return string(f.From) }).Ranked(6),
		reports.Col("model_us", "", func(p Predicted) any { return p.Model }).If(fitted),
	)
	rows.Notes = p.notes(fitted, other, units)
	return rows
}

// isMessage reports whether the time is that of one message, so that all other columns follow.
func (p Predicted) isMessage() bool { return p.Timed.Of == platforms.Message }

// hasPeak reports whether a bandwidth follows from the times: of messages, and of streams.
func (p Predicted) hasPeak() bool { return p.isMessage() || p.Timed.Of == platforms.Stream }

// nextCol returns a column of the next measurement; it is empty in rows of layers
// that were not fitted.
func nextCol(key, head string, of func(forecast.Forecast) any) reports.Field[Predicted] {
	return reports.Col(key, head, func(p Predicted) any {
		if p.Next == nil {
			return nil
		}
		return of(*p.Next)
	})
}

// notes explains the intervals, names each peak, and says what the times are of if
// not messages. An interval from one run does not cover another run (docs/trust.md:
// 78 % instead of 95 % if runs differ by 10 %), so the note says how many runs there
// were.
func (p *Predictions) notes(fitted, other bool, units quantity.UnitChoice) []string {
	notes := slices.Clone(p.Doubts)
	if fitted {
		what := "One way"
		if other {
			what = "The time"
		}
		which := "the nodes and the run that were measured: others may differ by more"
		if p.runs > 1 {
			which = fmt.Sprintf("another run, or pair of nodes, like the %d that were measured",
				p.runs)
		}
		notes = append(notes, what+" is the next measurement, predicted from the measured curve; "+
			"the lines of the model explain it. The interval is of "+which+". Beyond the sizes "+
			"that were measured the protocol may change.")
	} else if slices.ContainsFunc(p.Costs, func(p Predicted) bool { return p.Beyond }) {
		notes = append(notes, "Beyond the sizes that were measured the protocol may change.")
	}
	notes = slices.Concat(notes, p.gapless, p.estimated, p.others)
	for _, peak := range p.Peaks {
		if peak.Timed.Of == platforms.Message || peak.Timed.Of == platforms.Stream {
			notes = append(notes, peak.Layer+": "+peak.Text(units))
		}
		switch peak.Timed.Of {
		case platforms.Stream:
			notes = append(notes, peak.Layer+": gaps between messages of a stream, "+
				"which do not show the latency of a message.")
		case platforms.Operation:
			notes = append(notes, peak.Layer+": times of an operation, not of a message: "+
				"no RTT, gap or bandwidth follows.")
		case platforms.Collective:
			text := "algbw is bytes over time; busbw is algbw times what each rank has to send " +
				"for a byte, as nccl-tests counts it"
			if peak.Timed.PerRank {
				text += "; the size is the block of one rank, and the bytes are those of all"
			}
			if peak.Timed.Ranks == 0 {
				text += "; the file does not give the number of ranks; " +
					"for busbw, write ranks = \"8\" into the layer"
			}
			notes = append(notes, peak.Layer+": "+text+".")
		}
	}
	return notes
}

// InCycles adds a column in cycles of the host's processor for each column of times:
// µs times MHz. Papers of the nineties give overheads in cycles, which is how
// processors of different speed are compared. The first column of the table has the
// names of the designs' platforms. It is an error if no platform file states the
// clock; rows of a platform without one are empty.
func InCycles(rows reports.Rows, designs []platforms.Design) (reports.Rows, error) {
	clocks := map[string]float64{} // MHz, 0 where not known
	var names []string
	known := false
	for _, d := range designs {
		clocks[d.Platform.Name] = d.Platform.Clock
		known = known || d.Platform.Clock > 0
		if !slices.Contains(names, d.Platform.Name) {
			names = append(names, d.Platform.Name)
		}
	}
	if !known {
		slices.Sort(names)
		return rows, usage.Fields(fmt.Errorf("%s does not give its host's clock; "+
			"add a line such as clock = \"266MHz\" to the platform's file",
			strings.Join(names, " or ")), "cycles")
	}
	var times []int
	for j, column := range rows.Columns {
		// The key says the unit, so that a column of times is known without its values.
		if key, isTime := strings.CutSuffix(column.Key, "_us"); isTime {
			times = append(times, j)
			head := column.Head
			if head != "" {
				head += " (cycles)"
			}
			rows.Columns = append(rows.Columns, reports.Column{
				// A fraction of a cycle is no time, so people see none.
				Key: key + "_cycles", Head: head, Rank: 2,
				Text: func(v any) string { return fmt.Sprintf("%.0f", v) },
			})
		}
	}
	for i, row := range rows.Data {
		// The first column is the platform, so each row is counted by its own clock.
		clock := clocks[row[0].(string)]
		for _, j := range times {
			t, ok := row[j].(quantity.Micros)
			row = append(row, reports.OrAbsent(float64(t)*clock, ok && clock > 0))
		}
		rows.Data[i] = row
	}
	return rows, nil
}
