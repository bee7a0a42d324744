package table

import (
	"fmt"
	"slices"
)

// Footnotes collects the remarks of a table's rows. Many rows share a remark, such as
// that a formula ignores an overlap, and a sentence in a cell would make the table
// too wide. So a remark is printed once, beneath the table, and has a number in the
// rows. The zero value is ready for use.
type Footnotes []string

// Mark returns the reference to a remark, such as "[1]"; an empty remark has none.
func (f *Footnotes) Mark(text string) string {
	if text == "" {
		return ""
	}
	i := slices.Index(*f, text)
	if i < 0 {
		i = len(*f)
		*f = append(*f, text)
	}
	return fmt.Sprintf("[%d]", i+1)
}

// Lines returns the numbered remarks.
func (f Footnotes) Lines() (lines []Note) {
	for i, text := range f {
		lines = append(lines, Note{Text: fmt.Sprintf("[%d] %s", i+1, text)})
	}
	return lines
}
