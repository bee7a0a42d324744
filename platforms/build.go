package platforms

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/nearest"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// nameRule matches names of tables, which stand in paths and references.
var nameRule = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*$`)

// constantRule matches names of constants, which stand in formulas.
var constantRule = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)

// maxWork is the maximum number of steps of a prediction, see [model.Work]; n½ takes a thousand
// predictions.
const maxWork = 100000

// maxDepth bounds how deep layers nest, and how long a chain of constants is that are computed from
// each other.
const maxDepth = 200

// A builder makes a platform of a document.
type builder struct {
	*source
	p         Platform
	stages    map[string]stageSpec
	protocols map[string]Protocol
	measured  map[string]*Measured
	layers    map[string]section    // as written
	specs     map[string]*layerSpec // of those built
	building  []string              // the layers under way, to find a circle
	pending   map[string]bool       // the same

	levels []levelSpec

	slots     []slot // every parameter computed, behind those that it reads
	values    []float64
	slotAt    map[string]int
	constants map[string]*scope
	computing []string // the parameters under way, to find a circle
}

// A stageSpec is a stage with its parameters by slot.
type stageSpec struct {
	beta, tau int
	host      model.Host
}

// A layerSpec is the composition of a layer: names of layers and stages, and parameters by slot.
type layerSpec struct {
	kind     *model.Kind
	parts    []string // by the kind's Parts; "": left out
	branches []branchSpec
	stages   []string
	fields   []fieldSpec
}

type branchSpec struct {
	layer string
	upTo  int // slot; -1: none
}

type fieldSpec struct {
	field *model.Field
	slots []int // one, or as many as a list has
}

// A bail is a panic with the error of a file, which [catch] returns from the function that reads
// it.
type bail struct{ error }

// catch sets err to the error that ended the reading.
func catch(err *error) {
	switch r := recover().(type) {
	case nil:
	case bail:
		*err = r.error
	default:
		panic(r)
	}
}

// fail ends the reading with an error at path; see errorf.
func (s *source) fail(path, format string, args ...any) {
	panic(bail{s.errorf(path, format, args...)})
}

func (s *source) must(path string, err error) {
	if err != nil {
		s.fail(path, "%w", err)
	}
}

// A section is a table of the file that is being read.
type section struct {
	*builder
	Table
	path string
}

func (b *builder) sections(kind string) []section {
	return list.Map(b.tables(kind), func(t Table) section { return section{b, t, kind + "." + t.Name} })
}

func (s *section) text(key string) string   { return text(s.Keys, key) }
func (s *section) list(key string) []string { return value[[]string](s.Keys, key) }

func (s *section) has(key string) bool {
	_, has := find(s.Keys, key)
	return has
}

// fail ends the reading with an error at a key, or at the table if key is empty.
func (s *section) fail(key, format string, args ...any) {
	s.builder.fail(join(s.path, key), format, args...)
}

// named checks the name of the table, and that it has a source.
func (s *section) named() {
	s.must(s.path, checkName(s.Name))
	s.sourced(s.text("source"))
}

func (s *section) sourced(source string) {
	if strings.TrimSpace(source) == "" {
		s.fail("", `no source; say where its numbers are from, as in source = "Table 4.2"`)
	}
}

func checkName(name string) error {
	if !nameRule.MatchString(name) {
		return fmt.Errorf("invalid name %q; use small letters, digits, - and _", name)
	}
	return nil
}

func (s *source) platform() (_ Platform, err error) {
	b := &builder{
		source:    s,
		p:         Platform{Name: strings.TrimSuffix(filepath.Base(s.file), ".toml"), Places: map[string]Place{}},
		stages:    map[string]stageSpec{},
		protocols: map[string]Protocol{},
		measured:  map[string]*Measured{},
		layers:    map[string]section{},
		specs:     map[string]*layerSpec{},
		pending:   map[string]bool{},
		slotAt:    map[string]int{},
		constants: map[string]*scope{},
	}
	defer catch(&err)
	b.p.built = b
	b.p.Title, b.p.Paper, b.p.Note, b.p.Notes = text(s.Keys, "title"), text(s.Keys, "paper"), text(s.Keys, "note"), s.notes
	b.clock()
	b.constantTables()
	b.roofTables()
	b.stageTables()
	b.protocolTables()
	b.measuredTables()
	b.collectiveTables()
	b.layerTables()
	b.levelTables()
	return b.p, nil
}

func (b *builder) clock() {
	given := text(b.Keys, "clock")
	if given == "" {
		return
	}
	v, err := quantity.Eval(given, nil)
	b.must("clock", err)
	if v.Dim != quantity.DimClock || !(v.Num > 0) {
		b.fail("clock", "%q: a clock rate is above zero, in kHz, MHz or GHz", given)
	}
	b.p.Clock = v.Num
}

func (b *builder) constantTables() {
	tables := b.sections("constant")
	for _, t := range tables {
		if !constantRule.MatchString(t.Name) {
			t.fail("", "formulas cannot name %q; use letters, digits and _", t.Name)
		}
		b.constants[t.Name] = &scope{section: t, fields: map[string]Param{"value": {Path: t.path}}}
	}
	for _, t := range tables {
		b.p.Constants = append(b.p.Constants, b.slots[b.constants[t.Name].slot("value")].Param)
	}
}

func (b *builder) roofTables() {
	for _, t := range b.sections("roof") {
		s := scope{section: t, fields: map[string]Param{"rate": {}}}
		given := t.text("rate")
		rate, err := b.slots[s.slot("rate")].Value.MBps()
		if err != nil {
			t.fail("rate", "%q: %w", given, err)
		}
		if rate == 0 {
			t.fail("rate", "%q: a roof is above zero", given)
		}
		b.p.Roofs = append(b.p.Roofs, Roof{t.Name, rate, given, t.text("source")})
	}
}

func (b *builder) stageTables() {
	for _, t := range b.sections("stage") {
		b.must(t.path, checkName(t.Name))
		spec := stageSpec{host: choose(&t, "host", map[string]model.Host{"sender": model.Sender, "receiver": model.Receiver})}
		s := scope{section: t, fields: map[string]Param{
			"beta":  {Measure: model.Time, Symbol: "β", Phrase: "fixed cost of a packet"},
			"tau":   {Measure: model.PerByte, Symbol: "τ", Phrase: "time per byte"},
			"queue": {Measure: model.Count},
		}}
		spec.beta, spec.tau = s.slot("beta"), s.slot("tau")
		b.stages[t.Name] = spec
		b.p.Stages = append(b.p.Stages, b.slots[spec.beta].Param, b.slots[spec.tau].Param)
		b.p.Places[t.Name] = s.place(spec.host)
	}
}

// choose returns the value that the word of a key stands for; the zero value without the key.
func choose[T any](s *section, key string, of map[string]T) T {
	word := s.text(key)
	v, known := of[word]
	if word != "" && !known {
		s.fail(key, "%q%s", word, nearest.Hint(word, slices.Sorted(maps.Keys(of))))
	}
	return v
}

// named returns the entry that the key of a layer names, and the zero value without the key.
func named[T any](s *section, key string, all map[string]T) (v T) {
	name := s.text(key)
	v, known := all[name]
	if name != "" && !known {
		s.fail(key, "no [%s.%s]%s", key, name, nearest.Hint(name, s.tableNames(key)))
	}
	return v
}
