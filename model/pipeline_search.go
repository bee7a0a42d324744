package model

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// Measured stages have times that are neither convex in the packet nor lines, so that no program
// gives the best packets. They are searched for, from many starts, in times alone.

// settled returns the pipeline with the present times as the measured ones, so that a search does
// not scale them again for each packet.
func (l *Pipeline) settled() *Pipeline {
	settled := &Pipeline{Stages: slices.Clone(l.Stages), Cut: l.Cut}
	for i := range settled.Stages {
		if s := &settled.Stages[i]; s.Measured != nil {
			s.Measured = s.Scaled()
		}
	}
	return settled
}

// corners returns the measured sizes up to n: between two of them a time is smooth, so that the
// best packet often is one of them.
func (l *Pipeline) corners(n quantity.Bytes) (sizes []quantity.Bytes) {
	for _, s := range l.Stages {
		if s.Measured == nil {
			continue
		}
		for _, c := range []Curve{s.Measured.Alone, s.Measured.Overlapped} {
			for _, size := range c.Sizes {
				if size = quantity.Bytes(math.Floor(float64(size))); size >= 1 && size <= n {
					sizes = append(sizes, size)
				}
			}
		}
	}
	slices.Sort(sizes)
	return slices.Compact(sizes)
}

// equalStarts is the number of equal packets from which bestMeasured descends.
const equalStarts = 8

// bestMeasured is BestPacket with measured stages. It tries 32 sizes per octave, the measured
// sizes, powers of two and one and a half of them, and up to 1,024 equal parts. From the best of
// them it moves in steps that halve. Packets above the largest measured one follow its curve.
func (l *Pipeline) bestMeasured(n quantity.Bytes) (quantity.Bytes, quantity.Micros) {
	l = l.settled()
	type packet struct {
		size quantity.Bytes
		time quantity.Micros
	}
	var tried []packet
	try := func(size quantity.Bytes) {
		if size >= 1 && size <= n {
			tried = append(tried, packet{size, l.OneWayIn(n, size)})
		}
	}
	for x := float64(n); x >= 1; x *= math.Exp2(-1.0 / 32) {
		try(quantity.Bytes(math.Floor(x)))
	}
	for _, size := range l.corners(n) {
		try(size)
	}
	for size := quantity.Bytes(1); size <= n; size *= 2 {
		try(size)
		try(size + quantity.Bytes(math.Floor(float64(size)/2)))
	}
	for count := quantity.Bytes(2); count <= min(n, 1024); count++ {
		try(quantity.Bytes(math.Ceil(float64(n / count))))
	}
	slices.SortFunc(tried, func(a, b packet) int {
		return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(b.size, a.size))
	})
	best := tried[0]
	for _, at := range tried[:min(equalStarts, len(tried))] {
		for step := max(1, math.Floor(float64(at.size)/64)); ; step = math.Floor(step / 2) {
			for moved := true; moved; {
				moved = false
				by := quantity.Bytes(step)
				for _, size := range []quantity.Bytes{at.size + by, at.size - by} {
					if size < 1 || size > n {
						continue
					}
					if t := l.OneWayIn(n, size); t < at.time {
						at, moved = packet{size, t}, true
					}
				}
			}
			if step <= 1 {
				break
			}
		}
		if at.time < best.time {
			best = at
		}
	}
	return best.size, best.time
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
	consider := func(plan Plan, moves int) {
		plan, t := l.improve(plan, corners, random, moves)
		if t < time {
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

// improve moves bytes between two packets of a plan as long as that saves time: a part of one, as
// many as make it a measured size, or a few. It returns the final plan and its time.
func (l *Pipeline) improve(
	plan Plan, corners []quantity.Bytes, random *rand.Rand, moves int,
) (Plan, quantity.Micros) {
	time := l.OneWayAs(plan)
	if len(plan) < 2 {
		return plan, time
	}
	for range moves {
		from, to := &plan[random.IntN(len(plan))], &plan[random.IntN(len(plan))]
		if from == to || from.Count != to.Count {
			continue
		}
		// Bytes of any order of magnitude, up to all but one.
		bytes := quantity.Bytes(math.Floor(math.Pow(float64(from.Size), random.Float64())))
		if len(corners) > 0 && random.IntN(4) == 0 {
			corner := corners[random.IntN(len(corners))]
			if bytes = from.Size - corner; random.IntN(2) == 0 {
				bytes = corner - to.Size
			}
		}
		if bytes < 1 || bytes >= from.Size {
			continue
		}
		from.Size, to.Size = from.Size-bytes, to.Size+bytes
		if t := l.OneWayAs(plan); t <= time {
			time = t
		} else {
			from.Size, to.Size = from.Size+bytes, to.Size-bytes
		}
	}
	return plan, time
}
