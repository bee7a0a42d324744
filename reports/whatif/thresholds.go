package whatif

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// A ThresholdQuestion asks for the sizes at which something begins: n½, the size that reaches 90 %
// of r∞, and those at which the layer's protocols should switch.
type ThresholdQuestion struct {
	Case
	Sampling Sampling
}

// Landmarks are these sizes.
type Landmarks struct {
	Case
	All  []Landmark
	peak string // the layer's, in words
	// noInterval says what is known of the error of sizes without an interval.
	noInterval string
}

// Figure returns nil.
func (m *Landmarks) Figure() (table.Picture, error) { return nil, nil }

// A Landmark is a size that a user looks for in a curve: the one that reaches a part of r∞, or at
// which a protocol should switch.
type Landmark struct {
	Part      float64        // of r∞; 0: it is a threshold
	Threshold Threshold      // if it is one
	Size      quantity.Bytes // 0: none
	// Within is Size in bytes with a 95 % interval by those of the parameters if Sampled. Otherwise
	// both sides of a threshold are within 5 % there, so that the choice does not matter.
	Within  quantity.Interval
	Sampled bool
	// Never is the part of samples in which the two sides of a threshold do not cross; from 2.5 %
	// on, Within is that of the others, and no 95 % interval.
	Never float64
}

func (q ThresholdQuestion) Ask(ctx context.Context) (*Landmarks, error) {
	d, by := q.After, q.Sampling.in(ctx)
	peak := d.Layer.Peak()
	all := &Landmarks{Case: q.Case, peak: peak.Text(q.Units), noInterval: d.noInterval(nil)}
	for _, part := range []float64{0.5, 0.9} {
		l := Landmark{Part: part}
		if size, ok := model.SizeFor(d.Layer.Model, part, 0); ok && peak.Known {
			l.Size = size
			in, err := d.sizeInterval(part, by)
			if err := l.sample(in, err); err != nil {
				return nil, err
			}
		}
		all.All = append(all.All, l)
	}
	for i, t := range d.Thresholds() {
		l := Landmark{Threshold: t}
		if t.Crosses {
			l.Size, l.Within = t.Suggested.Size, t.Suggested.Near
			in, crosses, err := d.thresholdInterval(i, by)
			if err := l.sample(in, err); err != nil {
				return nil, err
			}
			if l.Sampled {
				l.Never = 1 - crosses
			}
		}
		all.All = append(all.All, l)
	}
	if slices.ContainsFunc(all.All, func(l Landmark) bool { return l.Sampled }) {
		all.noInterval = ""
	}
	return all, nil
}

// sample takes an interval of the size. A landmark without one is no error.
func (l *Landmark) sample(in quantity.Interval, err error) error {
	if err == nil {
		in.Low, in.High = math.Round(in.Low), math.Round(in.High)
		l.Within, l.Sampled = in, true
	}
	if errors.Is(err, ErrExact) {
		return nil
	}
	return err
}
