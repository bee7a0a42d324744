package export

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Machine is the machine to export. A platform without levels has one level that contains all
// ranks.
type Machine struct {
	Name string // of the platform, as in "clip/user-buffer"
	machine.Machine
}

// outer returns the outermost level, whose costs formats with one level get.
// The last: levels stand from inside out, and most pairs of ranks meet at the outermost.
func (m Machine) outer() machine.Level { return m.Levels[len(m.Levels)-1] }

// withCosts returns the level with a layer that has the level's own overheads. The formats
// have one set of costs for a level, and the writers take them from its layer.
func withCosts(l machine.Level) machine.Level {
	if l.Send != nil || l.Receive != nil {
		l.Layer = levelCosts{l.Layer, l}
	}
	return l
}

// hasGap reports whether the gap of the level, which withCosts may have changed, is known.
func hasGap(l machine.Level) bool {
	if c, is := l.Layer.(levelCosts); is {
		l = c.level
	}
	return model.HasGap(l.Layer)
}

// levelCosts is a level's layer with the overheads of the level, and the gap that these leave.
type levelCosts struct {
	model.Layer
	level machine.Level
}

func (c levelCosts) Gap(n quantity.Bytes) quantity.Micros { return c.level.Cost(n).Gap }

func (c levelCosts) Overheads(n quantity.Bytes) (send, receive quantity.Micros) {
	cost := c.level.Cost(n)
	return cost.Send, cost.Receive
}

// Sizes is the range of message sizes that the file must serve, from Low to High ≥ Low ≥ 1 B.
type Sizes struct{ From, To quantity.Bytes }

// grid returns Low, High, and four sizes per doubling between them.
func (s Sizes) grid() []quantity.Bytes {
	sizes := []quantity.Bytes{s.From}
	for x := 1; ; x++ {
		n := quantity.Bytes(math.Round(float64(s.From) * math.Exp2(float64(x)/4)))
		if n >= s.To {
			break
		}
		// Among a few bytes rounding gives a size twice.
		if n > sizes[len(sizes)-1] {
			sizes = append(sizes, n)
		}
	}
	if s.To > s.From {
		sizes = append(sizes, s.To)
	}
	return sizes
}

// dense returns Low, High, and the sizes between them at steps of a byte or, above 4 KiB, of at
// most n/4096. Errors are promised over these, since the steps of packets lie between those of a
// grid.
func (s Sizes) dense() (sizes []quantity.Bytes) {
	for n := s.From; n < s.To; n += max(1, quantity.Bytes(math.Floor(float64(n)/4096))) {
		sizes = append(sizes, n)
	}
	return append(sizes, s.To)
}

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

// lose notes a property that the format cannot represent.
func (f *File) lose(format string, args ...any) {
	f.Lost = append(f.Lost, fmt.Sprintf(format, args...))
}

// loseInnerLevels notes the levels that a format of one level leaves out.
func (f *File) loseInnerLevels(m Machine) {
	for _, l := range m.Levels[:len(m.Levels)-1] {
		f.lose("the level %s: messages inside it cost as much as those between its units", l.Name)
	}
}

// loseCurvature notes the relative error off of one line for all sizes if it exceeds 0.05 %.
func (f *File) loseCurvature(off float64, s Sizes) {
	if off > 0.0005 {
		f.lose("one straight line represents the times of all sizes: "+
			"from %s to %s it is off by up to %s", s.From, s.To, percent(off))
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
	// The logarithm below has no value at 0.
	if x <= 0 {
		return "0 %"
	}
	// 1e-6 keeps floating-point noise from raising an error of exactly two digits to the next.
	digit := math.Pow10(int(math.Floor(math.Log10(100*x))) - 1)
	return fmt.Sprintf("%.2g %%", digit*math.Ceil(100*x/digit-1e-6))
}

// number formats x with seven significant digits, which is more than measurements have.
func number(x float64) string { return fmt.Sprintf("%.7g", x) }
