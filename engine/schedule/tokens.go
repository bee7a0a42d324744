package schedule

import (
	"fmt"
	"math"
)

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

// expected returns the error that l[i:] is not what was expected.
func (t *textReader) expected(l []byte, i int, what string) error {
	if lineEnds(l, i) {
		return t.errorf(i, "%s is missing at the end of the line", what)
	}
	end := labelEnd(l, i)
	if end == i {
		end++
	}
	return t.errorf(i, "%q where %s should be", l[i:min(end, i+40)], what)
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

// lineEnds reports whether the line ends at i.
func lineEnds(l []byte, i int) bool {
	return l[i] == '\n' || l[i] == '\r' && l[i+1] == '\n'
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
