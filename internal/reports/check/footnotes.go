package check

import (
	"fmt"
	"slices"
)

// footnotes collects the remarks of a table's rows. Many rows share a remark, such as
// that a formula ignores an overlap, and a sentence in a cell would make the table
// too wide. So a remark is printed once, beneath the table, and has a number in the
// rows. The zero value is ready for use.
type footnotes []string

// mark returns the reference to a remark, such as "[1]"; an empty remark has none.
func (f *footnotes) mark(remark string) string {
	if remark == "" {
		return ""
	}
	i := slices.Index(*f, remark)
	if i < 0 {
		i = len(*f)
		*f = append(*f, remark)
	}
	return fmt.Sprintf("[%d]", i+1)
}

// lines returns the numbered remarks, each followed by end: notes of papers are
// sentences already, bounds are not.
func (f footnotes) lines(end string) []string {
	var lines []string
	for i, remark := range f {
		lines = append(lines, fmt.Sprintf("[%d] %s%s", i+1, remark, end))
	}
	return lines
}
