//go:build linux

package main

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/engine/live"
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
	cmd.Flags().StringVar(&o.transport, "live", "", "measure this `transport` of this machine, shm, unix, tcp or udp, fit a model, and predict what was not measured")
	cmd.Flags().DurationVar(&o.budget, "budget", 30*time.Second, "with --live: `time` for the measurements")
	cmd.Flags().BoolVar(&o.pin, "pin", false, "with --live: keep each node on a processor of its own")
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

// The training set, and what is held back: other sizes, other windows, another packet.
var (
	trainSizes = []int{1, 64, 512, 1 << 10, 4 << 10, 8 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20}
	heldSizes  = []int{24, 200, 768, 2500, 6000, 12_000, 40_000, 150_000, 500_000}
	heldWindow = []int{1, 2, 4}
	pieces     = []int{512, 1 << 10, 2 << 10, 4 << 10}
)

// windowed is the size with which windows are tried: one piece on all transports.
const windowed = 4 << 10

// pipelined is the size that is cut into packets.
const pipelined = 64 << 10

// run measures a training set, fits it, predicts what was held back, and measures that: in
// one shuffled run, so that all meet the same machine, but nothing held back is in the fit.
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
	measure := func(share float64, jobs []live.Job) ([]live.Row, error) {
		return live.Bench(pair, live.BenchOptions{Jobs: jobs, Within: 0.02, Budget: time.Duration(share * float64(o.budget)), Seed: 1})
	}
	var jobs []live.Job
	for _, n := range trainSizes {
		jobs = append(jobs, live.Job{Program: "ping_bulk", Size: n})
	}
	for _, n := range trainSizes {
		jobs = append(jobs, live.Job{Program: "thru_bulk", Size: n})
	}
	for _, p := range pieces { // stages: one piece alone, and one behind the other
		jobs = append(jobs, live.Job{Program: "ping_bulk", Size: p}, live.Job{Program: "thru_bulk", Size: p})
	}
	jobs = append(jobs, live.Job{Program: "ping_pong", Size: 16})
	trained, err := measure(0.5, jobs)
	if err != nil {
		return rows, err
	}
	k := len(trainSizes)
	oneWay, err := fit.Auto(table("ping_bulk", trace.OneWay, trained[:k]))
	if err != nil {
		return rows, err
	}
	gap, err := fit.Auto(table("thru_bulk", trace.Gap, trained[k:2*k]))
	if err != nil {
		return rows, err
	}
	var alone, behind []live.Row
	for i := range pieces {
		alone, behind = append(alone, trained[2*k+2*i]), append(behind, trained[2*k+2*i+1])
	}
	sum, err := fit.Linear(table("pieces alone", trace.OneWay, alone), fit.Relative)
	if err != nil {
		return rows, err
	}
	slowest, err := fit.Linear(table("pieces behind each other", trace.Gap, behind), fit.Relative)
	if err != nil {
		return rows, err
	}
	short := trained[len(trained)-1].Time
	pipe := func(p int) quantity.Micros { // a message in pieces of p bytes: the first goes through all stages, others follow
		return sum.Time(quantity.Bytes(p)) + quantity.Micros(pipelined/p-1)*slowest.Time(quantity.Bytes(p))
	}
	tries := []int{512, 1 << 10, 2 << 10, 4 << 10}
	best := slices.MinFunc(tries, func(a, b int) int { return int(math.Copysign(1, float64(pipe(a)-pipe(b)))) })

	type prediction struct {
		job      live.Job
		quantity string
		time     quantity.Micros
	}
	var held []prediction
	for _, n := range heldSizes {
		held = append(held, prediction{live.Job{Program: "ping_bulk", Size: n}, "one way", oneWay.Time(quantity.Bytes(n))})
	}
	for _, n := range heldSizes {
		held = append(held, prediction{live.Job{Program: "thru_bulk", Size: n}, "interval", gap.Time(quantity.Bytes(n))})
	}
	rtt := oneWay.Time(windowed) + short
	for _, w := range heldWindow {
		t := max(gap.Time(windowed), quantity.Micros(float64(rtt)/float64(w)))
		held = append(held, prediction{live.Job{Program: "thru_bulk", Size: windowed, Credits: w}, fmt.Sprintf("interval, %d credits", w), t})
	}
	for _, p := range tries {
		held = append(held, prediction{live.Job{Program: "ping_bulk", Size: pipelined, Piece: p}, fmt.Sprintf("one way, packets of %s", quantity.Bytes(p)), pipe(p)})
	}
	jobs = jobs[:0]
	for _, h := range held {
		jobs = append(jobs, h.job)
	}
	measured, err := measure(0.5, jobs)
	if err != nil {
		return rows, err
	}
	rows.Columns = []reports.Column{
		{Key: "platform", Head: "platform"}, {Key: "layer"}, {Key: "program", Head: "program"}, {Key: "size_bytes", Head: "size"},
		{Key: "quantity", Head: "quantity"}, {Key: "model", Head: "predicted"}, {Key: "engine"}, {Key: "measured", Head: "measured"}, {Key: "unit", Head: "unit"},
		{Key: "error_percent", Head: "error", Text: func(v any) string { return fmt.Sprintf("%+.1f %%", v) }},
		{Key: "measured_low", Head: "low"}, {Key: "measured_high", Head: "high"},
	}
	var errs []float64
	fastest, chosen := math.Inf(1), 0.0
	for i, h := range held {
		m := measured[i]
		e := 100 * (float64(h.time)/float64(m.Time) - 1)
		errs = append(errs, math.Abs(e))
		if h.job.Piece > 0 {
			fastest = min(fastest, float64(m.Time))
			if h.job.Piece == best {
				chosen = float64(m.Time)
			}
		}
		rows.Data = append(rows.Data, []any{"live", o.transport, h.job.Program, quantity.Bytes(h.job.Size), h.quantity, float64(h.time), nil, float64(m.Time), "µs", e, float64(m.Low), float64(m.High)})
	}
	slices.Sort(errs)
	rows.Notes = []string{
		fmt.Sprintf("median error %.1f %% over %d points that the fit has not seen; worst %.1f %%", errs[len(errs)/2], len(errs), errs[len(errs)-1]),
		fmt.Sprintf("one way: %s, median error %.1f %%; interval: %s, %.1f %% (training set)", oneWay.Model, 100*oneWay.Median, gap.Model, 100*gap.Median),
		fmt.Sprintf("best packet of %s: %s predicted; its time is %.1f %% above the best measured", quantity.Bytes(pipelined), quantity.Bytes(best), 100*(chosen/fastest-1)),
	}
	if o.save != "" {
		err = o.saveTo(oneWay)
	}
	return rows, err
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

// saveTo writes the one-way times as a platform.
func (o *liveOptions) saveTo(r *fit.Result) error {
	layer, err := r.Layer()
	if err != nil {
		return err
	}
	t := &tomlFile{}
	t.WriteString("# Written by halfpeak validate --live.\n\n")
	t.key("title", o.transport+" of this machine")
	t.table("layer." + o.transport)
	t.key("source", fmt.Sprintf("halfpeak validate --live %s: %s fit over %d sizes, median error %.2g %%", o.transport, r.Model, len(r.Points), 100*r.Median))
	s, several := layer.(model.Switch)
	if !several {
		t.linear(layer.(model.Linear), &r.Segments[0])
		return savePlatform(o.save, t.String())
	}
	t.key("model", "switch")
	t.WriteString("branches = [\n")
	for k, b := range s.Branches {
		fmt.Fprintf(t, "  { layer = \"%s-%d\"", o.transport, k+1)
		if k < len(s.Branches)-1 {
			fmt.Fprintf(t, ", up_to = \"%.0fB\"", float64(b.UpTo))
		}
		t.WriteString(" },\n")
	}
	t.WriteString("]\n")
	for k, b := range s.Branches {
		t.table(fmt.Sprintf("layer.%s-%d", o.transport, k+1))
		t.key("source", fmt.Sprintf("sizes from %s to %s", r.Segments[k].From, r.Segments[k].To))
		t.linear(b.Layer.(model.Linear), &r.Segments[k])
	}
	return savePlatform(o.save, t.String())
}
