package whatif

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
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
	all := &Landmarks{Case: q.Case, peak: peak.Text(q.Units)}
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
	if !slices.ContainsFunc(all.All, func(l Landmark) bool { return l.Sampled }) {
		all.noInterval = d.noInterval(nil)
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

// A Threshold is where a layer switches between two ways to send.
type Threshold struct {
	Path         string         // of the parameter, "layer.system-buffer.branches.0.up_to"
	Below, Above string         // the branches
	InUse        quantity.Bytes // the largest size that Below serves
	// Suggested is the crossing nearest to InUse at which Above overtakes Below. If Crosses is
	// false, it never does. Better is the faster one at InUse.
	Suggested model.Crossing
	Crosses   bool
	Better    string
	// Gains are the sizes that Below serves and Above would send faster, up to InUse.
	Gains []Gain
}

// A Gain is what a message of one size takes on both sides of a threshold.
type Gain struct {
	Size         quantity.Bytes
	Below, Above quantity.Micros
}

// gains returns the sizes in powers of two down from the threshold, but not down to the previous
// one, as long as the upper branch is faster by more than a user hardly notices. In ascending
// order, at most maxGains.
func gains(below, above model.Layer, previous, inUse quantity.Bytes) (all []Gain) {
	for n := inUse; n > previous && n >= 1 && len(all) < maxGains; n = quantity.Bytes(
		math.Floor(float64(n / 2))) {
		g := Gain{n, below.OneWay(n), above.OneWay(n)}
		if g.Above > g.Below*0.95 {
			break
		}
		all = append(all, g)
	}
	slices.Reverse(all)
	return all
}

// maxGains is the number of sizes that fit a line.
const maxGains = 4

// Thresholds returns the thresholds of the layer in ascending order if it is a
// switch; a switch to the least of its branches (Least) has none. The lines of the
// model decide, not a measured curve: it has no branches.
func (d Design) Thresholds() []Threshold {
	s, ok := model.LinesOf(d.Layer.Model).(*model.Switch)
	if !ok || s.Least {
		return nil
	}
	var all []Threshold
	for i, b := range s.Branches[:len(s.Branches)-1] {
		above := s.Branches[i+1]
		path := fmt.Sprintf("layer.%s.branches.%d.up_to", d.Layer.Name, i)
		t := Threshold{Path: path, Below: b.Name, Above: above.Name, InUse: b.UpTo}
		// A switch to a larger size helps where the upper branch overtakes: only
		// crossings in that direction count. Of several, the nearest to the present
		// threshold is the smallest change.
		t.Suggested,
			t.Crosses = nearestCrossing(model.Crossings(b.Layer, above.Layer, 1, model.MaxCrossing),
			true, t.InUse)
		if !t.Crosses {
			t.Better = b.Name
			if above.Layer.OneWay(t.InUse) < b.Layer.OneWay(t.InUse) {
				t.Better = above.Name
			}
		}
		previous := quantity.Bytes(0)
		if i > 0 {
			previous = s.Branches[i-1].UpTo
		}
		t.Gains = gains(b.Layer, above.Layer, previous, t.InUse)
		all = append(all, t)
	}
	return all
}

// sizeInterval returns the interval of [SizeFor].
func (d Design) sizeInterval(part float64, s Sampling) (quantity.Interval, error) {
	n, _ := model.SizeFor(d.Layer.Model, part, 0)
	in, _, err := s.sizes(float64(n), []Design{d},
		func(of []platforms.Costs) (quantity.Bytes, bool) {
			return model.SizeFor(of[0].Layer, part, 0.001) // far less than the interval
		})
	return in, err
}

// thresholdInterval returns the interval of the suggested size of threshold i of
// [Design.Thresholds], and the share of samples whose costs cross at all.
func (d Design) thresholdInterval(i int, s Sampling) (quantity.Interval, float64, error) {
	t := d.Thresholds()[i]
	return s.sizes(float64(t.Suggested.Size), []Design{d},
		func(of []platforms.Costs) (quantity.Bytes, bool) {
			branches := model.LinesOf(of[0].Layer).(*model.Switch).Branches
			x, ok := nearestCrossing(model.Crossings(branches[i].Layer, branches[i+1].Layer, 1,
				model.MaxCrossing), true, t.Suggested.Size)
			return x.Size, ok
		})
}
