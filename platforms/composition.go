package platforms

import (
	"fmt"

	"github.com/halfpeak/halfpeak/internal/formula"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A composition holds the parameters of a platform with their formulas, and its stages and layers
// by their names in the file. With other values of parameters, it makes other models.
type composition struct {
	*source
	stages map[string]stageSpec
	layers map[string]*layerSpec
	slots  []slot // every parameter, behind those that it reads
	// By slot, in base units (µs, bytes, µs/B, MB/s, MHz). Compiled formulas read them by index.
	values []float64
	slotAt map[string]int // by the path of the parameter
}

// A stageSpec is a stage with its parameters by slot. Pipelines that name the stage share them.
type stageSpec struct {
	beta, tau int
	host      model.Host
	measured  *model.StageCurve // nil: the line alone
}

// A layerSpec is the composition of a layer: names of layers and stages, and parameters by slot.
type layerSpec struct {
	kind     *model.Kind
	parts    []string // by the kind's Parts; "": left out
	branches []branchSpec
	stages   []string
	fields   []fieldSpec
	noGap    bool // the gap is unknown
}

// slots returns the layer's own parameters, thresholds of branches first, as Params lists them.
func (s *layerSpec) slots() []int {
	var all []int
	for _, branch := range s.branches {
		if branch.upTo >= 0 {
			all = append(all, branch.upTo)
		}
	}
	for _, f := range s.fields {
		all = append(all, f.slots...)
	}
	return all
}

// A branchSpec is a branch of a switch, or of an envelope, which finds its thresholds itself.
type branchSpec struct {
	layer string
	upTo  int // slot; -1: none
}

// A fieldSpec is a number of a model, or a list of them, as the sizes of a table.
type fieldSpec struct {
	field *model.Field
	slots []int // one, or as many as a list has
}

// add appends a slot behind all that it reads, since those are computed first. So one pass over the
// slots in order computes all values.
func (c *composition) add(s slot) int {
	i := len(c.slots)
	s.written, s.derived = s.Value.Num, len(s.reads()) > 0
	c.slots, c.values, c.slotAt[s.Path] = append(c.slots, s), append(c.values, s.Value.Num), i
	return i
}

// variable returns the slot as compiled formulas read it, by its index into values.
func (c *composition) variable(i int) formula.Variable {
	return formula.Variable{Index: i, Dim: c.slots[i].Value.Dim}
}

// stageSlot returns the slot of stage("wire", "beta").
func (c *composition) stageSlot(args []any) (int, error) {
	stage, _ := args[0].(string)
	key, _ := args[1].(string)
	path := "stage." + stage + "." + key
	if i, known := c.slotAt[path]; known {
		return i, nil
	}
	return 0, fmt.Errorf("no parameter %s", path)
}

// given returns the text of the parameter at path; "" if there is no number at path.
func (c *composition) given(path string) string {
	if i, known := c.slotAt[path]; known && c.slots[i].Word == "" {
		return c.slots[i].Text
	}
	return ""
}

// own returns the parameters of the layer itself, except those that are a word.
func (c *composition) own(spec *layerSpec) []Param {
	var params []Param
	for _, i := range spec.slots() {
		if c.slots[i].Word == "" {
			params = append(params, c.slots[i].Param)
		}
	}
	return params
}

// reach visits the layer and its parts, once each.
func (c *composition) reach(name string, done map[string]bool, visit func(*layerSpec)) {
	if done[name] {
		return
	}
	done[name] = true
	s := c.layers[name]
	visit(s)
	for _, part := range s.parts {
		if part != "" {
			c.reach(part, done, visit)
		}
	}
	for _, branch := range s.branches {
		c.reach(branch.layer, done, visit)
	}
}

// open makes the model of a layer. Unless bind is nil, bind gets the place of each slot's parameter
// in the model, and each layer that may be impossible. A layer in shared is made once; if shared is
// nil, as often as it is used.
func (c *composition) open(name string, bind *knobs, shared map[string]model.Layer) model.Layer {
	if l, done := shared[name]; done {
		return l
	}
	s := c.layers[name]
	k := s.kind
	l := k.New()
	set := func(slot int, at knob) {
		if c.slots[slot].Word != "" {
			at.setWord(c.slots[slot].Word)
		} else {
			at.set(c.values[slot])
		}
		if bind != nil {
			bind.at[slot] = append(bind.at[slot], at)
		}
	}
	for i, part := range s.parts {
		if part != "" {
			*k.Parts[i].At(l) = c.open(part, bind, shared)
		}
	}
	if k.Branches != nil {
		branches := make([]model.Branch, len(s.branches))
		*k.Branches(l) = branches
		for i, of := range s.branches {
			branches[i] = model.Branch{Name: of.layer, Layer: c.open(of.layer, bind, shared)}
			if of.upTo >= 0 {
				set(of.upTo, knobAt(&branches[i].UpTo))
			}
		}
	}
	if k.Stages != nil {
		stages := make([]model.Stage, len(s.stages))
		*k.Stages(l) = stages
		for i, name := range s.stages {
			of := c.stages[name]
			stages[i] = model.Stage{Name: name, Host: of.host, Measured: of.measured}
			set(of.beta, knobAt(&stages[i].Beta))
			set(of.tau, knobAt(&stages[i].Tau))
		}
	}
	for _, f := range s.fields {
		at := knobsOf(f.field, l, len(f.slots))
		for i, slot := range f.slots {
			set(slot, at[i])
		}
	}
	// A fit of one-way times leaves the gap open, and a zero would be read as none.
	if s.noGap {
		*k.GapUnknown(l) = true
	}
	// Only kinds with a Check relate parameters to each other, as rising thresholds do.
	if bind != nil && k.Check != nil {
		bind.checks = append(bind.checks, l)
	}
	if shared != nil {
		shared[name] = l
	}
	return l
}

// knobs collects what a [Program] turns in the models that open makes.
type knobs struct {
	at     map[int][]knob // by slot
	checks []model.Layer  // that can be impossible
}

// changeError returns the error of an impossible parameter. It names a place in the file only if
// the value is given there.
func (c *composition) changeError(s *slot, err error) error {
	if s.changed {
		return fmt.Errorf("%s: %q: %w", s.Path, s.Text, err)
	}
	return c.errorf(s.at, "%q: %w", s.Text, err)
}

// localWork are the names of the constants that are [Costs.Copy] and [Costs.Combine].
var localWork = [...]string{"copy", "combine"}

// workSlots returns the slots of the local work; -1 where the platform gives no time per byte.
func (c *composition) workSlots() (at [len(localWork)]int) {
	for i, name := range localWork {
		slot, known := c.slotAt["constant."+name]
		if at[i] = slot; !known || c.slots[slot].Value.Dim != quantity.DimInverse {
			at[i] = -1
		}
	}
	return at
}
