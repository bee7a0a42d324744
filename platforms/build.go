package platforms

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/nearest"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// nameRule matches names of tables, which stand in paths and references.
var nameRule = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*$`)

// constantRule matches names of constants, which stand in formulas.
var constantRule = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)

// maxWork is the most steps that a prediction may take, see [model.Work]; n½ takes a thousand
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
	layers    map[string]Table      // as written
	specs     map[string]*layerSpec // of those built
	building  []string              // the layers under way, to find a circle
	pending   map[string]bool       // the same

	levels []levelSpec

	slots     []slot // every parameter computed, behind those that it reads
	values    []float64
	slotAt    map[string]int
	constants map[string]*scope
	computing []string // the parameters under way, to find a circle
	inner     error    // of a parameter that another one reads
}

// A stageSpec is a stage with its parameters by slot.
type stageSpec struct {
	beta, tau int
	host      model.Host
}

// A layerSpec is what a layer is made of: names of layers and stages, and parameters by slot.
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

func (s *source) platform() (Platform, error) {
	b := &builder{
		source:    s,
		p:         Platform{Name: strings.TrimSuffix(filepath.Base(s.file), ".toml"), Places: map[string]Place{}},
		stages:    map[string]stageSpec{},
		protocols: map[string]Protocol{},
		measured:  map[string]*Measured{},
		layers:    map[string]Table{},
		specs:     map[string]*layerSpec{},
		pending:   map[string]bool{},
		slotAt:    map[string]int{},
		constants: map[string]*scope{},
	}
	b.p.built = b
	b.p.Title, b.p.Paper, b.p.Note, b.p.Notes = text(s.Keys, "title"), text(s.Keys, "paper"), text(s.Keys, "note"), s.notes
	for _, step := range []func() error{b.clock, b.constantTables, b.roofTables, b.stageTables, b.protocolTables, b.measuredTables, b.collectiveTables, b.layerTables, b.levelTables} {
		if err := step(); err != nil {
			return Platform{}, err
		}
	}
	return b.p, nil
}

func (b *builder) clock() error {
	given := text(b.Keys, "clock")
	if given == "" {
		return nil
	}
	v, err := quantity.Eval(given, nil)
	if err == nil && (v.Dim != quantity.DimClock || !(v.Num > 0)) {
		err = fmt.Errorf("%q: a clock rate is above zero, in kHz, MHz or GHz", given)
	}
	if err != nil {
		return b.errorf("clock", "%w", err)
	}
	b.p.Clock = v.Num
	return nil
}

func (b *builder) constantTables() error {
	tables := b.tables("constant")
	for _, t := range tables {
		path := "constant." + t.Name
		if !constantRule.MatchString(t.Name) {
			return b.errorf(path, "formulas cannot name %q; use letters, digits and _", t.Name)
		}
		b.constants[t.Name] = &scope{b: b, table: t, path: path, fields: map[string]Param{"value": {Path: path}}}
	}
	for _, t := range tables {
		i, err := b.constants[t.Name].slot("value")
		if err != nil {
			return err
		}
		b.p.Constants = append(b.p.Constants, b.slots[i].Param)
	}
	return nil
}

func (b *builder) roofTables() error {
	for _, t := range b.tables("roof") {
		path := "roof." + t.Name
		s := scope{b: b, table: t, path: path, fields: map[string]Param{"rate": {}}}
		i, err := s.slot("rate")
		if err != nil {
			return err
		}
		given := text(t.Keys, "rate")
		rate, err := b.slots[i].Value.MBps()
		if err != nil {
			return b.errorf(path+".rate", "%q: %w", given, err)
		}
		if rate == 0 {
			return b.errorf(path+".rate", "%q: a roof is above zero", given)
		}
		b.p.Roofs = append(b.p.Roofs, Roof{t.Name, rate, given, text(t.Keys, "source")})
	}
	return nil
}

// named checks the name at path.
func (b *builder) named(path, name string) error {
	if err := checkName(name); err != nil {
		return b.errorf(path, "%w", err)
	}
	return nil
}

func checkName(name string) error {
	if !nameRule.MatchString(name) {
		return fmt.Errorf("invalid name %q; use small letters, digits, - and _", name)
	}
	return nil
}

func (b *builder) stageTables() error {
	for _, t := range b.tables("stage") {
		path := "stage." + t.Name
		if err := b.named(path, t.Name); err != nil {
			return err
		}
		host, err := choose(b, path+".host", text(t.Keys, "host"), map[string]model.Host{"sender": model.Sender, "receiver": model.Receiver})
		if err != nil {
			return err
		}
		s := scope{b: b, table: t, path: path, fields: map[string]Param{
			"beta":  {Measure: model.Time, Symbol: "β", Phrase: "fixed cost of a packet"},
			"tau":   {Measure: model.PerByte, Symbol: "τ", Phrase: "time per byte"},
			"queue": {Measure: model.Count},
		}}
		spec := stageSpec{host: host}
		if spec.beta, err = s.slot("beta"); err == nil {
			spec.tau, err = s.slot("tau")
		}
		if err != nil {
			return err
		}
		b.stages[t.Name] = spec
		b.p.Stages = append(b.p.Stages, b.slots[spec.beta].Param, b.slots[spec.tau].Param)
		if b.p.Places[t.Name], err = b.place(&s, host); err != nil {
			return err
		}
	}
	return nil
}

// choose is the value that a word at path stands for; none is the zero value.
func choose[T any](b *builder, path, word string, of map[string]T) (v T, err error) {
	v, known := of[word]
	if word != "" && !known {
		words := []string{}
		for w := range of {
			words = append(words, w)
		}
		slices.Sort(words)
		err = b.errorf(path, "%q%s", word, nearest.Hint(word, words))
	}
	return v, err
}

func (b *builder) sourced(path, source string) error {
	if strings.TrimSpace(source) == "" {
		return b.errorf(path, `no source; say where its numbers are from, as in source = "Table 4.2"`)
	}
	return nil
}
