package message

import (
	"slices"

	"github.com/halfpeak/halfpeak/platforms"
)

// Levels returns the layers that messages of the design cross: those of each level of a machine,
// from inside out, or the layer that was named. A layer of several levels is there once. Each is
// followed by those that its level has for other states of memory, by their keys: relay and fresh.
func Levels(d platforms.Design, states ...string) (all []platforms.Design) {
	for _, level := range d.Platform.Levels {
		if !d.Whole && level.LayerName("layer") != d.Layer.Name {
			continue
		}
		for _, key := range append([]string{"layer"}, states...) {
			state := d
			var err error
			state.Layer, err = d.Platform.Layer(level.LayerName(key))
			same := func(of platforms.Design) bool {
				return of.Layer.Ref() == state.Layer.Ref()
			}
			// The platform has it, unless the level has no such state or a change left it out.
			if level.LayerName(key) == "" || err != nil || slices.ContainsFunc(all, same) {
				continue
			}
			if key == "layer" && state.Layer.Name == d.Layer.Name {
				state.Layer = d.Layer // perhaps cut otherwise
			}
			state.Whole = false
			all = append(all, state)
		}
	}
	// Of a layer that no level has.
	if len(all) == 0 {
		all = append(all, d)
	}
	return all
}
