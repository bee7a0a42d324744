package platforms

import (
	"errors"
	"fmt"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

func (b *builder) levelTables() {
	tables := b.sections("level")
	if len(tables) > maxLevels {
		tables[maxLevels].fail("", "%d levels; a machine has at most %d", len(tables), maxLevels)
	}
	for _, t := range tables {
		b.must(t.path, CheckLevelName(t.Name))
		t.sourced(t.text("source"))
		l := Level{Name: t.Name}
		for _, part := range l.parts() {
			if t.has(part.key) || part.key == "layer" {
				*part.name = t.text(part.key)
				t.levelLayer(part.key, *part.name, part.of)
			}
		}
		if t.text("arity") == "" {
			t.fail("", `no arity; write how many units of the level inside it, or cores, make one, as in arity = "2"`)
		}
		s := scope{section: t, fields: levelFields}
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
			if l.topology, err = machine.ParseTopology(t.text("topology")); err != nil {
				t.fail("topology", "%w", err)
			}
		}
		b.p.Levels = append(b.p.Levels, l)
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

// maxLevels bounds the levels of a machine.
const maxLevels = 32

func (s *section) levelLayer(key, name string, of Subject) {
	if name == "" {
		s.fail("", `no %s; write %s = "NAME" of a [layer.NAME]`, key, key)
	}
	s.requireLayer(key, name)
	if l, _ := s.p.Layer(name); l.Timed.Of != of {
		s.fail(key, "the layer %q has times of a %s; times of a %s are needed here, with times_of = %q in its table", name, l.Timed.Of, of, of)
	}
}

// CheckLevelName returns the reason why a level cannot have a name, or nil.
func CheckLevelName(name string) error {
	if name == machine.ByCore {
		return errors.New("core is the innermost place, which holds one rank; choose another name")
	}
	return checkName(name)
}
