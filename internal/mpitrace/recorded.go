package mpitrace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
)

const (
	recordedMark = "halfpeak-trace "
	recordedForm = recordedMark + "2 rank %d of %d run %d"
	// maxRecordedLine is the maximum length of a line. A collective with blocks has a size for
	// each of 2²⁰ ranks, twice.
	maxRecordedLine = 1 << 24
)

// translateRecorded adds the calls of a file to its rank.
func translateRecorded(r *rank, f *file) error {
	r.dialect = recordedDialect
	p := &recorded{profiled: profiled{rank: r, persistent: map[int64]persistent{}},
		comms: map[int64]*member{0: r.world}, wild: map[uint32]*member{}, file: f}
	r.enter = p.computed
	if err := r.header(f); err != nil {
		return err
	}
	at, ended := r.o.Region.start(), false
	f.longest = maxRecordedLine
	for l, err := range f.lines() {
		if err != nil {
			return err
		}
		if f.cut { // the last line is not whole
			break
		}
		if len(l) == 0 || l[0] == '#' {
			continue
		}
		if at, ended, err = p.take(l, at, ended); err == nil {
			err = r.Err()
		}
		if err != nil {
			name, _, _ := bytes.Cut(l, []byte(" "))
			return f.errorf("%.40s: %w", name, err)
		}
	}
	if !ended {
		r.endEarly(f, f.line-1)
	}
	return r.missing(f, at)
}

// header reads the first line.
func (r *rank) header(f *file) error {
	l, err := f.next()
	if err != nil && err != io.EOF {
		return err
	}
	var place, ranks int
	var run int64
	if _, err := fmt.Sscanf(string(l), recordedForm, &place, &ranks, &run); err != nil {
		return f.errorf("not the trace of a rank; leave it out")
	}
	s := r.shared
	if r.group.Place == 0 {
		s.run, s.file = fmt.Sprint(run), f.name
	}
	switch {
	case place > r.group.Place:
		return f.errorf("this is rank %d of %d, and rank %d is missing; give the files of all "+
			"ranks, as 'trace.*'", place, ranks, r.group.Place)
	case fmt.Sprint(run) != s.run:
		return f.errorf("this is rank %d of another run than that of %s; give the files of one "+
			"run", place, s.file)
	case place < r.group.Place:
		return f.errorf("this is rank %d of %d, which was given already", place, ranks)
	case ranks > s.ranks && place == s.ranks-1:
		return f.errorf("this is the last file, of rank %d of %d; give the files of all ranks, "+
			"as 'trace.*'", place, ranks)
	case ranks < s.ranks:
		return f.errorf("the run has %d ranks, but %d files are given", ranks, s.ranks)
	}
	return nil
}

// take translates a line, and returns the place behind it and whether the trace has ended.
func (p *recorded) take(l []byte, at place, ended bool) (place, bool, error) {
	name, rest, _ := bytes.Cut(l, []byte(" "))
	if l[0] >= 'a' && l[0] <= 'z' {
		return at, ended, p.remark(string(name), rest)
	}
	if ended {
		return at, ended, errors.New("after MPI_Finalize")
	}
	call, known := recordedCalls[string(name)]
	if !known {
		return at, ended, errNotSupported
	}
	p.line, p.call = p.file.line, call.name
	words := fields{rest}
	gap, err := words.integer(10)
	if err == nil {
		p.spent, err = words.integer(10)
	}
	if err != nil || gap < 0 || p.spent < 0 {
		return at, ended, errors.New("the times of the call must be whole numbers of ns")
	}
	p.idle += gap
	a := &p.arguments
	*a = arguments{}
	for _, word := range call.args {
		if err := p.argument(a, word, &words); err != nil {
			return at, ended, fmt.Errorf("argument %s: %w", word, err)
		}
	}
	if len(words.rest) > 0 {
		return at, ended, fmt.Errorf("more than its %d arguments", len(call.args)+2)
	}
	switch marked := p.in(a) == p.world && at.ends(p.rank, call.name); {
	case call.name == "MPI_Finalize":
		if at == within {
			err = p.enter()
		}
		return at, true, err
	case marked:
		if at == within {
			err = p.enter() // the last computation of the region
		}
		p.idle = 0
		return at + 1, ended, err
	case at != within && !call.outside:
		p.idle = 0
		return at, ended, nil
	}
	return at, ended, call.do(p, a)
}

// computed adds the computation before a call.
func (p *recorded) computed() error {
	ns := p.idle
	p.idle = 0
	return p.compute(float64(ns))
}

// remark reads a line that is not a call.
func (p *recorded) remark(name string, rest []byte) error {
	words := fields{rest}
	switch name {
	case "comm":
		return p.define(&words)
	case "other":
		call := string(words.next())
		calls, err := words.integer(10)
		ns, err2 := words.integer(10)
		if err = errors.Join(err, err2); err == nil {
			p.shared.count(call, calls, float64(ns))
		}
		return err
	case "lasted":
		ns, err := words.integer(10)
		p.shared.lasted += float64(ns)
		return err
	case "matched":
		return p.matched(&words)
	case "threads":
		return fmt.Errorf("two threads of rank %d call MPI at the same time, which no order of "+
			"calls describes; run the program with one thread, or let its threads take turns",
			p.group.Place)
	}
	return errors.New("neither a call nor a line of trace.c")
}

// matched binds a receive of any source or tag to the message that it took.
func (p *recorded) matched(words *fields) error {
	at, err := words.integer(16)
	source, err2 := words.integer(10)
	tag, err3 := words.integer(10)
	if err = errors.Join(err, err2, err3); err != nil {
		return err
	}
	open, is := p.requests[request(at)]
	if !is { // outside of the region
		return nil
	}
	m := p.wild[open.oldest]
	if m == nil {
		return errors.New("its request is not of a receive of any source or tag")
	}
	delete(p.wild, open.oldest)
	ranks, members := m.peers()
	if source < 0 || source >= int64(ranks) || tag < 0 || tag > math.MaxInt32 {
		return fmt.Errorf("no message from rank %d with tag %d", source, tag)
	}
	if members != nil {
		source = int64(members[source])
	}
	p.SetSource(open.oldest, uint32(source), uint32(tag))
	return nil
}

// define reads a communicator.
func (p *recorded) define(words *fields) error {
	id, err := words.integer(10)
	if err != nil {
		return err
	}
	parent, err := words.integer(10)
	if err != nil {
		return err
	}
	b := birth{parent: noParent, members: string(words.next())}
	if m := p.comms[parent]; m != nil {
		b.parent = m.context
	}
	members, err := p.ranksOf(b.members)
	if err != nil {
		return err
	}
	var remote []uint32
	other := string(words.next())
	if other != "" {
		if remote, err = p.ranksOf(other); err != nil {
			return err
		}
	}
	m, err := p.join(b, members, remote, other)
	if err == nil {
		p.comms[id] = m
	}
	return err
}

// ranksOf parses the members of a communicator: ranks, or first:members:step.
func (p *recorded) ranksOf(text string) (all []uint32, err error) {
	for part := range bytes.SplitSeq([]byte(text), []byte(",")) {
		first, rest, several := bytes.Cut(part, []byte(":"))
		n, step := int64(1), int64(0)
		rank, err := integer(first)
		if several && err == nil {
			count, by, _ := bytes.Cut(rest, []byte(":"))
			if n, err = integer(count); err == nil {
				step, err = integer(by)
			}
		}
		if err != nil {
			return nil, err
		}
		if rank == -1 {
			return nil, errors.New("a communicator with processes of another program is not " +
				"supported")
		}
		last := rank + (n-1)*step
		if size := int64(p.group.Size); n < 1 || n > size-int64(len(all)) || step < -size ||
			step > size || rank < 0 || rank >= size || last < 0 || last >= size {
			return nil, fmt.Errorf("its members must be different ranks from 0 to %d", size-1)
		}
		for i := range n {
			all = append(all, uint32(rank+i*step))
		}
	}
	return all, nil
}
