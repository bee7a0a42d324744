package platforms

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

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

// kindNames and keyNames are further names of kinds and of keys, under which parameters are found.
var (
	// LogGP is LogP with a gap per byte (Alexandrov et al., 1995), so logp.o_r finds both.
	kindNames = map[string]string{"loggp": "logp"}
	// The window counts credits: a piece takes one until its receiver returns it.
	keyNames = map[string]string{"credits": "window"}
)

// matching returns the parameters that a name may stand for; one alone if the name is a whole path.
func matching(params []Param, name string) []Param {
	key := name[strings.LastIndexByte(name, '.')+1:]
	table := strings.TrimSuffix(strings.TrimSuffix(name, key), ".")
	if other, ok := keyNames[key]; ok {
		name = strings.TrimSuffix(name, key) + other
		key = other
	}
	var found []Param
	for _, q := range params {
		if q.Path == name {
			return []Param{q}
		}
		isKind := table != "" && q.Key == key && (q.Kind == table || kindNames[q.Kind] == table)
		if isKind || strings.HasSuffix(q.Path, "."+name) {
			found = append(found, q)
		}
	}
	return found
}

// named returns the parameters that a name may stand for. If these are one key of several branches
// of a layer, of names the layer: "network.tau", or "G" of LogGP by protocols.
func (p Platform) named(params []Param, name string) (found []Param, of string) {
	found = matching(params, name)
	table, key := "", name
	if at := strings.LastIndexByte(name, '.'); at >= 0 {
		table, key = strings.TrimPrefix(name[:at], "layer."), name[at+1:]
	}
	for _, l := range p.Layers {
		// Without all branches, params are those of a branch alone.
		missing := func(part string) bool {
			return !slices.ContainsFunc(params, func(q Param) bool { return q.Owner == part })
		}
		if l.Kind != "switch" || len(found) == 0 && l.Name != table || len(found) == 1 ||
			slices.ContainsFunc(l.Parts, missing) {
			continue
		}
		notOfBranch := func(q Param) bool {
			return q.Table != "layer" || q.Key != key || !slices.Contains(l.Parts, q.Owner)
		}
		if len(found) == 0 {
			all := slices.DeleteFunc(slices.Clone(params), notOfBranch)
			if len(all) > 0 {
				return all, l.Name
			}
		}
		// A name of several parameters that are not all of one layer's branches is ambiguous.
		if len(found) > 1 && !slices.ContainsFunc(found, notOfBranch) {
			return found, l.Name
		}
	}
	return found, ""
}

// paths returns the paths of parameters, for an error that lists them.
func paths(params []Param) []string {
	return list.Map(params, func(p Param) string { return p.Path })
}

// linkWords end the name of a link, as in "network.link": all that stands for the rate of one link.
var linkWords = []string{".link", ".bandwidth"}

// levelLinkKeys are the keys of a level whose layers have the rate of its link.
var levelLinkKeys = []string{"layer", "link", "local", "global"}

// linkOf returns the times per byte and the rates that stand for a link, which is named after its
// layer or level: those of the layer and, on a machine of levels, of all layers of the level that
// it connects, and of the ports by which a message leaves the level inside for it. Overheads per
// byte are of processors.
func (p Platform) linkOf(asked domain, name string) (all []Param) {
	at := slices.IndexFunc(linkWords, func(w string) bool { return strings.HasSuffix(name, w) })
	if at < 0 {
		return nil
	}
	name = strings.TrimPrefix(strings.TrimSuffix(name, linkWords[at]), "layer.")
	layers := []string{name}
	if asked.levels {
		for i, l := range p.Levels {
			if l.Name != strings.TrimPrefix(name, "level.") && l.LayerName("layer") != name {
				continue
			}
			for _, key := range levelLinkKeys {
				layers = append(layers, l.Layers[key]...)
			}
			if i > 0 {
				layers = append(layers, p.Levels[i-1].Layers["port"]...)
			}
		}
	}
	uses, err := p.uses(asked)
	if err != nil {
		return nil
	}
	for _, layer := range layers {
		if p.composition.layers[layer] == nil {
			continue
		}
		of, _ := p.uses(domain{layer: layer}) // the layer is there
		for _, q := range of {
			same := func(r Param) bool { return r.Path == q.Path }
			if (q.Value.Dim == quantity.DimInverse || q.Value.Dim == quantity.DimRate) &&
				q.Table != "constant" && !strings.HasPrefix(q.Key, "O") &&
				slices.ContainsFunc(uses, same) && !slices.ContainsFunc(all, same) {
				all = append(all, q)
			}
		}
	}
	return all
}

// inverse returns the operator by which a time per byte changes if the rate changes by one.
func inverse(operator byte) byte {
	if operator == '*' {
		return '/'
	}
	return '*'
}

// askedFor returns which of the parameters changes a quantity that is not a parameter itself, and
// how; "" if none does.
func askedFor(quantity string, params []string) string {
	for _, row := range []struct{ quantity, param, text string }{
		{"bandwidth", "G", "twice the bandwidth"}, {"bandwidth", "tau", "twice the bandwidth"},
		{"latency", "L", "half the latency"}, {"latency", "beta", "half the latency"}} {
		if row.quantity == quantity && slices.Contains(params, row.param) {
			return fmt.Sprintf("; %s is %s*=0.5", row.text, row.param)
		}
	}
	return ""
}
