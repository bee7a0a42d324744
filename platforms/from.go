package platforms

import (
	"maps"
	"slices"
)

// taking returns the tables of the default layer and of all that it is made of, for a file where
// the layer has another name. The names of the other tables begin with that name, so that two
// layers taken from one file do not collide. Values that are computed from others become numbers,
// so that no constants are needed.
func (p Platform) taking(name string) File {
	f := p.File()
	tables := f.byPath()
	for _, q := range p.composition.params {
		// Constants stay behind, and a formula that names one could not be read in the new file.
		if len(q.reads()) > 0 {
			q.write(tables)
		}
	}
	used := map[string]bool{} // by path with the former name
	rename := func(kind, old string) string {
		used[kind+"."+old] = true
		if kind == "layer" && old == p.Default {
			return name
		}
		return name + "-" + old
	}
	for i := range f.Layers {
		f.Layers[i].rename(rename)
	}
	// The layer itself comes first, in the place of the one that names it.
	i := slices.IndexFunc(f.Layers, func(t Table) bool { return t.Name == name })
	taken := File{Layers: slices.Concat(f.Layers[i:i+1], f.Layers[:i], f.Layers[i+1:])}
	for i := range f.Measured {
		if t := &f.Measured[i]; t.Text("layer") != "" {
			t.Keys = maps.Clone(t.Keys)
			t.Set("layer", rename("layer", t.Text("layer")))
		}
	}
	for _, k := range tableKinds {
		for _, t := range *k.of(&f) {
			if k != layerKind && used[k.name+"."+t.Name] {
				t.Name = rename(k.name, t.Name)
				*k.of(&taken) = append(*k.of(&taken), t)
			}
		}
	}
	return taken
}
