package calibrate

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/parallel"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// maxWorkers limits the cases that [Calibration.Check] simulates in parallel, because each needs
// memory for its schedule.
const maxWorkers = 8

// A Checked is a measurement with the time that a machine gives for it.
type Checked struct {
	Measurement
	Predicted quantity.Micros
	Call      quantity.Micros // of a collective: what its call takes beyond its messages
	// Nearest is, of a collective whose algorithm is not known, the one whose time is nearest to
	// the measured one, and NearestTime its time.
	Nearest     string
	NearestTime quantity.Micros
}

// Check simulates the measurements on a machine of their levels: round trips, bursts of one pair
// and many, exchanges of sizes that the machine is not made of, fans and collectives. Overheads,
// sums and collectives above 2^18 operations are left out. If the algorithms of the library are
// known, the barrier and the smallest reduce and scatter are not checked, since the time of a call
// is estimated from them.
func (c *Calibration) Check(ctx context.Context, m machine.Machine) ([]Checked, error) {
	var rows []Checked
	for _, r := range c.Rows {
		// A time of 0 has no relative error.
		if r.Time > 0 && c.checks(r) {
			rows = append(rows, Checked{Measurement: r})
		}
	}
	err := parallel.Each(ctx, len(rows), maxWorkers, func(ctx context.Context, i int) (err error) {
		r := &rows[i]
		if r.IsCollective() {
			p, err := c.collective(ctx, m, r.Measurement)
			r.Predicted, r.Nearest, r.NearestTime = p.least, p.nearest, p.time
			return err
		}
		r.Predicted, err = c.predict(ctx, m, r.Measurement)
		return err
	})
	// A prediction of 0 stands for a case that was not simulated.
	rows = slices.DeleteFunc(rows, func(r Checked) bool { return r.Predicted == 0 })
	if c.ChoicesKnown() {
		rows = addCalls(rows)
		for i, r := range rows {
			if r.Call > 0 {
				rows[i].Call += c.fromRest(r.Size)
			}
		}
	}
	return rows, err
}

// checks reports whether a measurement checks the machine: messages that it was not
// made of. Round trips and bursts of one pair count too, since the machine was made
// of their medians over pairs, and may fail to describe each of them.
func (c *Calibration) checks(r Measurement) bool {
	switch r.Measure {
	case Send, Receive, LateReceive, LateSend, Relay, Fresh, Beside, fanFirst, twoFirst, nearFar,
		Combine, Copy:
		return false // calls and local work, which no schedule of messages shows alone, and states
	case Exchange:
		return !c.fitsExchange(r.Level, r.Size)
	case Mixed:
		return !c.networked() // whose links are known from them
	}
	return true
}

// predict returns the time of messages on the machine; 0 if they are not simulated.
// A round trip of two ranks needs no simulation: half of it is the one-way time of the
// level.
func (c *Calibration) predict(ctx context.Context, m machine.Machine, r Measurement) (
	quantity.Micros, error) {
	on := c.places(r)
	if r.Measure != PingPong {
		return timeOf(ctx, m, on, r)
	}
	if len(on) == 0 {
		return 0, nil
	}
	// The two ranks meet at the innermost level with a unit that holds both cores.
	common := func(cores int) bool { return on[0]/cores == on[1]/cores }
	return m.Levels[slices.IndexFunc(m.Sizes(), common)].Layer.OneWay(r.Size), nil
}

// fromRest returns how much longer an eager message takes in a call that begins at an agreed time
// than in a loop of round trips, whose cache lines are warm, beyond that difference for 8 bytes.
// Exchanges begin at an agreed time too.
func (c *Calibration) fromRest(n quantity.Bytes) quantity.Micros {
	exchange, way := c.curve(Exchange, 0), c.curve(PingPong, 0)
	if len(exchange.Sizes) < 2 || len(way.Sizes) < 2 || n > c.Levels[0].Eager {
		return 0
	}
	return max(exchange.At(n)-way.At(n)-(exchange.At(8)-way.At(8)), 0)
}

// isReduction reports whether the ranks combine data, which takes calls of another
// length.
func isReduction(measure string) bool { return measure == "reduce" || measure == "allreduce" }

// addCalls sets the time of a call of collectives, and removes the rows that it comes from: the
// barrier and the smallest scatter and reduce. It is the time by which a barrier takes longer than
// its messages or, if that is less, the same of a reduce for reductions and of a scatter for other
// collectives: in MPICH, whose calls differ, a barrier takes 0.1 µs longer than a scatter, and
// disturbances make a measurement longer.
func addCalls(rows []Checked) (checked []Checked) {
	smallest := map[string]Checked{}
	for _, r := range rows {
		if s, known := smallest[r.Measure]; !known || r.Size < s.Size {
			smallest[r.Measure] = r
		}
	}
	call := func(measures ...string) (least quantity.Micros) {
		least = quantity.Micros(math.Inf(1))
		for _, measure := range measures {
			if r, known := smallest[measure]; known {
				least = min(least, max(r.Time-r.Predicted, 0))
			}
		}
		return least
	}
	reduction, other := call("barrier", "reduce"), call("barrier", "scatter")
	for _, r := range rows {
		t := other
		if isReduction(r.Measure) {
			t = reduction
		}
		if r.IsCollective() && !math.IsInf(float64(t), 1) {
			source := slices.Contains([]string{"barrier", "scatter", "reduce"}, r.Measure)
			if source && r == smallest[r.Measure] {
				continue // it would be checked against itself
			}
			r.Call = t
		}
		checked = append(checked, r)
	}
	return checked
}

// burst is the number of messages of a simulated burst. The time of one message is subtracted, so
// 16 gaps remain.
const burst = 17

// timeOf simulates pairs or a fan as calibrate.c does them. A burst is simulated
// twice, short and long: the difference has the gaps alone, without the start and the
// answer.
func timeOf(ctx context.Context, m machine.Machine, places machine.Places, r Measurement) (
	quantity.Micros, error) {
	if len(places) == 0 {
		return 0, nil
	}
	on, err := simulate.FromMachine(m, places, simulate.NoLimit)
	if err != nil {
		return 0, err
	}
	run := func(messages int) (quantity.Micros, error) {
		b := schedule.NewBuilder(len(places))
		for rank := range places {
			b.NextRank()
			addCase(b, r, rank, messages)
		}
		s, err := b.Build()
		if err != nil {
			return 0, err
		}
		return finish(ctx, s, on)
	}
	if r.Measure != Stream && r.Measure != Mixed {
		return run(1)
	}
	one, err := run(1)
	if err != nil {
		return 0, err
	}
	all, err := run(burst)
	return (all - one) / (burst - 1), err
}

// addCase adds a rank's part of a case. Of pairs, even ranks send and odd ones receive; of fans,
// rank 0 is the root.
func addCase(b *schedule.Builder, r Measurement, rank, messages int) {
	n, peer := uint64(r.Size), uint32(rank^1)
	switch r.Measure {
	case Exchange:
		b.Send(n, peer, 0)
		b.Recv(n, peer, 0)
	case Stream, Mixed:
		if rank%2 == 0 {
			for range messages {
				b.Send(n, peer, 0)
			}
			b.Recv(1, peer, 1)
			return
		}
		var got []uint32
		for range messages {
			got = append(got, b.Recv(n, peer, 0))
		}
		// One answer to the whole burst shows the sender, whose clock is read, that all messages
		// have come.
		ack := b.Send(1, peer, 1)
		for _, op := range got {
			b.Requires(ack, op)
		}
	case FanOut, FanIn:
		request, answer := n, uint64(1)
		if r.Measure == FanIn {
			request, answer = answer, request
		}
		if rank != 0 {
			got := b.Recv(request, 0, 0)
			b.Requires(b.Send(answer, 0, 1), got)
			return
		}
		for leaf := 1; leaf <= r.Pairs; leaf++ {
			b.Send(request, uint32(leaf), 0)
		}
		for leaf := 1; leaf <= r.Pairs; leaf++ {
			b.Recv(answer, uint32(leaf), 1)
		}
	}
}

// maxPeers is the number of units to which calibrate.c sends from one in turn.
const maxPeers = 4

// places returns the cores of a case's ranks, as calibrate.c chooses them; none if
// the machine has too few units. The two must agree: a pair on other cores would meet
// at another level.
func (c *Calibration) places(r Measurement) (on machine.Places) {
	inner := c.cores(r.Level)
	units := c.Levels[r.Level].Arity
	unit := inner * units
	core := func(i int) int { return i%units*inner + i/units } // spread over the inner units
	switch {
	case r.Measure == Mixed:
		cores := c.cores(max(c.outside(), 0))
		hosts := c.hosts(cores)
		mix(hosts, r.Variant)
		for _, host := range hosts[:min(2*r.Pairs, len(hosts))] {
			on = append(on, host*cores)
		}
	case r.Measure == FanOut || r.Measure == FanIn:
		on = append(on, 0)
		for i := 0; i < unit && len(on) <= r.Pairs; i++ {
			// A leaf beside the root, in the same inner unit, would meet it at a lower level.
			if core(i)/inner != 0 {
				on = append(on, core(i))
			}
		}
		if len(on) <= r.Pairs {
			return nil
		}
	case r.Out:
		others := min(c.Levels[r.Level+1].Arity-1, maxPeers)
		if r.Pairs > unit || others < 1 {
			return nil
		}
		if !r.severalUnits() {
			others = 1
		}
		for i := range r.Pairs {
			pair := machine.Places{core(i), (1+i%others)*unit + core(i)}
			if r.Variant == gathered {
				slices.Reverse(pair)
			}
			on = append(on, pair...)
		}
	case r.distant():
		for i := 0; i+r.Variant < units; i++ {
			// Variant is a power of two, so that each unit is in at most one pair.
			if i&r.Variant == 0 {
				on = append(on, i*inner, (i+r.Variant)*inner)
			}
		}
	default:
		half := units / 2
		if r.Pairs == 1 {
			half = min(1, half)
		}
		if r.Pairs > half {
			return nil
		}
		for i := range r.Pairs {
			on = append(on, i*inner, (i+half)*inner)
		}
	}
	return on
}

// mix puts hosts into an order that a number stands for, the same as calibrate.c's. Neighbours in
// it are pairs.
func mix(hosts []int, number int) {
	x := uint64(number)
	for i := len(hosts) - 1; i > 0; i-- {
		x = x*6364136223846793005 + 1442695040888963407 // Knuth's MMIX generator
		j := int((x >> 33) % uint64(i+1))
		hosts[i], hosts[j] = hosts[j], hosts[i]
	}
}

// A CheckSummary sums up the checks of one measure at one level.
type CheckSummary struct {
	Measure       string
	Level         int // −1 for collectives
	Out           bool
	Cases         int
	From, To      quantity.Bytes
	Median, Worst float64 // relative errors of the predictions, without signs
	Bias          float64 // median of the signed relative errors
}

// Summarize returns a summary for each measure and level, in order of first appearance in checks.
func Summarize(checks []Checked) (all []CheckSummary) {
	type key struct {
		measure string
		level   int
		out     bool
	}
	var keys []key
	groups := map[key][]Checked{}
	for _, k := range checks {
		name := k.Measure
		if name == Stream && k.Pairs > 1 {
			name = "stream of pairs"
		}
		of := key{name, k.Level, k.Out}
		if groups[of] == nil {
			keys = append(keys, of)
		}
		groups[of] = append(groups[of], k)
	}
	slices.SortStableFunc(keys, func(a, b key) int {
		return cmp.Compare(uint(a.level), uint(b.level)) // −1, of collectives, comes last
	})
	for _, of := range keys {
		s := CheckSummary{Measure: of.measure, Level: of.level, Out: of.out}
		s.Cases, s.From = len(groups[of]), quantity.Bytes(math.Inf(1))
		var signed, errors []float64
		for _, k := range groups[of] {
			measured := k.Time
			if k.Measure == Stream && k.Pairs > 1 {
				// What pairs share was estimated from the mean over pairs too.
				measured = k.Average
			}
			e := float64((k.Predicted+k.Call)/measured) - 1
			signed, errors = append(signed, e), append(errors, math.Abs(e))
			s.From, s.To = min(s.From, k.Size), max(s.To, k.Size)
		}
		s.Median, s.Worst = stats.QuantileOf(errors, 0.5), slices.Max(errors)
		s.Bias = stats.QuantileOf(signed, 0.5)
		all = append(all, s)
	}
	return all
}
