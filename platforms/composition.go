package platforms

import (
	"fmt"

	"github.com/halfpeak/halfpeak/internal/formula"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A composition holds the parameters of a platform in one list, and its stages and layers by their
// names in the file. With other values of parameters, it makes other models. Changes, sweeps, saved
// files and completion find a parameter by its path in this list.
type composition struct {
	*source
	stages map[string]stageSpec
	layers map[string]*layerSpec
	params []Param // behind those that their formulas read
	// By parameter, in base units (µs, bytes, µs/B, MB/s, MHz). Compiled formulas read them by
	// index.
	values []float64
	byPath map[string]int // the index of a parameter
}

// A stageSpec is a stage without its β and τ, and the indices of these. Pipelines that name the
// stage share them.
type stageSpec struct {
	model.Stage
	beta, tau int
}

// A layerSpec is the composition of a layer: its kind, the layers and stages in its table, and the
// indices of its own parameters, thresholds of branches first.
type layerSpec struct {
	kind   *model.Kind
	table  table
	params []int
}

// parts returns the names of the layers that the layer is made of.
func (s *layerSpec) parts() (names []string) {
	for _, p := range s.kind.Parts {
		if name := s.table.Text(p.Key); name != "" {
			names = append(names, name)
		}
	}
	for _, b := range s.table.Branches {
		names = append(names, b.Layer)
	}
	return names
}

// stages returns the names of the stages of a pipeline.
func (s *layerSpec) stages() []string { return s.table.Keys["stages"] }

// add appends a parameter behind all that it reads, since those are computed first. So one pass
// over the list in order computes all values.
func (c *composition) add(p Param) int {
	i := len(c.params)
	p.written = p.Value.Num
	c.params, c.values, c.byPath[p.Path] = append(c.params, p), append(c.values, p.Value.Num), i
	return i
}

// find returns the parameter at a path; nil if there is none.
func (c *composition) find(path string) *Param {
	if i, known := c.byPath[path]; known {
		return &c.params[i]
	}
	return nil
}

// stage returns a stage with the present values.
func (c *composition) stage(name string) model.Stage {
	s := c.stages[name]
	s.Beta = quantity.Micros(c.values[s.beta])
	s.Tau = quantity.MicrosPerByte(c.values[s.tau])
	return s.Stage
}

// variable returns the parameter as compiled formulas read it, by its index into values.
func (c *composition) variable(i int) formula.Variable {
	return formula.Variable{Index: i, Dim: c.params[i].Value.Dim}
}

// stageParam returns the parameter that stage("wire", "beta") stands for.
func (c *composition) stageParam(args []any) (int, error) {
	stage, _ := args[0].(string)
	key, _ := args[1].(string)
	path := "stage." + stage + "." + key
	if i, known := c.byPath[path]; known {
		return i, nil
	}
	return 0, fmt.Errorf("no parameter %s", path)
}

// given returns the text of the parameter at path; "" if there is no number at path.
func (c *composition) given(path string) string {
	if p := c.find(path); p != nil && p.Word == "" {
		return p.Text
	}
	return ""
}

// reach visits the layer and its parts, once each.
func (c *composition) reach(name string, done map[string]bool, visit func(*layerSpec)) {
	if done[name] {
		return
	}
	done[name] = true
	s := c.layers[name]
	visit(s)
	for _, part := range s.parts() {
		c.reach(part, done, visit)
	}
}

// open makes the model of a layer. Unless bind is nil, bind gets the places of each parameter in
// the models, and each layer that may be impossible. A layer in shared is made once; if shared is
// nil, as often as it is used.
func (c *composition) open(name string, bind *places, shared map[string]model.Layer) model.Layer {
	if l, done := shared[name]; done {
		return l
	}
	s := c.layers[name]
	k := s.kind
	l := k.New()
	set := func(i int, at any) {
		if c.params[i].Word != "" {
			setWord(at, c.params[i].Word)
		} else {
			setNumber(at, c.values[i])
		}
		if bind != nil {
			bind.at[i] = append(bind.at[i], at)
		}
	}
	for _, p := range k.Parts {
		if part := s.table.Text(p.Key); part != "" {
			*p.At(l) = c.open(part, bind, shared)
		}
	}
	if k.Branches != nil {
		for _, b := range s.table.Branches {
			*k.Branches(l) = append(*k.Branches(l),
				model.Branch{Name: b.Layer, Layer: c.open(b.Layer, bind, shared)})
		}
	}
	if k.Stages != nil {
		stages := make([]model.Stage, len(s.stages()))
		*k.Stages(l) = stages
		for i, name := range s.stages() {
			of := c.stages[name]
			stages[i] = of.Stage
			set(of.beta, &stages[i].Beta)
			set(of.tau, &stages[i].Tau)
		}
	}
	for i := range k.Fields {
		if f := &k.Fields[i]; f.List && len(s.table.Keys[f.Key]) > 0 {
			makeList(f.At(l), len(s.table.Keys[f.Key]))
		}
	}
	for _, i := range s.params {
		set(i, c.params[i].in(l))
	}
	// A fit of one-way times leaves the gap open, and a zero would be read as none.
	if s.table.Text("gap") != "" {
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

// places collects what a [Program] changes in the models that open makes.
type places struct {
	at     map[int][]any // pointers, by parameter
	checks []model.Layer // that can be impossible
}

// changeError returns the error of an impossible parameter. It names a place in the file only if
// the value is given there.
func (c *composition) changeError(p *Param, err error) error {
	if p.changed {
		return fmt.Errorf("%s: %q: %w", p.Path, p.Text, err)
	}
	return c.errorf(p.at, "%q: %w", p.Text, err)
}

// localWork are the paths of [Costs.Copy], [Costs.Combine], [Costs.Flops] and [Costs.Memory], with
// their dimensions.
var localWork = [...]struct {
	path string
	dim  quantity.Dimension
}{
	{"constant.copy", quantity.DimInverse}, {"constant.combine", quantity.DimInverse},
	{"compute.flops", quantity.DimFlops}, {"compute.memory", quantity.DimRate},
}

// workParams returns the parameters of the local work; -1 where the platform does not give them.
func (c *composition) workParams() (at [len(localWork)]int) {
	for i, work := range localWork {
		found, known := c.byPath[work.path]
		if at[i] = found; !known || c.params[found].Value.Dim != work.dim {
			at[i] = -1
		}
	}
	return at
}
