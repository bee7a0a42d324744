package export

import (
	"fmt"
	"io"
	"math"
	"strings"
)

// A File is the exported text with a list of its omissions.
type File struct {
	Text string
	Lost []string // one line for each property that the format cannot represent
}

// Write writes the file's text to w and returns the error of w.
func (f File) Write(w io.Writer) error {
	_, err := io.WriteString(w, f.Text)
	return err
}

func (f *File) printf(format string, args ...any) { f.Text += fmt.Sprintf(format, args...) }

func (f *File) lose(format string, args ...any) {
	f.Lost = append(f.Lost, fmt.Sprintf(format, args...))
}

func (f *File) loseInnerLevels(m Machine) {
	for _, l := range m.Levels[:len(m.Levels)-1] {
		f.lose("the level %s: messages inside it cost as much as those between its units", l.Name)
	}
}

// loseCurvature notes the relative error off of one line for all sizes if it exceeds 0.05 %.
func (f *File) loseCurvature(off float64, s Sizes) {
	if off > 0.0005 {
		f.lose("one straight line represents the times of all sizes: from %s to %s it is off by up to %s", s.Low, s.High, percent(off))
	}
}

// comments returns the lines of Lost, each after the comment mark.
func (f *File) comments(mark string) string {
	var b strings.Builder
	for _, l := range f.Lost {
		fmt.Fprintf(&b, "%s %s\n", mark, l)
	}
	return b.String()
}

// percent formats the upper bound x of an error, rounded up to two digits.
func percent(x float64) string {
	if x <= 0 {
		return "0 %"
	}
	digit := math.Pow10(int(math.Floor(math.Log10(100*x))) - 1)
	return fmt.Sprintf("%.2g %%", digit*math.Ceil(100*x/digit-1e-6))
}

// number formats x with seven significant digits, which is more than measurements have.
func number(x float64) string { return fmt.Sprintf("%.7g", x) }
