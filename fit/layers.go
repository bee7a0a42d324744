package fit

import (
	"fmt"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/platforms"
)

// AddTo completes l, a layer, by the lines of the result, and adds it to the platform, as the
// command "fit --save" writes it; their gaps may be unknown. A switch of several lines refers to
// its branches by name, so each line becomes a layer of its own, whose name begins with part and
// whose source begins with from. The parts of a layer agree in what their times are of ([platforms]
// refuses others). The errors are those of Layer.
func (r *Result) AddTo(
	p *platforms.Platform, l platforms.Layer, gapUnknown bool, part, from string) error {

	lines, err := r.Lines()
	if err != nil {
		return err
	}
	l.Model = lines
	switch lines := lines.(type) {
	case *model.Table:
		lines.GapUnknown = gapUnknown
	case *model.Switch:
		p.Layers = append(p.Layers, l)
		for k := range lines.Branches {
			b := &lines.Branches[k]
			s := &r.Segments[k]
			b.Name = fmt.Sprintf("%s-%d", part, k+1)
			one := platforms.Layer{Name: b.Name, Timed: l.Timed,
				Source: fmt.Sprintf("%ssizes from %s to %s", from, s.From, s.To)}
			s.addTo(p, one, gapUnknown)
		}
		return nil
	default:
		r.Segments[0].addTo(p, l, gapUnknown)
		return nil
	}
	p.Layers = append(p.Layers, l)
	return nil
}

// addTo adds the layer with the line as its model, and the intervals of the line. The correlation
// of β and τ is saved because both are from the same points: if the line starts higher it rises
// less. Sampled without it, a prediction's interval would be too wide. It has a meaning only beside
// two intervals.
func (s *Segment) addTo(p *platforms.Platform, l platforms.Layer, gapUnknown bool) {
	line := s.Line()
	line.GapUnknown = gapUnknown
	l.Model = &line
	if platforms.HalfWidth(s.Tau) > 0 {
		l.Correlation = s.Correlation
	}
	p.Layers = append(p.Layers, l)
	p.Params = append(p.Params, s.Params("layer."+l.Name, "")...)
}

// Params returns the intervals of β and τ as parameters of a layer or a stage, by its path.
func (s *Segment) Params(path, source string) []platforms.Param {
	return []platforms.Param{
		{Path: path + ".beta", PlusMinus: platforms.HalfWidth(s.Beta), Source: source},
		{Path: path + ".tau", PlusMinus: platforms.HalfWidth(s.Tau), Source: source},
	}
}
