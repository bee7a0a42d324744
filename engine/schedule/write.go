package schedule

import (
	"bufio"
	"io"
	"strconv"
)

// WriteText writes the schedule in GOAL's text form. Reading it returns an equal schedule, labels
// included, if all operations have context 0. Of others, tags are changed where two contexts use
// the same, so that the same messages match; it is an error if a rank receives in several contexts
// and accepts any tag, which no tags can keep apart.
func (s *Schedule) WriteText(w io.Writer) error {
	tags, err := s.goalTags()
	if err != nil {
		return err
	}
	b := bufio.NewWriterSize(w, 1<<16)
	line := strconv.AppendInt([]byte("num_ranks "), int64(s.Ranks()), 10)
	b.Write(append(line, '\n'))
	var lines dependencyLines
	for rank := range s.Ranks() {
		line = strconv.AppendInt(append(line[:0], "\nrank "...), int64(rank), 10)
		b.Write(append(line, " {\n"...))
		lo, hi := s.Rank(rank)
		// Lines of dependencies come as early as possible, so that a reader can work rank by rank
		// and statement by statement.
		lines.fill(s, lo, hi)
		for op := lo; op < hi; op++ {
			line = s.appendLabel(line[:0], op, lo)
			if len(line) > 0 {
				line = append(line, ": "...)
			}
			line = s.ops[op].inGOAL(tags).appendText(line)
			line = append(line, '\n')
			for _, d := range lines.linesAfter(op - lo) {
				line = s.appendLabel(line, d.op, lo)
				if d.started {
					line = append(line, " irequires "...)
				} else {
					line = append(line, " requires "...)
				}
				line = s.appendLabel(line, d.before, lo)
				line = append(line, '\n')
			}
			b.Write(line)
		}
		// A bufio.Writer keeps its first error: one check for each rank ends the work on a full
		// disk.
		if _, err := b.WriteString("}\n"); err != nil {
			return err
		}
	}
	return b.Flush()
}

// dependencyLines groups the lines of a rank's dependencies by the operation after which each is
// written.
//
// A line can use labels only after both are defined, so it follows the later of its two operations.
// Lines of one predecessor keep their order, so none comes before the previous one.
type dependencyLines struct {
	end   []uint32 // by operation of the rank: the end of its lines in lines
	lines []dependency
}

type dependency struct {
	op, before uint32
	started    bool
}

func (d *dependencyLines) fill(s *Schedule, lo, hi uint32) {
	// A counting sort, whose arrays are reused from rank to rank.
	d.end = append(d.end[:0], make([]uint32, hi-lo+1)...)
	n := uint32(0)
	d.forEach(s, lo, hi, func(after uint32, _ dependency) { d.end[after-lo+1]++; n++ })
	for i := range hi - lo {
		d.end[i+1] += d.end[i]
	}
	if uint32(cap(d.lines)) < n {
		d.lines = make([]dependency, n)
	}
	d.lines = d.lines[:n]
	// end[i] is the beginning of the lines of i; each line stored there advances it.
	d.forEach(s, lo, hi, func(after uint32, line dependency) {
		d.lines[d.end[after-lo]] = line
		d.end[after-lo]++
	})
}

func (d *dependencyLines) linesAfter(i uint32) []dependency {
	if i == 0 {
		return d.lines[:d.end[0]]
	}
	return d.lines[d.end[i-1]:d.end[i]]
}

func (d *dependencyLines) forEach(s *Schedule, lo, hi uint32,
	put func(after uint32, line dependency)) {
	for before := lo; before < hi; before++ {
		// The line of a successor comes behind both of its operations, and not before a line of the
		// same predecessor that was written later: so reading the text gives the successors in the
		// same order.
		after := before
		for _, op := range s.done.list(before) {
			after = max(after, op)
			put(after, dependency{op, before, false})
		}
		after = before
		for _, op := range s.started.list(before) {
			after = max(after, op)
			put(after, dependency{op, before, true})
		}
	}
}
