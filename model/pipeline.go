package model

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// Pipeline sends a message in packets through stages that work at the same time [clip, §4.2.2.2].
// A packet enters a stage when it has left the previous stage, and the previous packet has left
// this one (rules 1 and 2). With packets p_1…p_K:
//
//	t_i(p)  = β_i + pτ_i                                       eq. 1, 2
//	C[i][k] = max(C[i−1][k], C[i][k−1]) + t_i(p_k)             the recurrence
//	T       = C[S−1][K]
//
// Where: β_i = Stages[i].Beta, fixed cost per packet in µs, ≥ 0; τ_i =
// Stages[i].Tau, inverse bandwidth in µs per byte, ≥ 0; S = number of stages, ≥ 1.
// Equal packets need no loop over packets:
//
//	T = Σ_i t_i(p) + (K−1)·max_i t_i(p)
//
// and with a last packet that is shorter, q = n − (K−1)p:
//
//	T = max_j ( Σ_{i≤j} t_i(p) + (K−2)·max_{i≤j} t_i(p) + Σ_{i≥j} t_i(q) )
//
// since the longest path through the table of C changes to the last packet in some stage j.
//
// The closed forms and the recurrence hold for any t_i, so also for stages with measured times; see
// [StageCurve].
type Pipeline struct {
	Stages []Stage
	Cut    Cut
}

// A Stage of a [Pipeline] is a resource that takes β + pτ for a packet of p bytes.
type Stage struct {
	Name string
	Beta quantity.Micros
	Tau  quantity.MicrosPerByte
	Host Host // whose processor it occupies, if any
	// Measured, if not nil, has the times of packets. β and τ then serve the formulas that need
	// lines: eq. 8, eq. 10, and where a search for plans begins.
	Measured *StageCurve
}

// Time returns β + pτ (CLIP §4.2.2.2, eq. 2), or the measured time of a packet that is alone in the
// pipeline.
func (s Stage) Time(p quantity.Bytes) quantity.Micros {
	if s.Measured != nil {
		return s.timeIn(false, p)
	}
	return s.Beta + s.Tau.Times(p)
}

// busy returns the time in µs that n bytes in count packets occupy the stage.
func (s Stage) busy(n quantity.Bytes, count float64) quantity.Micros {
	return quantity.Micros(count)*s.Beta + s.Tau.Times(n)
}

// A StageCurve holds measured times of packets in a stage. It serves stages that are not lines,
// such as copies, whose time per byte depends on the cache that holds the packet. If β or τ of
// the stage changes, the times change in proportion, as those of a [Measured] layer do.
//
// While other packets are in the pipeline, the stage takes its time of Overlapped: another stage
// may share its memory bus, its caches or its processor. In a message of several packets, only the
// first one in the first stage and the last one in the last stage are alone. Each path through
// the recurrence has these two steps, so the time of the message is that of stages that are always
// overlapped, less what these two steps gain.
type StageCurve struct {
	Alone      Curve
	Overlapped Curve // without sizes: as Alone
	// Of the line that explains Alone. Both are 0 for a line that explains nothing.
	Beta quantity.Micros
	Tau  quantity.MicrosPerByte
}

// of returns the times of packets among others, or alone.
func (m *StageCurve) of(overlapped bool) *Curve {
	if overlapped && len(m.Overlapped.Sizes) > 0 {
		return &m.Overlapped
	}
	return &m.Alone
}

// curve returns the times of the stage among other packets or alone, changed as the line is.
func (s *Stage) curve(overlapped bool) *Curve {
	if s.Beta == s.Measured.Beta && s.Tau == s.Measured.Tau {
		return s.Measured.of(overlapped)
	}
	return s.Scaled().of(overlapped)
}

// Scaled returns the measured times of the stage, changed as its line is: those of a line of the
// present β and τ.
func (s *Stage) Scaled() *StageCurve {
	m := s.Measured
	scaled := func(c Curve) Curve {
		costs := slices.Clone(c.Costs)
		for i := range costs {
			costs[i] = s.scaledCost(&c, i)
		}
		return Curve{c.Sizes, costs}
	}
	return &StageCurve{scaled(m.Alone), scaled(m.Overlapped), s.Beta, s.Tau}
}

// scaledCost returns the i'th cost of a curve of the stage, changed as the line is.
func (s *Stage) scaledCost(c *Curve, i int) quantity.Micros {
	m, n := s.Measured, c.Sizes[i]
	if now, then := s.Beta+s.Tau.Times(n), m.Beta+m.Tau.Times(n); then > 0 {
		return c.Costs[i] * (now / then)
	}
	return c.Costs[i]
}

// timeIn returns the time of a packet of p bytes among others, or alone.
func (s *Stage) timeIn(overlapped bool, p quantity.Bytes) quantity.Micros {
	if s.Measured == nil {
		return s.Time(p)
	}
	m, c := s.Measured, s.Measured.of(overlapped)
	if s.Beta == m.Beta && s.Tau == m.Tau {
		return c.At(p)
	}
	// Only two costs matter: a search that scaled all of them would take several times as long.
	return c.changedAt(p, func(i int) quantity.Micros { return s.scaledCost(c, i) })
}

// gainAtEnds returns how much earlier a message of several packets is done because its first packet
// is alone in the first stage, and its last one in the last stage.
func (l *Pipeline) gainAtEnds(several bool, first, last quantity.Bytes) quantity.Micros {
	if !several {
		return 0
	}
	gain := quantity.Micros(0)
	if s := &l.Stages[0]; s.Measured != nil {
		gain += s.timeIn(true, first) - s.Time(first)
	}
	if s := &l.Stages[len(l.Stages)-1]; s.Measured != nil {
		gain += s.timeIn(true, last) - s.Time(last)
	}
	return gain
}

// Measured reports whether a stage has measured times. No plan of packets is then known to be the
// fastest.
func (l *Pipeline) Measured() bool {
	return slices.ContainsFunc(l.Stages, func(s Stage) bool { return s.Measured != nil })
}

// Host is the host whose processor a stage occupies.
type Host int

// The processors of a one-way transfer.
const (
	NoHost Host = iota // a DMA engine, a link
	Sender
	Receiver
)

// Cut is a pipeline's way to cut a message into packets.
type Cut struct {
	Rule CutRule
	Size quantity.Bytes // the packet size of the rule CutFixed, ≥ 1
}

// CutRule is a way to choose the packet size.
type CutRule int

// The ways to choose the packet size for a message.
const (
	CutNone  CutRule = iota // the whole message is one packet
	CutFixed                // packets of Cut.Size
	CutPaper                // PaperPacket, eq. 10, for each message size: CLIP's adaptive packets
	CutBest                 // BestPacket for each message size
)

// CutWords returns the names of the ways to cut a message, sorted: "best", "eq10" for CLIP's
// adaptive packets, "whole".
func CutWords() []string { return slices.Sorted(maps.Keys(cutRules)) }

// cutRules holds the ways to cut a message that have a name.
var cutRules = map[string]CutRule{"whole": CutNone, "eq10": CutPaper, "best": CutBest}

// ParseCut parses a way to cut a message: a packet size, or one of [CutWords].
func ParseCut(text string) (Cut, error) {
	if rule, named := cutRules[text]; named {
		return Cut{Rule: rule}, nil
	}
	size, err := quantity.ParseBytes(text)
	if err != nil {
		return Cut{}, fmt.Errorf("%w; or write %s", err, strings.Join(CutWords(), ", "))
	}
	if size < 1 {
		return Cut{}, fmt.Errorf("%q: a packet must have at least 1 byte", text)
	}
	return Cut{Rule: CutFixed, Size: size}, nil
}

// OneWayIn returns the exact time of n bytes in packets of the given size, 1 ≤ size ≤ n; the
// last one is shorter if size does not divide n. It uses the closed form in the comment of
// [Pipeline].
func (l *Pipeline) OneWayIn(n, size quantity.Bytes) quantity.Micros {
	count := packets(n, size)
	last := n - quantity.Bytes(count-1)*size
	again := quantity.Micros(count - 2)
	var full, slowest, short, most quantity.Micros
	// One pass over the stages keeps the prefix sums for both packet sizes. The last term of a path
	// is Σ_{k≥i} t_k(q) = Σ_k t_k(q) − Σ_{k<i} t_k(q), whose first part is alike for all i
	// and is added at the end. The comparisons are not the built-in max, which minds NaN and costs
	// twice as much: a search for the best packet spends its time here.
	for i := range l.Stages {
		s := &l.Stages[i]
		t, u := s.Beta+s.Tau.Times(size), s.Beta+s.Tau.Times(last)
		if s.Measured != nil {
			t, u = s.timeIn(count > 1, size), s.timeIn(count > 1, last)
		}
		full += t // Σ_{k≤i} t_k(p)
		if t > slowest {
			slowest = t
		}
		path := full - short + again*slowest
		if path > most {
			most = path
		}
		short += u // Σ_{k≤i} t_k(q)
	}
	return most + short - l.gainAtEnds(count > 1, size, last)
}

// Bottleneck returns the index of the slowest stage for packets of p bytes, the first of several.
func (l *Pipeline) Bottleneck(p quantity.Bytes) int {
	slowest := 0
	for i := range l.Stages {
		if l.Stages[i].Time(p) > l.Stages[slowest].Time(p) {
			slowest = i
		}
	}
	return slowest
}

// A Run is a number of equal packets in a row.
type Run struct {
	Count int            // ≥ 1
	Size  quantity.Bytes // ≥ 1
}

// A Plan lists the packets of a message in order.
type Plan []Run

// Packets returns the number of packets of the plan.
func (p Plan) Packets() int {
	count := 0
	for _, r := range p {
		count += r.Count
	}
	return count
}

// Largest returns the size of the largest packet.
func (p Plan) Largest() quantity.Bytes {
	var size quantity.Bytes
	for _, r := range p {
		size = max(size, r.Size)
	}
	return size
}

// EqualPlan returns the plan of n bytes in packets of the given size, 1 ≤ size ≤ n; the last
// one is shorter if size does not divide n.
func EqualPlan(n, size quantity.Bytes) Plan {
	count := int(packets(n, size))
	last := n - quantity.Bytes(count-1)*size
	if last == size {
		return Plan{{count, size}}
	}
	return Plan{{count - 1, size}, {1, last}}
}

// OneWayAs returns the exact time of a message sent as planned. It takes one step per run, not per
// packet: if x are the times at which the stages are free, m packets of p bytes leave them free at
//
//	x'_i = max_{j≤i} ( x_j + Σ_{j≤k≤i} t_k(p) + (m−1)·max_{j≤k≤i} t_k(p) )
func (l *Pipeline) OneWayAs(plan Plan) quantity.Micros {
	var space [16]quantity.Micros // on the stack: plans are compared by the thousand
	free := append(space[:0], make([]quantity.Micros, len(l.Stages))...)
	several := len(plan) > 1 || plan[0].Count > 1
	for _, r := range plan {
		if r.Count == 1 { // the recurrence itself
			var left quantity.Micros // time at which the packet left the previous stage
			for i := range free {
				if free[i] > left {
					left = free[i]
				}
				left += l.Stages[i].timeIn(several, r.Size)
				free[i] = left
			}
			continue
		}
		// From the last stage, since x'_i overwrites x_i, and x_j with j < i is still needed.
		for i := len(l.Stages) - 1; i >= 0; i-- {
			var sum, slowest, done quantity.Micros
			for j := i; j >= 0; j-- {
				t := l.Stages[j].timeIn(several, r.Size)
				sum += t
				slowest = max(slowest, t)
				done = max(done, free[j]+sum+quantity.Micros(r.Count-1)*slowest)
			}
			free[i] = done
		}
	}
	return free[len(free)-1] - l.gainAtEnds(several, plan[0].Size, plan[len(plan)-1].Size)
}

// A Slot is the stay of one packet in one stage, in µs from the start of the message.
type Slot struct {
	Stage, Packet int // indices from 0
	Start, End    quantity.Micros
}

// Schedule returns the stay of each packet in each stage, packet by packet, by the recurrence. The
// End of the last slot is OneWayAs(plan).
func (l *Pipeline) Schedule(plan Plan) []Slot {
	slots := make([]Slot, 0, plan.Packets()*len(l.Stages))
	free := make([]quantity.Micros, len(l.Stages))
	packet, end := 0, plan.Packets()-1
	for _, r := range plan {
		for range r.Count {
			var left quantity.Micros // time at which the packet left the previous stage
			for i := range l.Stages {
				start := max(left, free[i])
				alone := i == 0 && packet == 0 || i == len(free)-1 && packet == end
				left = start + l.Stages[i].timeIn(!alone && end > 0, r.Size)
				free[i] = left
				slots = append(slots, Slot{i, packet, start, left})
			}
			packet++
		}
	}
	return slots
}
