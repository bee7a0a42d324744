package reports

import "github.com/halfpeak/halfpeak/model/quantity"

// UnitsText describes, for users, how units are read and printed; see also [UnitRows].
const UnitsText = `Inside, times are in µs and sizes in bytes, so that bytes/µs is exactly MB/s.
JSON and CSV keep to these units, which their keys name.

Text and Markdown print a column in one unit, chosen for its values, with one
number of decimals. --unit chooses: "--unit GB/s", "--unit Gbit/s,ms". Sizes print
in the largest unit that leaves a whole number.

A size in KB, kB or K has 1,024 bytes and one in MB 1,048,576, as message sizes
have; a rate in MB/s is 10⁶ bytes per second. Lists and ranges of sizes are
"1,64,4KiB", "1..1MiB" (each twice the one before) and "1..64KiB/16" (16 for each
doubling).`

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
