package schedule

import (
	"fmt"
	"math"
)

// A textReader reads GOAL's text form; the package comment has its grammar. Its methods parse
// l from i on and return the place after it. The first error is kept. A parser by hand reads
// a file as fast as its bytes are copied; blanks may be left out where words stay apart, as
// in "10b".
type textReader struct {
	name    string
	line    int    // the current one, from 1
	begin   int    // its beginning in the text being parsed
	ranks   uint64 // 0 before num_ranks
	inRank  bool
	comment bool // inside of /* */
	b       *Builder
	read    func() float64 // for b
	err     error
}

func (t *textReader) errorf(at int, format string, args ...any) error {
	return fmt.Errorf("%s:%d:%d: "+format,
		append([]any{t.name, t.line, at - t.begin + 1}, args...)...)
}

func (t *textReader) fail(at int, format string, args ...any) {
	if t.err == nil {
		t.err = t.errorf(at, format, args...)
	}
}

// expected fails, since l[i:] is not what was expected. It quotes the word there, of at most
// 40 bytes: a line of a wrong file may have a million.
func (t *textReader) expected(l []byte, i int, what string) {
	if lineEnds(l, i) {
		t.fail(i, "%s is missing at the end of the line", what)
		return
	}
	end := max(labelEnd(l, i), i+1)
	t.fail(i, "%q where %s should be", l[i:min(end, i+40)], what)
}

// statement parses a statement of a rank: the word l[begin:i] and the rest of its line. It returns
// the place of the newline.
func (t *textReader) statement(l []byte, begin, i int) int {
	name := l[begin:i]
	switch string(name) {
	case "send", "recv", "calc":
		return t.operation(l, begin, nil)
	case "rank", "num_ranks":
		t.expected(l, begin, `a statement or "}"`)
		return i
	}
	// Every line ends in a newline, so l[i] exists behind blanks; the same is true below.
	if i = blanks(l, i); l[i] == ':' {
		return t.operation(l, blanks(l, i+1), name)
	}
	e := &t.b.done
	switch {
	case word(l, i, "requires"):
		i += len("requires")
	case word(l, i, "irequires"):
		i += len("irequires")
		e = &t.b.starts
	default:
		t.expected(l, i, `":", "requires" or "irequires"`)
		return i
	}
	second := blanks(l, i)
	end := labelEnd(l, second)
	if end == second {
		t.expected(l, end, "a label")
		return i
	}
	i = t.lineEnd(l, end, "the end of the line")
	op, before := t.lookUp(name, begin), t.lookUp(l[second:end], second)
	*e = append(grown(t.b, *e, 1), edge{before, op})
	return i
}

func (t *textReader) lookUp(label []byte, at int) uint32 {
	op, ok := t.b.labels.lookUp(label)
	if !ok {
		t.fail(at, "label %q is not defined in rank %d before this line", label, t.b.rank())
	}
	return op
}

// operation parses an operation from its first word on.
func (t *textReader) operation(l []byte, i int, label []byte) int {
	var op Op
	switch {
	case word(l, i, "send"):
		op.Kind = Send
		i = t.message(l, i+4, &op)
	case word(l, i, "recv"):
		op.Kind = Recv
		i = t.message(l, i+4, &op)
	case word(l, i, "calc"):
		op.Kind = Calc
		op.Size, i = t.number(l, i+4, "the time in ns", math.MaxUint64)
		i = t.place(l, i, "cpu", &op.CPU)
		i = t.lineEnd(l, i, `"cpu" or the end of the line`)
	default:
		t.expected(l, i, `"send", "recv" or "calc"`)
	}
	if t.err != nil {
		return i
	}
	// The Builder checks what the grammar does not: numbers of operations and of labels.
	t.b.Add(op)
	if t.b.Err() == nil {
		t.b.checkLabel(t.b.define(label), label)
	}
	if err := t.b.Err(); err != nil {
		t.fail(t.begin, "%w", err)
	}
	return i
}

// message parses the rest of a send or receive.
func (t *textReader) message(l []byte, i int, op *Op) int {
	op.Size, i = t.number(l, i, "the size", math.MaxUint64)
	i = t.want(l, i, "b", `"b" of bytes`)
	what := "the rank to send to"
	if op.Kind == Send {
		i = t.want(l, i, "to", `"to"`)
	} else {
		i = t.want(l, i, "from", `"from"`)
		what = "the rank to receive from"
	}
	if i = blanks(l, i); op.Kind == Recv && word(l, i, "-1") {
		op.Peer, i = Any, i+2
	} else {
		at := i
		var peer uint64
		// Any number is read, so that the message can name it with the limit.
		if peer, i = t.number(l, i, what, math.MaxUint64); peer >= t.ranks {
			t.fail(at, "there is no rank %d, only 0 to %d (num_ranks is %d)", peer, t.ranks-1,
				t.ranks)
		}
		op.Peer = uint32(peer)
	}
	if i = blanks(l, i); word(l, i, "tag") {
		if i = blanks(l, i+3); word(l, i, "-1") {
			op.Tag, i = Any, i+2
		} else {
			var tag uint64
			tag, i = t.number(l, i, "the tag", math.MaxUint32-1)
			op.Tag = uint32(tag)
		}
	}
	if l[i] == '\n' {
		return i
	}
	// LogGOPSim's parser accepts this order only, and WriteText writes it.
	i = t.place(l, i, "cpu", &op.CPU)
	i = t.place(l, i, "nic", &op.NIC)
	return t.lineEnd(l, i, `"tag", "cpu", "nic" (in this order) or the end of the line`)
}

// place parses the word w and the number after it, if the word is present.
func (t *textReader) place(l []byte, i int, w string, to *uint16) int {
	if i = blanks(l, i); !word(l, i, w) {
		return i
	}
	n, i := t.number(l, i+3, w, math.MaxUint16)
	*to = uint16(n)
	return blanks(l, i)
}

// want parses the word w after blanks.
func (t *textReader) want(l []byte, i int, w, what string) int {
	if i = blanks(l, i); !word(l, i, w) {
		t.expected(l, i, what)
		return i
	}
	return i + len(w)
}

// lineEnd skips blanks and the end of a line, up to the newline.
func (t *textReader) lineEnd(l []byte, i int, instead string) int {
	if i = blanks(l, i); l[i] == '\r' {
		i++
	}
	if l[i] != '\n' {
		t.expected(l, i, instead)
	}
	return i
}

// lineEnds reports whether the line ends at i.
func lineEnds(l []byte, i int) bool {
	return l[i] == '\n' || l[i] == '\r' && l[i+1] == '\n'
}

// number parses a decimal number of at most limit, after blanks.
func (t *textReader) number(l []byte, i int, what string, limit uint64) (uint64, int) {
	i = blanks(l, i)
	begin := i
	n := uint64(0)
	for ; i < len(l); i++ {
		d := uint64(l[i] - '0')
		if d > 9 {
			break
		}
		// The first comparison alone is made for nearly all digits; the others find an overflow.
		if n > (math.MaxUint64-9)/10 && (n > math.MaxUint64/10 || d > math.MaxUint64-n*10) {
			t.fail(begin, "%s is larger than %d", what, limit)
			return 0, i
		}
		n = n*10 + d
	}
	switch {
	case i == begin:
		t.expected(l, i, what+", a number")
	case n > limit:
		t.fail(begin, "%s is %d, but at most %d", what, n, limit)
	}
	return n, i
}

func blanks(l []byte, i int) int {
	for i < len(l) && (l[i] == ' ' || l[i] == '\t') {
		i++
	}
	return i
}

// word reports whether w stands at i. It need not end there: "tag5" is "tag 5", as in
// txt2bin.
func word(l []byte, i int, w string) bool {
	return len(l)-i >= len(w) && string(l[i:i+len(w)]) == w
}
