// Package mpitrace converts traces of MPI programs to schedules, so that a program traced on one
// machine can be simulated on any other.
//
// Read recognizes two formats by their contents, plain or gzipped, each with a file for each rank:
//
//   - halfpeak's trace.c: a line for each call and its times.
//   - DUMPI, as the text of dumpi2ascii: lines for each call, its arguments and times.
//
// Computations are the times between calls.
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
// alone, also from any source and with any tag. Those of DUMPI follow from the calls that make
// them.
//
// # Limits
//
// One-sided communication, files and processes that are started later count as computation in
// traces of trace.c, with a note; in DUMPI's they are errors. Collectives between the groups of an
// intercommunicator are errors.
//
// # Reading the package
//
// rank.go turns the calls of a rank into operations, call.go its messages and collectives, comm.go
// has its communicators and order.go the order of collectives on them; both formats use these.
// recorded.go, recordedline.go and recordedcalls.go are trace.c's format; dumpi.go, functions.go
// and splits.go are DUMPI's; each begins with an example. source.go opens files, shared.go has what
// ranks have in common, mend.go completes traces that were cut, and Read in this file chooses the
// format.
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
	"github.com/halfpeak/halfpeak/internal/remark"
)

// Read translates a trace. Sources are the ranks' files in order. Each source is opened when it is
// read, so only one is open at a time.
// Errors name file and line.
//
// Notes are what the user must read with the result: that traces end early, and which
// calls count as computation.
func Read(sources []Source, o Translation) (s *schedule.Schedule, notes []remark.Note,
	err error) {
	if err := o.check(); err != nil {
		return nil, nil, err
	}
	if len(sources) == 0 {
		return nil, nil, errors.New("mpitrace: no trace files")
	}
	var read int64 // bytes
	first, err := open(sources[0], &read)
	if err != nil {
		return nil, nil, err
	}
	format := translateRecorded
	// The contents decide, not the name: these programs let users name their files.
	if head, _ := first.r.Peek(4096); isDumpi(head) {
		splits := &splitReader{sources: sources, makings: dumpiMakings}
		format = func(r *rank, f *file) error { return translateDumpi(r, f, splits) }
	}
	b, all := schedule.NewBuilder(len(sources)), newShared(len(sources))
	b.Calls()
	b.Reads(reading(sources, &read))
	for place, source := range sources {
		b.NextRank() // before more is read: it makes room by what was read of the ranks before
		f := first
		if place > 0 {
			if f, err = open(source, &read); err != nil {
				return nil, nil, err
			}
		}
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
		f, err := open(source, new(int64))
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

// Recognizes reports whether a file with this beginning is a trace, and not a schedule.
func Recognizes(beginning []byte) bool {
	return isDumpi(beginning) || bytes.HasPrefix(beginning, []byte(recordedMark))
}
