package schedule

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
)

func readText(r io.Reader, name string, read func() float64) (*Schedule, error) {
	t := textReader{name: name, line: 1, read: read}
	// 64 KiB: larger buffers leave the processor's cache, smaller ones make more system calls.
	buf := make([]byte, 1<<16)
	fill, empty := 0, 0
	for {
		n, err := r.Read(buf[fill : len(buf)-1])
		if empty++; n > 0 {
			empty = 0
			// A reader that returns neither bytes nor an error a hundred times is broken, as
			// bufio has it too.
		} else if err == nil && empty == 100 {
			err = io.ErrNoProgress
		}
		whole := bytes.LastIndexByte(buf[fill:fill+n], '\n') + 1
		if whole > 0 {
			whole += fill
		}
		fill += n
		if t.parse(buf[:whole]); t.err != nil {
			return nil, t.err
		}
		t.begin = 0
		fill = copy(buf, buf[whole:fill])
		switch {
		case err == io.EOF:
			return t.end(buf[:fill+1])
		case err == io.ErrUnexpectedEOF: // of gzip
			return nil, t.errorf(fill, "the file is truncated here (%w); fetch it again", err)
		case err != nil:
			return nil, t.errorf(fill, "%w", err)
		case fill >= maxLine:
			return nil,
				t.errorf(0, "the line is longer than %d bytes; every statement ends with its line",
					maxLine)
		// A line longer than the buffer. It doubles, up to maxLine.
		case fill == len(buf)-1:
			buf = append(buf, make([]byte, len(buf))...)
		}
	}
}

// end parses the last line, which has room for a missing newline, and finishes the schedule.
func (t *textReader) end(last []byte) (*Schedule, error) {
	at := len(last) - 1
	if at > 0 {
		last[at] = '\n'
		if t.parse(last); t.err != nil {
			return nil, t.err
		}
		// parse has counted the newline that was added; the message is about the line before.
		t.line, t.begin = t.line-1, 0
	}
	switch {
	case t.comment:
		return nil, t.errorf(at, `the file ends in a comment; close it with "*/"`)
	case t.ranks == 0:
		return nil, t.errorf(at, `the file ends before "num_ranks"; a GOAL schedule begins with it`)
	case t.inRank:
		return nil, t.errorf(at, `the file ends inside of rank %d; close it with "}"`, t.b.rank())
	case uint64(len(t.b.s.first)) < t.ranks:
		return nil,
			t.errorf(at, "the file ends before rank %d, but num_ranks is %d; is it truncated?",
				len(t.b.s.first), t.ranks)
	}
	s, err := t.b.Build()
	if err != nil {
		return nil, t.errorf(at, "%w", err)
	}
	return s, nil
}

// parse parses whole lines, each with its newline.
func (t *textReader) parse(l []byte) {
	t.begin = 0
	for i := 0; i < len(l) && t.err == nil; {
		if t.comment {
			// A comment may end on any later line, also of another buffer: comment remembers it.
			for !word(l, i, "*/") {
				if i == len(l) {
					return
				}
				if l[i] == '\n' {
					t.newline(i)
				}
				i++
			}
			t.comment = false
			i += 2
		}
		i = blanks(l, i)
		begin := i
		i = labelEnd(l, i)
		switch {
		// A word inside of a rank begins a statement, which takes the whole line.
		case i > begin && t.inRank:
			i = t.statement(l, begin, i)
			t.newline(i)
			i++
		case i > begin:
			// Outside of ranks a line may go on: "num_ranks 1 rank 0 { }" is a whole file.
			i = t.block(l, begin, i)
		case lineEnds(l, i) || word(l, i, "//"):
			i += bytes.IndexByte(l[i:], '\n')
			t.newline(i)
			i++
		case l[i] == '}' && t.inRank:
			t.inRank = false
			i++
		case word(l, i, "/*"):
			t.comment = true
			i += 2
		case t.inRank:
			t.expected(l, i, `a statement or "}"`)
		default:
			t.expected(l, i, t.header())
		}
	}
}

func (t *textReader) newline(i int) {
	t.line++
	t.begin = i + 1
}

func (t *textReader) header() string {
	switch {
	case t.ranks == 0:
		return `"num_ranks"`
	case uint64(len(t.b.s.first)) == t.ranks:
		return fmt.Sprintf("the end of the file (num_ranks is %d)", t.ranks)
	}
	return fmt.Sprintf(`"rank %d {"`, len(t.b.s.first))
}

// block parses a statement outside of ranks, which begins with the word l[begin:i]. It returns the
// beginning of the next one.
func (t *textReader) block(l []byte, begin, i int) int {
	switch w := string(l[begin:i]); {
	case w == "num_ranks" && t.ranks == 0:
		if t.ranks, i = t.number(l, i, w, MaxRanks); t.ranks == 0 {
			t.fail(begin, "num_ranks is 0; a schedule has at least one rank")
		}
		t.b = NewBuilder(int(t.ranks))
		t.b.read = t.read
	case w == "rank" && t.ranks != 0 && uint64(len(t.b.s.first)) < t.ranks:
		var n uint64
		n, i = t.number(l, i, "the rank", MaxRanks)
		if want := len(t.b.s.first); n != uint64(want) {
			t.fail(begin,
				"rank %d where rank %d should be; ranks come in order, none twice, none left out",
				n, want)
		}
		i = t.want(l, i, "{", `"{"`)
		t.inRank = true
		t.b.NextRank()
		t.err = cmp.Or(t.err, t.b.Err())
	default:
		t.expected(l, begin, t.header())
	}
	return i
}
