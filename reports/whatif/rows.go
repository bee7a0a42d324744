package whatif

import (
	"strings"

	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/reports/table"
)

// title names the quantity on an axis: "bandwidth of 4 KiB (MB/s)".
func title(q Quantity) string {
	a := axis(q)
	return a.Label + " (" + q.Kind.Dim.Column().Unit + ")"
}

// named returns the title without its unit, for people: the values beside it have theirs.
func named(title any) string {
	name, _ := title.(string)
	if at := strings.LastIndex(name, " ("); at >= 0 {
		name = name[:at]
	}
	return name
}

// axis returns the axis of the quantity, with its size if it has one.
func axis(q Quantity) table.Axis {
	a := table.Axis{Label: q.Kind.Title, Dim: q.Kind.Dim}
	if q.Kind.Sizes > 0 {
		a.Label += " of " + q.Size.String()
	}
	return a
}

// layerName returns the layer for a column of that name; absent if all levels are asked about.
func layerName(d Design) any {
	return table.OrAbsent(d.Layer.Name, !(d.Ranks && d.Whole))
}

// changeNotes lists the changes in their order, each from the value before it to the
// one after. A parameter that was changed twice has two lines.
func changeNotes(d Design) (notes []remark.Note) {
	for _, c := range d.Changes {
		notes = append(notes, remark.Changed(c.Path, c.From, c.To))
	}
	return notes
}
