package model

import (
	"math"
	"math/rand/v2"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// PlanLimit is the maximum number of packets of a plan whose sizes [Pipeline.BestPlan] chooses
// separately. Longer plans have half of that many to fill the pipeline, half to drain it, and equal
// ones in between. The loss is negligible, since the sizes in the middle of a long plan are equal
// anyway.
const PlanLimit = 64

// IdealPlan returns the plan that minimises the time of n bytes if packets need not be whole bytes,
// and that time. A plan of whole bytes can be faster only by rounding and the effect of PlanLimit,
// about 1e-9 of the time. The sizes of the best plans first grow and then shrink, which fills and
// drains the pipeline fast [wang].
//
// With measured stages, whose times are no lines, it is the fastest plan that was found, of whole
// bytes, and not a limit: see [Pipeline.Measured].
//
// For a given number of packets the sizes are the solution of a linear program (see program);
// IdealPlan searches over the number of packets. 1 ≤ n ≤ quantity.MaxBytes.
func (l *Pipeline) IdealPlan(n quantity.Bytes) (Plan, quantity.Micros) {
	if l.Measured() {
		return l.searchPlan(n)
	}
	size, _ := l.BestPacket(n)
	at := packets(n, size)
	plan, time := l.idealPlanOf(n, int(at))
	tried := map[float64]bool{at: true}
	// The time is convex in the number of packets: descend from the best equal packets in steps
	// that halve.
	for step := math.Max(1, math.Round(at/4)); ; step = math.Round(step / 2) {
		for moved := true; moved; {
			moved = false
			for _, next := range []float64{at + step, at - step} {
				if next < 1 || next > float64(min(n, 1<<40)) || tried[next] {
					continue
				}
				tried[next] = true
				if p, t := l.idealPlanOf(n, int(next)); t < time {
					plan, time, at, moved = p, t, next, true
					break
				}
			}
		}
		if step <= 1 {
			return plan, time
		}
	}
}

// idealPlanOf is IdealPlan for exactly count packets, 1 ≤ count ≤ n.
func (l *Pipeline) idealPlanOf(n quantity.Bytes, count int) (Plan, quantity.Micros) {
	var plan Plan
	single := func(count int) {
		for range count {
			plan = append(plan, Run{Count: 1})
		}
	}
	if count <= PlanLimit {
		single(count)
	} else {
		single(PlanLimit / 2)
		plan = append(plan, Run{Count: count - PlanLimit})
		single(PlanLimit / 2)
	}
	l.solve(n, plan)
	return plan, l.OneWayAs(plan)
}

// BestPlan returns the fastest plan of whole bytes that was found for n bytes, and its time:
// IdealPlan rounded, or the packets of [Pipeline.BestPacket] if they are as fast.
func (l *Pipeline) BestPlan(n quantity.Bytes) (Plan, quantity.Micros) {
	ideal, found := l.IdealPlan(n)
	if l.Measured() {
		return ideal, found
	}
	plan := wholeBytes(n, ideal)
	// This reduces the loss of rounding to whole bytes.
	random := rand.New(rand.NewPCG(1, uint64(len(plan))))
	time := l.improve(plan, random, polishSteps, func(*Run, *Run) quantity.Bytes { return 1 })
	if size, t := l.BestPacket(n); t <= time {
		return EqualPlan(n, size), t
	}
	return plan, time
}

// polishSteps is the number of moves that improve a final plan, about four times as many as CLIP's
// stages need at 64 KiB.
const polishSteps = 20000

// improve moves bytes from one packet of a plan to another, both chosen at random, if that does not
// cost time; bytes says how many. Moves without an effect are made too, since most improvements
// need several of them first. It returns the time of the final plan.
func (l *Pipeline) improve(plan Plan, random *rand.Rand, moves int,
	bytes func(from, to *Run) quantity.Bytes) quantity.Micros {

	time := l.OneWayAs(plan)
	for range moves {
		from, to := &plan[random.IntN(len(plan))], &plan[random.IntN(len(plan))]
		if from == to || from.Count != to.Count {
			continue
		}
		n := bytes(from, to)
		if n < 1 || n >= from.Size {
			continue
		}
		from.Size, to.Size = from.Size-n, to.Size+n
		if t := l.OneWayAs(plan); t <= time {
			time = t
		} else {
			from.Size, to.Size = from.Size+n, to.Size-n
		}
	}
	return time
}

// wholeBytes rounds the sizes of a plan of n bytes so that each is at least one byte and their sum
// is n: it rounds the end of each run, counted from the start of the message. A long run becomes
// two whose sizes differ by a byte.
func wholeBytes(n quantity.Bytes, ideal Plan) Plan {
	left := ideal.Packets() // not yet placed; each needs a byte
	var plan Plan
	var end, placed float64
	for i, r := range ideal {
		count := float64(r.Count)
		left -= r.Count
		end += count * float64(r.Size)
		bytes := math.Round(end) - placed
		if i == len(ideal)-1 {
			bytes = float64(n) - placed
		}
		bytes = min(max(bytes, count), float64(n)-placed-float64(left))
		placed += bytes
		size := math.Floor(bytes / count)
		larger := bytes - size*count // packets with one byte more
		if larger > 0 {
			plan = append(plan, Run{int(larger), quantity.Bytes(size + 1)})
		}
		if larger < count {
			plan = append(plan, Run{int(count - larger), quantity.Bytes(size)})
		}
	}
	return plan
}

const (
	// planStarts is the number of random plans of each number of packets that a search begins with.
	planStarts = 4
	// planMoves is the number of moves that a search tries from each of its starts.
	planMoves = 1500
)

// searchPlan returns the fastest plan of whole bytes that was found for n bytes through measured
// stages, and its time: of up to PlanLimit packets of any size, or equal ones. No limit of such
// times is known.
func (l *Pipeline) searchPlan(n quantity.Bytes) (Plan, quantity.Micros) {
	l = l.settled()
	size, time := l.BestPacket(n)
	best := EqualPlan(n, size)
	corners := l.corners(n)
	random := rand.New(rand.NewPCG(1, uint64(n)))
	// A part of a packet of any order of magnitude, up to all but one byte, or as many bytes as
	// make a measured size.
	bytes := func(from, to *Run) quantity.Bytes {
		part := math.Floor(math.Pow(float64(from.Size), random.Float64()))
		if len(corners) == 0 || random.IntN(4) > 0 {
			return quantity.Bytes(part)
		}
		corner := corners[random.IntN(len(corners))]
		if random.IntN(2) == 0 {
			return corner - to.Size
		}
		return from.Size - corner
	}
	consider := func(plan Plan, moves int) {
		if t := l.improve(plan, random, moves, bytes); t < time {
			best, time = plan, t
		}
	}
	equal := packets(n, size)
	most := min(float64(n), max(12, 2*equal), PlanLimit)
	for count := 2.0; count <= most; count = math.Ceil(count * 1.1) {
		ideal, _ := l.idealPlanOf(n, int(count))
		consider(wholeBytes(n, ideal), planMoves)
		for range planStarts {
			sum, parts := 0.0, make(Plan, int(count))
			for i := range parts {
				parts[i] = Run{1, quantity.Bytes(random.ExpFloat64())}
				sum += float64(parts[i].Size)
			}
			for i := range parts {
				parts[i].Size *= n / quantity.Bytes(sum)
			}
			consider(wholeBytes(n, parts), planMoves)
		}
	}
	if len(best) <= PlanLimit && best.Packets() <= PlanLimit {
		consider(best.singles(), polishSteps)
	}
	return best, time
}

// singles returns the plan with each packet a run of its own.
func (p Plan) singles() (all Plan) {
	for _, r := range p {
		for range r.Count {
			all = append(all, Run{1, r.Size})
		}
	}
	return all
}
