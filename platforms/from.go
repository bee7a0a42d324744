package platforms

import (
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/model"
)

// taking returns the tables of the default layer and of all that it is made of, for a file where
// the layer has another name. The names of the other tables begin with that name, so that two
// layers taken from one file do not collide. Values that are computed from others become numbers,
// so that no constants are needed.
func (p Platform) taking(name string) []Table {
	d := p.Document()
	for i := range p.composition.slots {
		// Constants stay behind, and a formula that names one could not be read in the new file.
		if s := &p.composition.slots[i]; len(s.reads()) > 0 {
			d.change(s)
		}
	}
	var tables []Table
	used := map[string]bool{} // by kind and former name
	rename := func(kind, old string) string {
		used[kind+"."+old] = true
		if kind == "layer" && old == p.Default {
			return name
		}
		return name + "-" + old
	}
	for _, t := range d.tables("layer") {
		layer := t
		layer.Name, layer.Keys = rename("layer", t.Name), renamed(t.Keys, rename)
		// The layer itself comes first: it replaces the one that names it, and only the names of
		// the tables behind it can collide with the file's.
		at := len(tables)
		if t.Name == p.Default {
			at = 0
		}
		tables = slices.Insert(tables, at, layer)
	}
	for _, t := range d.Tables {
		if t.Kind != "layer" && used[t.Kind+"."+t.Name] {
			t.Name = rename(t.Kind, t.Name)
			tables = append(tables, t)
		}
	}
	return tables
}

// renamed returns the keys of a layer with other names of the tables that it refers to.
func renamed(keys []Key, rename func(kind, old string) string) []Key {
	k, _ := model.FindKind(text(keys, "model"))
	parts := list.Map(k.Parts, func(p model.Part) string { return p.Key })
	all := func(kind string, names []string) []string {
		return list.Map(names, func(name string) string { return rename(kind, name) })
	}
	return list.Map(keys, func(key Key) Key {
		switch v := key.Value.(type) {
		case string:
			if key.Name == "protocol" || key.Name == "measured" {
				key.Value = rename(key.Name, v)
			} else if slices.Contains(parts, key.Name) {
				key.Value = rename("layer", v)
			}
		case []string:
			// Both list tables whose kind is the key in the singular: [stage.NAME], [roof.NAME].
			if key.Name == "stages" || key.Name == "roofs" {
				key.Value = all(strings.TrimSuffix(key.Name, "s"), v)
			}
		case [][]Key:
			// Branches are the only lists of inline tables.
			key.Value = list.Map(v, func(branch []Key) []Key {
				branch = slices.Clone(branch)
				set(&branch, "layer", rename("layer", text(branch, "layer")))
				return branch
			})
		}
		return key
	})
}
