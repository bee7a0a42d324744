package contention

import (
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Level is what was measured between ranks that meet at a level of a machine.
type Level struct {
	Name  string
	Holds int // units of the level inside it, or cores, that make one
	// OneWay is the one-way time of two ranks alone, by size; Sizes rise. At least two; or none, if
	// nothing was measured between ranks that meet at the level.
	Sizes  []quantity.Bytes
	OneWay []quantity.Micros
	Fans   []Fan // none: the overheads and gaps are assumed; see Estimate
}

// A Fan is what a benchmark of a root that sends to so many receivers at once printed, one after
// the other and without waiting (the linear broadcast). The receivers meet the root at one level.
type Fan struct {
	Receivers int
	Size      quantity.Bytes
	Times
}

// Factors change what is shared in a machine, relative to the estimate from point-to-point data:
// 1, but for Busy, which is 1 where fans were measured.
type Factors struct {
	Busy    float64 // of what a message takes longer among many ranks than between two
	Copy    float64 // of the time per byte of messages inside a node up to the eager limit
	Memory  float64 // of the time per byte in the memory of a node
	Message float64 // of the time for which a message occupies a node's port
	Line    float64 // of the time per byte there, up to the eager limit
}

// Plain are the factors of the estimate.
func Plain() Factors { return Factors{1, 1, 1, 1, 1} }

// all are the factors by pointers, in order.
func (f *Factors) all() []*float64 {
	return []*float64{&f.Busy, &f.Copy, &f.Memory, &f.Message, &f.Line}
}

// An Estimate is what the point-to-point data of a machine say, from which Machine makes one.
type Estimate struct {
	levels []estimate
	node   int     // index of the level whose unit has a memory and a port
	memory float64 // µs per byte
	line   float64 // likewise
	hand   float64 // µs: of the port, per message
}

// estimate is that of a level; times in µs by index of sizes.
type estimate struct {
	Level
	way, send, extra, gap []float64
	eager                 int // how many of the sizes are sent at once
	unmeasured            bool
	data                  []float64 // one-way time of larger ones, with request and grant
}

// waits is the share of the slowest receiver's time from which on a root is said to wait for its
// receiver. On the machine of the tests, roots that hand a message over and go on take at most 0.57
// of it, and those that wait at least 0.78.
const waits = 0.7

// crowd is the number of receivers from which on a root's gap is that among many.
const crowd = 8

// New estimates a machine from what was measured at its levels, from inside out. Node is the
// index of the level whose unit has the memory, and the port if there is a level outside it; the
// outermost but one as a rule.
//
// From the fans: that of one receiver is a loop of two ranks, of which the slower one receives, so
// the root's time is twice the average less the slowest. As long as that is below 0.7 of the
// slowest, a root hands messages over and goes on: up to the eager limit it is the sender's
// overhead. Beyond, both wait for each other, and the slowest is the one-way time with request and
// grant (OneWay may be of blocking sends, which libraries send otherwise). The slope of the slowest
// over the number of receivers, from 8 on, is the sender's gap, and inside a node its overhead
// among many: the difference to that between two, of lines that are no longer in the cache, is added
// to the one-way time twice, for the sender and as much for the receiver, there as on the levels
// inside that have too few receivers to tell. The memory of a node carries as much as was ever seen
// of messages above the eager limit, k·n/slowest, and so does its port. How many messages a second
// a port takes from several senders, one root does not show: they are assumed to occupy it for the
// geometric mean of the sender's overhead and its gap.
//
// Without fans, the overhead and the gap are half of the one-way time of one byte, all messages are
// eager, and nothing is shared. A level at which nothing was measured is like the one outside it,
// or the outermost like the one inside it, which is the worst that one would expect: see
// [Estimate.Unseen].
func New(levels []Level, node int) (*Estimate, error) {
	if len(levels) == 0 || node < 0 || node >= len(levels) {
		return nil, fmt.Errorf("%d levels, of which number %d is the node", len(levels), node)
	}
	e := &Estimate{node: node}
	for i, l := range levels {
		if len(l.Sizes) == 0 {
			like, err := nearest(levels, i)
			if err != nil {
				return nil, err
			}
			like.Name, like.Holds = l.Name, l.Holds
			of := level(like)
			of.unmeasured = true
			e.levels = append(e.levels, of)
			continue
		}
		rise := slices.IsSorted(l.Sizes) && len(slices.Compact(slices.Clone(l.Sizes))) == len(l.Sizes)
		if len(l.Sizes) < 2 || len(l.Sizes) != len(l.OneWay) || !rise || l.Sizes[0] < 1 {
			return nil, fmt.Errorf("level %s: %d rising sizes from 1 B with %d one-way times; at least two of each", l.Name, len(l.Sizes), len(l.OneWay))
		}
		e.levels = append(e.levels, level(l))
	}
	for i := node - 1; i >= 0; i-- { // levels with few receivers are as those outside them
		if in := &e.levels[i]; !in.crowded() {
			out := e.levels[i+1]
			for j := range in.extra {
				in.extra[j] = out.at(out.extra, in.Sizes[j])
			}
		}
	}
	var memory, line []float64
	for i, l := range e.levels {
		rates := l.best()
		if i <= node {
			memory = append(memory, rates...)
		} else if i == node+1 {
			if line = rates; len(l.Fans) > 0 {
				e.hand = math.Sqrt(l.send[0] * l.gap[0])
			}
		}
	}
	e.memory, e.line = 1/stats.QuantileOf(memory, 0.5), 1/stats.QuantileOf(line, 0.5)
	for _, x := range []*float64{&e.memory, &e.line} {
		if !(*x > 0) {
			*x = 0
		}
	}
	return e, nil
}

// nearest is the next level outside a level, or else inside it, at which something was measured.
func nearest(levels []Level, i int) (Level, error) {
	for _, l := range levels[i:] {
		if len(l.Sizes) > 0 {
			return l, nil
		}
	}
	for _, l := range slices.Backward(levels[:i]) {
		if len(l.Sizes) > 0 {
			return l, nil
		}
	}
	return Level{}, fmt.Errorf("nothing was measured at any level")
}

// level reads the fans of a level.
func level(l Level) estimate {
	e := estimate{Level: l, eager: len(l.Sizes)}
	n := len(l.Sizes)
	e.way, e.send, e.extra, e.gap, e.data = make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	slowest, root := make([]float64, n), make([]float64, n)
	for i, t := range l.OneWay {
		e.way[i] = float64(t)
		slowest[i], root[i] = math.NaN(), math.NaN()
		for _, f := range l.Fans {
			if f.Receivers == 1 && f.Size == l.Sizes[i] {
				slowest[i], root[i] = float64(f.Max), max(2*float64(f.Average)-float64(f.Max), 0)
			}
		}
	}
	fewest := math.MaxInt
	for limit := 0; limit <= n; limit++ { // the limit that explains most of the roots
		wrong := 0
		for i := range root {
			if r := root[i] / slowest[i]; r >= waits && i < limit || r < waits && i >= limit {
				wrong++
			}
		}
		if wrong < fewest || wrong == fewest && math.IsNaN(slowest[n-1]) && limit == n {
			fewest, e.eager = wrong, limit
		}
	}
	half := e.way[0] / 2
	for i := range e.way {
		e.send[i] = min(half, e.way[i])
		if root[i] >= 0 {
			e.send[i] = min(root[i], 0.6*e.way[i])
		}
		e.gap[i] = max(half, e.send[i])
		if slope := l.slope(l.Sizes[i]); slope > 0 {
			e.gap[i] = slope
		} else if root[i] >= 0 {
			e.gap[i] = e.send[i]
		}
		if i < e.eager && l.crowded() {
			e.extra[i] = max(0, e.gap[0]-root[0])
		}
	}
	for i := e.eager; i < n; i++ {
		full := e.way[i]
		if slowest[i] > 0 {
			full = slowest[i]
		}
		e.data[i] = full
		e.send[i] = e.send[0]
		e.gap[i] = e.send[0]
	}
	return e
}

// crowded reports whether fans tell the gap among many.
func (l Level) crowded() bool {
	return slices.ContainsFunc(l.Fans, func(f Fan) bool { return f.Receivers >= crowd })
}

// slope is that of the slowest receiver over the number of receivers, in µs: the median over pairs
// that are at least four apart (Theil and Sen), of 8 to 64 receivers; NaN if there are none.
func (l Level) slope(n quantity.Bytes) float64 {
	var of []Fan
	for _, f := range l.Fans {
		if f.Size == n && f.Receivers >= crowd && f.Receivers <= 8*crowd {
			of = append(of, f)
		}
	}
	var slopes []float64
	for i, a := range of {
		for _, b := range of[:i] {
			if d := a.Receivers - b.Receivers; d >= 4 || d <= -4 {
				slopes = append(slopes, float64(a.Max-b.Max)/float64(d))
			}
		}
	}
	return stats.QuantileOf(slopes, 0.5)
}

// best is the greatest rate, in B/µs, of several messages at once, for each size above the eager
// limit.
func (e *estimate) best() (rates []float64) {
	for _, n := range e.Sizes[e.eager:] {
		most := 0.0
		for _, f := range e.Fans {
			if f.Size == n && f.Receivers > 1 && f.Max > 0 {
				most = max(most, float64(f.Receivers)*float64(n)/float64(f.Max))
			}
		}
		if most > 0 {
			rates = append(rates, most)
		}
	}
	return rates
}

// at is a value by size at another level's size: the one of the next size, or the last.
func (e *estimate) at(values []float64, n quantity.Bytes) float64 {
	i, _ := slices.BinarySearch(e.Sizes, n)
	return values[min(i, len(values)-1)]
}

// Machine is the machine with the factors.
func (e *Estimate) Machine(f Factors) machine.Machine {
	var m machine.Machine
	for i := range e.levels {
		m.Levels = append(m.Levels, e.level(i, f))
	}
	node := &m.Levels[e.node]
	if e.memory > 0 {
		node.Shared = &model.Linear{Tau: quantity.MicrosPerByte(e.memory * f.Memory)}
	}
	if e.node+1 < len(m.Levels) && e.hand > 0 {
		out := e.levels[e.node+1]
		var times []quantity.Micros
		for j, n := range out.Sizes {
			perByte := e.line
			if j < out.eager {
				perByte *= f.Line
			}
			times = append(times, quantity.Micros(e.hand*f.Message+perByte*float64(n)))
		}
		node.Port = &model.Table{Sizes: out.Sizes, Times: times}
	}
	return m
}

func (e *Estimate) level(i int, f Factors) machine.Level {
	l := e.levels[i]
	inside := i <= e.node
	var sizes []quantity.Bytes
	var way, send, receive, gap []quantity.Micros
	add := func(n quantity.Bytes, w, s, g float64) {
		sizes = append(sizes, n)
		r := min(l.send[0], max(w-s, 0)/2, max(l.way[0]-l.send[0], 0)/2)
		const least = 1e-6 // a table's times are more than 0
		way = append(way, quantity.Micros(max(w, least)))
		send, receive, gap = append(send, quantity.Micros(max(s, least))), append(receive, quantity.Micros(max(r, least))), append(gap, quantity.Micros(max(g, least)))
	}
	for j, n := range l.Sizes {
		if j >= l.eager {
			if j == l.eager && j > 0 && n > l.Sizes[j-1]+1 {
				add(l.Sizes[j-1]+1, l.data[j], l.send[j], l.gap[j])
			}
			add(n, l.data[j], l.send[j], l.gap[j])
			continue
		}
		bytes := 0.0
		if inside {
			bytes = (f.Copy - 1) * max(0, l.way[j]-l.way[0])
		}
		own := l.send[0] // a NIC takes the bytes itself
		extra := 0.0
		if inside {
			own, extra = l.send[j]+(f.Copy-1)*max(0, l.send[j]-l.send[0]), f.Busy*l.extra[j]
		}
		add(n, l.way[j]+bytes+2*extra, own+extra, max(l.gap[j], own+extra))
	}
	level := machine.Level{Name: l.Name, Arity: l.Holds, Layer: &model.Table{Sizes: sizes, Times: way, Gaps: gap},
		Send: &model.Table{Sizes: sizes, Times: send}, Receive: &model.Table{Sizes: sizes, Times: receive}}
	if l.eager < len(l.Sizes) && l.eager > 0 {
		level.Eager = l.Sizes[l.eager-1]
	}
	return level
}
