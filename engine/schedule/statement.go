package schedule

import "math"

// statement parses a statement of a rank: the word l[begin:i] and the rest of its line. It returns
// the place of the newline.
func (t *textReader) statement(l []byte, begin, i int) (int, error) {
	switch string(l[begin:i]) {
	case "send":
		return t.message(l, i, Send, nil)
	case "recv":
		return t.message(l, i, Recv, nil)
	case "calc":
		return t.calc(l, i, nil)
	case "rank", "num_ranks":
		return i, t.expected(l, begin, `a statement or "}"`)
	}
	name := l[begin:i]
	i = blanks(l, i)
	if l[i] == ':' {
		i = blanks(l, i+1)
		switch {
		case word(l, i, "send"):
			return t.message(l, i+4, Send, name)
		case word(l, i, "recv"):
			return t.message(l, i+4, Recv, name)
		case word(l, i, "calc"):
			return t.calc(l, i+4, name)
		}
		return i, t.expected(l, i, `"send", "recv" or "calc"`)
	}
	e := &t.b.done
	switch {
	case word(l, i, "requires"):
		i += len("requires")
	case word(l, i, "irequires"):
		i += len("irequires")
		e = &t.b.starts
	default:
		return i, t.expected(l, i, `":", "requires" or "irequires"`)
	}
	second := blanks(l, i)
	end := labelEnd(l, second)
	if end == second {
		return i, t.expected(l, end, "a label")
	}
	i, err := t.lineEnd(l, end, "the end of the line")
	if err != nil {
		return i, err
	}
	op, ok := t.b.labels.lookUp(name)
	if !ok {
		return i, t.errorf(begin, "label %q is not defined in rank %d before this line", name, t.b.rank())
	}
	before, ok := t.b.labels.lookUp(l[second:end])
	if !ok {
		return i, t.errorf(second, "label %q is not defined in rank %d before this line", l[second:end], t.b.rank())
	}
	*e = append(grown(t.b, *e, 1), edge{before, op})
	return i, nil
}

// message parses the rest of a send or receive.
func (t *textReader) message(l []byte, i int, kind Kind, name []byte) (int, error) {
	op := Op{Kind: kind}
	var err error
	if op.Size, i, err = t.number(l, i, "the size", math.MaxUint64); err != nil {
		return i, err
	}
	if i = blanks(l, i); l[i] != 'b' {
		return i, t.expected(l, i, `"b" of bytes`)
	}
	i = blanks(l, i+1)
	var peer uint64
	var at int
	if kind == Send {
		if !word(l, i, "to") {
			return i, t.expected(l, i, `"to"`)
		}
		at = blanks(l, i+2)
		peer, i, err = t.number(l, at, "the rank to send to", math.MaxUint64)
		op.Peer = uint32(peer)
	} else {
		if !word(l, i, "from") {
			return i, t.expected(l, i, `"from"`)
		}
		if at = blanks(l, i+4); word(l, at, "-1") {
			op.Peer, i = Any, at+2
		} else {
			peer, i, err = t.number(l, at, "the rank to receive from", math.MaxUint64)
			op.Peer = uint32(peer)
		}
	}
	if err != nil {
		return i, err
	}
	if peer >= t.ranks {
		return at, t.errorf(at, "there is no rank %d, only 0 to %d (num_ranks is %d)", peer, t.ranks-1, t.ranks)
	}
	if i = blanks(l, i); word(l, i, "tag") {
		if op.Tag, i, err = t.tag(l, i+3); err != nil {
			return i, err
		}
	}
	if l[i] != '\n' {
		if i, err = t.place(l, i, "cpu", &op.CPU); err != nil {
			return i, err
		}
		if i, err = t.place(l, i, "nic", &op.NIC); err != nil {
			return i, err
		}
		if i, err = t.lineEnd(l, i, `"tag", "cpu", "nic" (in this order) or the end of the line`); err != nil {
			return i, err
		}
	}
	return i, t.add(op, name)
}

func (t *textReader) calc(l []byte, i int, name []byte) (int, error) {
	op := Op{Kind: Calc}
	var err error
	if op.Size, i, err = t.number(l, i, "the time in ns", math.MaxUint64); err != nil {
		return i, err
	}
	if i, err = t.place(l, i, "cpu", &op.CPU); err != nil {
		return i, err
	}
	if i, err = t.lineEnd(l, i, `"cpu" or the end of the line`); err != nil {
		return i, err
	}
	return i, t.add(op, name)
}

// tag parses the number of a tag, or -1.
func (t *textReader) tag(l []byte, i int) (uint32, int, error) {
	if i = blanks(l, i); word(l, i, "-1") {
		return Any, i + 2, nil
	}
	n, i, err := t.number(l, i, "the tag", math.MaxUint32-1)
	return uint32(n), i, err
}

// place parses the word w and the number after it, if the word is present.
func (t *textReader) place(l []byte, i int, w string, to *uint16) (int, error) {
	if i = blanks(l, i); !word(l, i, w) {
		return i, nil
	}
	n, i, err := t.number(l, i+3, w, math.MaxUint16)
	*to = uint16(n)
	return blanks(l, i), err
}

func (t *textReader) add(op Op, name []byte) error {
	t.b.Add(op)
	if t.b.Err() == nil {
		t.b.checkLabel(t.b.define(name), name)
	}
	if err := t.b.Err(); err != nil {
		return t.errorf(t.begin, "%w", err)
	}
	return nil
}
