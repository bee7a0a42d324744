package whatif

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/internal/study"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// A Crossover lists the sizes at which one layer overtakes another, and says of the
// pairs that never cross which one is faster.
type Crossover struct {
	Overtakings []Overtaking
	Notes       []remark.Note // the pairs without a crossing
}

// An Overtaking is the size up to which one of two layers is faster one way; beyond it, the other
// layer is.
type Overtaking struct {
	Below, Beyond string // the faster layers
	model.Crossing
	// Interval holds the size with 95 % probability, by the intervals of the parameters or of the
	// next measurements. Probability is the probability that the two cross there at all; NaN
	// without an interval.
	Interval    quantity.Interval
	Probability float64
	few         string // why a fit has no interval
}

// A CrossoverQuestion asks for the sizes at which one layer overtakes another, for all pairs of
// layers, from 1 byte to [model.MaxCrossing]. A machine of levels is an error: it has several
// layers.
type CrossoverQuestion struct {
	Designs  []platforms.Design
	Sampling *Sampling // nil: without intervals
}

func (q CrossoverQuestion) Ask(ctx context.Context) (*Crossover, error) {
	var layers []platforms.Design
	for _, d := range q.Designs {
		err := d.Messages()
		if err == nil {
			d, err = study.Way{}.Of(d)
		}
		if err != nil {
			return nil, usage.Error{Err: err}
		}
		layers = append(layers, d)
	}
	if q.Sampling != nil {
		by := q.Sampling.in(ctx)
		q.Sampling = &by
	}
	c := &Crossover{}
	for i, b := range layers {
		for _, a := range layers[:i] {
			if err := c.addPair(Of(a), Of(b), q.Sampling); err != nil {
				return nil, err
			}
		}
	}
	for _, d := range layers {
		c.beyond(d.Layer)
	}
	if len(c.Overtakings) > 0 && slices.ContainsFunc(layers, platforms.Design.Forecastable) {
		c.Notes = append(c.Notes, remark.FittedCrossings())
	}
	return c, nil
}

// addPair adds the crossings of two layers, or says which is faster. Without sampling there are no
// intervals. Designs without any uncertainty have none either, which is no error.
func (c *Crossover) addPair(a, b Design, sampling *Sampling) error {
	found := model.Crossings(a.Layer.Model, b.Layer.Model, 1, model.MaxCrossing)
	for _, at := range found {
		o := Overtaking{Below: a.Layer.Ref(), Beyond: b.Layer.Ref(), Crossing: at,
			Interval: quantity.Alone(at.Size), Probability: math.NaN(),
			few: cmp.Or(tooFew(a), tooFew(b))}
		if !at.Beyond {
			o.Below, o.Beyond = o.Beyond, o.Below
		}
		if sampling != nil {
			in, sure, err := crossingInterval(a, b, at, 1, model.MaxCrossing, *sampling)
			switch {
			case err == nil:
				o.Interval, o.Probability = in, sure
			case !errors.Is(err, ErrExact):
				return err
			}
		}
		c.Overtakings = append(c.Overtakings, o)
	}
	if len(found) == 0 {
		c.Notes = append(c.Notes, neverCross(a.Design, b.Design))
	}
	return nil
}

// crossingInterval returns the interval of a crossing of a and b between lo and hi,
// and the share of samples that cross there in the same direction. It is [ErrExact] if a fit has
// too few sizes for an interval. If one of the two
// was fitted, both are those of the next measurements; see [nextCrossing]. Fitted
// layers have 1,000 samples at most, as [Sampling.sizes].
func crossingInterval(a, b Design, c model.Crossing, lo, hi quantity.Bytes,
	s Sampling) (quantity.Interval, float64, error) {
	if tooFew(a)+tooFew(b) != "" {
		return quantity.Interval{}, 0, ErrExact
	}
	if a.Forecastable() || b.Forecastable() {
		s.Samples = min(s.Samples, 1000)
		return nextCrossing(a, b, c, model.CrossingSizes(a.Layer.Model, b.Layer.Model, lo, hi), s)
	}
	return s.sizes(float64(c.Size), []Design{a, b},
		func(of []platforms.Costs) (quantity.Bytes, bool) {
			x, ok := nearestCrossing(model.Crossings(of[0].Layer, of[1].Layer, lo, hi), c.Beyond,
				c.Size)
			return x.Size, ok
		})
}

// nextCrossing returns the interval of a crossing of next measurements, and its probability.
// Outside the interval one of the two is faster with a probability of at least 97.5 %. The
// probability of the crossing is a product, within the neighbouring crossings: the largest
// probability that the one is faster at some size below it, times the largest that the other is
// faster at some size above.
func nextCrossing(a, b Design, c model.Crossing, sizes []quantity.Bytes,
	s Sampling) (quantity.Interval, float64, error) {
	first, err := nextFaster(a, b, sizes, s)
	if err != nil {
		return quantity.Interval{}, 0, err
	}
	if !c.Beyond { // b is the faster one up to it
		for i, p := range first {
			first[i] = 1 - p
		}
	}
	in := quantity.Interval{Value: float64(c.Size), Low: float64(sizes[0]),
		High: float64(sizes[len(sizes)-1])}
	// Sizes up to the crossing are before it, those from one byte above on beyond.
	// The ends of the interval are the first sizes on each side at which one of the
	// two is faster with 97.5 %, so that both sides together leave 5 %.
	at, _ := slices.BinarySearch(sizes, c.Size+1)
	before, beyond := 0.0, 0.0
	// The walk ends at the neighbouring crossing, where the probability passes one
	// half.
	for i := at - 1; i >= 0 && first[i] >= 0.5; i-- {
		if before = max(before, first[i]); first[i] >= 0.975 {
			in.Low = float64(sizes[i])
			break
		}
	}
	for i := at; i < len(sizes) && first[i] <= 0.5; i++ {
		if beyond = max(beyond, 1-first[i]); first[i] <= 0.025 {
			in.High = float64(sizes[i])
			break
		}
	}
	return in, before * beyond, nil
}

// nearestCrossing returns the crossing in the direction of beyond whose size is
// nearest to one, by its logarithm. Two curves with switches cross several times; a
// changed parameter moves a crossing, and the nearest one of the same direction is
// taken for the same.
func nearestCrossing(all []model.Crossing, beyond bool, to quantity.Bytes) (c model.Crossing,
	found bool) {
	off := func(x model.Crossing) float64 { return math.Abs(math.Log(float64(x.Size / to))) }
	for _, x := range all {
		if x.Beyond == beyond && (!found || off(x) < off(c)) {
			c, found = x, true
		}
	}
	return c, found
}

// beyond says that a layer overtakes, or is overtaken, at a size outside of its measured ones.
func (c *Crossover) beyond(l platforms.Layer) {
	first, last, measured := l.MeasuredRange()
	for _, o := range c.Overtakings {
		of := o.Below == l.Ref() || o.Beyond == l.Ref()
		if measured && of && (o.Size < first || o.Size > last) {
			c.Notes = remark.Add(c.Notes, remark.ExtrapolatedCrossings(l.Ref(), first, last))
		}
	}
}

// neverCross names the layer of the two that is faster, at all sizes or at those at which they
// differ.
func neverCross(a, b platforms.Design) remark.Note {
	sizes := model.CrossingSizes(a.Layer.Model, b.Layer.Model, 1, model.MaxCrossing)
	equal, faster, slower := 0, a.Layer.Ref(), b.Layer.Ref()
	for _, n := range sizes {
		switch x, y := a.Layer.Model.OneWay(n), b.Layer.Model.OneWay(n); {
		case x == y:
			equal++
		case x > y: // at one size, and so at every other one
			faster, slower = b.Layer.Ref(), a.Layer.Ref()
		}
	}
	switch equal {
	case 0:
		return remark.FasterEverywhere(faster, slower)
	case len(sizes):
		return remark.SameCost(faster, slower)
	}
	return remark.NeverSlower(faster, slower)
}

// Sentences returns the overtakings in words; without any, the pairs that never cross. Three
// crossings and more of one pair that are near each other are one sentence: no size of them
// matters.
func (c *Crossover) Sentences() []string {
	var all []string
	for left := c.Overtakings; len(left) > 0; {
		n, o := 1, left[0]
		for n < len(left) && left[n].Near.Low == o.Near.Low && left[n].Near.High == o.Near.High &&
			left[n].Below == left[n-1].Beyond && left[n].Beyond == left[n-1].Below {
			n++
		}
		near := fmt.Sprintf("within 5 %% of each other from %s to %s", quantity.Bytes(o.Near.Low),
			quantity.Bytes(o.Near.High))
		if n > 2 {
			beyond := ""
			if o.Near.High < float64(model.MaxCrossing) {
				beyond = fmt.Sprintf("; %s is faster beyond", left[n-1].Beyond)
			}
			all = append(all, fmt.Sprintf("%s and %s are %s, and cross there %d times%s.", o.Below,
				o.Beyond, near, n, beyond))
			left = left[n:]
			continue
		}
		for i, o := range left[:n] {
			s := fmt.Sprintf("%s is faster up to %s", o.Below, o.Size)
			last := o // of those of the pair, each from where the one before ends
			for _, next := range left[i+1:] {
				if next.Below != last.Beyond || next.Beyond != last.Below {
					break
				}
				s += fmt.Sprintf(", %s up to %s", next.Below, next.Size)
				last = next
			}
			s += fmt.Sprintf(", %s beyond", last.Beyond)
			if i == 0 { // the range is said once
				s += "; " + near
			}
			if o.Interval.Known() {
				s += fmt.Sprintf("; 95 %% interval %s to %s", quantity.Bytes(o.Interval.Low),
					quantity.Bytes(o.Interval.High))
			} else if o.few != "" {
				s += "; " + o.few
			}
			all = append(all, s+".")
		}
		left = left[n:]
	}
	if len(all) == 0 {
		return remark.Texts(c.Notes[:1])
	}
	return all
}
