// Package mpitrace converts traces of MPI programs to schedules, so that a program traced on one
// machine can be simulated on any other.
//
// Read recognizes four formats by their contents, plain or gzipped:
//
//   - halfpeak's trace.c: a file for each rank, with a line for each call and its times.
//     Computations are the times between calls.
//   - liballprof, LogGOPSim's tracer: a file for each rank, with a line for each call and its
//     begin and end. Computations are the times between calls.
//   - SimGrid's time-independent traces: a file for each rank, or one file for all ranks, with a
//     line for each action, or the index of smpirun -trace-ti, which names the ranks' files.
//     Computations are numbers of flops.
//
// # Translation
//
// Each call of a rank waits until the previous call is done, and so do the computations between
// calls. An operation of a non-blocking call need only have started before the rank continues; the
// call that waits for its request waits for the operation. Collectives become schedules of package
// collective, see [collective.Choices]; non-blocking ones run one after the other on a processor of
// their own. Operations are named after the call and its line: MPI_Recv_812 is
// the receive of line 812, calc_812 the computation before it.
//
// All ranks begin at the same time, at the end of their MPI_Init, whatever their clocks show, and
// end at the begin of MPI_Finalize. Sends of all modes become ordinary sends.
//
// The time inside calls is dropped, since the simulation computes it. Calls that do not communicate
// (MPI_Comm_rank, a test that finds nothing …) are an exception: they count as computation. A test
// that finds something is a wait, if the trace shows what it finds.
//
// A trace that ends before MPI_Finalize is read up to its end, with a note. What waits for messages
// that are not in the trace, and messages without a receive, are left out.
//
// # Communicators
//
// Traces of trace.c have the ranks of each communicator. Communicator k of a trace has the contexts
// 2k, of messages, and 2k+1, of collectives, so that a receive takes a message of its communicator
// alone, also from any source and with any tag. In other traces all communicators must have all
// ranks in their order, else the error names the line.
//
// # Limits
//
// One-sided communication, files and processes that are started later count as computation in
// traces of trace.c, with a note; in others they are errors. Collectives between the groups of an
// intercommunicator are errors. MPI_Waitany and MPI_Waitsome, and collectives with a size for each
// rank, are errors in traces of liballprof, which do not have their results and sizes.
//
// MPI's any source, any tag and null process are −1, −1 and −2 in traces of trace.c and
// liballprof, as in Open MPI, and −555, −444 and −666 in SimGrid's.
//
// # Reading the package
//
// rank.go turns the calls of a rank into operations, call.go its messages and collectives, comm.go
// has its communicators and order.go the order of collectives on them; all formats use these.
// recorded.go, recordedline.go and recordedcalls.go are trace.c's format. liballprof.go,
// functions.go and profiled.go are another, simgrid.go is the third, and dumpi.go, whose calls are
// those of functions.go, the fourth; each begins with an example. source.go opens files, shared.go
// has what ranks have in common, mend.go completes traces that were cut, and Read in this file
// chooses the format.
//
// A trace shows what happened in one run. Where it does not show enough to say what would happen
// in another one (which request MPI_Waitany returned), the call is an error and not a guess.
package mpitrace

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"

	"github.com/halfpeak/halfpeak/engine/schedule"
)

// Read translates a trace. Sources are the ranks' files in order, or the one file of a SimGrid
// trace with all ranks. Each source is opened when it is read, so only one is open at a time.
// Errors name file and line.
//
// Notes are sentences that the user must read with the result: that traces end early, and which
// calls count as computation.
func Read(sources []Source, o Translation) (s *schedule.Schedule, notes []string,
	err error) {
	if err := o.check(); err != nil {
		return nil, nil, err
	}
	if len(sources) == 0 {
		return nil, nil, errors.New("mpitrace: no trace files")
	}
	first, err := open(sources[0])
	if err != nil {
		return nil, nil, err
	}
	if names := first.index(); len(names) > 0 && len(sources) == 1 {
		first.Close()
		if sources = indexed(sources[0].Name, names); len(sources) > 1 {
			return Read(sources, o)
		}
		if first, err = open(sources[0]); err != nil {
			return nil, nil, err
		}
	}
	splits := &splitReader{sources: sources, makings: allprofMakings, worldNumber: unnamed}
	format := func(r *rank, f *file) error { return translateLiballprof(r, f, splits) }
	// The contents decide, not the name: these programs let users name their files.
	if head, _ := first.r.Peek(4096); bytes.HasPrefix(head, []byte(recordedMark)) {
		format = translateRecorded
	} else if isDumpi(head) {
		splits.makings, splits.worldNumber = dumpiMakings, dumpiWorld
		format = func(r *rank, f *file) error { return translateDumpi(r, f, splits) }
	} else if first.simgrid() {
		unknown := &unknownPeers{sources: sources}
		format = func(r *rank, f *file) error { return translateSimGrid(r, f, unknown) }
		if len(sources) == 1 {
			defer first.Close()
			return readAll(first, o, unknown)
		}
	}
	b, all := schedule.NewBuilder(len(sources)), newShared(len(sources))
	b.Calls()
	for place, source := range sources {
		f := first
		if place > 0 {
			if f, err = open(source); err != nil {
				return nil, nil, err
			}
		}
		b.NextRank()
		// Ranks are translated one after the other, as the Builder wants them. A rank is never held
		// in memory as text.
		r := newRank(b, &o, all, place)
		err := format(r, f)
		if err == nil {
			if err = r.sameNumber(); err != nil {
				err = f.errorf("%w", err)
			}
		}
		if err := errors.Join(err, f.Close()); err != nil {
			// A file that is no trace makes the number of ranks wrong, so the first rank fails
			// at its first communicator. The foreign file is the better message.
			return nil, nil, cmp.Or(foreign(sources), err)
		}
	}
	return all.build(b)
}

// foreign returns an error if a source after the first is not a trace, which explains why the
// numbers of ranks differ.
func foreign(sources []Source) error {
	for _, source := range sources[1:] {
		f, err := open(source)
		if err != nil {
			return err
		}
		// The first call stands behind a few lines of comments. An error of reading comes again
		// when the file is read.
		head, _ := f.r.Peek(4096)
		if f.Close(); len(head) > 0 && !Recognizes(head) {
			return fmt.Errorf("%s: not the trace of a rank; leave it out", source.Name)
		}
	}
	return nil
}

// Recognizes reports whether a file with this beginning is a trace, and not a schedule: whether its
// first line, comments aside, begins with the number of a rank or a call of MPI, or names the file
// of a rank, or whether a call of a DUMPI trace is in it.
func Recognizes(beginning []byte) bool {
	if isDumpi(beginning) || bytes.HasPrefix(beginning, []byte(recordedMark)) {
		return true
	}
	for l := range bytes.Lines(beginning) {
		l = bytes.TrimLeft(l, " \t\r\n")
		if len(l) > 0 && l[0] != '#' {
			return l[0] >= '0' && l[0] <= '9' || bytes.HasPrefix(l, []byte("MPI_")) || indexes(l)
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
