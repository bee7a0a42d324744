package platforms

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// made returns the content of the file of a platform that a program made; see [Platform.Complete].
func (p Platform) made() File {
	f := File{Title: p.Title, Paper: p.Paper, Note: p.Note, Default: p.Default,
		Library: p.Library.Name, Levels: p.Levels}
	for _, l := range p.Layers {
		f.Layers = append(f.Layers, l.table())
		if l.Measured != nil {
			f.Measured = append(f.Measured, l.Measured.Table(l.Name))
		}
		stages := model.KindOf(l.Model).Stages
		if stages == nil {
			continue
		}
		for _, s := range *stages(l.Model) {
			if !slices.Contains(f.names("stage"), s.Name) {
				f.Stages = append(f.Stages, stageTable(s, p.Stages))
			}
		}
	}
	for _, c := range p.Collectives {
		f.Collectives = append(f.Collectives, c.Table())
	}
	if len(p.Compute) > 0 {
		t := Table{}
		for _, c := range p.Compute {
			t.Set(c.Key, cmp.Or(c.Text, exactly(c.Value.Num, c.Value.Dim)))
			t.Set("source", c.Source)
		}
		f.Compute = append(f.Compute, t)
	}
	for _, c := range p.Constants {
		t := Table{Name: c.Owner}
		t.Set("value", cmp.Or(c.Text, exactly(c.Value.Num, c.Value.Dim)))
		t.Set("source", c.Source)
		f.Constants = append(f.Constants, t)
	}
	return f
}

// table returns the table of a layer.
func (l Layer) table() Table {
	k := model.KindOf(l.Model)
	t := Table{Name: l.Name}
	t.Set("title", l.Title)
	t.Set("note", l.Note)
	t.Set("model", k.Name)
	for i, name := range l.Parts[:min(len(l.Parts), len(k.Parts))] { // the optional one is the last
		t.Set(k.Parts[i].Key, name)
	}
	if k.Branches != nil {
		var bound quantity.Bytes // of the branch before: the last one has none
		for _, b := range *k.Branches(l.Model) {
			t.Branches = append(t.Branches, Branch{Layer: b.Name})
			if last := len(t.Branches) - 1; k.Bounds && last > 0 {
				t.Branches[last-1].UpTo = Exact(bound)
			}
			bound = b.UpTo
		}
	}
	if k.Stages != nil {
		names := list.Map(*k.Stages(l.Model), func(s model.Stage) string { return s.Name })
		t.Set("stages", names...)
	}
	for _, f := range k.Fields {
		switch at := f.At(l.Model); {
		case f.Ends: // of the lists
		case f.List || f.Optional && f.Measure.Whole(): // 0: none
			t.Set(f.Key, textsOf(at)...)
		case f.Optional && len(l.Parts) == len(k.Parts): // of the part that would be left out
		default:
			t.Set(f.Key, numberText(at, paramOf(l.Params, l.Name, f.Key)))
		}
	}
	if k.GapUnknown != nil && *k.GapUnknown(l.Model) {
		t.Set("gap", "unknown")
	}
	if l.Correlation != 0 {
		t.Set("correlation", fmt.Sprintf("%.3f", l.Correlation))
	}
	if l.Measured != nil {
		t.Set("measured", l.Name)
	}
	if l.Timed.Of != Message {
		t.Set("times_of", string(l.Timed.Of))
	}
	t.Set("collective", l.Timed.Collective)
	t.Set("per_rank", textsOf(&l.Timed.PerRank)...)
	t.Set("ranks", textsOf(&l.Timed.Ranks)...)
	t.Set("setting", l.Setting)
	t.Set("source", l.Source)
	return t
}

// stageTable returns the table of a stage; params have its intervals and its source.
func stageTable(s model.Stage, params []Param) Table {
	t := Table{Name: s.Name}
	beta, tau := paramOf(params, s.Name, "beta"), paramOf(params, s.Name, "tau")
	t.Set("beta", numberText(&s.Beta, beta))
	t.Set("tau", numberText(&s.Tau, tau))
	for word, host := range hosts {
		if host == s.Host {
			t.Set("host", word)
		}
	}
	if m := s.Measured; m != nil {
		t.Set("sizes", list.Map(m.Alone.Sizes, Exact)...)
		t.Set("times", list.Map(m.Alone.Costs, Exact)...)
		t.Set("overlapped", list.Map(m.Overlapped.Costs, Exact)...)
	}
	t.Set("source", beta.Source)
	return t
}

// paramOf returns the parameter of an owner's key; the zero value if there is none.
func paramOf(params []Param, owner, key string) Param {
	for _, p := range params {
		if p.Owner == owner && p.Key == key {
			return p
		}
	}
	return Param{}
}

// numberText writes the number at a pointer with the interval of its parameter, unless that has a
// text.
func numberText(at any, of Param) string {
	if of.Text != "" {
		return of.Text
	}
	within := func(half float64, unit string) string {
		if !(half > 0) || math.IsInf(half, 0) {
			return ""
		}
		return fmt.Sprintf(" ± %.3g%s", half, unit)
	}
	switch at := at.(type) {
	case *quantity.Micros:
		return Exact(*at) + within(of.PlusMinus, "us")
	case *quantity.MicrosPerByte:
		perKiB := quantity.PerKiB(quantity.MicrosPerByte(of.PlusMinus))
		return Exact(*at) + within(perKiB, "us/KiB")
	case *quantity.Bytes:
		return Exact(*at)
	case *model.Cut:
		for _, word := range model.CutWords() {
			if cut, _ := model.ParseCut(word); cut == *at {
				return word
			}
		}
		return Exact(at.Size)
	}
	return strconv.Itoa(*at.(*int))
}
