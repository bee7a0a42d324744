package platforms

import (
	"errors"
	"fmt"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/machine"
)

// Machine returns the machine that the platform's levels describe, with the present values of its
// parameters. It is missing if the platform has no levels.
func (p Platform) Machine() (m machine.Machine, ok bool) {
	for _, l := range p.Levels {
		m.Levels = append(m.Levels, l.Level)
	}
	return m, len(m.Levels) > 0
}

// level returns a level with the present numbers, and with the models of its layers. It is missing
// if a layer of it is.
func (p Platform) level(l Level, modelOf func(Layer) model.Layer) (_ Level, ok bool) {
	for _, k := range machine.Keys {
		if q := p.composition.find("level." + l.Name + "." + k.Name); q != nil {
			setNumber(k.At(&l.Level), q.Value.Num)
		}
		var models []model.Layer
		for _, name := range l.Layers[k.Name] {
			layer, err := p.Layer(name)
			if err != nil {
				return l, false
			}
			models = append(models, modelOf(layer))
		}
		switch at := k.At(&l.Level).(type) {
		case *machine.Port:
			*at = models
		case *model.Layer:
			if len(models) > 0 {
				*at = models[0]
			}
		}
	}
	return l, true
}

// openLevels makes the models of the levels, which names alone describe, anew. The platform has no
// levels if a layer of theirs is missing: a machine with a level less has other distances.
func (p *Platform) openLevels() {
	levels := make([]Level, len(p.Levels))
	for i, l := range p.Levels {
		whole := false
		if levels[i], whole = p.level(l, func(of Layer) model.Layer { return of.Model }); !whole {
			levels = nil
			break
		}
	}
	p.Levels = levels
}

// levelTables reads the machine, and checks its levels together: the outermost one has no port.
func (b *builder) levelTables() {
	for _, t := range b.file["level"] {
		b.p.Levels = append(b.p.Levels, b.section(levelKind, t).level())
	}
	b.p.openLevels()
	m, _ := b.p.Machine()
	if i, key, err := m.Check(); err != nil {
		path := "level." + m.Levels[i].Name + "." + key
		// The rule is the machine's; the text in the file is known only here.
		if given := b.given(path); given != "" {
			err = fmt.Errorf("%w (got %q)", err, given)
		}
		b.must(path, err)
	}
}

// level reads one level: the names of its layers, its numbers, and its topology.
func (s *section) level() Level {
	s.must(s.path, checkLevelName(s.Name))
	l := Level{Level: machine.Level{Name: s.Name}, Source: s.origin(),
		Layers: map[string][]string{}}
	if s.Text("arity") == "" {
		s.fail("", "no arity; write how many units of the level inside it, or cores, make one, "+
			`as in arity = "2"`)
	}
	for _, k := range machine.Keys {
		if !s.has(k.Name) && k.Name != "layer" {
			continue
		}
		switch at := k.At(&l.Level).(type) {
		case *model.Layer, *machine.Port:
			names := s.Keys[k.Name]
			if len(names) == 0 {
				names = []string{""}
			}
			for _, name := range names {
				s.levelLayer(k.Name, name)
			}
			l.Layers[k.Name] = names
		case machine.Word:
			s.must(s.path+"."+k.Name, at.UnmarshalText([]byte(s.Text(k.Name))))
		default:
			s.shown = append(s.shown, s.param(k.Name))
		}
	}
	return l
}

// levelLayer checks a layer of a level, whose times are of messages.
func (s *section) levelLayer(key, name string) {
	if name == "" {
		s.fail("", `no %s; write %s = "NAME" of a [layer.NAME]`, key, key)
	}
	s.requireLayer(key, name)
	if l, _ := s.p.Layer(name); l.Timed.Of != Message {
		s.fail(key, "the layer %q has times of a %s; times of a message are needed here, "+
			"with times_of = \"message\" in its table", name, l.Timed.Of)
	}
}

// checkLevelName returns the reason why a level cannot have a name, or nil.
func checkLevelName(name string) error {
	if name == machine.ByCore {
		return errors.New("core is the innermost place, which holds one rank; choose another name")
	}
	return checkName(name)
}
