package message

import (
	"fmt"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/table"
)

// ParameterRows lists every number of a platform with its source, and describes its
// layers in notes. Programs also get the value in base units, so that they need not
// parse "5.9us/KiB".
func ParameterRows(p platforms.Platform) table.Rows {
	// Constants first, since formulas behind them name these.
	var all []platforms.Param
	add := func(table string) {
		for _, q := range p.Params {
			if q.Table == table && q.Word == "" {
				all = append(all, q)
			}
		}
	}
	add("constant")
	add("compute")
	for _, r := range p.Roofs {
		all = append(all, platforms.Param{Path: "roof." + r.Name + ".rate", Text: r.Text,
			Value: quantity.Value{Num: float64(r.Rate), Dim: quantity.DimRate}, Source: r.Source})
	}
	add("stage")
	add("level")
	add("layer")
	rows := table.TableOf(all,
		table.Col("platform", "", func(platforms.Param) any { return p.Name }),
		table.Col("parameter", "parameter", func(q platforms.Param) any { return q.Path }),
		table.Col("value", "value", func(q platforms.Param) any {
			text, _ := describe(q)
			return text
		}),
		table.Col("base_value", "", func(q platforms.Param) any { return q.Value.Num }),
		table.Col("base_unit", "", func(q platforms.Param) any {
			_, unit := describe(q)
			return unit
		}),
		table.Col("source", "source", func(q platforms.Param) any { return q.Source }),
	)
	rows.List = true
	rows.Add(remark.Described(p.Title), remark.Described(p.Note))
	rows.Add(levelNotes(p)...)
	for _, l := range p.Layers {
		note := l.Ref() + " (" + l.Kind
		if made := slices.Concat(l.Stages, l.Parts); len(made) > 0 {
			note += " of " + strings.Join(made, ", ")
		}
		note += "): " + asymptotes(l)
		if l.Name == p.Default {
			note += "; the default"
		}
		if l.Note != "" {
			note += ". " + l.Note
		}
		rows.Add(remark.Described(note))
	}
	return rows
}

// levelNotes describes each level of a machine, from inside out: its units, the costs
// of messages there, and the shared resources. Levels have parts that are names of
// layers, so a table of numbers does not show them.
func levelNotes(p platforms.Platform) (notes []remark.Note) {
	m, ok := p.Machine()
	if !ok {
		return nil
	}
	inner := machine.ByCore
	for i, cores := range m.Sizes() {
		l, names := m.Levels[i], p.Levels[i].Layers
		note := fmt.Sprintf("level %s (%d %s", l.Name, l.Arity, inner)
		if i > 0 {
			note += fmt.Sprintf(", %d cores", cores)
		}
		note += "): messages as " + p.Name + "/" + p.Levels[i].LayerName("layer")
		for _, of := range []struct{ name, key string }{
			{"gap", "gap"},
			{"o_s", "send"},
			{"o_r", "receive"},
			{"its inside occupied", "shared"},
			{"its port occupied", "port"},
		} {
			for _, layer := range names[of.key] {
				note += ", " + of.name + " as " + p.Name + "/" + layer
			}
		}
		if l.Eager > 0 {
			note += "; above " + l.Eager.String() + " they wait for their receive"
		}
		if l.Lanes > 0 {
			note += fmt.Sprintf("; full speed for %.4g at once", l.Lanes)
		}
		if l.Ports > 0 {
			note += fmt.Sprintf("; full speed for %.4g at once out of it, and into it", l.Ports)
		}
		notes = append(notes, remark.Described(note))
		// The next level counts units of this one.
		inner = l.Name
	}
	return notes
}

// baseUnits are the units of the values in programs, one for each dimension; a plain
// number has none.
var baseUnits = map[quantity.Dimension]string{
	quantity.DimTime:    "us",
	quantity.DimSize:    "B",
	quantity.DimRate:    "MB/s",
	quantity.DimInverse: "us/B",
	quantity.DimClock:   "MHz",
	quantity.DimFlops:   "Mflop/s",
}

// describe returns the parameter's text in the file, with its value if that is a
// formula, and the base unit. The text is kept as it is in the file, since a source
// can be compared only with what the paper prints.
func describe(q platforms.Param) (text, unit string) {
	unit = baseUnits[q.Value.Dim]
	// One slash is a unit, as in 5.9us/KB; two, or an operator, make a formula, which needs its
	// value beside it.
	if strings.ContainsAny(q.Text, "+*-(") || strings.Count(q.Text, "/") > 1 {
		return q.Text + " = " + q.Value.Fixed(), unit
	}
	return q.Text, unit
}

// asymptotes describes the peak of a layer, or what its times are of if no bandwidth
// follows from them.
func asymptotes(l platforms.Layer) string {
	// r∞ and n½ are of messages: no bandwidth follows from the time of a collective.
	if l.Messages() != nil {
		return "times of: " + l.Timed.String()
	}
	return l.Peak().Text(nil)
}

// PlatformTable lists platforms for people, one row each; [PlatformRows] has the layers.
func PlatformTable(all []platforms.Platform) table.Rows {
	type of = platforms.Platform
	rows := table.TableOf(all,
		table.Col("platform", "platform", func(p of) any { return p.Name }),
		table.Col("", "default layer", func(p of) any { return p.Default }),
		table.Col("", "layers", func(p of) any { return len(p.Layers) }),
		table.Col("paper", "paper", func(p of) any { return p.Paper }).Ranked(1),
		table.Col("title", "title", func(p of) any { return p.Title }).Ranked(2),
	)
	rows.List = true
	rows.Verdict = table.Say("%d platforms; halfpeak platforms show NAME has the layers and the "+
		"parameters of one", len(all))
	return rows
}

// PlatformRows lists the layers of platforms for programs, one row each.
func PlatformRows(all []platforms.Platform) table.Rows {
	type entry struct {
		p platforms.Platform
		l platforms.Layer
	}
	var entries []entry
	for _, p := range all {
		for _, l := range p.Layers {
			entries = append(entries, entry{p, l})
		}
	}
	isDefault := func(e entry) bool { return e.l.Name == e.p.Default }
	rows := table.TableOf(entries,
		table.Col("platform", "platform", func(e entry) any { return e.p.Name }),
		table.Col("layer", "", func(e entry) any { return e.l.Name }),
		table.Col("default", "", func(e entry) any { return isDefault(e) }),
		table.Col("model", "", func(e entry) any { return e.l.Kind }),
		table.Col("paper", "", func(e entry) any { return e.p.Paper }),
		table.Col("title", "", func(e entry) any {
			// The platform's title is printed once, in the row of its default.
			if isDefault(e) {
				return strings.TrimSuffix(e.p.Title+": "+e.l.Title, ": ")
			}
			return e.l.Title
		}),
	)
	return rows
}
