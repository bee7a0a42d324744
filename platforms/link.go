package platforms

import (
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/model/quantity"
)

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
