package platforms

import (
	"cmp"
	"fmt"

	"github.com/halfpeak/halfpeak/internal/forecast"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Design is a layer of a platform, as it is or with parameters changed.
type Design struct {
	Platform Platform
	Layer    Layer // one of the platform's
	Whole    bool  // no layer was named: ranks run on all levels of the platform
	// Ranks says that the design is asked about programs of ranks, not about single messages: its
	// parameters are then those of all levels, if it is whole, and of the local work of ranks.
	Ranks   bool
	Changes []Assignment // from the platform's file to here, in order
	from    *Platform    // as it was before the first change; nil: unchanged
	named   bool         // a layer was named
}

// Design returns the design of the platform's layer of that name. An empty name stands for the
// default layer or, if the platform has levels, for the machine of all its layers. A platform with
// measured collectives needs no layer: its design then answers nothing else.
func (p Platform) Design(layer string) (d Design, err error) {
	d = Design{Platform: p, Whole: len(p.Levels) > 0 && layer == "", named: layer != ""}
	d.Layer, err = p.Layer(cmp.Or(layer, p.Default))
	if !d.named && len(p.Collectives) > 0 {
		err = nil
	}
	return d, err
}

// Machine returns the machine of the platform's levels, or one without levels if ranks run on the
// layer alone.
func (d Design) Machine() machine.Machine {
	if !d.Whole {
		return machine.Machine{}
	}
	// It is there: With sets Whole to false if it leaves out layers of levels.
	m, _ := d.Platform.Machine()
	return m
}

// Name returns the name of the platform, or of the layer, that the design's ranks run on.
func (d Design) Name() string {
	if d.Whole || d.Layer.Name == "" { // of levels, or of measured collectives alone
		return d.Platform.Name
	}
	return d.Layer.Ref()
}

// Uses returns the parameters that the design's costs depend on.
func (d Design) Uses() []Param {
	all, _ := d.Platform.uses(d.domain()) // its layers are there
	return all
}

// domain returns the domain of the design's questions.
func (d Design) domain() domain {
	return domain{layer: d.Layer.Name, levels: d.Ranks && d.Whole, work: d.Ranks}
}

// Collectives returns the measurements of a collective that answer for the design: those of its
// platform's file, unless a layer was named, or the design was changed. They are of the whole
// machine as it was.
func (d Design) Collectives(name string) (all []MeasuredCollective) {
	if d.named || len(d.Changes) > 0 {
		return nil
	}
	for _, c := range d.Platform.Collectives {
		if c.Of.Collective == name {
			all = append(all, c)
		}
	}
	return all
}

// Asked returns the platform's name or path as commands take it.
func (d Design) Asked() string { return d.Platform.asked() }

// An Assignment is a change that was made to a parameter.
type Assignment struct {
	Text     string // as asked: "host-dma.tau*=0.5"
	Path     string
	From, To string // as people read values: "7.6 µs/KiB", "3.8 µs/KiB"
}

// With returns the design with some parameters changed. Layers on which it does not depend are left
// out. If it is asked about messages, these include the layers of a machine's other levels, and its
// ranks run on the layer alone.
func (d Design) With(changes ...Change) (Design, error) {
	p, err := d.Platform.with(d.domain(), changes...)
	if err != nil {
		return d, err
	}
	l, err := p.Layer(d.Layer.Name)
	d.Platform, d.Layer, d.Whole = p, l, d.Whole && d.Ranks
	return d, err
}

// Encode returns the platform with the design's changes as a platform file, below the comment; see
// [Platform.Encode]. It has all layers and levels, or if a layer was named and changed, that layer
// and what it is made of. A changed platform has no measured collectives, which are of the machine
// as it was. It is an error if another layer cannot have the changed values.
func (d Design) Encode(comment string) ([]byte, error) {
	if len(d.Changes) == 0 {
		return d.Platform.Encode(comment), nil
	}
	p := d.Platform
	if !d.named {
		of := domain{layer: d.Layer.Name, all: true, levels: len(d.from.Levels) > 0, work: true}
		if of.levels { // the layer may be that of a level, which a message crosses
			of.layer = d.from.Default
		}
		var changes []Change
		for _, made := range d.Changes {
			now := p.composition.find(made.Path)
			changes = append(changes, Change{now.Path, now.Text, now.Value, now.PlusMinus})
		}
		var err error
		if p, err = d.from.with(of, changes...); err != nil {
			return nil, fmt.Errorf("%w; to save one layer alone, name it, as in %s", err,
				d.Asked()+"/"+d.Layer.Name)
		}
	}
	p.Collectives = nil
	return p.Encode(comment), nil
}

// Forecast returns the next measurement of n bytes in a design, see [Layer.Next]; nil if the design
// was not fitted, was changed since, or was fitted to points that make no curve.
func (d Design) Forecast(n quantity.Bytes) *forecast.Forecast {
	if len(d.Changes) > 0 {
		return nil
	}
	next, _ := d.Layer.Next(n)
	return next
}

// Forecastable reports whether the next measurement of a design can be predicted.
// Points make a curve for all sizes or for none, so that 1 byte stands for all.
func (d Design) Forecastable() bool { return d.Forecast(1) != nil }
