package study

import (
	"fmt"
	"math"

	"github.com/halfpeak/halfpeak/engine"
	"github.com/halfpeak/halfpeak/engine/programs"
	"github.com/halfpeak/halfpeak/engine/virtual"
	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/fit/trace"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A suite runs a program on a layer and puts its results beside the formulas.
type suite struct {
	name string
	run  func(r *layerRun, n quantity.Bytes) error
	on   sizesOf
}

// sizesOf says with which sizes a program runs.
type sizesOf int

const (
	asked         sizesOf = iota
	askedMeasured         // and with those that were measured, if the options ask for them
	largest               // of those asked for, up to 64 KiB
	none                  // its messages are short
)

var suites = []suite{
	{name: "ping_pong", run: (*layerRun).pingPong, on: none},
	{name: "latency", run: (*layerRun).latency, on: askedMeasured},
	{name: "bandwidth", run: (*layerRun).bandwidth},
	{name: "ping_bulk", run: (*layerRun).pingBulk},
	{name: "thru_bulk", run: (*layerRun).thruBulk},
	{name: "all_to_1", run: (*layerRun).allToOne},
	{name: "test_xfer", run: (*layerRun).testXfer, on: largest},
	{name: "test_med", run: (*layerRun).testMed, on: largest},
	{name: "signature", run: (*layerRun).signature, on: none},
	{name: "packet", run: (*layerRun).packet, on: askedMeasured},
}

// Programs are the names of the programs that Validate runs.
func Programs() []string {
	var names []string
	for _, s := range suites {
		names = append(names, s.name)
	}
	return names
}

func (r *layerRun) pingPong(quantity.Bytes) error {
	rtt, err := runOn(r, 2, func(ep *engine.Endpoint) (quantity.Micros, error) { return programs.PingPong(ep, 10) })
	r.add("ping_pong", 1, "round trip", float64(model.RTT(r.model, 1)), float64(rtt), "µs")
	return err
}

func (r *layerRun) latency(n quantity.Bytes) error {
	type result struct{ oneWay, overhead quantity.Micros }
	ran, err := runOn(r, 2, func(ep *engine.Endpoint) (result, error) {
		t, o, err := programs.Latency(ep, int(n), 2)
		return result{t, o}, err
	})
	row := r.add("latency", n, "one way", float64(r.model.OneWay(n)), float64(ran.oneWay), "µs", r.shortPiece(n)...)
	for _, p := range r.points {
		if p.Size == n {
			row.Measured, row.Low, row.High = float64(p.OneWay), float64(p.Low), float64(p.High)
		}
	}
	if p, ok := model.At(r.model, n).(*model.Pipeline); ok && len(p.Stages) >= model.PaperStages {
		row.PaperBound = float64(p.PaperBound(n, p.PacketSize(n)))
	}
	if send, _ := r.model.Overheads(n); send > 0 {
		r.add("latency", n, "send overhead", float64(send), float64(ran.overhead), "µs",
			bound{"the sender waits: for room in the network, or when 64 packets are without an acknowledgement", slower})
	}
	return err
}

// shortPiece is why pieces in a pipeline may take longer than the formula says.
func (r *layerRun) shortPiece(n quantity.Bytes) []bound {
	s, ok := model.At(r.model, n).(*model.Fragmented)
	switch {
	case !ok || n <= s.MTU:
		return nil
	case s.Window > 0:
		return []bound{{reason: "the formula spreads the wait for credits evenly over all pieces; it comes once for each window"}}
	case math.Mod(float64(n), float64(s.MTU)) == 0:
		return []bound{{"the pieces before the last are not through yet when the formula starts it", slower}}
	}
	return []bound{{"the formula starts the last piece when the slowest stage is free; this piece is short, and the one before it is not through yet", slower}}
}

func (r *layerRun) bandwidth(n quantity.Bytes) error {
	gap, err := runOn(r, 2, func(ep *engine.Endpoint) (quantity.Micros, error) { return programs.Stream(ep, int(n), r.messages(n)) })
	r.add("bandwidth", n, "gap", float64(r.model.Gap(n)), float64(gap), "µs",
		bound{"the slowest stage depends on the packet: short and full packets keep different ones busy", slower})
	return err
}

func (r *layerRun) pingBulk(n quantity.Bytes) error {
	t, err := runOn(r, 2, func(ep *engine.Endpoint) (quantity.Micros, error) { return programs.PingBulk(ep, int(n), 2) })
	bounds := r.shortPiece(n)
	switch {
	case r.system.Options.Rendezvous > 0:
		bounds = []bound{{"the way back is a reply: who asked is ready for it, so it goes without a rendezvous", faster}}
	case bounds != nil:
		bounds = []bound{{"each piece but the last has a reply, which takes its turn on what both ways share", slower}}
	}
	r.add("ping_bulk", n, "one way", float64(r.model.OneWay(n)), float64(t), "µs", bounds...)
	return err
}

func (r *layerRun) thruBulk(n quantity.Bytes) error {
	t, err := runOn(r, 2, func(ep *engine.Endpoint) (quantity.Micros, error) {
		return programs.ThruBulk(ep, int(n), r.messages(n))
	})
	r.add("thru_bulk", n, "interval", float64(r.model.Gap(n)), float64(t), "µs",
		bound{fmt.Sprintf("each piece is a request with a reply, which the gap does not count: processors, and what messages of both ways share, do both, and %d requests may be without a reply", r.system.Options.Credits), slower})
	return err
}

func (r *layerRun) allToOne(n quantity.Bytes) error {
	senders := r.o.Nodes - 1
	t, err := runOn(r, r.o.Nodes, func(ep *engine.Endpoint) (quantity.Micros, error) {
		return programs.FanIn(ep, int(n), r.messages(n))
	})
	gap := r.model.Gap(n)
	_, receive := r.model.Overheads(n)
	why := "all senders share stages of the receiver or of the network, which a gap between two nodes does not show"
	switch {
	case math.Abs(float64(t/receive-1)) < different:
		why = "what the senders may send at their gap is more than the receiver's processor takes: o_r for each"
	case math.Abs(float64(t/gap-1)) < different:
		why = "a resource of the receiver takes a message each gap, however many nodes send"
	}
	r.add("all_to_1", n, "interval at node 0", float64(gap)/float64(senders), float64(t), "µs", bound{why, slower})
	return err
}

func (r *layerRun) testXfer(n quantity.Bytes) error {
	return r.torture("test_xfer", programs.TestXfer, n)
}

func (r *layerRun) testMed(n quantity.Bytes) error { return r.torture("test_med", programs.TestMed, n) }

// torture runs a test of HP-LAM's with all kinds of traffic. There is no formula for its time;
// that it ends without an error is what counts.
func (r *layerRun) torture(name string, test func(*engine.Endpoint, programs.Traffic, int, int) (quantity.Micros, error), n quantity.Bytes) error {
	for _, traffic := range []programs.Traffic{programs.OneToOne, programs.AllToOne, programs.AllToAll} {
		t, err := runOn(r, r.o.Nodes, func(ep *engine.Endpoint) (quantity.Micros, error) { return test(ep, traffic, int(n), 1) })
		if err != nil {
			return err
		}
		r.add(name, n, string(traffic)+", data intact", math.NaN(), float64(t), "µs")
	}
	return nil
}

// signature gives LogP's parameters back, from a signature as HP-LAM's figure 4.1.
func (r *layerRun) signature(quantity.Bytes) error {
	ref := r.design.Layer.Ref()
	send, receive := r.model.Overheads(1)
	if send == 0 || receive == 0 {
		r.Notes = append(r.Notes, ref+": no signature: its model does not say what occupies both processors.")
		return nil
	}
	oneWay, gap := r.model.OneWay(1), r.model.Gap(1)
	bursts, rtt, err := r.bursts()
	if err != nil {
		return err
	}
	table := &trace.Table{Title: ref, Kind: trace.Interval}
	for _, b := range bursts {
		table.Bursts = append(table.Bursts, trace.Burst{Messages: b.Messages, Delta: b.Delta, Interval: b.Interval})
	}
	found, err := fit.LogP(table, rtt)
	if err != nil {
		return err
	}
	add := func(what string, modelled, read quantity.Micros, bounds ...bound) {
		if math.Abs(float64(read/modelled-1)) < 2e-3 {
			bounds = []bound{{reason: "read off bursts of up to 2048 messages, of which the first ones are cheap"}}
		}
		r.add("signature", 1, what, float64(modelled), float64(read), "µs", bounds...)
	}
	add("o_s", send, found.SendOverhead.Value)
	add("o_r", receive, found.ReceiveOverhead.Value)
	add("L", oneWay-send-receive, found.Latency.Value)
	add("g", gap, found.Gap.Value,
		bound{"requests have replies, which take their turn on what both share: o_s + o_r of a processor, a bus, an interface", slower})
	for _, w := range found.Warnings {
		r.Notes = append(r.Notes, ref+": "+w)
	}
	return nil
}

// bursts runs a signature, with Δ up to twice the longest interval that the layer has, and the
// round trip.
func (r *layerRun) bursts() (bursts []programs.Burst, rtt quantity.Micros, err error) {
	l := r.design.Layer.Model
	send, receive := l.Overheads(1)
	longest := l.Gap(1) + send + receive
	var messages []int
	for m := 1; m <= 2048; m *= 2 {
		messages = append(messages, m)
	}
	var deltas []quantity.Micros
	for _, share := range []quantity.Micros{0, 0.25, 0.5, 1, 1.5, 2} {
		deltas = append(deltas, share*longest)
	}
	bursts, err = runOn(r, 2, func(ep *engine.Endpoint) ([]programs.Burst, error) {
		return programs.Signature(ep, messages, deltas)
	})
	if err != nil {
		return nil, 0, err
	}
	rtt, err = runOn(r, 2, func(ep *engine.Endpoint) (quantity.Micros, error) { return programs.PingPong(ep, 3) })
	return bursts, rtt, err
}

// maxTried is how many packets the search for the best size tries at the most.
const maxTried = 256

// packet finds the best packet by running: of small messages with all sizes, of others with all
// numbers of packets up to maxTried, and then all sizes within a tenth of the best.
func (r *layerRun) packet(n quantity.Bytes) error {
	judged, ok := model.At(r.model, n).(*model.Pipeline)
	p, piped := model.At(r.design.Layer.Model, n).(*model.Pipeline)
	if !ok || !piped || n < 2 || n > 64*quantity.KiB {
		return nil
	}
	best, least := quantity.Bytes(0), quantity.Micros(math.Inf(1))
	try := func(size quantity.Bytes) error {
		s, err := virtual.Build(r.design.Layer.Ref(), &model.Pipeline{Stages: p.Stages, Cut: model.Cut{Rule: model.CutFixed, Size: size}})
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
	for count := quantity.Bytes(1); count <= min(n, maxTried); count++ {
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
	size, t := judged.BestPacket(n)
	var bounds []bound
	if n/size > maxTried {
		bounds = []bound{{fmt.Sprintf("the search tries no more than %d packets", maxTried), slower}}
	} else if math.Abs(float64(t/least-1)) < 1e-3 {
		bounds = []bound{{reason: "packets of both sizes take the same time, or nearly"}}
	}
	r.add("packet", n, "best packet", float64(size), float64(best), "B", bounds...)
	r.add("packet", n, "one way", float64(t), float64(least), "µs", bounds...)
	return nil
}
