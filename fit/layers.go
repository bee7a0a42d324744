package fit

import (
	"fmt"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/platforms"
)

// Layers completes l, a layer, by the lines of the result, as the command "fit --save" writes it;
// their gaps may be unknown. A switch of several lines refers to its branches by name, so each line
// becomes a layer of its own, whose name begins with part and whose source begins with from. The
// parts of a layer agree in what their times are of ([platforms] refuses others). The errors are
// those of Layer.
func (r *Result) Layers(l platforms.Layer, gapUnknown bool, part, from string) (
	[]platforms.Layer, error) {

	lines, err := r.Lines()
	if err != nil {
		return nil, err
	}
	l.Model = lines
	switch lines := lines.(type) {
	case *model.Table:
		lines.GapUnknown = gapUnknown
	case *model.Switch:
		all := []platforms.Layer{l}
		for k := range lines.Branches {
			b := &lines.Branches[k]
			s := &r.Segments[k]
			b.Name = fmt.Sprintf("%s-%d", part, k+1)
			one := platforms.Layer{Name: b.Name, Timed: l.Timed,
				Source: fmt.Sprintf("%ssizes from %s to %s", from, s.From, s.To)}
			s.become(&one, gapUnknown)
			all = append(all, one)
		}
		return all, nil
	default:
		r.Segments[0].become(&l, gapUnknown)
	}
	return []platforms.Layer{l}, nil
}

// become makes the line the layer's model, with its intervals. The correlation of β and τ is saved
// because both are from the same points: if the line starts higher it rises less. Sampled without
// it, a prediction's interval would be too wide. It has a meaning only beside two
// intervals.
func (s *Segment) become(l *platforms.Layer, gapUnknown bool) {
	line := s.Line()
	line.GapUnknown = gapUnknown
	l.Model, l.Params = &line, s.Params(l.Name, "")
	if platforms.HalfWidth(s.Tau) > 0 {
		l.Correlation = s.Correlation
	}
}

// Params returns the intervals of β and τ as parameters of a layer or a stage.
func (s *Segment) Params(owner, source string) []platforms.Param {
	return []platforms.Param{
		{Owner: owner, Key: "beta", PlusMinus: platforms.HalfWidth(s.Beta), Source: source},
		{Owner: owner, Key: "tau", PlusMinus: platforms.HalfWidth(s.Tau), Source: source},
	}
}
