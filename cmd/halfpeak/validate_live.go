//go:build linux

package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/engine/live"
	"github.com/halfpeak/halfpeak/engine/programs"
	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/fit/trace"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
)

// liveOptions are those of validate --live.
type liveOptions struct {
	transport string
	budget    time.Duration
	pin       bool
	save      string
}

func (o *liveOptions) declare(cmd *cobra.Command) {
	cmd.Long += `

With --live it measures a transport of this machine instead: it fits models to some
sizes, to the stages of a packet alone and to the LogP signature, and predicts what
no fit has seen: other sizes, other numbers of credits, other packets of a message of
64 KiB, other computations between messages. All is measured in one run, in random
order, and printed beside the prediction. --save keeps the models as a platform: one
way by size, LogGP, and a pipeline of the stages.`
	cmd.Example += "\n  halfpeak validate --live shm --save machine.toml"
	cmd.Flags().StringVar(&o.transport, "live", "", "measure this `transport` of this machine, shm, unix, tcp or udp, fit a model, and predict what was not measured")
	cmd.Flags().DurationVar(&o.budget, "budget", time.Minute, "with --live: `time` for the measurements")
	cmd.Flags().BoolVar(&o.pin, "pin", true, "with --live: keep each node on a processor of its own")
	cmd.Flags().StringVar(&o.save, "save", "", "with --live: write the model as a platform to this `file`")
	complete(cmd, "live", []string{"shm", "unix", "tcp", "udp"})
}

// args wants no argument with --live, which only goes with flags of its own.
func (o *liveOptions) args(platforms cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if o.transport == "" {
			for _, name := range []string{"budget", "pin", "save"} {
				if cmd.Flags().Changed(name) {
					return usagef("--%s goes with --live", name)
				}
			}
			return platforms(cmd, args)
		}
		for _, name := range []string{"size", "program", "nodes", "trace", "plot", "faults"} {
			if cmd.Flags().Changed(name) {
				return usagef("--%s is for simulated platforms, not for --live", name)
			}
		}
		return wantArgs(0, 0, "--live alone, or platforms")(cmd, args)
	}
}

// The training set, and what is held back of sizes and windows.
var (
	trainSizes = []int{1, 8, 16, 32, 64, 128, 256, 512, 1 << 10, 2 << 10, 4 << 10, 8 << 10, 12 << 10, 16 << 10, 32 << 10, 48 << 10, 64 << 10, 128 << 10, 256 << 10, 512 << 10, 1 << 20}
	heldSizes  = []int{24, 200, 768, 2500, 6000, 12_000, 24_000, 40_000, 150_000, 500_000}
	heldWindow = []int{1, 2, 4, 8}
)

const (
	windowed     = 4 << 10  // the size with which windows are tried: one piece on all transports
	trainMessage = 32 << 10 // is cut into the packets of the training set
	heldMessage  = 64 << 10 // and this one into others, as CLIP's
	burst        = 512      // messages of the signature's bursts that predictions are for
)

// A trial is what of the experiment depends on the transport.
type trial struct {
	trainPackets, heldPackets []int
	trainDeltas, heldDeltas   []float64 // of the signature, in µs
}

// trialOf has packets as large as the transport takes, and deltas about its gap.
func trialOf(t live.Transport) trial {
	sockets := trial{
		trainPackets: []int{1 << 10, 4 << 10, 16 << 10}, heldPackets: []int{2 << 10, 3 << 10, 6 << 10, 8 << 10, 12 << 10, 24 << 10, 32 << 10},
		trainDeltas: []float64{0, 4, 16, 32}, heldDeltas: []float64{12, 24},
	}
	switch t {
	case live.Shm:
		return trial{
			trainPackets: []int{512, 2 << 10, 8 << 10, 16 << 10}, heldPackets: []int{768, 1 << 10, 1536, 3 << 10, 4 << 10, 6 << 10, 12 << 10, 16 << 10},
			trainDeltas: []float64{0, 1, 2, 4}, heldDeltas: []float64{1.5, 3},
		}
	case live.UDP:
		sockets.trainPackets, sockets.heldPackets = []int{512, 1 << 10, 4 << 10}, []int{768, 1536, 2 << 10, 3 << 10}
	}
	return sockets
}

// A prediction is a measurement that was held back, and what the models say of it.
type prediction struct {
	job      live.Job
	quantity string
	time     quantity.Micros
}

// machine is the models of a transport of this machine, fitted to the training set.
type machine struct {
	oneWay, gap *fit.Result // by size: ping_bulk and thru_bulk
	logp        model.LogP
	logpErr     error           // the signature has none
	largest     quantity.Bytes  // packet that the transport takes
	handOver    quantity.Micros // without an endpoint
	stages      []*fit.Result   // of a packet alone: send, hand over, receive
	pipeline    model.Pipeline  // these
	whole, slow *fit.Result     // of a packet: alone through all stages; and the interval behind another
	short       quantity.Micros // a message without data, one way
}

// inPackets is the time one way of n bytes in packets of p bytes [clip, eq. 4]: the first
// goes through all stages, and the others come behind it at the interval of the slowest.
func (m *machine) inPackets(n, p int) quantity.Micros {
	full, rest := n/p, n%p
	t := m.whole.Time(quantity.Bytes(p)) + quantity.Micros(full-1)*m.slow.Time(quantity.Bytes(p))
	if rest > 0 {
		t += m.slow.Time(quantity.Bytes(rest))
	}
	return t
}

// inWindow is the interval of messages of n bytes with w credits, which come back half of them, k, at a time. A window of
// messages takes a round trip, and as long as the other k − 1 take to arrive; without waiting,
// the sender still has to receive the message that brings k credits back.
func (m *machine) inWindow(n, w int) quantity.Micros {
	k := max(1, (w+1)/2)
	gap := m.gap.Time(quantity.Bytes(n)) + m.pipeline.Stages[2].Beta/quantity.Micros(k)
	roundTrip := m.oneWay.Time(quantity.Bytes(n)) + m.short
	return max(gap, (roundTrip+quantity.Micros(k-1)*gap)/quantity.Micros(w))
}

// bursts is the interval of many short requests with a computation of delta after each [hplam, 4.2].
func (m *machine) bursts(delta quantity.Micros) quantity.Micros {
	return max(m.logp.GapTime, m.logp.SendOverhead+m.logp.ReceiveOverhead+delta)
}

// run measures a training set, fits it, predicts what was held back, and measures that. All is measured
// in one shuffled run, so that it meets the same machine, whose speed changes from minute to minute; what is held back is in no fit.
func (o *liveOptions) run() (rows reports.Rows, err error) {
	pair, err := connect(o.transport, "", o.pin)
	if err != nil {
		return rows, err
	}
	defer func() {
		if e := pair.Close(); err == nil {
			err = e
		}
	}()
	x := trialOf(pair.Transport)
	var train, held []live.Job
	add := func(to *[]live.Job, program string, sizes ...int) {
		for _, n := range sizes {
			*to = append(*to, live.Job{Program: program, Size: n})
		}
	}
	add(&train, "ping_bulk", trainSizes...)
	add(&train, "thru_bulk", trainSizes...)
	for _, p := range x.trainPackets {
		train = append(train, live.Job{Program: "stages", Size: p, Piece: p}, live.Job{Program: "ping_bulk", Size: trainMessage, Piece: p})
	}
	add(&train, "ping_pong", 16)
	add(&train, "hand_over", 1)
	add(&held, "ping_bulk", heldSizes...)
	add(&held, "thru_bulk", heldSizes...)
	for _, w := range heldWindow {
		held = append(held, live.Job{Program: "thru_bulk", Size: windowed, Credits: w})
	}
	for _, p := range x.heldPackets {
		held = append(held, live.Job{Program: "ping_bulk", Size: heldMessage, Piece: p})
	}
	deltas := append(slices.Clone(x.trainDeltas), x.heldDeltas...)
	signature, err := live.Signature(pair, deltas, 0, o.budget/10)
	if err != nil {
		return rows, err
	}
	all, err := live.Bench(pair, live.BenchOptions{Jobs: slices.Concat(train, held), Within: 0.01, Budget: o.budget * 9 / 10, Seed: 1})
	if err != nil {
		return rows, err
	}
	m, err := fitMachine(pair.Transport, x, all[:len(train)], signature)
	if err != nil {
		return rows, err
	}
	m.largest = quantity.Bytes(pair.Largest())
	var errs []float64
	report := func(p prediction, got, low, high quantity.Micros) {
		e := 100 * (float64(p.time)/float64(got) - 1)
		errs = append(errs, math.Abs(e))
		rows.Data = append(rows.Data, []any{"live", o.transport, p.job.Program, quantity.Bytes(p.job.Size), p.quantity, float64(p.time), nil, float64(got), "µs", e, float64(low), float64(high)})
	}
	rows.Columns = []reports.Column{
		{Key: "platform", Head: "platform"}, {Key: "layer"}, {Key: "program", Head: "program"}, {Key: "size_bytes", Head: "size"},
		{Key: "quantity", Head: "quantity"}, {Key: "model", Head: "predicted"}, {Key: "engine"}, {Key: "measured", Head: "measured"}, {Key: "unit", Head: "unit"},
		{Key: "error_percent", Head: "error", Text: func(v any) string { return fmt.Sprintf("%+.1f %%", v) }},
		{Key: "measured_low", Head: "low"}, {Key: "measured_high", Head: "high"},
	}
	best, fastest := fastestPacket{}, fastestPacket{}
	for i, j := range held {
		row := all[len(train)+i]
		p := m.predict(j)
		report(p, row.Time, row.Low, row.High)
		if j.Piece > 0 {
			best.least(p.time, j.Piece, row.Time)
			fastest.least(row.Time, j.Piece, row.Time)
		}
	}
	if m.logpErr == nil {
		for _, b := range signature {
			if b.Messages == burst && slices.Contains(x.heldDeltas, float64(b.Delta)) {
				j := live.Job{Program: "signature", Size: 1}
				report(prediction{j, fmt.Sprintf("interval, Δ = %.3g µs", float64(b.Delta)), m.bursts(b.Delta)}, b.Interval, b.Low, b.High)
			}
		}
	}
	slices.Sort(errs)
	rows.Notes = append([]string{
		fmt.Sprintf("median error %.1f %% over %d points that no fit has seen; worst %.1f %%", errs[len(errs)/2], len(errs), errs[len(errs)-1]),
		fmt.Sprintf("best packet for %s: %s predicted, %s measured; the predicted one takes %.1f %% more time than the best", quantity.Bytes(heldMessage), quantity.Bytes(best.size), quantity.Bytes(fastest.size), 100*(float64(best.took)/float64(fastest.took)-1)),
	}, m.notes()...)
	if o.save != "" {
		err = o.saveTo(m)
	}
	return rows, err
}

// A fastestPacket is that for which some time is the least, and the time that it took.
type fastestPacket struct {
	size     int
	by, took quantity.Micros
}

func (p *fastestPacket) least(by quantity.Micros, size int, took quantity.Micros) {
	if p.size == 0 || by < p.by {
		*p = fastestPacket{size, by, took}
	}
}

// predict says what a job takes.
func (m *machine) predict(j live.Job) prediction {
	n := quantity.Bytes(j.Size)
	switch {
	case j.Piece > 0:
		return prediction{j, fmt.Sprintf("one way, packets of %s", quantity.Bytes(j.Piece)), m.inPackets(j.Size, j.Piece)}
	case j.Credits > 0:
		what := fmt.Sprintf("interval, %d credits", j.Credits)
		if j.Credits == 1 {
			what = "interval, 1 credit"
		}
		return prediction{j, what, m.inWindow(j.Size, j.Credits)}
	case j.Program == "thru_bulk":
		return prediction{j, "interval", m.gap.Time(n)}
	}
	return prediction{j, "one way", m.oneWay.Time(n)}
}

// fitMachine fits the models to the training set.
func fitMachine(t live.Transport, x trial, rows []live.Row, signature []trace.Burst) (m *machine, err error) {
	m = &machine{}
	var switches []quantity.Bytes
	for _, n := range t.Switches() {
		switches = append(switches, quantity.Bytes(n))
	}
	next := func(n int) []live.Row {
		part := rows[:n]
		rows = rows[n:]
		return part
	}
	if m.oneWay, err = fit.Regimes(table("ping_bulk", trace.OneWay, next(len(trainSizes))), fit.Huber, switches...); err != nil {
		return nil, err
	}
	if m.gap, err = fit.Regimes(table("thru_bulk", trace.Gap, next(len(trainSizes))), fit.Huber, switches...); err != nil {
		return nil, err
	}
	var alone, behind []live.Row
	var tables []*trace.Table
	for _, stage := range programs.Stages {
		tables = append(tables, &trace.Table{Title: stage, Kind: trace.Stage})
	}
	for i, p := range x.trainPackets {
		pair := next(2)
		stages, message := pair[0], pair[1]
		alone = append(alone, stages)
		message.Size = p
		message.Time = max(1e-3, (message.Time-stages.Time)/quantity.Micros(trainMessage/p-1)) // what each but the first adds
		message.Low, message.High = message.Time, message.Time
		behind = append(behind, message)
		for k, t := range stages.Stages {
			tables[k].Samples = append(tables[k].Samples, trace.Sample{Size: quantity.Bytes(p), Count: 1, Mean: t, Line: i + 1})
			tables[k].Rows++
		}
	}
	if m.whole, err = fit.Linear(table("packets alone", trace.OneWay, alone), fit.Relative); err != nil {
		return nil, err
	}
	if m.slow, err = fit.Linear(table("packets behind each other", trace.Gap, behind), fit.Relative); err != nil {
		return nil, err
	}
	if m.stages, m.pipeline, err = fit.Stages(tables, fit.Relative); err != nil {
		return nil, err
	}
	m.short, m.handOver = next(1)[0].Time, next(1)[0].Time
	bursts := &trace.Table{Title: "signature", Kind: trace.Interval}
	for _, b := range signature {
		if slices.Contains(x.trainDeltas, float64(b.Delta)) {
			bursts.Bursts = append(bursts.Bursts, b)
		}
	}
	r, err := fit.LogP(bursts, 0)
	if m.logpErr = err; err == nil {
		m.logp = r.Layer()
		m.logp.Latency = max(0, m.short-m.logp.SendOverhead-m.logp.ReceiveOverhead) // the overheads may overlap
	}
	return m, nil
}

// notes say what the models are.
func (m *machine) notes() []string {
	notes := []string{
		fmt.Sprintf("one way: %s, median error %.1f %%; interval: %s, %.1f %% (training set)", m.oneWay.Model, 100*m.oneWay.Median, m.gap.Model, 100*m.gap.Median),
		fmt.Sprintf("a frame without data or endpoint is handed over in %.3g µs, a short message takes %.3g µs", float64(m.handOver), float64(m.short)),
	}
	var stages []string
	for _, s := range m.pipeline.Stages {
		stages = append(stages, fmt.Sprintf("%s %.3g + %.3g/KiB", s.Name, float64(s.Beta), perKiB(s.Tau)))
	}
	notes = append(notes, "stages of a packet alone, µs: "+strings.Join(stages, "; ")+fmt.Sprintf("; behind another %.3g + %.3g/KiB", float64(m.slow.Segments[0].Beta.Value), perKiB(m.slow.Segments[0].Tau.Value)))
	if m.logpErr != nil {
		return append(notes, fmt.Sprintf("no LogP: %v", m.logpErr))
	}
	return append(notes, fmt.Sprintf("signature: o_s %.3g, o_r %.3g, L %.3g, g %.3g µs", float64(m.logp.SendOverhead), float64(m.logp.ReceiveOverhead), float64(m.logp.Latency), float64(m.logp.GapTime)))
}

// table makes measurements a table that fit takes.
func table(title string, kind trace.Kind, rows []live.Row) *trace.Table {
	t := &trace.Table{Title: title, Format: "halfpeak", Kind: kind}
	for i, r := range rows {
		t.Samples = append(t.Samples, trace.Sample{Size: quantity.Bytes(r.Size), Count: 1, Mean: r.Time, Min: r.Low, Max: r.High, Median: r.Time, Line: i + 1})
		t.Rows++
	}
	return t
}

// saveTo writes the models as a platform: a layer for the one-way times, one for LogGP, and one for packets.
func (o *liveOptions) saveTo(m *machine) error {
	r := m.oneWay
	layer, err := r.Layer()
	if err != nil {
		return err
	}
	from := "halfpeak validate --live " + o.transport
	t := &tomlFile{}
	t.WriteString("# Written by halfpeak validate --live.\n\n")
	t.key("title", o.transport+" of this machine")
	t.table("layer." + o.transport)
	t.key("source", fmt.Sprintf("%s: %s fit over %d sizes, median error %.2g %%", from, r.Model, len(r.Points), 100*r.Median))
	t.lines(layer, r.Segments, o.transport, "")
	if m.logpErr == nil {
		t.table("layer." + o.transport + "-loggp")
		t.key("model", "loggp")
		for _, k := range []struct {
			name  string
			value quantity.Micros
		}{{"o_s", m.logp.SendOverhead}, {"o_r", m.logp.ReceiveOverhead}, {"L", m.logp.Latency}, {"g", m.logp.GapTime}} {
			t.key(k.name, us(k.value))
		}
		large := m.gap.Segments[len(m.gap.Segments)-1]
		t.key("G", usPerKiB(large.Tau.Value))
		t.key("source", fmt.Sprintf("%s: o_s, o_r and g of the signature, L of the round trip, G of the interval of %s and more", from, large.From))
	}
	hosts := []string{"sender", "", "receiver"}
	var names []string
	for k, s := range m.stages {
		name := o.transport + "-" + strings.ReplaceAll(s.Name, " ", "-")
		names = append(names, name)
		t.table("stage." + name)
		t.key("beta", us(s.Segments[0].Beta.Value))
		t.key("tau", usPerKiB(s.Segments[0].Tau.Value))
		if hosts[k] != "" {
			t.key("host", hosts[k])
		}
		t.key("source", fmt.Sprintf("%s: stage %s of packets alone", from, s.Name))
	}
	t.pipeline(o.transport+"-packets", names, "the stages above, each alone: behind each other, packets may be slower; the transport takes packets up to "+m.largest.String())
	return savePlatform(o.save, t.String())
}
