package reports

import "github.com/halfpeak/halfpeak/model/quantity"

// UnitRows is the vocabulary of units.
func UnitRows() Rows {
	rows := Rows{Columns: []Column{{Head: "unit"}, {Head: "is"}, {Head: "also read"}}}
	for _, e := range quantity.Vocabulary() {
		is := e.Is
		if is == "" {
			is = "the unit inside, of " + e.Of
		}
		rows.Data = append(rows.Data, []any{e.Name, is, e.Aliases})
	}
	return rows
}
