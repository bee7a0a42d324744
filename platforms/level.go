package platforms

import (
	"errors"
	"fmt"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// maxLevels bounds the levels of a machine.
const maxLevels = 32

// A levelSpec is a level with the names of its layers.
type levelSpec struct {
	LevelLayers
	name     string
	topology machine.Topology
}

// levelNumbers are the numbers of a level, in the order of [Level.Params].
var levelNumbers = []Param{
	{Key: "arity", Measure: model.Count, Phrase: "units of the next inner level"},
	{Key: "lanes", Measure: model.Plain, Phrase: "transfers inside at full speed at once"},
	{Key: "ports", Measure: model.Plain, Phrase: "transfers out, and in, at full speed at once"},
	{Key: "eager_threshold", Measure: model.Size, Phrase: "largest message that does not wait for its receive"},
	{Key: "packet", Measure: model.Size, Phrase: "largest message that does not have fair shares"},
	{Key: "reverse", Measure: model.Plain, Phrase: "part of the opposite direction that a message takes"},
	{Key: "crowd", Measure: model.Time, Phrase: "more time of sender and receiver, each, among many ranks"},
	{Key: "hop", Measure: model.Time, Phrase: "latency of each link beyond the shortest route"},
	{Key: "routes", Measure: model.Count, Phrase: "links of a port, by receivers"},
}

var levelFields = func() map[string]Param {
	fields := map[string]Param{}
	for _, p := range levelNumbers {
		fields[p.Key] = p
	}
	return fields
}()

// CheckLevelName says why a level cannot have a name, or is nil.
func CheckLevelName(name string) error {
	if name == machine.ByCore {
		return errors.New("core is the innermost place, which holds one rank; choose another name")
	}
	return checkName(name)
}

func (b *builder) levelTables() {
	tables := b.sections("level")
	if len(tables) > maxLevels {
		tables[maxLevels].fail("", "%d levels; a machine has at most %d", len(tables), maxLevels)
	}
	for _, t := range tables {
		b.must(t.path, CheckLevelName(t.Name))
		t.sourced(t.text("source"))
		spec := levelSpec{name: t.Name}
		for _, part := range spec.parts() {
			if t.has(part.key) || part.key == "layer" {
				*part.name = t.text(part.key)
				t.levelLayer(part.key, *part.name, part.of)
			}
		}
		if t.text("arity") == "" {
			t.fail("", `no arity; write how many units of the level inside it, or cores, make one, as in arity = "2"`)
		}
		s, l := scope{section: t, fields: levelFields}, Level{Name: t.Name, LevelLayers: spec.LevelLayers}
		for _, field := range levelNumbers {
			key := field.Key
			if !t.has(key) {
				continue
			}
			i := s.slot(key)
			if d := b.slots[i].Value.Dim; d != quantity.DimNone && field.Measure != model.Size && field.Measure != model.Time {
				t.fail(key, "%q is %s; it is a plain number", b.slots[i].Text, d)
			}
			if b.slots[i].Value.Num == 0 && (key == "lanes" || key == "ports") {
				t.fail(key, "must be 1 to 2^30, since a single transfer runs at full speed; omit it if nothing is shared (got %q)", b.slots[i].Text)
			}
			l.Params = append(l.Params, b.slots[i].Param)
		}
		if t.has("topology") {
			var err error
			if spec.topology, err = machine.ParseTopology(t.text("topology")); err != nil {
				t.fail("topology", "%w", err)
			}
		}
		b.levels, b.p.Levels = append(b.levels, spec), append(b.p.Levels, l)
	}
	m, _ := b.p.Machine()
	if i, key, err := m.Check(); err != nil {
		path := "level." + m.Levels[i].Name + "." + key
		if given := b.given(path); given != "" {
			err = fmt.Errorf("%w (got %q)", err, given)
		}
		b.must(path, err)
	}
}

func (s *section) levelLayer(key, name string, of Subject) {
	if name == "" {
		s.fail("", `no %s; write %s = "NAME" of a [layer.NAME]`, key, key)
	}
	s.requireLayer(key, name)
	if l, _ := s.p.Layer(name); l.Timed.Of != of {
		s.fail(key, "the times of the layer %q are those of a %s; here they are those of a %s: its table says times_of = %q", name, l.Timed.Of, of, of)
	}
}

// A Level is a level of the machine in a platform file, with the names of its layers; see
// [machine.Level].
type Level struct {
	Name string
	LevelLayers
	Params []Param // arity; then lanes, ports, eager_threshold, packet, reverse, crowd, hop, routes
}

// LevelLayers are the names of a level's layers; "" if not given.
type LevelLayers struct{ Layer, Gap, Send, Receive, Shared, Port, Link string }

// A levelPart is one of them by its key, with the subject of its times.
type levelPart struct {
	key  string
	name *string
	of   Subject
}

func (l *LevelLayers) parts() []levelPart {
	return []levelPart{{"layer", &l.Layer, Message}, {"gap", &l.Gap, Stream}, {"send", &l.Send, Message}, {"receive", &l.Receive, Message},
		{"shared", &l.Shared, Message}, {"port", &l.Port, Message}, {"link", &l.Link, Message}}
}

// Machine returns the machine that the platform's levels describe, with the present values of its
// parameters. It is missing if there are no levels, or if [Platform.With] left out layers of
// theirs.
func (p Platform) Machine() (m machine.Machine, ok bool) {
	layer := func(name string) model.Layer {
		if name == "" {
			return nil
		}
		l, err := p.Layer(name)
		if err != nil {
			ok = false
			return nil
		}
		return l.Model
	}
	if p.built == nil || len(p.built.levels) == 0 {
		return m, false
	}
	ok = true
	for _, s := range p.built.levels {
		value := func(key string) float64 {
			if slot, given := p.built.slotAt["level."+s.name+"."+key]; given {
				return p.built.values[slot]
			}
			return 0
		}
		m.Levels = append(m.Levels, machine.Level{Name: s.name, Arity: int(value("arity")),
			Layer: layer(s.Layer), Gap: layer(s.Gap), Send: layer(s.Send), Receive: layer(s.Receive), Shared: layer(s.Shared), Port: layer(s.Port),
			Lanes: value("lanes"), Ports: value("ports"), Eager: quantity.Bytes(value("eager_threshold")), Packet: quantity.Bytes(value("packet")),
			Reverse: value("reverse"), Crowd: quantity.Micros(value("crowd")), Routes: int(value("routes")), Topology: s.topology, Hop: quantity.Micros(value("hop")), Link: layer(s.Link)})
	}
	return m, ok
}

// NamesLayer reports whether a reference names a layer of its platform, as in "my.toml/eager".
func NamesLayer(ref string) bool {
	_, layer := splitRef(ref)
	return layer != ""
}
