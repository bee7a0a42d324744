// Package mpitrace turns traces of MPI programs into schedules: what a program
// did on one machine becomes what it would do on any.
//
// Two formats are read, told apart by their contents, plain or compressed by gzip:
//
//   - liballprof, LogGOPSim's tracer: a file a rank, with a line for each call,
//     which says when it began and ended. Computations are the times between calls.
//   - SimGrid's time-independent traces: a file a rank, or one file of all ranks,
//     with a line for each action. Computations are numbers of flops.
//
// # What becomes of a trace
//
// A rank's calls follow each other: each waits until the one before is done, and so do the
// computations between them. What a non-blocking call started need only have started before the
// rank goes on; the call that waits for its request waits for it. Collectives become schedules of
// package collective, see [Collectives]. Operations are named after the call and its line:
// MPI_Recv_812 is the receive of line 812, calc_812 the computation before it.
//
// All ranks begin at once, at the end of their MPI_Init, whatever their clocks say,
// and end where MPI_Finalize begins. Sends of all modes are ordinary ones.
//
// Time inside of calls is not kept, as it is what a simulation is to find out;
// except for calls that tell or ask something and do not communicate
// (MPI_Comm_rank, MPI_Test …), which count as computation.
//
// # What is not supported
//
// It is an error, with the line: communicators of other ranks than all, in their
// order; MPI_Waitany and MPI_Waitsome, as a trace does not say what came of them;
// one-sided communication, files, and collectives with a size for each rank.
//
// MPI's any source, any tag and null process are −1, −1 and −2 in traces of
// liballprof, as in Open MPI, and −555, −444 and −666 in SimGrid's. Matching knows no
// communicators: a receive with any tag can take the message of a collective.
package mpitrace

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/schedule/collective"
)

// Options say how a trace is translated. [Defaults] are usual.
type Options struct {
	// Scale is the factor of computation times, at least 0: 0.5 is a processor twice as fast.
	Scale float64
	// FlopsPerSecond is how fast computations go of which a trace gives the flops; above 0.
	FlopsPerSecond float64
	// Collectives are the algorithms.
	Collectives Collectives
}

// Collectives are the algorithms that collective calls become. Bytes of a call is
// what one rank gives to one other; all of it for a broadcast or a reduction.
type Collectives struct {
	Barrier, Broadcast, Reduce, Allreduce, Gather, Scatter, Allgather, Alltoall collective.Algorithm
	BarrierBytes                                                                uint64 // of each message of a barrier
}

// Usual are simple algorithms of MPI libraries: dissemination for a barrier,
// binomial trees to and from a root, recursive doubling for an allreduce; gather,
// scatter, allgather and alltoall are linear.
var Usual = Collectives{
	Barrier:   collective.Dissemination,
	Broadcast: collective.BinomialBroadcast,
	Reduce:    collective.BinomialReduce,
	Allreduce: collective.RecursiveDoubling,
	Gather:    collective.LinearGather,
	Scatter:   collective.LinearScatter,
	Allgather: collective.LinearAlltoall,
	Alltoall:  collective.LinearAlltoall,
}

// Schedgen are the algorithms of LogGOPSim's schedgen, to compare with it:
// dissemination for all in which everybody gets something from everybody, with
// messages of 1 byte in a barrier. It has no gather and no scatter.
var Schedgen = Collectives{
	Barrier:      collective.SchedgenDissemination,
	Broadcast:    collective.BinomialBroadcast,
	Reduce:       collective.BinomialReduce,
	Allreduce:    collective.SchedgenDissemination,
	Gather:       collective.LinearGather,
	Scatter:      collective.LinearScatter,
	Allgather:    collective.SchedgenDissemination,
	Alltoall:     collective.LinearAlltoall,
	BarrierBytes: 1,
}

// Defaults keep computation times, and take a flop for a nanosecond.
var Defaults = Options{Scale: 1, FlopsPerSecond: 1e9, Collectives: Usual}

// A Source is one file of a trace.
type Source struct {
	Name string // for errors
	Open func() (io.ReadCloser, error)
}

// Files are the sources with these names, in the order of the numbers in their
// names: trace-2 comes before trace-10.
func Files(names ...string) []Source {
	names = slices.Clone(names)
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(natural(a, b), cmp.Compare(a, b)) })
	var all []Source
	for _, name := range names {
		all = append(all, Source{name, func() (io.ReadCloser, error) { return os.Open(name) }})
	}
	return all
}

// natural compares names with their numbers as numbers.
func natural(a, b string) int {
	digits := func(s string) int { return len(s) - len(strings.TrimLeft(s, "0123456789")) }
	for a != "" && b != "" {
		m, n := digits(a), digits(b)
		if m > 0 && n > 0 {
			x, y := strings.TrimLeft(a[:m], "0"), strings.TrimLeft(b[:n], "0")
			if c := cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y)); c != 0 {
				return c
			}
			a, b = a[m:], b[n:]
			continue
		}
		if a[0] != b[0] {
			break
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Compare(a, b)
}

// Read translates a trace. Sources are the ranks' files in order, or the one file
// of a SimGrid trace that has all ranks. Each is opened when its turn comes, so as
// many are open at once as Read needs: one. Errors name file and line.
func Read(sources []Source, o Options) (*schedule.Schedule, error) {
	if !(o.Scale >= 0) || math.IsInf(o.Scale, 0) || !(o.FlopsPerSecond > 0) || math.IsInf(o.FlopsPerSecond, 0) {
		return nil, fmt.Errorf("mpitrace: a scale from 0 on and flops per second above 0 are needed, not %g and %g", o.Scale, o.FlopsPerSecond)
	}
	if len(sources) == 0 {
		return nil, errors.New("mpitrace: no trace files")
	}
	first, err := open(sources[0])
	if err != nil {
		return nil, err
	}
	format := translateLiballprof
	if first.simgrid() {
		format = translateSimGrid
		if len(sources) == 1 {
			defer first.Close()
			return readAll(first, o)
		}
	}
	b := schedule.NewBuilder(len(sources))
	for place, source := range sources {
		f := first
		if place > 0 {
			if f, err = open(source); err != nil {
				return nil, err
			}
		}
		b.NextRank()
		err := format(newRank(b, &o, place, len(sources)), f)
		if err := errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
	}
	return b.Build()
}

// A file is an open source, read line by line.
type file struct {
	name string
	line int // the one that next gave, from 1
	r    *bufio.Reader
	c    io.Closer
}

// maxLine bounds a line.
const maxLine = 1 << 16

func open(s Source) (*file, error) {
	c, err := s.Open()
	if err != nil {
		return nil, err
	}
	f := &file{name: s.Name, r: bufio.NewReaderSize(c, maxLine), c: c}
	if head, _ := f.r.Peek(2); bytes.Equal(head, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(f.r)
		if err != nil {
			c.Close()
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		f.r = bufio.NewReaderSize(z, maxLine)
	}
	return f, nil
}

func (f *file) Close() error { return f.c.Close() }

// Recognizes says whether a file that begins so is a trace of one of the two formats, and not a
// schedule: whether its first line that is no comment begins with a rank, or with a call of MPI.
func Recognizes(beginning []byte) bool {
	for l := range bytes.Lines(beginning) {
		l = bytes.TrimLeft(l, " \t\r\n")
		if len(l) > 0 && l[0] != '#' {
			return l[0] >= '0' && l[0] <= '9' || bytes.HasPrefix(l, []byte("MPI_"))
		}
	}
	return false
}

// simgrid reports whether the first line with an action begins with a rank.
func (f *file) simgrid() bool {
	head, _ := f.r.Peek(4096)
	head = bytes.TrimLeft(head, " \t\r\n")
	return len(head) > 0 && head[0] >= '0' && head[0] <= '9'
}

// next is the next line without its end, or io.EOF. It is valid until the next call.
func (f *file) next() ([]byte, error) {
	f.line++
	l, err := f.r.ReadSlice('\n')
	switch {
	case err == bufio.ErrBufferFull:
		return nil, f.errorf("the line is longer than %d bytes", maxLine)
	case err == io.EOF && len(l) > 0:
	case err == io.EOF:
		return nil, err
	case err != nil:
		return nil, f.errorf("%w", err)
	}
	return bytes.TrimRight(l, "\r\n"), nil
}

func (f *file) errorf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: "+format, append([]any{f.name, f.line}, args...)...)
}
