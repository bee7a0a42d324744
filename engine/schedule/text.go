package schedule

import (
	"bytes"
	"fmt"
	"io"
	"math"
)

// maxLine bounds a line of text, so that a file without newlines is not read into memory.
const maxLine = 1 << 20

// A textReader reads GOAL's text form; the package comment has its grammar.
type textReader struct {
	name    string
	line    int    // the current one, from 1
	begin   int    // its beginning in the text being parsed
	ranks   uint64 // 0 before num_ranks
	inRank  bool
	comment bool // inside of /* */
	b       *Builder
	read    func() float64 // for b
}

func (t *textReader) errorf(at int, format string, args ...any) error {
	return fmt.Errorf("%s:%d:%d: "+format, append([]any{t.name, t.line, at - t.begin + 1}, args...)...)
}

func readText(r io.Reader, name string, read func() float64) (*Schedule, error) {
	t := textReader{name: name, line: 1, read: read}
	// Whole lines are parsed in place; the rest of the last line moves to the front before more is
	// read. One byte is reserved for the newline that the last line may lack.
	buf := make([]byte, 1<<16)
	fill, empty := 0, 0
	for {
		n, err := r.Read(buf[fill : len(buf)-1])
		if empty++; n > 0 {
			empty = 0
		} else if err == nil && empty == 100 {
			err = io.ErrNoProgress
		}
		whole := bytes.LastIndexByte(buf[fill:fill+n], '\n') + 1
		if whole > 0 {
			whole += fill
		}
		fill += n
		if err := t.parse(buf[:whole]); err != nil {
			return nil, err
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
			return nil, t.errorf(0, "the line is longer than %d bytes; every statement ends with its line", maxLine)
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
		if err := t.parse(last); err != nil {
			return nil, err
		}
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
		return nil, t.errorf(at, "the file ends before rank %d, but num_ranks is %d; is it truncated?", len(t.b.s.first), t.ranks)
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

func blanks(l []byte, i int) int {
	for i < len(l) && (l[i] == ' ' || l[i] == '\t') {
		i++
	}
	return i
}

// word reports whether w stands at i.
func word(l []byte, i int, w string) bool {
	return len(l)-i >= len(w) && string(l[i:i+len(w)]) == w
}

// label returns the end of the label that begins at i; i if none does.
func label(l []byte, i int) int {
	if i < len(l) && class[l[i]] == letter {
		for i++; i < len(l) && class[l[i]] != 0; i++ {
		}
	}
	return i
}

func isLabel(l []byte) bool {
	switch string(l) {
	case "send", "recv", "calc", "rank", "num_ranks":
		return false
	}
	return len(l) > 0 && label(l, 0) == len(l)
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

// expected returns the error that l[i:] is not what was expected.
func (t *textReader) expected(l []byte, i int, what string) error {
	if lineEnds(l, i) {
		return t.errorf(i, "%s is missing at the end of the line", what)
	}
	end := label(l, i)
	if end == i {
		end++
	}
	return t.errorf(i, "%q where %s should be", l[i:min(end, i+40)], what)
}

// parse parses whole lines, each with its newline.
func (t *textReader) parse(l []byte) error {
	t.begin = 0
	for i := 0; i < len(l); {
		if t.comment {
			for !word(l, i, "*/") {
				if i == len(l) {
					return nil
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
		i = label(l, i)
		var err error
		switch {
		case i > begin && t.inRank:
			i, err = t.statement(l, begin, i)
			if err == nil {
				t.newline(i)
				i++
			}
		case i > begin:
			i, err = t.block(l, begin, i)
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
			err = t.expected(l, i, `a statement or "}"`)
		default:
			err = t.expected(l, i, t.header())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (t *textReader) newline(i int) {
	t.line++
	t.begin = i + 1
}

// lineEnds reports whether the line ends at i.
func lineEnds(l []byte, i int) bool {
	return l[i] == '\n' || l[i] == '\r' && l[i+1] == '\n'
}

// lineEnd skips blanks and the end of a line, up to the newline.
func (t *textReader) lineEnd(l []byte, i int, instead string) (int, error) {
	if l[i] == '\n' {
		return i, nil
	}
	if i = blanks(l, i); l[i] == '\r' {
		i++
	}
	if l[i] != '\n' {
		return i, t.expected(l, i, instead)
	}
	return i, nil
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
		t.b.read = t.read
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
		return i + 1, t.b.Err()
	}
	return i, t.expected(l, begin, t.header())
}
