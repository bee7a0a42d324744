package study

import (
	"fmt"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/platforms"
)

// A Way says which level of a machine a message crosses: by its name, or by two different ranks,
// one on each core. The zero value says nothing.
type Way struct {
	Level    string
	From, To int
	Given    bool // From and To are given, even if both are 0
}

// Of returns the layer of the design that the message crosses. The error of a machine whose level
// is not said lists its levels.
func (w Way) Of(d platforms.Design) (platforms.Design, error) {
	levels := d.Platform.Levels
	names := list.Map(levels, func(l platforms.Level) string { return l.Name })
	at := slices.Index(names, w.Level)
	var err error
	switch {
	case !d.Whole && w == Way{}:
		return d, nil
	case !d.Whole:
		err = fmt.Errorf("%s is one layer, without levels", d.Layer.Ref())
	case w.Level != "" && at < 0:
		err = fmt.Errorf("%s has no level %q%s", d.Name(), w.Level, usage.Hint(w.Level, names))
	case w.Level != "" && w != Way{Level: w.Level}:
		err = fmt.Errorf("level %s, and ranks %d and %d; give the level or the ranks", w.Level,
			w.From, w.To)
	case w.Level != "":
	case w.From == w.To && w.Given:
		err = fmt.Errorf("a message of rank %d to itself crosses no level; give two ranks of %s",
			w.From, d.Name())
	case w.From == w.To:
		err = fmt.Errorf("%s is a machine of levels; name the one that the message crosses "+
			"(%s), or its two ranks", d.Name(), strings.Join(names, ", "))
	default:
		machine := d.Machine()
		if n := machine.Cores(); min(w.From, w.To) < 0 || max(w.From, w.To) >= n {
			err = fmt.Errorf("ranks %d and %d; %s has ranks 0 to %d", w.From, w.To, d.Name(), n-1)
			break
		}
		for i, size := range machine.Sizes() {
			if at = i; w.From/size == w.To/size {
				break
			}
		}
	}
	if err != nil {
		return d, usage.Fields(err, "level", "from", "to")
	}
	layer, err := d.Platform.Layer(levels[at].LayerName("layer"))
	if layer.Name == d.Layer.Name {
		layer = d.Layer // perhaps cut otherwise
	}
	d.Layer, d.Whole = layer, false
	return d, err
}
