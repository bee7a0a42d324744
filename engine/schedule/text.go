package schedule

import (
	"bytes"
	"fmt"
	"io"
	"math"
)

// maxLine bounds a line of text, so that a file without newlines is not read
// into memory.
const maxLine = 1 << 20

// A textReader reads GOAL's text form:
//
//	file    := "num_ranks" INT { rank }
//	rank    := "rank" INT "{" { stmt } "}"
//	stmt    := [ label ":" ] "send" INT "b" "to"   INT        [ "tag" (INT | "-1") ] [ "cpu" INT ] [ "nic" INT ] NL
//	         | [ label ":" ] "recv" INT "b" "from" (INT|"-1") [ "tag" (INT | "-1") ] [ "cpu" INT ] [ "nic" INT ] NL
//	         | [ label ":" ] "calc" INT [ "cpu" INT ] NL
//	         | label "requires"  label NL
//	         | label "irequires" label NL
//	label   := [A-Za-z][A-Za-z0-9_]*     but not send, recv, calc, rank, num_ranks
//	comment := "//" ... NL | "/*" ... "*/"
//
// Comments and empty lines stand where a statement or a rank may begin. Ranks come in order. Labels
// are local to a rank and defined before they are used; of two definitions of
// one label the first counts, as in LogGOPSim.
type textReader struct {
	name    string
	line    int
	ranks   uint64 // 0 before num_ranks
	inRank  bool
	comment bool // inside of /* */
	labels  labels
	b       *Builder
}

func (t *textReader) errorf(at int, format string, args ...any) error {
	return fmt.Errorf("%s:%d:%d: "+format, append([]any{t.name, t.line, at + 1}, args...)...)
}

func readText(r io.Reader, name string) (*Schedule, error) {
	t := textReader{name: name}
	// Whole lines are parsed where they lie; what is left of the last one moves
	// to the front before more is read.
	buf := make([]byte, 1<<16)
	fill, empty := 0, 0
	for {
		n, err := r.Read(buf[fill:])
		if n == 0 && err == nil {
			if empty++; empty < 100 {
				continue
			}
			err = io.ErrNoProgress
		}
		empty = 0
		scanned := fill
		fill += n
		begin := 0
		for {
			n := bytes.IndexByte(buf[scanned:fill], '\n')
			if n < 0 {
				break
			}
			end := scanned + n
			if err := t.parse(buf[begin:end]); err != nil {
				return nil, err
			}
			begin, scanned = end+1, end+1
		}
		if err == io.EOF {
			return t.end(buf[begin:fill])
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, t.line+1, err)
		}
		fill = copy(buf, buf[begin:fill])
		if fill == len(buf) {
			if fill >= maxLine {
				t.line++
				return nil, t.errorf(maxLine, "the line is longer than %d bytes; break it, as every statement ends with its line", maxLine)
			}
			buf = append(buf, make([]byte, len(buf))...)
		}
	}
}

// end parses what follows the last newline and finishes the schedule.
func (t *textReader) end(last []byte) (*Schedule, error) {
	if len(last) > 0 {
		if err := t.parse(last); err != nil {
			return nil, err
		}
	} else {
		t.line++
	}
	at := len(last)
	switch {
	case t.comment:
		return nil, t.errorf(at, `the file ends in a comment; close it with "*/"`)
	case t.ranks == 0:
		return nil, t.errorf(at, `the file ends before "num_ranks"; a GOAL schedule begins with it`)
	case t.inRank:
		return nil, t.errorf(at, `the file ends inside of rank %d; close it with "}"`, t.b.rank())
	case uint64(len(t.b.s.first)) < t.ranks:
		return nil, t.errorf(at, "the file ends before rank %d, but num_ranks is %d; is it cut?", len(t.b.s.first), t.ranks)
	}
	s, err := t.b.Build()
	if err != nil {
		return nil, t.errorf(at, "%w", err)
	}
	return s, nil
}

// classes of bytes.
const (
	letter = 1 << iota
	digit
	underscore
)

var class = func() (c [256]uint8) {
	for b := range 26 {
		c['a'+b], c['A'+b] = letter, letter
	}
	for b := range 10 {
		c['0'+b] = digit
	}
	c['_'] = underscore
	return c
}()

// blanks skips blanks and tabs from i on.
func blanks(l []byte, i int) int {
	for i < len(l) && (l[i] == ' ' || l[i] == '\t') {
		i++
	}
	return i
}

// word says whether w stands at i.
func word(l []byte, i int, w string) bool {
	return len(l)-i >= len(w) && string(l[i:i+len(w)]) == w
}

// label skips a label from i on; i is returned if none is there.
func label(l []byte, i int) int {
	if i < len(l) && class[l[i]] == letter {
		for i++; i < len(l) && class[l[i]] != 0; i++ {
		}
	}
	return i
}

// number parses a decimal number of at most limit, after blanks.
func (t *textReader) number(l []byte, i int, what string, limit uint64) (uint64, int, error) {
	i = blanks(l, i)
	begin := i
	n := uint64(0)
	for ; i < len(l); i++ {
		d := uint64(l[i] - '0')
		if d > 9 {
			break
		}
		if n > (math.MaxUint64-9)/10 && (n > math.MaxUint64/10 || d > math.MaxUint64-n*10) {
			return 0, i, t.errorf(begin, "%s is larger than %d", what, limit)
		}
		n = n*10 + d
	}
	if i == begin {
		return 0, i, t.expected(l, i, what+", a number")
	}
	if n > limit {
		return 0, i, t.errorf(begin, "%s is %d, but at most %d", what, n, limit)
	}
	return n, i, nil
}

// numberOrAny is number, or Any for -1.
func (t *textReader) numberOrAny(l []byte, i int, what string, limit uint64) (uint32, int, error) {
	if i = blanks(l, i); word(l, i, "-1") {
		return Any, i + 2, nil
	}
	n, i, err := t.number(l, i, what, limit)
	return uint32(n), i, err
}

// expected is the error of something else than what.
func (t *textReader) expected(l []byte, i int, what string) error {
	if i >= len(l) {
		return t.errorf(i, "%s is missing at the end of the line", what)
	}
	end := label(l, i)
	if end == i {
		end++
	}
	return t.errorf(i, "%q where %s should be", l[i:min(end, i+40)], what)
}

// parse parses one line without its newline.
func (t *textReader) parse(l []byte) error {
	t.line++
	if n := len(l); n > 0 && l[n-1] == '\r' {
		l = l[:n-1]
	}
	i := 0
	for {
		if t.comment {
			n := bytes.Index(l[i:], []byte("*/"))
			if n < 0 {
				return nil
			}
			t.comment = false
			i += n + 2
		}
		i = blanks(l, i)
		if i == len(l) {
			return nil
		}
		begin := i
		switch i = label(l, i); {
		case i > begin && t.inRank:
			return t.statement(l, begin, i)
		case i > begin:
			var err error
			if i, err = t.block(l, begin, i); err != nil {
				return err
			}
		case l[i] == '}' && t.inRank:
			t.inRank = false
			i++
		case word(l, i, "//"):
			return nil
		case word(l, i, "/*"):
			t.comment = true
			i += 2
		case t.inRank:
			return t.expected(l, i, `a statement or "}"`)
		default:
			return t.expected(l, i, t.header())
		}
	}
}

// header says what comes next outside of ranks.
func (t *textReader) header() string {
	switch {
	case t.ranks == 0:
		return `"num_ranks"`
	case uint64(len(t.b.s.first)) == t.ranks:
		return fmt.Sprintf("the end of the file (num_ranks is %d)", t.ranks)
	}
	return fmt.Sprintf(`"rank %d {"`, len(t.b.s.first))
}

// block parses what stands outside of ranks: the word l[begin:i] and what
// follows, up to the next begin of a statement, which it returns.
func (t *textReader) block(l []byte, begin, i int) (int, error) {
	switch string(l[begin:i]) {
	case "num_ranks":
		if t.ranks != 0 {
			return i, t.expected(l, begin, t.header())
		}
		n, i, err := t.number(l, i, "num_ranks", MaxRanks)
		if err != nil {
			return i, err
		}
		if n == 0 {
			return i, t.errorf(begin, "num_ranks is 0; a schedule has at least one rank")
		}
		t.ranks = n
		t.b = NewBuilder(int(n))
		return i, nil
	case "rank":
		if t.ranks == 0 || uint64(len(t.b.s.first)) == t.ranks {
			return i, t.expected(l, begin, t.header())
		}
		n, i, err := t.number(l, i, "the rank", MaxRanks)
		if err != nil {
			return i, err
		}
		if want := len(t.b.s.first); n != uint64(want) {
			return i, t.errorf(begin, "rank %d where rank %d should be; ranks come in order, none twice, none left out", n, want)
		}
		if i = blanks(l, i); !word(l, i, "{") {
			return i, t.expected(l, i, `"{"`)
		}
		t.inRank = true
		t.b.NextRank()
		t.labels.reset(uint32(len(t.b.s.ops)))
		return i + 1, t.b.Err()
	}
	return i, t.expected(l, begin, t.header())
}

// statement parses a statement of a rank: the word l[begin:i] and all that
// follows in the line.
func (t *textReader) statement(l []byte, begin, i int) error {
	switch string(l[begin:i]) {
	case "send":
		return t.message(l, i, Send, nil)
	case "recv":
		return t.message(l, i, Recv, nil)
	case "calc":
		return t.calc(l, i, nil)
	case "rank", "num_ranks":
		return t.expected(l, begin, `a statement or "}"`)
	}
	name := l[begin:i]
	i = blanks(l, i)
	if i < len(l) && l[i] == ':' {
		i = blanks(l, i+1)
		switch {
		case word(l, i, "send"):
			return t.message(l, i+4, Send, name)
		case word(l, i, "recv"):
			return t.message(l, i+4, Recv, name)
		case word(l, i, "calc"):
			return t.calc(l, i+4, name)
		}
		return t.expected(l, i, `"send", "recv" or "calc"`)
	}
	e := &t.b.done
	switch {
	case word(l, i, "requires"):
		i += len("requires")
	case word(l, i, "irequires"):
		i += len("irequires")
		e = &t.b.starts
	default:
		return t.expected(l, i, `":", "requires" or "irequires" (or a comment begins here, which stands only where a statement may begin)`)
	}
	second := blanks(l, i)
	end := label(l, second)
	if end == second {
		return t.expected(l, end, "a label")
	}
	if i = blanks(l, end); i != len(l) {
		return t.expected(l, i, "the end of the line")
	}
	op, ok := t.labels.of(name)
	if !ok {
		return t.errorf(begin, "label %q is not defined in rank %d before this line", name, t.b.rank())
	}
	before, ok := t.labels.of(l[second:end])
	if !ok {
		return t.errorf(second, "label %q is not defined in rank %d before this line", l[second:end], t.b.rank())
	}
	e.from = append(e.from, before)
	e.to = append(e.to, op)
	return nil
}

// message parses what follows "send" or "recv".
func (t *textReader) message(l []byte, i int, kind Kind, name []byte) error {
	op := Op{Kind: kind}
	var err error
	if op.Size, i, err = t.number(l, i, "the size", math.MaxUint64); err != nil {
		return err
	}
	if i = blanks(l, i); !word(l, i, "b") {
		return t.expected(l, i, `"b" of bytes`)
	}
	i = blanks(l, i+1)
	var peer uint64
	var at int
	if kind == Send {
		if !word(l, i, "to") {
			return t.expected(l, i, `"to"`)
		}
		at = blanks(l, i+2)
		peer, i, err = t.number(l, at, "the rank to send to", math.MaxUint64)
		op.Peer = uint32(peer)
	} else {
		if !word(l, i, "from") {
			return t.expected(l, i, `"from"`)
		}
		if at = blanks(l, i+4); word(l, at, "-1") {
			op.Peer, i = Any, at+2
		} else {
			peer, i, err = t.number(l, at, "the rank to receive from", math.MaxUint64)
			op.Peer = uint32(peer)
		}
	}
	if err != nil {
		return err
	}
	if peer >= t.ranks {
		return t.errorf(at, "there is no rank %d, only 0 to %d (num_ranks is %d)", peer, t.ranks-1, t.ranks)
	}
	if i = blanks(l, i); i < len(l) {
		if word(l, i, "tag") {
			if op.Tag, i, err = t.numberOrAny(l, i+3, "the tag", math.MaxUint32-1); err != nil {
				return err
			}
		}
		if i, err = t.place(l, i, "cpu", &op.CPU); err != nil {
			return err
		}
		if i, err = t.place(l, i, "nic", &op.NIC); err != nil {
			return err
		}
		if i != len(l) {
			return t.expected(l, i, `"tag", "cpu", "nic" (in this order) or the end of the line`)
		}
	}
	return t.add(op, name)
}

// calc parses what follows "calc".
func (t *textReader) calc(l []byte, i int, name []byte) error {
	op := Op{Kind: Calc}
	var err error
	if op.Size, i, err = t.number(l, i, "the time in ns", math.MaxUint64); err != nil {
		return err
	}
	if i, err = t.place(l, i, "cpu", &op.CPU); err != nil {
		return err
	}
	if i != len(l) {
		return t.expected(l, i, `"cpu" or the end of the line`)
	}
	return t.add(op, name)
}

// place parses the word and a number after it, if the word is there.
func (t *textReader) place(l []byte, i int, w string, to *uint16) (int, error) {
	if i = blanks(l, i); !word(l, i, w) {
		return i, nil
	}
	n, i, err := t.number(l, i+3, w, math.MaxUint16)
	*to = uint16(n)
	return blanks(l, i), err
}

func (t *textReader) add(op Op, name []byte) error {
	index := t.b.Add(op)
	if err := t.b.Err(); err != nil {
		return t.errorf(0, "%w", err)
	}
	names := &t.b.s.names
	switch t.labels.define(name, index) {
	case labelOther:
		names.add(index, name)
	case labelNone:
		names.add(index, nil)
	}
	if len(names.text) > math.MaxUint32-maxLine {
		return t.errorf(0, "labels take more than %d bytes; use shorter ones (l1, l2 … take none)", uint32(math.MaxUint32-maxLine))
	}
	return nil
}
