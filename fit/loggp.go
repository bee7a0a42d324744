package fit

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A LogGPResult has the parameters of LogGP (Alexandrov et al. 1995):
//
//	T(n)  = o_s + (n−1)G + L + o_r           from the latencies
//	g'(n) = max(o_s, o_r, g + (n−1)G)        from a stream of messages
//
// Sizes whose interval does not exceed a measured overhead do not show g, and are omitted.
type LogGPResult struct {
	// Value holds the parameters. A ping-pong identifies only o_s + L + o_r, the one-way time of
	// one byte: unless Separate is set, L is that sum, and the overheads are 0.
	Value model.LogGP
	// Low and High are the ends of the parameters' 95 % intervals. The overheads have none: they
	// are measured directly.
	Low, High model.LogGP
	// Separate reports whether the overheads were measured, so that L, o_s and o_r are known one by
	// one.
	Separate bool
	// PerByte is the time per byte of the latencies: G again, if LogGP holds.
	PerByte Estimate[quantity.MicrosPerByte]
	// Latencies and Stream are the lines behind the parameters; Latencies is nil if there is only
	// one latency.
	Latencies, Stream *Result
	Warnings          []string

	short logpEstimates // the parameters of short messages, while they are fitted
}

// LogGP fits L, o, g and G to tables of one system: latencies (one-way or round trip), gaps of a
// stream, and overheads if they were measured. It ignores other tables. A negative g, G, o or L is
// an error that names the cause.
func LogGP(tables ...*benchfile.Table) (*LogGPResult, error) {
	var latency, stream, send, receive *benchfile.Table
	var passed []string
	for _, t := range tables {
		place := map[benchfile.Kind]**benchfile.Table{
			benchfile.OneWay: &latency, benchfile.RoundTrip: &latency, benchfile.Gap: &stream,
			benchfile.SendOverhead: &send, benchfile.ReceiveOverhead: &receive,
		}[t.Kind]
		if place == nil || *place != nil {
			passed = append(passed, t.Name())
			continue
		}
		*place = t
	}
	if err := checkTables(latency, stream, tables); err != nil {
		return nil, err
	}
	r := &LogGPResult{}
	if len(passed) > 0 {
		r.warn("not used: %s", strings.Join(passed, ", "))
	}
	if err := r.fitStream(gapLimited(stream, send, receive)); err != nil {
		return nil, err
	}
	if err := r.fitLatency(latency); err != nil {
		return nil, err
	}
	// The 95 % intervals of both G do not overlap.
	apart := r.PerByte.Low > r.High.GapPerByte || r.PerByte.High < r.Low.GapPerByte
	if r.Latencies != nil && apart {
		r.warn("G is %v in the stream and %v in the latencies: LogGP has one G; "+
			"single long messages take another path than a stream",
			r.Value.GapPerByte, r.PerByte.Value)
	}
	r.doubt("latencies", r.Latencies)
	r.doubt("stream", r.Stream)
	if send == nil || receive == nil {
		r.warn("L, o_s and o_r are known as one sum only: " +
			"a ping-pong does not identify them separately")
	} else if err := r.separate(send, receive); err != nil {
		return nil, err
	}
	r.Value.LogP, r.Low.LogP, r.High.LogP = r.short.parameters()
	return r, nil
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

// doubt adds the warnings of a line behind the parameters, and a warning if the line misses the
// smallest message.
func (r *LogGPResult) doubt(what string, line *Result) {
	if line == nil {
		return
	}
	for _, w := range line.Warnings {
		r.warn("%s: %s", what, w)
	}
	if p := line.Points[0]; math.Abs(p.Error()) > 0.2 {
		r.warn("%s: %v take %v, and the line has %v: the parameters are not those of small "+
			"messages; fit fewer sizes", what, p.Size, p.Time, p.Fitted)
	}
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
	hidden := func(s benchfile.Sample) bool { return s.Mean <= 1.1*longest }
	some.Samples = slices.DeleteFunc(slices.Clone(stream.Samples), hidden)
	if len(some.Samples) < 3 {
		return stream
	}
	return &some
}

// fitStream sets g and G.
func (r *LogGPResult) fitStream(t *benchfile.Table) (err error) {
	if r.Stream, err = Linear(t, Relative); err != nil {
		return err
	}
	l := fitRelative(r.Stream.Points)
	if g := l.freeBeta + l.freeTau; g < 0 {
		first, last := r.Stream.Points[0], r.Stream.Points[len(r.Stream.Points)-1]
		return fmt.Errorf("LogGP: g would be %v: the gaps of %s grow faster than a line, from %v "+
			"at %v to %v at %v; a protocol changes in between: fit fewer sizes, or segments",
			quantity.Micros(g), t.Name(), first.Time, first.Size, last.Time, last.Size)
	}
	if l.freeTau < 0 {
		return fmt.Errorf("LogGP: G would be %v: the gaps of %s fall with size",
			quantity.MicrosPerByte(l.freeTau), t.Name())
	}
	r.short.gap = l.estimate(1) // (n−1)G is 0 for one byte
	perByte := r.Stream.Segments[0].Tau
	r.Value.GapPerByte = perByte.Value
	r.Low.GapPerByte, r.High.GapPerByte = perByte.Low, perByte.High
	return nil
}

// fitLatency sets L to o_s + L + o_r, the latency of one byte.
func (r *LogGPResult) fitLatency(t *benchfile.Table) (err error) {
	if len(t.Samples) == 1 && t.Samples[0].Size > 0 {
		r.short.latency = exactly(t.Samples[0].Mean)
		if t.Kind == benchfile.RoundTrip {
			r.short.latency = exactly(t.Samples[0].Mean / 2)
		}
		r.warn("one latency only (%v): G is the stream's", t.Samples[0].Size)
		return nil
	}
	if r.Latencies, err = Linear(t, Relative); err != nil {
		return err
	}
	l := fitRelative(r.Latencies.Points)
	if sum := l.freeBeta + l.freeTau; sum < 0 {
		return fmt.Errorf("LogGP: o_s + L + o_r would be %v: the latencies of %s grow faster than "+
			"a line; fit fewer sizes, or segments", quantity.Micros(sum), t.Name())
	}
	r.short.latency = l.estimate(1)
	r.PerByte = r.Latencies.Segments[0].Tau
	return nil
}

// separate subtracts o_s and o_r at the smallest size from the sum.
func (r *LogGPResult) separate(send, receive *benchfile.Table) error {
	var smallest [2]benchfile.Sample
	for i, t := range []*benchfile.Table{send, receive} {
		at := slices.IndexFunc(t.Samples, func(s benchfile.Sample) bool { return s.Size > 0 })
		if at < 0 {
			return fmt.Errorf("%s: %w: no size above 0", t.Name(), ErrNoData)
		}
		smallest[i] = t.Samples[at]
	}
	s, o := smallest[0], smallest[1]
	sum := r.short.latency
	latency := sum.Value - s.Mean - o.Mean
	if latency < 0 {
		return fmt.Errorf("LogGP: L would be %v: o_s = %v and o_r = %v (%v, %v) are more than "+
			"the one-way time of %v; they overlap with the transfer, or were measured otherwise",
			latency, s.Mean, o.Mean, s.Size, o.Size, sum.Value)
	}
	r.Separate = true
	r.short.send, r.short.receive = exactly(s.Mean), exactly(o.Mean)
	// The overheads are known: all of the sum's uncertainty is that of L.
	low, high := latency-(sum.Value-sum.Low), latency+(sum.High-sum.Value)
	r.short.latency = Estimate[quantity.Micros]{latency, max(0, low), high}
	return nil
}
