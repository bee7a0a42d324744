package benchfile

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/halfpeak/halfpeak/fit/benchfile/internal/column"
	"github.com/halfpeak/halfpeak/fit/benchfile/internal/jsonscan"
	"github.com/halfpeak/halfpeak/fit/benchfile/internal/lex"
	"github.com/halfpeak/halfpeak/internal/list"
)

// objects reads JSON with any line breaks: arrays of objects, objects one after the other, objects
// of arrays. An object is a row, and its keys are the header of a CSV file. If sizes or times
// are an array, or an object as pandas prints a column, each of its values is a row; plain values
// apply to all rows. An array is a table; objects outside of arrays are one table together.
//
// Tested with halfpeak's own output, and with files written by Python's json 3.11 (dump and dumps,
// with and without indent), and in the shapes of pandas (to_json: records, lines, columns) written
// by hand. The output of iperf3 --json is read on the way; see iperf3.
type objects struct {
	scan   jsonscan.Scanner
	p      *parser // of the file, for the scanner's calls
	iperf  iperf3
	rows   sheet
	names  []string // columns of the layout
	used   bool     // rows of the layout were read
	taken  int      // number of objects read as rows
	array  int      // number of top-level arrays so far; those with rows become tables
	tables int      // number of the array whose objects have the layout
	start  int      // first line of the open value
	index  int      // number of objects in the array so far

	// The object that is open.
	text   []byte   // of the values
	values [][]byte // of all cells
	cells  []cell
	at     []int
	nested string // keys that hold more than plain values
	full   bool   // the object exceeds maxValues or maxKeys
}

// A cell holds the values of a key, values[from:to]: one value, or those of a list.
type cell struct {
	name     string
	from, to int
	list     bool
}

// maxValues and maxKeys bound one object: an object of arrays must be held as a whole, since its
// times may come before its sizes. Long texts are kept as [lex.Bounded] returns them.
const (
	maxValues = 1 << 20
	maxKeys   = 1 << 12
)

const tooBig = "an object with more than 1048576 values or 4096 keys; write objects one by one, as jq -c prints them"

func (f *objects) take(p *parser, line []byte) bool {
	if f.scan.Sink == nil {
		f.scan.Sink, f.p = f, p
	}
	begins := f.scan.Idle()
	if begins {
		if line[0] != '{' && line[0] != '[' && (!f.used || line[0] != ',') {
			return false
		}
		f.start = p.file.Lines
	}
	rows := f.taken
	if f.feed(line, !p.lines.More && !p.lines.Partial) {
		return true
	}
	if f.used && begins && bytes.HasPrefix(line, []byte(`{"`)) {
		p.badRow("broken JSON; mend or remove the object")
	} else if (f.used || f.iperf.used()) && !begins {
		p.warn("line %d: the JSON that begins in line %d is truncated here; the complete part counts", p.file.Lines, f.start)
	} else if line[0] == '{' || len(line) == 1 {
		p.suggest("broken JSON; mend it, or give the text that the benchmark printed")
	}
	f.discard()
	return !begins && rows == f.taken && f.take(p, line) // a bracket in a log, and then JSON
}

func (f *objects) discard() {
	f.scan.Reset()
	f.clear()
}

// feed scans a piece of a line, and its end if it is the last.
func (f *objects) feed(piece []byte, ends bool) bool {
	return f.scan.Feed(piece) && (!ends || f.scan.Feed([]byte{'\n'}))
}

func (f *objects) end(p *parser) {
	if !f.scan.Idle() && (f.used || f.iperf.used()) {
		p.warn("the JSON that begins in line %d does not end: the file is cut off", f.start)
	}
	if !f.scan.Idle() {
		p.suggest("the JSON that begins in line %d does not end: the file is cut off", f.start)
	}
	f.rows.close(p)
}

// base returns the depth of the objects that are rows: 1, or 2 in an array.
func (f *objects) base() int {
	if f.scan.Stack[0] == '[' {
		return 2
	}
	return 1
}

func (f *objects) Open() {
	depth, base := len(f.scan.Stack), f.base()
	switch {
	case depth == 1 && base == 2:
		f.array++
		f.index = 0
	case depth == base && f.scan.Stack[depth-1] == '{':
		f.clear()
	case depth == base: // an array of arrays
		f.p.suggest("JSON with arrays in arrays has no names; give objects such as {\"size_bytes\": 8, \"time_us\": 1.5}")
	case depth == base+1 && f.scan.Stack[base-1] == '{':
		if len(f.cells) >= maxKeys {
			f.full = true
			return
		}
		f.cells = append(f.cells, cell{f.scan.Key(base), len(f.values), len(f.values), true})
	case depth == base+2 && f.nested == "" && f.scan.Stack[base-1] == '{':
		f.nested = f.scan.Key(base)
	}
}

func (f *objects) clear() {
	f.text, f.values, f.cells, f.nested, f.full = f.text[:0], f.values[:0], f.cells[:0], "", false
}

func (f *objects) Scalar(text []byte) {
	depth, base := len(f.scan.Stack), f.base()
	if base == 1 {
		f.iperf.scalar(&f.scan, text)
	}
	if depth < base || depth > base+1 || f.scan.Stack[base-1] != '{' {
		return
	}
	if f.full = f.full || len(f.values) >= maxValues || len(f.cells) >= maxKeys; f.full {
		return
	}
	from := len(f.text)
	f.text = append(f.text, lex.Bounded(text)...)
	if depth == base {
		f.cells = append(f.cells, cell{f.scan.Key(base), len(f.values), 0, false})
	}
	f.values = append(f.values, f.text[from:len(f.text):len(f.text)])
	f.cells[len(f.cells)-1].to = len(f.values)
}

func (f *objects) Close() {
	depth, base := len(f.scan.Stack), f.base()
	if base == 1 {
		f.iperf.close(f.p, &f.scan)
	}
	if depth == base && f.scan.Stack[depth-1] == '{' {
		f.index++
		f.object(f.p)
	}
}

func (f *objects) object(p *parser) {
	if len(f.cells) == 0 || !f.layout(p) {
		if f.full {
			p.suggest(tooBig)
		}
		if f.nested != "" && !f.iperf.active {
			p.suggest("JSON with objects inside %q; give an array of flat objects, as jq .%s prints it", lex.Short([]byte(f.nested)), lex.Short([]byte(f.nested)))
		}
		return
	}
	at := f.at[:0] // cells by column; −1 for none
	for _, name := range f.names {
		at = append(at, f.cell(name))
	}
	f.at = at
	c := f.rows.row.Columns
	size, time := &f.cells[at[c.Key()]], &f.cells[at[c.At[column.Time]]]
	if f.full {
		p.badRow(tooBig)
		return
	}
	n := 1
	if size.list || time.list {
		n = max(size.to-size.from, time.to-time.from)
		if size.list && time.list && size.to-size.from != time.to-time.from {
			p.badRow("%s of %q and %s of %q; mend the arrays", lex.Plural(size.to-size.from, "value"), lex.Short([]byte(size.name)), lex.Plural(time.to-time.from, "value"), lex.Short([]byte(time.name)))
			return
		}
	}
	f.used = true
	f.taken++
	p.object = f.index
	for i := range n {
		fields := f.rows.row.Fields[:0]
		for _, k := range at {
			var v []byte
			if k >= 0 && !f.cells[k].list {
				v = f.values[f.cells[k].from]
			} else if k >= 0 && n == f.cells[k].to-f.cells[k].from {
				v = f.values[f.cells[k].from+i]
			}
			fields = append(fields, v)
		}
		f.rows.row.Fields = fields
		f.rows.take(p)
	}
	p.object = 0
}

func (f *objects) cell(name string) int {
	return slices.IndexFunc(f.cells, func(c cell) bool { return c.name == name })
}

// layout finds the columns of the object, and reports whether it is a row. Missing keys are empty
// values, and new keys are added as columns.
func (f *objects) layout(p *parser) bool {
	if f.names != nil && f.tables == f.tableOf() && f.fitsLayout(p) {
		return true
	}
	names := list.Map(f.cells, func(c cell) column.Name { return column.Parse([]byte(c.name)) })
	c, why := column.Find(names, p.columnOptions(), p.unit)
	if c == nil {
		if why != "" {
			p.suggest("%s", why)
		}
		return false
	}
	f.rows.open(p, nil, names, ',', c)
	f.names, f.tables = list.Map(f.cells, func(c cell) string { return c.name }), f.tableOf()
	return true
}

// tableOf returns the number of the array that contains the object; 0 if none does.
func (f *objects) tableOf() int {
	if f.base() == 2 {
		return f.array
	}
	return 0
}

// fitsLayout reports whether the object has the size and time of the layout, and adds its new keys.
func (f *objects) fitsLayout(p *parser) bool {
	if slices.EqualFunc(f.cells, f.names, func(c cell, name string) bool { return c.name == name }) {
		return true // mostly
	}
	if c := f.rows.row.Columns; f.cell(f.names[c.Key()]) < 0 || f.cell(f.names[c.At[column.Time]]) < 0 {
		return false
	}
	for i := range f.cells {
		if name := f.cells[i].name; len(f.names) < 4*maxColumns && !slices.Contains(f.names, name) {
			f.names = append(f.names, name)
			f.rows.split.extend(p, column.Parse([]byte(name)), len(f.names)-1)
			f.rows.width = len(f.names)
		}
	}
	return true
}

// iperf3 reads the output of iperf3 --json value by value, so that it can read a file of any
// length, and one that was cut off: start.test_start.blksize, and of each interval the rate of the
// sum of its streams. The time is the gap between the blocks of one stream. The summary at the end
// repeats the intervals, and is not read.
//
// Tested with iperf 3.2.
type iperf3 struct {
	active   bool
	size     float64
	streams  int
	rate     float64
	omitted  bool
	tables   openTables
	protocol string
}

func (f *iperf3) used() bool { return len(f.tables) > 0 }

func (f *iperf3) scalar(s *jsonscan.Scanner, text []byte) {
	switch depth := len(s.Stack); {
	case depth == 3 && s.Key(1) == "start" && s.Key(2) == "test_start":
		switch s.Key(3) {
		case "protocol":
			f.protocol = lex.Short(text)
		case "blksize":
			v, _ := lex.Parse(text)
			f.active, f.size = true, v.Value
		case "num_streams":
			f.streams = lex.Count(string(text))
		}
	case depth == 4 && f.active && s.Key(1) == "intervals" && s.Key(3) == "sum":
		switch s.Key(4) {
		case "bits_per_second":
			v, _ := lex.Parse(text)
			f.rate = v.Value / 8e6
		case "omitted":
			f.omitted = string(text) == "true"
		}
	}
}

// close reads the end of an object or array: the end of an interval's sum or of the whole output.
func (f *iperf3) close(p *parser, s *jsonscan.Scanner) {
	switch depth := len(s.Stack); {
	case depth == 1:
		*f = iperf3{tables: f.tables}
	case depth == 4 && f.active && s.Key(1) == "intervals" && s.Key(3) == "sum":
		if !f.omitted && f.rate != 0 {
			t := Table{Format: "iperf3", Title: "iperf3 " + f.protocol, Kind: Gap}
			if f.streams > 1 {
				t.Title += ", streams: " + strconv.Itoa(f.streams)
			}
			share := t.divide(1, max(1, f.streams))
			f.tables.table(p, t.Title, t).row(row{size: f.size, time: f.size / (f.rate * share)})
		}
		f.rate, f.omitted = 0, false
	}
}
