package fit

import (
	"errors"
	"fmt"
	"slices"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A LogGPResult has the parameters of LogGP (Alexandrov et al. 1995), for each protocol of the
// system:
//
//	T(n)  = o_s + (n−1)G + L + o_r           the latencies
//	g'(n) = max(o_s, o_r, g + (n−1)G)        a stream of messages
//
// LogGP has one G for both, so they are fitted together. Sizes whose interval does not exceed a
// measured overhead do not show g, and are omitted.
type LogGPResult struct {
	// Protocols from small to large messages; at least one.
	Protocols []LogGPProtocol
	// Separate reports whether the overheads were measured, so that L, o_s and o_r are known one by
	// one. A ping-pong identifies only o_s + L + o_r, the one-way time of one byte: else L is that
	// sum, and the overheads are 0.
	Separate bool
	// Lines are the latencies and the stream beside the two lines of each protocol, by the index of
	// their table.
	Lines map[int]*Result
	// Unused are the indices of the tables that it ignored.
	Unused   []int
	Warnings []string
}

// LogGP fits L, o, g and G to tables of one system: latencies (one-way or round trip), gaps of a
// stream, and overheads if they were measured. It ignores other tables, and all but the first of a
// kind. A criterion chooses the
// number of protocols, as for [Piecewise]. A negative L is an error that names the cause.
func LogGP(tables ...*benchfile.Table) (*LogGPResult, error) {
	var latency, stream, send, receive *benchfile.Table
	r := &LogGPResult{}
	for i, t := range tables {
		place := map[benchfile.Kind]**benchfile.Table{
			benchfile.OneWay: &latency, benchfile.RoundTrip: &latency, benchfile.Gap: &stream,
			benchfile.SendOverhead: &send, benchfile.ReceiveOverhead: &receive,
		}[t.Kind]
		if place == nil || *place != nil {
			r.Unused = append(r.Unused, i)
			continue
		}
		*place = t
	}
	if err := checkTables(latency, stream, tables); err != nil {
		return nil, err
	}
	latencies, err := r.points("latencies", r.pingPong(latency, stream))
	if err != nil {
		return nil, err
	}
	if len(latencies) == 1 {
		r.warn("one latency only (%v): G is the stream's", latencies[0].Size)
	}
	gaps, err := r.points("stream", gapLimited(stream, send, receive))
	if err != nil {
		return nil, err
	}
	overheads := [2]quantity.Micros{}
	if r.Separate = send != nil && receive != nil; r.Separate {
		if overheads, err = smallestOverheads(send, receive); err != nil {
			return nil, err
		}
	} else {
		r.warn("L, o_s and o_r are known as one sum only: " +
			"a ping-pong does not identify them separately")
	}
	for _, part := range protocols(latencies, gaps, max(resolution(latency), resolution(stream))) {
		p, err := part.parameters(overheads)
		if err != nil {
			return nil, err
		}
		r.Protocols = append(r.Protocols, p)
	}
	r.judge()
	r.Lines = map[int]*Result{}
	for i, t := range tables {
		if t == latency || t == stream {
			if r.Lines[i], err = r.beside(t); err != nil {
				return nil, err
			}
		}
	}
	return r, nil
}

// beside returns the points of a table and the line of each protocol through them.
func (r *LogGPResult) beside(t *benchfile.Table) (*Result, error) {
	points, kind, warnings, err := pointsOf(t)
	if err != nil {
		return nil, err
	}
	c := &Result{Name: t.Name(), Format: t.Format, Kind: kind, Model: "loggp", Points: points,
		Warnings: warnings, quantum: resolution(t)}
	c.step = c.coarseStep()
	for _, p := range r.Protocols {
		fixed := p.Value.OneWay(1)
		if kind == benchfile.Gap {
			fixed = p.Value.GapTime
		}
		beta, tau := fixed-p.Value.GapPerByte.Times(1), p.Value.GapPerByte
		c.Segments = append(c.Segments, Segment{From: p.From, To: p.To,
			Beta: quantity.Alone(beta), Tau: quantity.Alone(tau)})
		c.pieces = append(c.pieces, piece{
			line:  line{beta: quantity.Alone(float64(beta)), tau: quantity.Alone(float64(tau))},
			until: float64(p.To)})
	}
	// The protocols are of the sizes of both tables, and this one may have more or fewer.
	last := len(c.Segments) - 1
	c.Segments[0].From, c.Segments[last].To = points[0].Size, points[len(points)-1].Size
	for i := range last {
		c.Breaks = append(c.Breaks, Break{At: c.Segments[i].To, Next: c.Segments[i+1].From})
	}
	for i := range points {
		at := slices.IndexFunc(c.Segments, func(s Segment) bool { return points[i].Size <= s.To })
		points[i].Segment, points[i].Fitted = at, c.Segments[at].Time(points[i].Size)
	}
	c.Errors = errorsOf(points)
	return c, nil
}

// points returns the points of a table, and warns of their clock and order.
func (r *LogGPResult) points(what string, t *benchfile.Table) ([]Point, error) {
	points, _, warnings, err := pointsOf(t)
	if err != nil {
		return nil, err
	}
	if len(points) == 0 || len(points) < minPoints && t.Kind == benchfile.Gap {
		return nil, fmt.Errorf("%s: %w: LogGP takes a latency of one size above 0, and gaps of 3",
			t.Name(), ErrNoData)
	}
	of := &Result{Points: points, Warnings: warnings}
	of.judgeFirstRow()
	of.judgeOrder()
	for _, w := range of.Warnings {
		r.warn("%s: %s", what, w)
	}
	return points, nil
}

// judge warns of protocols whose parameters are held at 0 and, before all else, of those that miss
// the measurements.
func (r *LogGPResult) judge() {
	var misses []string
	for i := range r.Protocols {
		p := &r.Protocols[i]
		where := ""
		if len(r.Protocols) > 1 {
			where = fmt.Sprintf("%v to %v: ", p.From, p.To)
		}
		for _, of := range []struct {
			what string
			Errors
		}{{"latencies", p.Latencies}, {"gaps of the stream", p.Stream}} {
			if of.P95 > missed {
				misses = append(misses, fmt.Sprintf("%sLogGP has one G for latencies and streams: "+
					"the %s are off by up to %.0f %%, at %v; are both of the same nodes?",
					where, of.what, percent(of.Worst), of.WorstAt))
			}
		}
		if p.Value.GapTime == 0 {
			r.warn("%sg is held at 0: the gaps grow faster than a line", where)
		}
	}
	r.Warnings = append(misses, r.Warnings...)
}

// checkTables returns an error if there are no latencies or no stream.
func checkTables(latency, stream *benchfile.Table, all []*benchfile.Table) error {
	if latency == nil {
		return errors.New("LogGP: no table of latencies: " +
			"add the output of a ping-pong, such as osu_latency")
	}
	if stream != nil {
		return nil
	}
	for _, t := range all {
		if t.Kind == benchfile.SharedGap {
			return fmt.Errorf("LogGP: %s adds up an unknown number of streams, and g is one "+
				"stream's: add a table of one, such as that of osu_bw, or the lines above the "+
				"table that name its pairs", t.Name())
		}
	}
	return errors.New("LogGP: no table of a stream's bandwidth or message rate: " +
		"add one, such as that of osu_bw; latencies alone do not identify g")
}

func (r *LogGPResult) warn(format string, args ...any) {
	r.Warnings = append(r.Warnings, fmt.Sprintf(format, args...))
}

// gapLimited returns the sizes of a stream whose intervals exceed both overheads by a tenth, so
// that they show g and G; or the whole stream if they are fewer than three.
func gapLimited(stream *benchfile.Table, overheads ...*benchfile.Table) *benchfile.Table {
	var longest quantity.Micros
	for _, o := range overheads {
		if o != nil && len(o.Samples) > 0 {
			longest = max(longest, o.Samples[0].Mean) // of the smallest size
		}
	}
	some := *stream
	hidden := func(s benchfile.Sample) bool { return s.Mean <= hides*longest }
	some.Samples = slices.DeleteFunc(slices.Clone(stream.Samples), hidden)
	if len(some.Samples) < minPoints {
		return stream
	}
	return &some
}

// pingPong returns the latencies whose round trips exceed the stream's gaps by a tenth.
// A processor of a ping-pong sends once in a round trip, so that shorter ones show g and not L. If
// fewer than two sizes show L, all are kept, and o_s + L + o_r has an upper bound only.
func (r *LogGPResult) pingPong(latency, stream *benchfile.Table) *benchfile.Table {
	trips := quantity.Micros(2) // one-way times in a round trip
	if latency.Kind == benchfile.RoundTrip {
		trips = 1
	}
	some, last := *latency, quantity.Bytes(0)
	some.Samples = nil
	for _, s := range latency.Samples {
		at := slices.IndexFunc(stream.Samples, func(g benchfile.Sample) bool {
			return g.Size == s.Size
		})
		if s.Size > 0 && at >= 0 && trips*s.Mean <= hides*stream.Samples[at].Mean {
			last = max(last, s.Size)
			continue
		}
		some.Samples = append(some.Samples, s)
	}
	const why = "the round trips up to %v take as long as the gaps of the stream: they show g, " +
		"which hides the latency"
	count := 0
	for _, s := range some.Samples {
		if s.Size > last {
			count++
		}
	}
	switch {
	case last == 0:
		return latency
	case count < 2:
		r.warn("L is not identifiable: "+why+"; o_s + L + o_r is at most their half", last)
		return latency
	}
	r.warn("L is only known from larger messages: "+why, last)
	return &some
}

// hides is the factor up to which a time hides a shorter one that is part of it: a tenth is more
// than the noise of most benchmarks.
const hides = 1.1

// smallestOverheads returns o_s and o_r at their smallest sizes.
func smallestOverheads(send, receive *benchfile.Table) (overheads [2]quantity.Micros, err error) {
	for i, t := range []*benchfile.Table{send, receive} {
		at := slices.IndexFunc(t.Samples, func(s benchfile.Sample) bool { return s.Size > 0 })
		if at < 0 {
			return overheads, fmt.Errorf("%s: %w: no size above 0", t.Name(), ErrNoData)
		}
		overheads[i] = t.Samples[at].Mean
	}
	return overheads, nil
}
