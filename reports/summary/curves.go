package summary

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/curves"
	"github.com/halfpeak/halfpeak/internal/papers"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/message"
	thepapers "github.com/halfpeak/halfpeak/reports/papers"
	"github.com/halfpeak/halfpeak/reports/table"
)

// curves draws bandwidth and one-way time over the sizes, each with its numbers. Of a
// fitted layer, its own measurements stand in the table beside those of papers.
func (s subject) curves(sizes []quantity.Bytes) ([]table.Block, error) {
	points, err := curves.PaperPoints(s.Design)
	if err != nil {
		return nil, err
	}
	if s.fitted {
		for i, n := range s.Layer.Measured.Sizes {
			// A measurement of the user's file has no error bar here: its interval is
			// that of the prediction.
			t := s.Layer.Measured.Times[i]
			input := papers.Fact{Role: papers.Input} // so no error of the model is shown beside it
			points = append(points, papers.Point{Fact: input, Size: n, OneWay: t})
		}
	}
	var blocks []table.Block
	// Bandwidth shows long messages, and the one-way time short ones.
	for _, kind := range []curves.Kind{curves.Bandwidth, curves.Latency} {
		figure, err := curves.Figure(kind, sizes, s.Design)
		if err != nil {
			return nil, err
		}
		numbers := s.numbers(kind, sizes, points)
		drawing := table.Drawing{Title: s.caption(kind), Picture: figure, Numbers: numbers}
		blocks = append(blocks, drawing)
	}
	return blocks, nil
}

// A curvePoint is a size of a curve with its cost and its measurement, if any.
type curvePoint struct {
	n        quantity.Bytes
	cost     message.Predicted
	measured *papers.Point
}

// curvePoints returns the rows of a curve's table: the measured points between the
// sizes, and the powers of two that were not measured. A paper may give several times
// for a size, so measured points are rows, not sizes.
func (s subject) curvePoints(sizes []quantity.Bytes, points []papers.Point) []curvePoint {
	var all []curvePoint
	for _, p := range points {
		// A printed bound is no point of a curve; the section on the paper's numbers has it.
		if p.Size >= slices.Min(sizes) && p.Size <= slices.Max(sizes) && !p.Bound() {
			all = append(all, curvePoint{n: p.Size, measured: &p})
		}
	}
	for _, n := range doublings(sizes) {
		// A measured size has its row already, with the same cost.
		if !slices.ContainsFunc(all, func(p curvePoint) bool { return p.n == n }) {
			all = append(all, curvePoint{n: n})
		}
	}
	// Stable: several measurements of one size stay in the order of the paper.
	slices.SortStableFunc(all, func(a, b curvePoint) int { return cmp.Compare(a.n, b.n) })
	for i, p := range all {
		all[i].cost = message.Cost(s.Design, p.n)
	}
	return all
}

// numbers returns the table of a curve. The columns beside the curve's quantity are
// those that explain it: the gap and the regime beside a time, the throughput of a
// stream and the packet beside a bandwidth.
func (s subject) numbers(
	kind curves.Kind, sizes []quantity.Bytes, points []papers.Point,
) table.Rows {
	m, all := s.Layer.Model, s.curvePoints(sizes, points)
	latency := kind == curves.Latency
	noun := "bandwidth"
	switch {
	case latency && s.stream():
		noun = "gap"
	case latency:
		noun = "one way"
	case s.stream():
		noun = "throughput"
	}
	if s.fitted {
		noun += " (95 %)"
	}
	of := func(v func(papers.Point) any) func(curvePoint) any {
		return func(p curvePoint) any {
			if p.measured == nil {
				return nil
			}
			return v(*p.measured)
		}
	}
	return table.TableOf(all,
		table.Col("size_bytes", "size", func(p curvePoint) any { return p.n }),
		table.Col("", noun, func(p curvePoint) any { return message.CurveCell(kind, p.cost) }),
		table.Col("", "extrapolated", func(p curvePoint) any {
			return table.OrAbsent("yes", p.cost.Next.Beyond())
		}).If(s.fitted),
		table.Col("gap_us", "gap", func(p curvePoint) any {
			return table.OrAbsent(p.cost.Gap, p.cost.GapKnown)
		}).If(latency && !s.stream()),
		table.Col("regime", "protocol", func(p curvePoint) any {
			return model.Regime(m, p.n)
		}).If(latency),
		table.Col("throughput_mb_s", "of a stream", func(p curvePoint) any {
			return table.OrAbsent(p.cost.Throughput, p.cost.GapKnown)
		}).If(!latency && !s.stream()),
		table.Col("packet_bytes", "packet", func(p curvePoint) any {
			return model.PacketSize(m, p.n)
		}).If(!latency && !s.stream()),
		// The lines explain the measured curve, so both stand side by side for a fitted layer.
		table.Col("", "model", func(p curvePoint) any {
			return quantityOf(kind, p.n, p.cost.Model)
		}).If(s.fitted),
		table.Col("measured", "measured", of(func(p papers.Point) any {
			return quantityOf(kind, p.Size, p.OneWay)
		})),
		table.Col("interval", "error bar", of(func(p papers.Point) any {
			return table.OrAbsent(barOf(kind, p), p.Within.Low != p.Within.High)
		})),
		table.Col("error_percent", "model off by", of(func(p papers.Point) any {
			switch {
			case p.Role == papers.Input:
				return nil // the model is made of it
			// Bandwidth is a quotient by the time, so its error has the inverse ratio.
			case kind == curves.Bandwidth:
				return 100 * float64(p.OneWay/m.OneWay(p.Size)-1)
			}
			return 100 * float64(m.OneWay(p.Size)/p.OneWay-1)
		})).Texted(table.PercentText("%+.1f %%")))
}

// quantityOf returns what a curve shows for n bytes that take t one way. Its types
// print themselves with units, which a float64 would not.
func quantityOf(k curves.Kind, n quantity.Bytes, t quantity.Micros) fmt.Stringer {
	if k == curves.Latency {
		return t
	}
	return n.Over(t)
}

// barOf returns the error bar of a measured point, as the curve shows it. A coarse
// clock can leave a time that may be 0, and with it a bandwidth without an upper
// bound.
func barOf(k curves.Kind, p papers.Point) string {
	low := quantityOf(k, p.Size, quantity.Micros(max(0, p.Within.Low))).String()
	high := quantityOf(k, p.Size, quantity.Micros(p.Within.High)).String()
	if k == curves.Bandwidth {
		// The shortest time has the highest bandwidth.
		low, high = high, low
		if p.Within.Low <= 0 {
			high = "∞"
		}
	}
	return low + " – " + high
}

// A subject is a layer that a report is about, with what all of its sections ask.
type subject struct {
	platforms.Design
	accuracy thepapers.Reproduction // what the papers say of the platform, inputs apart
	fitted   bool                   // the next measurement can be predicted
}

// longMessage is the size of the message whose best packet a report gives. At 64 KiB
// the packets matter, and the β of a packet does not yet vanish beside them.
const longMessage = 64 * quantity.KiB

var captions = map[curves.Kind]string{
	curves.Bandwidth: "Bandwidth against message size",
	curves.Latency:   "One-way time against message size",
}

// doublings returns the powers of two among the sizes, as benchmarks measure them, or
// all sizes if there are none: a user who asks for 1000, 2000, 3000 gets those.
func doublings(sizes []quantity.Bytes) []quantity.Bytes {
	var some []quantity.Bytes
	for _, n := range sizes {
		// Log2 is exact for powers of two.
		if e := math.Log2(float64(n)); e == math.Trunc(e) {
			some = append(some, n)
		}
	}
	if len(some) == 0 {
		some = sizes
	}
	return stats.Ascending(some)
}

// thinned returns at most the given number of sizes, at least 2, evenly apart in
// their order, with both ends. Evenly apart in the order is evenly apart on a
// logarithmic axis, if the sizes are.
func thinned(sizes []quantity.Bytes, most int) []quantity.Bytes {
	sizes = stats.Ascending(sizes)
	if len(sizes) <= most {
		return sizes
	}
	some := make([]quantity.Bytes, most)
	for i := range some {
		// i = most−1 gives the last one exactly.
		some[i] = sizes[i*(len(sizes)-1)/(most-1)]
	}
	return some
}

// stream reports whether the layer has the gaps of a stream for times.
func (s subject) stream() bool { return s.Layer.Timed.Of == platforms.Stream }

// caption returns the title of a curve.
func (s subject) caption(kind curves.Kind) string {
	switch {
	case s.stream() && kind == curves.Latency:
		return "Gap of a stream against message size"
	case s.stream():
		return "Throughput of a stream against message size"
	}
	return captions[kind]
}
