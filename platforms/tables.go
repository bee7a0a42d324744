package platforms

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// clock reads the rate of the host processor, in which times can be printed as cycles.
func (b *builder) clock() {
	given := b.Clock
	if given == "" {
		return
	}
	v, err := quantity.Eval(given, nil)
	b.must("clock", err)
	// A rate of 0 would make every time 0 cycles.
	if v.Dim != quantity.DimClock || !(v.Num > 0) {
		b.fail("clock", "%q: a clock rate is above zero, in kHz, MHz or GHz", given)
	}
	b.p.Clock = v.Num
}

// constantTables reads the constants. They may name each other in any order, so all scopes are made
// before the first is computed.
func (b *builder) constantTables() {
	for _, t := range b.Constants {
		s := b.section("constant", t)
		if !constantRule.MatchString(t.Name) {
			s.fail("", "formulas cannot name %q; use letters, digits and _", t.Name)
		}
		// Path is the table's, constant.NAME: "value" would say nothing in an assignment.
		b.constants[t.Name] = &scope{s, map[string]Param{"value": {Path: s.path}}}
	}
	for _, t := range b.Constants {
		b.p.Constants = append(b.p.Constants, b.slots[b.constants[t.Name].slot("value")].Param)
	}
}

// constantRule matches names of constants, which stand in formulas.
var constantRule = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)

// roofTables reads the physical ceilings. A roof is a formula of the hardware's clock and width.
func (b *builder) roofTables() {
	for _, t := range b.Roofs {
		s := scope{b.section("roof", t), map[string]Param{"rate": {}}}
		value := b.slots[s.slot("rate")].Value
		rate := quantity.MBps(value.Num)
		if err := value.Check(quantity.DimRate); err != nil {
			s.fail("rate", "%q: %w", t.Rate, err)
		}
		// Shares of the roof divide by it.
		if rate == 0 {
			s.fail("rate", "%q: a roof is above zero", t.Rate)
		}
		b.p.Roofs = append(b.p.Roofs, Roof{t.Name, rate, t.Rate, t.Source})
	}
}

// stageTables reads the stages of pipelines, with the places that the engine gives them.
func (b *builder) stageTables() {
	hosts := map[string]model.Host{"sender": model.Sender, "receiver": model.Receiver}
	for _, t := range b.Stages {
		s := scope{b.section("stage", t), stageFields}
		b.must(s.path, checkName(t.Name))
		spec := stageSpec{host: choose(&s.section, "host", hosts)}
		spec.beta, spec.tau = s.slot("beta"), s.slot("tau")
		spec.measured = s.stageCurve(t, b.values[spec.beta], b.values[spec.tau])
		b.stages[t.Name] = spec
		b.p.Stages = append(b.p.Stages, b.slots[spec.beta].Param, b.slots[spec.tau].Param)
		b.p.Places[t.Name] = s.place(t, spec.host)
	}
}

// stageCurve reads the measured times of a stage, which its line explains; nil without any.
func (s *scope) stageCurve(t StageTable, beta, tau float64) *model.StageCurve {
	if len(t.Sizes)+len(t.Times)+len(t.Overlapped) == 0 {
		return nil
	}
	if len(t.Sizes) < 2 {
		s.fail("sizes", `%d sizes; give at least 2, as in sizes = ["1KiB", "1MiB"]`, len(t.Sizes))
	}
	if t.Host != "" {
		s.fail("host", "a stage with measured times has no host; leave it out")
	}
	sizes := s.sizes(t.Sizes, 1)
	curve := func(key string, texts []string) model.Curve {
		if len(texts) != len(sizes) {
			s.fail(key, "%d times for %d sizes", len(texts), len(sizes))
		}
		return model.Curve{Sizes: sizes, Costs: each(&s.section, key, texts, aboveZero)}
	}
	c := &model.StageCurve{
		Alone: curve("times", t.Times),
		Beta:  quantity.Micros(beta), Tau: quantity.MicrosPerByte(tau),
	}
	if len(t.Overlapped) > 0 {
		c.Overlapped = curve("overlapped", t.Overlapped)
	}
	return c
}

// stageFields are the numbers of a stage.
var stageFields = map[string]Param{
	"beta":  {Measure: model.Time, Symbol: "β", Phrase: "fixed cost of a packet"},
	"tau":   {Measure: model.PerByte, Symbol: "τ", Phrase: "time per byte"},
	"queue": {Measure: model.Count},
}

// place reads where the engine runs a stage. A stage of a processor has its place already.
func (s *scope) place(t StageTable, host model.Host) Place {
	side := "sender"
	if host == model.Receiver {
		side = "receiver"
	}
	p := Place{Resource: cmp.Or(t.Resource, t.Name), At: cmp.Or(t.At, side)}
	if t.Resource != "" {
		s.must(s.path+".resource", checkName(t.Resource))
	}
	if !slices.Contains(sides, p.At) {
		s.fail("at", "%q%s", p.At, usage.Hint(p.At, sides))
	}
	// The processor is a resource already, and the engine has one queue for it.
	if host != model.NoHost && (t.Resource != "" || t.At != "" || t.Queue != "") {
		s.fail("host", "a stage of a processor occupies that; leave out resource, at and queue")
	}
	p.Queue = int(s.optional("queue"))
	p.Drop = s.full(p.Queue > 0, "queue")
	return p
}

// protocolTables reads how the engine runs layers. No cost of a model depends on it.
func (b *builder) protocolTables() {
	b.protocols[""] = Protocol{Interrupt: -1} // of a layer that names none
	for _, t := range b.Protocols {
		s := scope{b.section("protocol", t), protocolFields}
		s.named()
		p := Protocol{
			Credits:        int(s.optional("credits")),
			Inbox:          int(s.optional("inbox")),
			EagerThreshold: quantity.Bytes(s.optional("eager_threshold")),
			Retry:          quantity.Micros(s.optional("retry")),
			Rounds:         t.Rounds,
			Poll:           quantity.Micros(s.optional("poll")),
			// Negative, since an interrupt may cost 0.
			Interrupt: -1, // the processor polls
		}
		if t.Interrupt != "" {
			p.Interrupt = quantity.Micros(s.optional("interrupt"))
		}
		// Without retry no sender keeps packets, so there would be nothing to send again.
		if p.Rounds && p.Retry == 0 {
			s.fail("rounds", "rounds send again what retry keeps; give retry too")
		}
		if t.Poll != "" && t.Interrupt != "" {
			s.fail("interrupt", "a processor that is interrupted does not poll; leave one out")
		}
		p.Drop = s.full(p.Inbox > 0, "inbox")
		b.protocols[t.Name] = p
	}
}

// full reports whether a packet without room is dropped.
func (s *scope) full(bounded bool, what string) (drop bool) {
	if s.texts["full"] != "" && !bounded {
		s.fail("full", "without %s there is always room", what)
	}
	return choose(&s.section, "full", map[string]bool{"wait": false, "drop": true})
}

// levelTables reads the machine, and checks its levels together: the outermost one has no port.
func (b *builder) levelTables() {
	for _, t := range b.Levels {
		s := scope{b.section("level", t), levelFields}
		b.p.Levels = append(b.p.Levels, s.level())
	}
	// It has all its layers: levelLayer has refused names without a table.
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
func (s *scope) level() Level {
	s.must(s.path, checkLevelName(s.name))
	s.sourced(s.texts["source"])
	l := Level{Level: machine.Level{Name: s.name}, Layers: map[string]string{}}
	for _, of := range levelLayers {
		if s.has(of.key) || of.key == "layer" {
			l.Layers[of.key] = s.texts[of.key]
			s.levelLayer(of.key, l.Layers[of.key])
		}
	}
	if s.texts["arity"] == "" {
		s.fail("", "no arity; write how many units of the level inside it, or cores, make one, "+
			`as in arity = "2"`)
	}
	for _, number := range levelNumbers {
		if !s.has(number.Key) {
			continue
		}
		param := s.slots[s.slot(number.Key)].Param
		s.checkLevelNumber(number, param)
		number.set(&l.Level, param.Value.Num)
		l.Params = append(l.Params, param)
	}
	if s.has("topology") {
		var err error
		if l.Topology, err = machine.ParseTopology(s.texts["topology"]); err != nil {
			s.fail("topology", "%w", err)
		}
	}
	return l
}

// checkLevelNumber refuses a unit on a plain number.
func (s *section) checkLevelNumber(n levelNumber, given Param) {
	dim := given.Value.Dim
	if dim != quantity.DimNone && n.Measure != model.Size && n.Measure != model.Time {
		s.fail(n.Key, "%q is %s; it is a plain number", given.Text, dim)
	}
}

// levelLayer checks a layer of a level. A gap is the time of a stream; all others are of messages.
func (s *section) levelLayer(key, name string) {
	if name == "" {
		s.fail("", `no %s; write %s = "NAME" of a [layer.NAME]`, key, key)
	}
	of := Message
	if key == "gap" {
		of = Stream
	}
	s.requireLayer(key, name)
	if l, _ := s.p.Layer(name); l.Timed.Of != of {
		s.fail(key, "the layer %q has times of a %s; times of a %s are needed here, "+
			"with times_of = %q in its table", name, l.Timed.Of, of, of)
	}
}

// checkLevelName returns the reason why a level cannot have a name, or nil.
func checkLevelName(name string) error {
	if name == machine.ByCore {
		return errors.New("core is the innermost place, which holds one rank; choose another name")
	}
	return checkName(name)
}

// protocolFields are the numbers of a protocol.
var protocolFields = map[string]Param{
	"credits":         {Measure: model.Count},
	"inbox":           {Measure: model.Count},
	"eager_threshold": {Measure: model.Size},
	"retry":           {Measure: model.Time},
	"poll":            {Measure: model.Time},
	"interrupt":       {Measure: model.Time},
}
