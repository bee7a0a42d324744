// Package mpitrace converts traces of MPI programs to schedules, so that a program traced on one
// machine can be simulated on any other.
//
// Read recognizes two formats by their contents, plain or gzipped:
//
//   - liballprof, LogGOPSim's tracer: a file for each rank, with a line for each call and its
//     begin and end. Computations are the times between calls.
//   - SimGrid's time-independent traces: a file for each rank, or one file for all ranks, with a
//     line for each action. Computations are numbers of flops.
//
// # Translation
//
// Each call of a rank waits until the previous call is done, and so do the computations between
// calls. An operation of a non-blocking call need only have started before the rank continues; the
// call that waits for its request waits for the operation. Collectives become schedules of package
// collective, see [Collectives]. Operations are named after the call and its line: MPI_Recv_812 is
// the receive of line 812, calc_812 the computation before it.
//
// All ranks begin at the same time, at the end of their MPI_Init, whatever their clocks show, and
// end at the begin of MPI_Finalize. Sends of all modes become ordinary sends.
//
// The time inside calls is dropped, since the simulation computes it. Calls that do not communicate
// (MPI_Comm_rank, MPI_Test …) are an exception: they count as computation.
//
// # Limits
//
// The following are errors that name the line: communicators other than all ranks in their order;
// MPI_Waitany and MPI_Waitsome, since a trace does not contain their results; one-sided
// communication; files; collectives with a size for each rank.
//
// MPI's any source, any tag and null process are −1, −1 and −2 in traces of liballprof, as in Open
// MPI, and −555, −444 and −666 in SimGrid's. Matching ignores communicators: a receive with any
// tag can match the message of a collective.
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

// Options control the translation of a trace. [Defaults] are the usual ones.
type Options struct {
	// Scale multiplies computation times; at least 0. A scale of 0.5 is a processor twice as fast.
	Scale float64
	// FlopsPerSecond is the speed of computations that a trace gives in flops; above 0.
	FlopsPerSecond float64
	// Collectives are the algorithms.
	Collectives Collectives
}

// Collectives are the algorithms of collective calls, by MPI's names in lower case: barrier, bcast,
// reduce, allreduce, gather, scatter, allgather and alltoall. The Bytes of a call is the message of
// a bcast or reduction, 0 in a barrier, and else the message from one rank to another.
type Collectives map[string]collective.Algorithm

// Usual holds simple algorithms of MPI libraries: dissemination for a barrier, binomial trees to
// and from a root, recursive doubling for an allreduce; gather, scatter, allgather and alltoall are
// linear.
var Usual = Collectives{
	"barrier":   collective.Dissemination,
	"bcast":     collective.BinomialBroadcast,
	"reduce":    collective.BinomialReduce,
	"allreduce": collective.RecursiveDoubling,
	"gather":    collective.LinearGather,
	"scatter":   collective.LinearScatter,
	"allgather": collective.LinearAlltoall,
	"alltoall":  collective.LinearAlltoall,
}

// Schedgen holds the algorithms of LogGOPSim's schedgen, for comparison: dissemination, if every
// rank receives from every rank, with messages of 1 byte in a barrier. schedgen has no gather and
// no scatter.
var Schedgen = Collectives{
	"barrier":   func(p *collective.Part) { p.Bytes = 1; collective.SchedgenDissemination(p) },
	"bcast":     collective.BinomialBroadcast,
	"reduce":    collective.BinomialReduce,
	"allreduce": collective.SchedgenDissemination,
	"gather":    collective.LinearGather,
	"scatter":   collective.LinearScatter,
	"allgather": collective.SchedgenDissemination,
	"alltoall":  collective.LinearAlltoall,
}

// Defaults keeps computation times, and takes 1 ns for a flop.
var Defaults = Options{Scale: 1, FlopsPerSecond: 1e9, Collectives: Usual}

// A Source is one file of a trace.
type Source struct {
	Name string // for errors
	Open func() (io.ReadCloser, error)
}

// Files returns the sources with these names, sorted by the numbers in them: trace-2 comes before
// trace-10.
func Files(names ...string) []Source {
	names = slices.Clone(names)
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(natural(a, b), cmp.Compare(a, b)) })
	var all []Source
	for _, name := range names {
		all = append(all, Source{name, func() (io.ReadCloser, error) { return os.Open(name) }})
	}
	return all
}

// natural compares names, and the numbers in them by value.
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

// Read translates a trace. Sources are the ranks' files in order, or the one file of a SimGrid
// trace with all ranks. Each source is opened when it is read, so only one is open at a time.
// Errors name file and line.
func Read(sources []Source, o Options) (*schedule.Schedule, error) {
	if !(o.Scale >= 0) || math.IsInf(o.Scale, 0) || !(o.FlopsPerSecond > 0) || math.IsInf(o.FlopsPerSecond, 0) {
		return nil, fmt.Errorf("mpitrace: the scale must be at least 0 and the flops per second above 0 (got %g and %g)", o.Scale, o.FlopsPerSecond)
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
			return nil, cmp.Or(foreign(sources), err)
		}
	}
	return b.Build()
}

// foreign returns an error if a source after the first is not a trace, which explains why the
// numbers of ranks differ.
func foreign(sources []Source) error {
	for _, source := range sources[1:] {
		f, err := open(source)
		if err != nil {
			return err
		}
		head, _ := f.r.Peek(4096)
		if f.Close(); len(head) > 0 && !Recognizes(head) {
			return fmt.Errorf("%s: not the trace of a rank; leave it out", source.Name)
		}
	}
	return nil
}

// A file is an open source, read line by line.
type file struct {
	name string
	line int // the line that next returned, from 1
	r    *bufio.Reader
	c    io.Closer
}

// maxLine is the maximum length of a line.
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

// Recognizes reports whether a file with this beginning is a trace, and not a schedule: whether its
// first line, comments aside, begins with the number of a rank or a call of MPI.
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

// next returns the next line without its end, or io.EOF. The line is valid until the next call.
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
