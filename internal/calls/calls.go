// Package calls turns the calls of an MPI program into operations of a schedule: it adds the
// dependencies that MPI's blocking, non-blocking and collective calls imply. Traces and programs
// of package program use it, so that the same calls become the same operations.
//
// Each call of a rank waits until the previous call is done. An operation of a non-blocking call
// need only have started before the rank continues; the call that waits for its request waits for
// the operation.
//
// Stream 0 is the program itself. Another stream is a processor of its own, as that of a NIC or of
// a GPU's copy engine: its operations begin in the order of their calls, after the call, and the
// program does not wait for their start.
package calls

import (
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/schedule/collective"
)

// A Rank adds the calls of one rank, in their order. The zero value with a Builder begins a rank.
type Rank struct {
	*schedule.Builder
	// Added, unless it is nil, is called for each operation that this package adds, but not for
	// those of collectives. Suffix distinguishes the operations of one call: it is empty for the
	// last or only one.
	Added func(op uint32, suffix Suffix)

	before  []uint32 // the next operation waits until these are done …
	started bool     // … or, if set, have started
	streams []stream // from stream 1 on
	added   []uint32 // of the last call of messages
	parts   collective.Repeats
}

// A stream holds the operations for which the next one of the stream waits: until ended are done,
// and last has started, if there is one.
type stream struct {
	ended   []uint32
	last    uint32
	hasLast bool
}

// A Suffix distinguishes the operations of one call.
type Suffix struct {
	// Word is "send", "recv", "enter" or "copy"; empty for the only or last operation of a call.
	Word   string
	Number int // of the operation among several of its kind; 0 if that is not needed
}

// Add adds an operation of the program that waits for the previous call.
func (r *Rank) Add(op schedule.Op) uint32 { return r.add(op, Suffix{}) }

func (r *Rank) add(op schedule.Op, suffix Suffix) uint32 {
	index := r.Builder.Add(op)
	if r.Added != nil {
		r.Added(index, suffix)
	}
	r.follow(index)
	return index
}

// follow makes an operation wait for the previous call.
func (r *Rank) follow(op uint32) {
	for _, before := range r.before {
		if r.started {
			r.IRequires(op, before)
		} else {
			r.Requires(op, before)
		}
	}
}

// After makes the next call wait until these operations are done.
func (r *Rank) After(ops ...uint32) { r.before, r.started = append(r.before[:0], ops...), false }

// Compute adds a computation of ns nanoseconds. One of 0 ns is left out: what follows would wait
// for the processor, even if it needs none.
func (r *Rank) Compute(ns uint64) {
	if ns > 0 {
		r.After(r.Add(schedule.Op{Kind: schedule.Calc, Size: ns}))
	}
}

// Mark adds a mark, a computation of no time whose end a simulation reports.
func (r *Rank) Mark() uint32 {
	op := r.Add(schedule.Op{Kind: schedule.Calc, Memory: schedule.Mark})
	r.After(op)
	return op
}

// Blocking adds a call of messages that ends when they are done.
func (r *Rank) Blocking(ops ...schedule.Op) {
	if len(ops) > 0 {
		r.After(r.concurrent(ops)...)
	}
}

// concurrent adds operations that do not wait for each other. They are valid until the next call.
func (r *Rank) concurrent(ops []schedule.Op) []uint32 {
	r.added = r.added[:0]
	for i, op := range ops {
		var suffix Suffix
		if i > 0 {
			suffix.Word = op.Kind.String()
		}
		if i > 1 {
			suffix.Number = i
		}
		r.added = append(r.added, r.add(op, suffix))
	}
	return r.added
}

// Begin adds a non-blocking call of messages, and returns their operations, for which Wait waits:
// valid until the next call. Those of a stream above 0 occupy the processor of that number.
func (r *Rank) Begin(streamNumber uint16, ops ...schedule.Op) []uint32 {
	if len(ops) == 0 {
		return nil
	}
	if streamNumber == 0 {
		r.After(r.concurrent(ops)...)
		r.started = true
		return r.added
	}
	s := r.stream(streamNumber)
	for i := range ops {
		ops[i].CPU = streamNumber
	}
	all := r.concurrent(ops)
	for _, op := range all {
		for _, before := range s.ended {
			r.Requires(op, before)
		}
		if s.hasLast {
			r.IRequires(op, s.last)
		}
		s.last, s.hasLast = op, true
	}
	return all
}

func (r *Rank) stream(number uint16) *stream {
	for len(r.streams) < int(number) {
		r.streams = append(r.streams, stream{})
	}
	return &r.streams[number-1]
}

// Wait makes the next call wait until these operations are done, in an operation of its own.
func (r *Rank) Wait(ops ...uint32) {
	join := r.Add(schedule.Op{Kind: schedule.Calc})
	// The order of dependencies is part of the schedule, which must not differ from run to run.
	slices.Sort(ops)
	for _, op := range ops {
		r.Requires(join, op)
	}
	r.After(join)
}

// Copy adds the copy of its own data with which the rank begins a collective of the stream, by
// MPI's name in lower case, of a message or block of that many bytes. No algorithm contains it.
func (r *Rank) Copy(streamNumber uint16, c collective.Choices, name string, g collective.Group,
	bytes uint64) {
	if g.Blocks != nil {
		bytes = g.Blocks[g.Place]
	}
	ns := uint64(min(math.Round(c.Copy*float64(bytes)), 1<<62))
	if ns == 0 || !collective.CopiesOwn(strings.TrimSuffix(name, "v")) {
		return
	}
	op := r.add(schedule.Op{Kind: schedule.Calc, Size: ns, CPU: streamNumber},
		Suffix{Word: "copy"})
	if streamNumber == 0 {
		r.After(op)
		return
	}
	s := r.stream(streamNumber)
	for _, before := range s.ended {
		r.Requires(op, before)
	}
	s.ended = append(s.ended[:0], op)
}

// Collective adds the rank's part of a collective. The next call waits until it is done.
func (r *Rank) Collective(e collective.Entry, g collective.Group, c collective.Call) {
	// Each operation of a collective would wait for each of several operations. One calc without
	// a time joins them first.
	if len(r.before) > 1 || r.started {
		r.After(r.add(schedule.Op{Kind: schedule.Calc}, Suffix{Word: "enter"}))
	}
	if len(r.before) == 1 {
		r.After(r.parts.Add(e, r.Builder, g, c, r.before[0])...)
	} else {
		r.After(e.Algorithm.Add(r.Builder, g, c)...)
	}
	// The end of the collective on this rank, as one operation.
	r.After(r.Add(schedule.Op{Kind: schedule.Calc}))
}

// Joint adds the rank's part of a joint operation of ns nanoseconds on some of its links, see
// [schedule.Joint], and returns it. On stream 0 the next call waits until it is done; on another
// one it follows the previous collectives of the stream, and Wait waits for it.
func (r *Rank) Joint(streamNumber uint16, number uint32, ns uint64, links uint16) uint32 {
	op := r.Add(schedule.Op{Kind: schedule.Joint, Peer: number, Size: ns, CPU: streamNumber,
		NIC: links})
	if streamNumber == 0 {
		r.After(op)
		return op
	}
	s := r.stream(streamNumber)
	for _, before := range s.ended {
		r.Requires(op, before)
	}
	s.ended = append(s.ended[:0], op)
	return op
}

// BeginCollective adds the rank's part of a non-blocking collective on a stream above 0, behind the
// previous collectives of the stream, and returns the operation that ends it, for which Wait waits.
func (r *Rank) BeginCollective(streamNumber uint16, e collective.Entry, g collective.Group,
	c collective.Call) uint32 {
	s := r.stream(streamNumber)
	enter := r.add(schedule.Op{Kind: schedule.Calc, CPU: streamNumber}, Suffix{Word: "enter"})
	for _, before := range s.ended {
		r.Requires(enter, before)
	}
	c.CPU = streamNumber
	ends := r.parts.Add(e, r.Builder, g, c, enter)
	done := r.Builder.Add(schedule.Op{Kind: schedule.Calc, CPU: streamNumber})
	if r.Added != nil {
		r.Added(done, Suffix{})
	}
	for _, end := range ends {
		r.Requires(done, end)
	}
	s.ended = append(s.ended[:0], done)
	return done
}
