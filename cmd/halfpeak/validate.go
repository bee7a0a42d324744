package main

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/data"
	"github.com/halfpeak/halfpeak/engine"
	"github.com/halfpeak/halfpeak/engine/programs"
	"github.com/halfpeak/halfpeak/engine/virtual"
	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/fit/trace"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports"
)

type validateOptions struct {
	layers   layerOptions
	sizes    sizesFlag
	programs []string
	nodes    int
	trace    string
	faults   virtual.Faults
}

// run runs a program on the layer, and compares its result with the formula of what it measures.
func (v *validation) run(p programs.Program, n quantity.Bytes) error {
	switch p.Measures {
	case programs.RoundTrip:
		return v.pingPong(n)
	case programs.OneWay:
		if p.Replies {
			return v.pingBulk(n)
		}
		return v.latency(n)
	case programs.Gap:
		return v.bandwidth(n)
	case programs.Interval:
		return v.thruBulk(n)
	case programs.FanInTime:
		return v.allToOne(n)
	case programs.Exchange:
		return v.torture(p, n)
	case programs.LogP:
		return v.signature(n)
	case programs.Packet:
		return v.packet(n)
	}
	return fmt.Errorf("no formula to compare with: it measures %q", p.Measures)
}

func newValidate() *cobra.Command {
	var out output
	var plot, faults string
	var seed uint64
	var width, height int
	var measured liveOptions
	o := validateOptions{sizes: newSizes("1,1KiB,64KiB,1MiB")}
	cmd := &cobra.Command{
		Use:   "validate PLATFORM… | validate --live TRANSPORT",
		Short: "Run the message engine beside the model",
		Long: `Validate runs programs of active messages on simulated nodes whose parts cost what
the platform's file says, and prints their results beside the model's formulas and
what was measured. Where they differ, it says why.

` + programs.Help(programs.Simulated) + `
Without --size, the sizes that were measured are run too.`,
		Example: `  halfpeak validate clip --program latency
  halfpeak validate hp-lam --program signature
  halfpeak validate clip --program latency --plot latency.png
  halfpeak validate clip --program latency --size 16KiB --trace out.json`,
		Args:              measured.args(wantArgs(1, -1, `at least one platform, as in "halfpeak validate clip"`)),
		ValidArgsFunction: completePlatforms,
		RunE: func(cmd *cobra.Command, args []string) error {
			if measured.transport != "" {
				rows, err := measured.run()
				if err != nil {
					return err
				}
				return out.write(cmd, rows)
			}
			for _, name := range o.programs {
				if names := programs.Names(programs.Simulated); !slices.Contains(names, name) {
					return usagef("--program %q is none of %s", name, strings.Join(names, ", "))
				}
			}
			if o.nodes < 2 || o.nodes > 1024 {
				return usagef("--nodes %d: 2 to 1024", o.nodes)
			}
			if o.trace != "" && (len(args) > 1 || len(o.programs) != 1 || o.programs[0] == "packet" || len(o.sizes.sizes) != 1) {
				return usagef("--trace shows one run: give one platform, one --program (not packet) and one --size")
			}
			if faults != "" {
				var err error
				if o.faults, err = virtual.ParseFaults(faults); err != nil {
					return usagef("--faults %w", err)
				}
				o.faults.Seed = seed
			}
			v := validation{o: o, sized: cmd.Flags().Changed("size")}
			for _, ref := range args {
				if err := v.layer(ref); err != nil {
					return err
				}
			}
			if o.trace != "" {
				if err := reports.WriteFile(o.trace, v.recorded.Write); err != nil {
					return err
				}
			}
			if plot != "" {
				f := v.figure()
				err := reports.WriteFile(plot, func(w io.Writer) error {
					return f.WriteImage(w, filepath.Ext(plot), width, height)
				})
				if err != nil {
					return err
				}
			}
			return out.write(cmd, v.rows())
		},
	}
	out.declare(cmd)
	o.layers.declare(cmd)
	measured.declare(cmd)
	cmd.Flags().Var(&o.sizes, "size", "message sizes, and those that were measured if not given")
	cmd.Flags().StringSliceVar(&o.programs, "program", nil, "only these `programs`")
	complete(cmd, "program", programs.Names(programs.Simulated))
	cmd.Flags().IntVar(&o.nodes, "nodes", 8, "nodes of programs that run on any number")
	cmd.Flags().StringVar(&o.trace, "trace", "", "write when each resource was busy to this `file`, for Perfetto or chrome://tracing")
	cmd.Flags().StringVar(&plot, "plot", "", "draw one-way times of model and engine into this `file`")
	cmd.Flags().StringVar(&faults, "faults", "", `what goes wrong, as in "drop=0.01,reorder=0.01,late=100us" or "die=1@500us"; also duplicate, corrupt, delay, stop`)
	cmd.Flags().Uint64Var(&seed, "seed", 1, "of the faults")
	declareSize(cmd, &width, &height)
	return cmd
}

// A validation collects the results of programs.
type validation struct {
	o        validateOptions
	sized    bool
	results  []validated
	notes    []string
	recorded virtual.Trace

	// of the layer under way
	l      platforms.Layer
	system *virtual.System
	points []data.Point
	lost   virtual.FaultStats
	resent int64
}

// validated is a row: a quantity as the model and as the engine have it.
type validated struct {
	platform, layer, program string
	size                     quantity.Bytes
	quantity                 string
	model, engine            float64
	measured, low, high      float64 // NaN: not measured
	bound                    float64 // the paper's, NaN: none
	unit                     string
	why                      string
}

// different is a relative difference that is not rounding.
const different = 1e-9

func (r validated) err() float64 { return r.engine/r.model - 1 }

func (v *validation) layer(ref string) error {
	p, l, err := v.o.layers.find(ref)
	if err != nil {
		return err
	}
	v.l, v.lost, v.resent = l, virtual.FaultStats{}, 0
	if v.system, err = virtual.Of(p, l); err != nil {
		return err
	}
	if v.points, err = data.Points(l.Ref()); err != nil {
		return err
	}
	for _, p := range programs.List(programs.Simulated) {
		if v.o.programs != nil && !slices.Contains(v.o.programs, p.Name) {
			continue
		}
		for _, n := range v.sizesOf(p.Sizes) {
			if n > maxValidated {
				return fmt.Errorf("--size %v: programs move their bytes, and no more than %v at once", n, maxValidated)
			}
			if err := v.run(p, n); err != nil {
				return fmt.Errorf("%s: %s: %w", l.Ref(), p.Name, err)
			}
		}
	}
	if v.lost != (virtual.FaultStats{}) {
		v.notes = append(v.notes, fmt.Sprintf("%s: %v; %d sent again.", l.Ref(), v.lost, v.resent))
	}
	return nil
}

// sizesOf are the sizes that a program runs with, in order.
func (v *validation) sizesOf(which programs.Sizes) []quantity.Bytes {
	sizes := slices.Clone(v.o.sizes.sizes)
	switch which {
	case programs.Own:
		return []quantity.Bytes{1}
	case programs.Largest:
		var most quantity.Bytes = 1
		for _, n := range sizes {
			if n <= 64*quantity.KiB {
				most = max(most, n)
			}
		}
		return []quantity.Bytes{most}
	case programs.AskedOrKept:
		for _, p := range v.points {
			if !v.sized {
				sizes = append(sizes, p.Size)
			}
		}
	}
	slices.Sort(sizes)
	return slices.Compact(sizes)
}

const maxValidated = 64 * 1024 * quantity.KiB

// add takes down a result, with the reason of a difference if there is one.
func (v *validation) add(program string, n quantity.Bytes, what string, modelled, ran float64, unit, why string) *validated {
	switch {
	case v.lost != (virtual.FaultStats{}):
		why = "packets were lost, repeated or held back"
	case v.system.Poll > 0:
		why = fmt.Sprintf("each look for messages that finds none takes the processor %v, which the formula does not count", v.system.Poll)
	case v.system.Interrupt > 0:
		why = fmt.Sprintf("an interrupt takes the processor %v, which the formula does not count", v.system.Interrupt)
	}
	r := validated{v.l.Platform, v.l.Name, program, n, what, modelled, ran, math.NaN(), math.NaN(), math.NaN(), math.NaN(), unit, why}
	if math.Abs(r.err()) <= different || modelled == 0 {
		r.why = ""
	}
	v.results = append(v.results, r)
	return &v.results[len(v.results)-1]
}

// runOn runs a program on the layer's system, and returns what node 0 measured.
func runOn[T any](v *validation, nodes int, program func(*engine.Endpoint) (T, error)) (result T, err error) {
	c := virtual.Config{Nodes: nodes, Faults: v.o.faults}
	if v.o.trace != "" {
		c.Trace = &v.recorded
	}
	report, err := virtual.Run(v.system, c, func(ep *engine.Endpoint) error {
		r, err := program(ep)
		if ep.Node() == 0 {
			result = r
		}
		return err
	})
	v.lost.Add(report.Faults)
	for _, s := range report.Nodes {
		v.resent += s.Resent
	}
	return result, err
}

// messages is how many messages of n bytes a steady stream takes.
func (v *validation) messages(n quantity.Bytes) int {
	packets := math.Ceil(float64(n / model.PacketSize(v.l.Model, n)))
	return min(31, max(4, int(20000/packets)))
}

func (v *validation) pingPong(quantity.Bytes) error {
	rtt, err := runOn(v, 2, func(ep *engine.Endpoint) (quantity.Micros, error) { return programs.PingPong(ep, 10) })
	v.add("ping_pong", 1, "round trip", float64(model.RTT(v.l.Model, 1)), float64(rtt), "µs", "")
	return err
}

func (v *validation) latency(n quantity.Bytes) error {
	type result struct{ oneWay, overhead quantity.Micros }
	r, err := runOn(v, 2, func(ep *engine.Endpoint) (result, error) {
		t, o, err := programs.Latency(ep, int(n), 2)
		return result{t, o}, err
	})
	row := v.add("latency", n, "one way", float64(v.l.Model.OneWay(n)), float64(r.oneWay), "µs", v.shortPiece(n))
	v.compare(row)
	if p, ok := model.At(v.l.Model, n).(model.Pipeline); ok && len(p.Stages) >= model.PaperStages {
		row.bound = float64(p.PaperBound(n, p.PacketSize(n)))
	}
	if send, _ := v.l.Model.Overheads(n); send > 0 {
		v.add("latency", n, "send overhead", float64(send), float64(r.overhead), "µs", "the sender waits: for room in the network, or when 64 packets are without an acknowledgement")
	}
	return err
}

// compare adds what was measured to a one-way time.
func (v *validation) compare(row *validated) {
	for _, p := range v.points {
		if p.Size == row.size {
			row.measured, row.low, row.high = float64(p.OneWay), float64(p.Low), float64(p.High)
		}
	}
}

// shortPiece is why pieces in a pipeline may take longer than the formula says.
func (v *validation) shortPiece(n quantity.Bytes) string {
	s, ok := model.At(v.l.Model, n).(model.Segmented)
	switch {
	case !ok || n <= s.MTU:
		return ""
	case s.Window > 0:
		return "the formula spreads the wait for credits evenly over all pieces; it comes once for each window"
	case math.Mod(float64(n), float64(s.MTU)) == 0:
		return "the pieces before the last are not through yet when the formula starts it"
	}
	return "the formula starts the last piece when the slowest stage is free; this piece is short, and the one before it is not through yet"
}

func (v *validation) bandwidth(n quantity.Bytes) error {
	gap, err := runOn(v, 2, func(ep *engine.Endpoint) (quantity.Micros, error) { return programs.Stream(ep, int(n), v.messages(n)) })
	v.add("bandwidth", n, "gap", float64(v.l.Model.Gap(n)), float64(gap), "µs", "the slowest stage depends on the packet: short and full packets keep different ones busy")
	return err
}

func (v *validation) pingBulk(n quantity.Bytes) error {
	t, err := runOn(v, 2, func(ep *engine.Endpoint) (quantity.Micros, error) { return programs.PingBulk(ep, int(n), 2) })
	why := v.shortPiece(n)
	switch {
	case v.system.Options.Rendezvous > 0:
		why = "the way back is a reply: who asked is ready for it, so it goes without a rendezvous"
	case why != "":
		why = "each piece but the last has a reply, which takes its turn on what both ways share"
	}
	v.add("ping_bulk", n, "one way", float64(v.l.Model.OneWay(n)), float64(t), "µs", why)
	return err
}

func (v *validation) thruBulk(n quantity.Bytes) error {
	t, err := runOn(v, 2, func(ep *engine.Endpoint) (quantity.Micros, error) {
		return programs.ThruBulk(ep, int(n), v.messages(n))
	})
	v.add("thru_bulk", n, "interval", float64(v.l.Model.Gap(n)), float64(t), "µs",
		fmt.Sprintf("each piece is a request with a reply, which the gap does not count: processors, and what messages of both ways share, do both, and %d requests may be without a reply", v.system.Options.Credits))
	return err
}

func (v *validation) allToOne(n quantity.Bytes) error {
	senders := v.o.nodes - 1
	t, err := runOn(v, v.o.nodes, func(ep *engine.Endpoint) (quantity.Micros, error) {
		return programs.FanIn(ep, int(n), v.messages(n))
	})
	gap := v.l.Model.Gap(n)
	_, receive := v.l.Model.Overheads(n)
	why := "all senders share stages of the receiver or of the network, which a gap between two nodes does not show"
	switch {
	case math.Abs(float64(t/receive-1)) < different:
		why = "what the senders may send at their gap is more than the receiver's processor takes: o_r for each"
	case math.Abs(float64(t/gap-1)) < different:
		why = "a resource of the receiver takes a message each gap, however many nodes send"
	}
	v.add("all_to_1", n, "interval at node 0", float64(gap)/float64(senders), float64(t), "µs", why)
	return err
}

// torture runs a test of HP-LAM's with all kinds of traffic. There is no formula for its time; that it
// ends without an error is what counts.
func (v *validation) torture(p programs.Program, n quantity.Bytes) error {
	for _, traffic := range []programs.Traffic{programs.OneToOne, programs.AllToOne, programs.AllToAll} {
		r, err := runOn(v, v.o.nodes, func(ep *engine.Endpoint) (programs.Result, error) {
			return p.Run(ep, programs.Args{Traffic: traffic, Size: int(n), Count: 1})
		})
		if err != nil {
			return err
		}
		v.add(p.Name, n, string(traffic)+", data intact", math.NaN(), float64(r.Time), "µs", "")
	}
	return nil
}

// signature gives LogP's parameters back, from a signature as HP-LAM's figure 4.1.
func (v *validation) signature(quantity.Bytes) error {
	send, receive := v.l.Model.Overheads(1)
	if send == 0 || receive == 0 {
		v.notes = append(v.notes, v.l.Ref()+": no signature: its model does not say what occupies both processors.")
		return nil
	}
	oneWay, gap := v.l.Model.OneWay(1), v.l.Model.Gap(1)
	bursts, rtt, err := v.bursts()
	if err != nil {
		return err
	}
	table := &trace.Table{Title: v.l.Ref(), Kind: trace.Interval, Bursts: bursts}
	found, err := fit.LogP(table, rtt)
	if err != nil {
		return err
	}
	why := "requests have replies, which take their turn on what both share: o_s + o_r of a processor, a bus, an interface"
	v.add("signature", 1, "o_s", float64(send), float64(found.SendOverhead.Value), "µs", "")
	v.add("signature", 1, "o_r", float64(receive), float64(found.ReceiveOverhead.Value), "µs", "")
	v.add("signature", 1, "L", float64(oneWay-send-receive), float64(found.Latency.Value), "µs", "")
	v.add("signature", 1, "g", float64(gap), float64(found.Gap.Value), "µs", why)
	for _, w := range found.Warnings {
		v.notes = append(v.notes, v.l.Ref()+": "+w)
	}
	return nil
}

// bursts runs a signature, with Δ up to twice the longest interval that the model has, and the round trip.
func (v *validation) bursts() (bursts []trace.Burst, rtt quantity.Micros, err error) {
	send, receive := v.l.Model.Overheads(1)
	longest := v.l.Model.Gap(1) + send + receive
	var messages []int
	for m := 1; m <= 2048; m *= 2 {
		messages = append(messages, m)
	}
	var deltas []quantity.Micros
	for _, share := range []quantity.Micros{0, 0.25, 0.5, 1, 1.5, 2} {
		deltas = append(deltas, share*longest)
	}
	bursts, err = runOn(v, 2, func(ep *engine.Endpoint) ([]trace.Burst, error) {
		return programs.Signature(ep, messages, deltas)
	})
	if err != nil {
		return nil, 0, err
	}
	rtt, err = runOn(v, 2, func(ep *engine.Endpoint) (quantity.Micros, error) { return programs.PingPong(ep, 3) })
	return bursts, rtt, err
}

// packet finds the best packet by running: of small messages with all sizes, of others with all
// numbers of packets up to 256, and then all sizes within a tenth of the best.
func (v *validation) packet(n quantity.Bytes) error {
	p, ok := model.At(v.l.Model, n).(model.Pipeline)
	if !ok || n < 2 || n > 64*quantity.KiB {
		return nil
	}
	best, least := quantity.Bytes(0), quantity.Micros(math.Inf(1))
	try := func(size quantity.Bytes) error {
		p.Cut = model.Cut{Rule: model.CutFixed, Size: size}
		s, err := virtual.Build(v.l.Ref(), p)
		if err != nil {
			return err
		}
		_, err = virtual.Run(s, virtual.Config{Nodes: 2}, func(ep *engine.Endpoint) error {
			t, _, err := programs.Latency(ep, int(n), 1)
			if ep.Node() == 0 && t < least*(1-different) {
				best, least = size, t
			}
			return err
		})
		return err
	}
	for count := quantity.Bytes(1); count <= min(n, 256); count++ {
		if err := try(quantity.Bytes(math.Ceil(float64(n / count)))); err != nil {
			return err
		}
	}
	from, to := quantity.Bytes(math.Floor(float64(best)*0.9)), best*1.1
	if n <= 4*quantity.KiB {
		from, to = 1, n
	}
	for size := max(1, from); size <= min(n, to); size++ {
		if err := try(size); err != nil {
			return err
		}
	}
	size, t := p.BestPacket(n)
	v.add("packet", n, "best packet", float64(size), float64(best), "B", "packets of both sizes take the same time, or nearly")
	v.add("packet", n, "one way", float64(t), float64(least), "µs", "")
	return nil
}

func (v *validation) rows() reports.Rows {
	four := func(x any) string {
		if f := x.(float64); !math.IsNaN(f) {
			return fmt.Sprintf("%.2f", f)
		}
		return ""
	}
	rows := reports.Rows{Columns: []reports.Column{
		{Key: "platform", Head: "platform"}, {Key: "layer", Head: "layer"}, {Key: "program", Head: "program"}, {Key: "size_bytes", Head: "size"},
		{Key: "quantity", Head: "quantity"}, {Key: "model", Head: "model", Text: four}, {Key: "engine", Head: "engine", Text: four},
		{Key: "measured", Head: "measured", Text: four}, {Key: "unit", Head: "unit"},
		{Key: "error_percent", Head: "engine to model", Text: func(x any) string { return fmt.Sprintf("%+.3g %%", x) }},
		{Key: "measured_low"}, {Key: "measured_high"}, {Key: "paper_bound"}, {Head: "note"}, {Key: "note"},
	}}
	bounded := slices.ContainsFunc(v.results, func(r validated) bool { return !math.IsNaN(r.bound) })
	if bounded {
		rows.Columns[12] = reports.Column{Key: "paper_bound", Head: "paper's bound", Text: four}
	}
	var reasons []string
	for _, r := range v.results {
		mark := ""
		if r.why != "" {
			i := slices.Index(reasons, r.why)
			if i < 0 {
				i = len(reasons)
				reasons = append(reasons, r.why)
			}
			mark = fmt.Sprintf("[%d]", i+1)
		}
		e := 100 * r.err()
		if math.Abs(e) <= 100*different {
			e = 0
		}
		rows.Data = append(rows.Data, []any{r.platform, r.layer, r.program, r.size, r.quantity, r.model, r.engine, r.measured, r.unit, e,
			r.low, r.high, r.bound, mark, r.why})
	}
	for i, why := range reasons {
		rows.Notes = append(rows.Notes, fmt.Sprintf("[%d] %s.", i+1, why))
	}
	rows.Notes = append(rows.Notes, v.notes...)
	return rows
}

// figure draws the one-way times of the program latency.
func (v *validation) figure() reports.Figure {
	f := reports.Figure{
		X: reports.Axis{Label: "message size", Scale: reports.Log, Bytes: true},
		Y: reports.Axis{Label: "bandwidth (MB/s)", Scale: reports.Log},
	}
	add := func(name string, kind reports.Kind, x, y, low, high float64) {
		i := slices.IndexFunc(f.Series, func(s reports.Series) bool { return s.Name == name })
		if i < 0 {
			i = len(f.Series)
			f.Series = append(f.Series, reports.Series{Name: name, Kind: kind})
		}
		s := &f.Series[i]
		s.X, s.Y = append(s.X, x), append(s.Y, y)
		s.Low, s.High = append(s.Low, low), append(s.High, high)
	}
	for _, r := range v.results {
		if r.program != "latency" || r.quantity != "one way" {
			continue
		}
		n, ref, none := float64(r.size), r.platform+"/"+r.layer, math.NaN()
		add(ref+": model", reports.Line, n, n/r.model, none, none)
		add(ref+": engine", reports.Points, n, n/r.engine, none, none)
		if !math.IsNaN(r.bound) {
			add(ref+": the paper's bound", reports.Line, n, n/r.bound, none, none)
		}
		if !math.IsNaN(r.measured) {
			add(ref+": measured", reports.Points, n, n/r.measured, n/r.high, n/max(0, r.low))
		}
	}
	return f
}
