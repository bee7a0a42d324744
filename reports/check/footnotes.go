package check

import (
	"fmt"
	"slices"
)

// footnotes collects the remarks of a table's rows, so that a remark that many rows share is
// printed once, beneath the table.
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

// lines returns the numbered remarks, each followed by end.
func (f footnotes) lines(end string) []string {
	var lines []string
	for i, remark := range f {
		lines = append(lines, fmt.Sprintf("[%d] %s%s", i+1, remark, end))
	}
	return lines
}
