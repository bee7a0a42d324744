package check

import (
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/engine/programs"
	"github.com/halfpeak/halfpeak/internal/engine/virtual"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// comparisons run a program on the layer, and put its result beside the formula of
// what it measures. A quantity without a row panics in the first test that runs its
// program, so a new one cannot be forgotten.
var comparisons = map[programs.Quantity]func(r *layerRun, p programs.Program, n quantity.Bytes){
	programs.RoundTrip: (*layerRun).roundTrip,
	programs.OneWay:    (*layerRun).oneWay,
	programs.Gap:       (*layerRun).stream,
	programs.Interval:  (*layerRun).interval,
	programs.FanInTime: (*layerRun).fanIn,
	programs.Exchange:  (*layerRun).exchange,
	programs.LogP:      (*layerRun).signature,
	programs.Packet:    (*layerRun).packet,
}

// roundTrip compares the steady round trip with RTT. The engine waits for a gap even if it is
// unknown, which [model.RTT] leaves out.
func (r *layerRun) roundTrip(p programs.Program, _ quantity.Bytes) {
	// The first ping finds everything free; later ones may have to wait for the gap.
	const rounds = 10
	first := r.measure(p, programs.Args{Count: 1})
	// got.Time is the mean over all rounds; the first is taken out.
	got := r.measure(p, programs.Args{Count: rounds})
	steady := (rounds*got.Time - first.Time) / (rounds - 1)
	rtt := max(model.RTT(r.model, 1), r.model.Gap(1))
	r.add(p.Name, 1, "round trip", float64(rtt), float64(steady), "µs",
		r.turns(1)...)
}

// fanIn compares the interval at a receiver with many senders, which shows the
// receiver's part alone.
func (r *layerRun) fanIn(p programs.Program, n quantity.Bytes) {
	got := r.measure(p, programs.Args{Size: int(n), Count: r.messages(n)})
	r.add(p.Name, n, "interval at node 0", float64(model.FanIn(r.resources(), r.o.Nodes-1, n)),
		float64(got.Time), "µs")
}

// oneWay compares the one-way time and, beside it, both overheads. The papers'
// measurements and CLIP's bound are of this quantity only.
func (r *layerRun) oneWay(p programs.Program, n quantity.Bytes) {
	if p.Replies {
		r.pingBulk(p, n)
		return
	}
	// A message without replies takes no credits; a store does, so it shows the window.
	got := r.measure(p, programs.Args{Size: int(n), Count: 1, Stores: r.windowed(n)})
	// add returns a row that the next add may move, so it is completed at once.
	row := r.add(p.Name, n, "one way", float64(r.model.OneWay(n)), float64(got.Time), "µs",
		append(r.shortPiece(n), r.turns(n)...)...)
	for _, p := range r.points {
		if p.Size == n {
			row.Measured, row.Printed = p.Within, &p
		}
	}
	if p, ok := model.At(r.model, n).(*model.Pipeline); ok && len(p.Stages) >= model.PaperStages {
		row.PaperBound = float64(p.PaperBound(n, p.PacketSize(n)))
	}
	send, receive := r.model.Overheads(n)
	if r.err != nil || send == 0 && receive == 0 {
		return
	}
	// With one sender and one receiver, the overheads are separate.
	const messages = 2
	oneSends, err := programs.Find("all_to_1", programs.Simulated)
	var report virtual.Report
	if err == nil {
		oneSends.Nodes = 2
		args := programs.Args{Size: int(n), Count: messages}
		_, report, err = virtual.Measure(r.system, virtual.Config{}, oneSends, args)
	}
	if err != nil {
		r.err = err
		return
	}
	add := func(what string, modelled quantity.Micros, node int) {
		if modelled > 0 {
			r.add(p.Name, n, what, float64(modelled), float64(report.Busy[node]/messages), "µs")
		}
	}
	add("send overhead", send, 1)
	add("receive overhead", receive, 0)
}

// windowed reports whether a window of credits holds back the pieces of n bytes.
func (r *layerRun) windowed(n quantity.Bytes) bool {
	return model.WindowOf(model.ResourcesOf(r.design.Layer.Model), n) > 0
}

// shortPiece returns the bounds of a message of several pieces. The formula starts
// the last piece at the pace of full ones (model.Fragmented); in the engine it
// follows the piece before it through each stage.
func (r *layerRun) shortPiece(n quantity.Bytes) []bound {
	s, ok := model.At(r.model, n).(*model.Fragmented)
	switch {
	case !ok || n <= s.MTU:
		return nil
	case s.Window > 0:
		return []bound{{"credits queue on their way back, which the formula does not count",
			slower}}
	case math.Mod(float64(n), float64(s.MTU)) == 0:
		return []bound{{"the pieces before the last are not through yet when the formula starts it",
			slower}}
	}
	return []bound{{"the formula starts the last piece when the slowest stage is free; this " +
		"piece is short, and the one before it is not through yet", slower}}
}

// turns returns the bound of a message that overlaps with the parts that a series
// adds; nothing for other layers.
func (r *layerRun) turns(n quantity.Bytes) []bound {
	if _, ok := model.At(r.model, n).(*model.Series); ok {
		return []bound{overlap}
	}
	return nil
}

// overlap is the bound of a series, whose formula ignores the model of the layer below.
var overlap = bound{"the formula does not overlap the series' own costs with the processors' " +
	"work below", faster}

// mixed returns the bounds of a gap between messages of full and short pieces.
func (r *layerRun) mixed(n quantity.Bytes) []bound {
	if s, ok := model.At(r.model, n).(*model.Fragmented); ok && n > s.MTU &&
		math.Mod(float64(n), float64(s.MTU)) != 0 {
		return []bound{
			{"the formula adds the slowest stage of the full pieces and that of the short one; " +
				"they may be different stages, which work at the same time", faster},
			{"the formula takes the mean of full and short pieces; in their order more full " +
				"ones wait, for credits or for the slowest stage", slower},
		}
	}
	var all []bound
	if r.windowed(n) {
		all = append(r.turns(n), bound{"credits queue on their way back, and take time of the " +
			"processors, which the formula does not count", slower})
	}
	if p := model.PacketSize(r.model, n); p < n && math.Mod(float64(n), float64(p)) != 0 {
		all = append(all, bound{"the slowest stage depends on the packet: short and full " +
			"packets keep different ones busy", slower})
	}
	return all
}

// stream compares the gap of a stream with g of the layer. In a window, a stream
// needs replies that return credits, and many requests until they come back steadily.
func (r *layerRun) stream(p programs.Program, n quantity.Bytes) {
	a := programs.Args{Size: int(n), Count: r.messages(n)}
	if r.windowed(n) {
		a.Stores, a.Count = true, r.requests(n)
	}
	got := r.measure(p, a)
	r.add(p.Name, n, "gap", float64(r.model.Gap(n)), float64(got.Time), "µs", r.mixed(n)...)
}

// pingBulk compares half of a round trip with the one-way time. Its way back is a
// reply, which other rules hold for than for a request; the cases name them.
func (r *layerRun) pingBulk(p programs.Program, n quantity.Bytes) {
	got := r.measure(p, programs.Args{Size: int(n), Count: 1})
	bounds := r.shortPiece(n)
	switch {
	case r.windowed(n):
		bounds = []bound{{"the way back is a reply, which no window holds back", faster}}
	case r.system.Options.EagerThreshold > 0:
		bounds = []bound{{"the way back is a reply, for which the requester is ready, so it " +
			"needs no rendezvous", faster}}
	case bounds != nil:
		bounds = []bound{{"each piece but the last has a reply, which takes its turn on what " +
			"both ways share", slower}}
	default:
		bounds = r.turns(n)
	}
	r.add(p.Name, n, "one way", float64(r.model.OneWay(n)), float64(got.Time), "µs", bounds...)
}

// interval compares a stream of requests with [model.Requests]. Until replies come
// back as fast as requests go, requests have the way to themselves: at most a window
// of them more arrives. This shortens the mean interval by at most credits over the
// timed messages, two thirds of all. A larger difference has no excuse.
func (r *layerRun) interval(p programs.Program, n quantity.Bytes) {
	count := r.requests(n)
	got := r.measure(p, programs.Args{Size: int(n), Count: count})
	modelled := model.Requests(r.resources(), n, r.system.Options.Credits, r.model.OneWay)
	var bounds []bound
	if r.windowed(n) {
		bounds = r.mixed(n)
	}
	credits := float64(r.system.Options.Credits)
	if math.Abs(float64(got.Time/modelled)-1) <= credits/(float64(count)*2/3) {
		bounds = []bound{{reason: "the first requests go without waiting for replies, and the " +
			"stream is not endless"}}
	}
	r.add(p.Name, n, "interval", float64(modelled), float64(got.Time), "µs", bounds...)
}

// exchange runs a test of HP-LAM's with all kinds of traffic. Its time has no
// formula: the test is that it ends without an error, and with the data intact.
func (r *layerRun) exchange(p programs.Program, n quantity.Bytes) {
	kinds := []programs.Traffic{programs.OneToOne, programs.AllToOne, programs.AllToAll}
	for _, traffic := range kinds {
		got := r.measure(p, programs.Args{Size: int(n), Count: 1, Traffic: traffic})
		row := r.add(p.Name, n, string(traffic)+", data intact", math.NaN(), float64(got.Time),
			"µs")
		row.NoFormula = true
		if r.lost != (virtual.FaultStats{}) {
			row.Bound = lossy
		}
	}
}

// longestBurst is the number of messages of the longest burst of a signature. A burst
// must be long against the credits: at its end, that many requests are still on their
// way, which the clock does not see.
const longestBurst = 2048

// shortBurst is the number of messages of the shortest bursts of a signature, which
// give o_s: they must be over before the first reply comes back.
const shortBurst = 64

// signature gives LogP's parameters back, from a signature as HP-LAM's figure 4.1. A
// user reads a machine's parameters in this way (fit --model logp), so the test is of
// the method too.
func (r *layerRun) signature(p programs.Program, _ quantity.Bytes) {
	ref := r.design.Layer.Ref()
	send, receive := r.model.Overheads(1)
	// o_s and o_r cannot be read if one of them is not modelled.
	if send == 0 || receive == 0 {
		r.Notes = append(r.Notes, remark.NoSignature(ref))
		return
	}
	oneWay := r.model.OneWay(1)
	gap := model.Requests(r.resources(), 1, r.system.Options.Credits, r.model.OneWay)
	bursts, rtt := r.bursts(p, clearShares)
	if r.err != nil {
		return
	}
	found, err := fit.LogP(&benchfile.Table{Title: ref, Kind: benchfile.Interval, Bursts: bursts},
		rtt)
	if err != nil {
		r.err = err
		return
	}
	add := func(what string, modelled, read quantity.Micros, bounds ...bound) {
		// The clock of a burst stops while as many requests as there are credits are on their way.
		// The values are read off the longest bursts, the shortest of them with a quarter of the
		// messages.
		credits := float64(r.system.Options.Credits)
		if math.Abs(float64(read/modelled-1)) <= credits/(longestBurst/4) {
			bounds = []bound{{reason: fmt.Sprintf("read off bursts of up to %d messages, of "+
				"which the last ones are not through when the clock stops", longestBurst)}}
		}
		r.add(p.Name, 1, what, float64(modelled), float64(read), "µs", bounds...)
	}
	var early []bound
	// The first replies come after a round trip, two one-way times.
	if oneWay < shortBurst/2*send {
		early = []bound{{reason: "replies come back while the shortest bursts are still sent, " +
			"so that these have a part of o_r in them"}}
	}
	add("o_s", send, found.Value.SendOverhead, early...)
	add("o_r", receive, found.Value.ReceiveOverhead, early...)
	var rest []bound
	overheads := r.Results[len(r.Results)-2:]
	if slices.ContainsFunc(overheads, func(v validated) bool { return v.Bound != "" }) {
		// L is a remainder, so it inherits the difference of what is subtracted.
		rest = []bound{{reason: "it is what o_s and o_r, as read, leave of the round trip"}}
	}
	add("L", max(0, oneWay-send-receive), found.Value.Latency, rest...)
	add("g", gap, found.Value.GapTime)
	for _, w := range found.Warnings {
		r.Notes = append(r.Notes, remark.Warned(w).About(ref))
	}
}

// clearShares are computations Δ, as fractions of the longest interval in the engine, that
// identify the parameters: none at all, which shows g, and some clearly longer than g. With a Δ
// just below g it takes thousands of messages until credits run out and g shows.
var clearShares = []quantity.Micros{0, 1, 1.25, 1.5, 2}

// bursts runs a signature with these computations, and the round trip. shares are in
// units of the longest interval that the engine can have, gap and half of a round
// trip, so that Δ suits a layer of any speed.
func (r *layerRun) bursts(
	p programs.Program, shares []quantity.Micros,
) (bursts []benchfile.Burst, rtt quantity.Micros) {
	round := r.other("ping_pong", programs.Args{Count: 1}) // later ones may wait for the gap
	gap := r.other("bandwidth", programs.Args{Size: 1, Count: 31})
	longest := gap.Time + round.Time/2
	deltas := list.Map(shares, func(share quantity.Micros) quantity.Micros {
		return share * longest
	})
	return r.measure(p, programs.Args{Count: longestBurst, Deltas: deltas}).Bursts, round.Time
}

// maxTried is the maximum number of packets in the search for the best packet size.
// It keeps the search short: each number of packets is a run of its own.
const maxTried = 256

// maxBetween is the largest number of packets between which and the next number the search
// looks at several sizes: those differ by the size of the short last packet, which matters
// if packets are few.
const maxBetween = 8

// packet finds the best packet by running: small messages in packets of all sizes;
// larger ones in all numbers of packets up to maxTried, and then in all sizes around
// the best, until the best has larger and smaller ones on both sides. The search knows no
// formula, and so is a judge of BestPacket's.
func (r *layerRun) packet(run programs.Program, n quantity.Bytes) {
	judged, ok := model.At(r.model, n).(*model.Pipeline)
	p, piped := model.At(r.design.Layer.Model, n).(*model.Pipeline)
	// Only a pipeline has a packet size to choose.
	if !ok || !piped || n < 2 || n > 64*quantity.KiB {
		return
	}
	best, least := quantity.Bytes(0), quantity.Micros(math.Inf(1))
	try := func(size quantity.Bytes) {
		if r.err != nil {
			return
		}
		s := virtual.Build(r.design.Layer.Ref(),
			&model.Pipeline{Stages: p.Stages, Cut: model.Cut{Rule: model.CutFixed, Size: size}})
		got, _, err := virtual.Measure(s, virtual.Config{}, run,
			programs.Args{Size: int(n), Count: 1})
		// A difference of rounding must not move the best size.
		if r.err = err; err == nil && got.Time < least*(1-different) {
			best, least = size, got.Time
		}
	}
	// Equal packets have whole numbers of them; a number between has a short last packet.
	step := quantity.Bytes(1) / 8
	for count := quantity.Bytes(1); count <= min(n, maxTried); count += step {
		if count == maxBetween {
			step = 1
		}
		try(quantity.Bytes(math.Ceil(float64(n / count))))
	}
	// All sizes from low to high have been tried.
	for low, high := best, best; r.err == nil; {
		around := quantity.Bytes(math.Floor(float64(best) / 10))
		// Small messages are searched in all sizes: that is at most 4,096 short runs.
		if n <= 4*quantity.KiB {
			around = n
		}
		from, to := max(1, best-around), min(n, best+around)
		if low <= from && to <= high {
			break
		}
		for ; low > from; low-- {
			try(low - 1)
		}
		for ; high < to; high++ {
			try(high + 1)
		}
	}
	size, t := judged.BestPacket(n)
	var bounds []bound
	// A search that tries too few packets cannot judge. Near the optimum the time is
	// flat, and two sizes of nearly the same time are both right.
	if n/size > maxTried {
		bounds = []bound{{fmt.Sprintf("the search tries no more than %d packets", maxTried),
			slower}}
	} else if math.Abs(float64(t/least-1)) < 1e-3 {
		bounds = []bound{{reason: "packets of both sizes take the same time, or nearly"}}
	}
	r.add(run.Name, n, "best packet", float64(size), float64(best), "B", bounds...)
	r.add(run.Name, n, "one way", float64(t), float64(least), "µs", bounds...)
}
