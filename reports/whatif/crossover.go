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
