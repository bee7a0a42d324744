package platforms

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/internal/forecast"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model"
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

// Find returns the parameter of the design that name stands for: its path, or an end of its path
// ("host-dma.tau", "o_r", "node.lanes"), or the kind of its layer's model and its key ("logp.o_r";
// loggp counts as logp), or a link that is one parameter ("network.link"). The window of a
// fragmented layer answers to credits too. It is an error if name fits none, or several.
func (d Design) Find(name string) (Param, error) {
	if _, err := d.Platform.Layer(d.Platform.Default); len(d.Platform.Layers) == 0 {
		return Param{}, err
	}
	uses := d.Uses()
	found, of := d.Platform.named(uses, name)
	if len(found) == 1 && of == "" {
		return found[0], nil
	}
	if of != "" {
		return Param{}, fmt.Errorf("%q is a parameter of each branch of %s, which serve different "+
			"sizes; write one of %s", name, of, strings.Join(paths(found), ", "))
	}
	if link := d.Platform.linkOf(d.domain(), name); len(found) == 0 && len(link) > 0 {
		if len(link) > 1 {
			return Param{}, fmt.Errorf("%q stands for %s; write one of them", name,
				strings.Join(paths(link), ", "))
		}
		return link[0], nil
	}
	if len(found) > 1 {
		return Param{}, fmt.Errorf("%q matches several parameters: %s; write one of them",
			name, strings.Join(paths(found), ", "))
	}
	what := d.Asked() + "/" + d.Layer.Name
	if d.domain().levels {
		what = d.Asked()
	}
	if err := d.elsewhere(what, name, uses); err != nil {
		return Param{}, err
	}
	if of := model.KindOf(model.LinesOf(d.Layer.Model)).Aliases[name]; of != nil {
		// In a file o stands for o_s and o_r, which are two parameters from then on.
		return Param{}, fmt.Errorf("%q stands for %s; change each of them",
			name, strings.Join(of, " and "))
	}
	key := name[strings.LastIndexByte(name, '.')+1:]
	if row := levelKind.find(key); row != nil && row.number != nil &&
		d.domain().levels {
		return Param{}, fmt.Errorf("%s has no parameter %q; write %s into the table of a level, "+
			"where it can then be changed", what, name, key)
	}
	var ends []string
	for _, q := range uses {
		for rest, more := q.Path, true; more; _, rest, more = strings.Cut(rest, ".") {
			if _, err := strconv.Atoi(rest); err != nil { // an index alone is no name
				ends = append(ends, rest)
			}
		}
	}
	hint := cmp.Or(askedFor(name, ends), usage.Hint(name, ends))
	if hint == "" || strings.HasPrefix(hint, "; choose from") { // names and not ends of names
		hint = "; choose from " + d.choices(uses)
	}
	return Param{}, fmt.Errorf("%s has no parameter %q%s", what, name, hint)
}

// maxChoices is the number of letters up to which an error lists parameters by their paths.
const maxChoices = 160

// choices lists the parameters by their paths. Of many, it lists their keys, which [Design.Find]
// takes wherever a key is of one parameter, and says how to see the rest.
func (d Design) choices(uses []Param) string {
	if text := strings.Join(paths(uses), ", "); len(text) <= maxChoices {
		return text
	}
	var keys []string
	for _, p := range uses {
		if !slices.Contains(keys, p.Key) {
			keys = append(keys, p.Key)
		}
	}
	return fmt.Sprintf("%s; halfpeak platforms show %s has their full names",
		strings.Join(keys, ", "), d.Asked())
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

// elsewhere returns an error if name fits parameters that the platform has, but on which the design
// does not depend: a change there would have no effect, and say nothing. It names questions that
// depend on them.
func (d Design) elsewhere(what, name string, uses []Param) error {
	p := d.Platform
	if d.from != nil { // which still has the layers that the changes left out
		p = *d.from
	}
	all, _ := p.uses(domain{layer: d.Layer.Name, levels: len(p.Levels) > 0, work: true})
	if found, of := p.named(all, name); len(found) > 0 {
		ways := []string{"a collective or a schedule on " + d.Asked()}
		if found[0].Table == "layer" {
			ways = append([]string{d.Asked() + "/" + cmp.Or(of, found[0].Owner)}, ways...)
		}
		return fmt.Errorf("%s has no effect on messages of %s; ask about %s",
			strings.Join(paths(found), ", "), what, strings.Join(ways, ", or about "))
	}
	if other := matching(p.Params, name); len(other) > 0 {
		return fmt.Errorf("%s has no effect on %s; these have: %s",
			strings.Join(paths(other), ", "), what, strings.Join(paths(uses), ", "))
	}
	return nil
}

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
