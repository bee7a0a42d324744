package reports

import "github.com/halfpeak/halfpeak/model/quantity"

// UnitsText says how units are read and printed. The table of [UnitRows] goes with it.
const UnitsText = `Inside, times are in µs and sizes in bytes, so that bytes/µs is exactly MB/s.
JSON and CSV keep to these units, which their keys name.

Text and Markdown print a column in one unit, chosen for its values, with one
number of decimals. --unit chooses: "--unit GB/s", "--unit Gbit/s,ms". Sizes print
in the largest unit that leaves a whole number.

A size in KB, kB or K has 1,024 bytes and one in MB 1,048,576, as message sizes
have; a rate in MB/s is 10⁶ bytes per second. Lists and ranges of sizes are
"1,64,4KiB", "1..1MiB" (each twice the one before) and "1..64KiB/16" (16 for each
doubling).`

// FilesText says which files are written over.
const FilesText = `A file is written whole or not at all: beside its target, and renamed. A command
never writes over a file that it reads.

What halfpeak wrote itself is replaced without a question; --force replaces any
other file too. Images, HTML, Markdown, TOML, man pages and Parquet have a remark
"` + Imprint + `". CSV, JSON and text have no room for one: such a file is
taken for halfpeak's if it is empty, or has the same columns as the new one.

The rows of a sweep (whatif --vary -o FILE.csv) are written to FILE.csv.partial,
which is locked meanwhile; when interrupted, the same command goes on after the
last whole row, if a checksum says that the rows are those that were written. A
FILE.csv.partial that halfpeak did not begin stays as it is without --force.`

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
