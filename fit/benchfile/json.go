package benchfile

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/lex"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// objects reads JSON with any line breaks: arrays of objects, objects one after the other,
// objects of arrays. An object is a row, and its keys are the header of a CSV file. If sizes
// or times are an array, or an object as pandas prints a column, each of its values is a row;
// plain values apply to all rows. An array is a table; objects outside of arrays are one
// table together. The same table in four ways, one of them of two lines:
//
//	[{"size_bytes": 8, "time_us": 1.5}, {"size_bytes": 64, "time_us": 2}]
//	{"size_bytes": 8, "time_us": 1.5}
//	{"size_bytes": 64, "time_us": 2}
//	{"size_bytes": [8, 64], "time_us": [1.5, 2]}
//	{"size_bytes": {"0": 8, "1": 64}, "time_us": {"0": 1.5, "1": 2}}
//
// Tested with halfpeak's own output, and with files written by Python's json 3.11 (dump and
// dumps, with and without indent), and in the shapes of pandas (to_json: records, lines,
// columns) written by hand. What benchmarks themselves write as JSON is read on the way; see
// documents. An array of objects inside of an object is a table, too, and objects inside of a row
// are columns of it: {"size": 8, "latency": {"avg_us": 1.5}}.
type objects struct {
	p      *parser     // of the file, for the stream's calls
	stream *jsonStream // nil before the first value, and after broken JSON
	inside bool        // a value is open
	docs   documents
	rows   sheet
	names  []string // columns of the layout
	used   bool     // rows of the layout were read
	taken  int      // number of objects read as rows
	arrays int      // number of top-level arrays so far; those with rows become tables
	table  int      // number of the array that is open; 0 for none
	tables int      // number of the array whose objects have the layout
	start  int      // first line of the open value
	index  int      // number of objects in the array so far
	depth  int      // of the arrays in objects

	// The object that is open.
	values [][]byte // of all cells
	cells  []cell
	at     []int
	nested string            // a key that holds more than plain values
	inner  []json.RawMessage // arrays of objects in the object
	folded []folded          // objects in it
	full   bool              // the object exceeds maxValues or maxKeys
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

const tooBig = "an object with more than 1048576 values or 4096 keys; " +
	"write objects one by one, as jq -c prints them"

func (f *objects) take(p *parser, line []byte) bool {
	f.p = p
	begins := !f.inside
	if begins {
		if !f.mayBegin(line) {
			return false
		}
		f.start = p.file.Lines
	}
	rows := f.taken
	if f.feed(line, !p.lines.More && !p.lines.Partial) {
		return true
	}
	// JSON lines: the object is a row, and bad rows are errors as in CSV. Elsewhere a brace may
	// be that of a log.
	if f.used && begins && bytes.HasPrefix(line, []byte(`{"`)) {
		p.badRow("broken JSON; mend or remove the object")
	} else if (f.used || f.docs.used()) && !begins {
		p.endsWithin(len(p.builders), "the JSON that begins in line %d is cut off here; "+
			"the complete part counts", f.start)
	} else if line[0] == '{' || len(line) == 1 {
		p.suggest("broken JSON; mend it, or give the text that the benchmark printed")
	}
	f.discard()
	return !begins && rows == f.taken && f.take(p, line) // a bracket in a log, and then JSON
}

// mayBegin reports cheaply whether a line may be the first of a table in JSON: logs are full of
// brackets.
func (f *objects) mayBegin(line []byte) bool {
	rest := bytes.TrimLeft(line[1:], " \t")
	switch line[0] {
	// A comma at the beginning of a line, between objects that have lost their array.
	case ',':
		return f.used
	case '{':
		return len(rest) == 0 || rest[0] == '"' || rest[0] == '}'
	case '[':
		return len(rest) == 0 || rest[0] == '{' || rest[0] == '[' || rest[0] == ']'
	}
	return false
}

// feed reads a piece of a line, and its end if it is the last. It returns false if the piece is not
// JSON.
func (f *objects) feed(piece []byte, ends bool) bool {
	if f.stream == nil {
		f.stream = newJSONStream(f.top)
	}
	return f.stream.write(piece, ends) == nil
}

func (f *objects) discard() {
	if f.stream != nil {
		f.stream.stop()
	}
	f.stream, f.inside, f.table = nil, false, 0
}

func (f *objects) end(p *parser) {
	if f.inside {
		p.endsWithin(len(p.builders),
			"the JSON that begins in line %d does not end: the file is cut off", f.start)
	}
	f.discard()
	f.rows.close(p)
}

// top reads an array or object outside of others, whose first token has been read.
func (f *objects) top(token json.Token, dec *json.Decoder) (err error) {
	f.inside = true
	switch token {
	case json.Delim('{'):
		err = f.object(dec)
	case json.Delim('['):
		f.arrays++
		f.index, f.table = 0, f.arrays
		err = f.array(dec)
		f.table = 0
	default:
		err = errors.New("a value outside of arrays and objects")
	}
	f.inside = err != nil
	return err
}

// array reads the elements of an array outside of others, and its end.
func (f *objects) array(dec *json.Decoder) error {
	for dec.More() {
		token, err := dec.Token()
		switch {
		case err != nil:
			return err
		case token == json.Delim('{'):
			err = f.object(dec)
		case token == json.Delim('['):
			f.p.suggest("JSON with arrays in arrays has no names; " +
				"give objects such as {\"size_bytes\": 8, \"time_us\": 1.5}")
			// Skipped and not refused: other arrays of the file may be objects.
			err = skipRest(dec)
		}
		if err != nil {
			return err
		}
		// An element is done: its text counts no longer towards the limit of a value.
		f.stream.progress()
	}
	_, err := dec.Token()
	return err
}

// object reads the keys and values of an object, and its end.
func (f *objects) object(dec *json.Decoder) error {
	f.values, f.cells, f.nested, f.full = f.values[:0], f.cells[:0], "", false
	f.inner, f.folded = nil, nil
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return err
		}
		key, _ := token.(string) // nothing else is a key
		if f.docs.active && key == "intervals" {
			err = f.docs.intervals(f.p, dec, f.stream.progress)
		} else {
			err = f.value(dec, key)
		}
		if err != nil {
			return err
		}
	}
	if _, err := dec.Token(); err != nil {
		return err
	}
	f.index++
	if !f.docs.end(f.p) {
		f.row(f.p)
	}
	return nil
}

// value reads the value of a key: a cell of the object's row.
func (f *objects) value(dec *json.Decoder, key string) error {
	var value json.RawMessage
	if err := dec.Decode(&value); err != nil {
		return err
	}
	if key == "start" {
		f.docs.begin(value)
	}
	f.docs.keep(key, value)
	// The object is read to its end, so that the stream stays in step, and is then refused.
	if f.full = f.full || len(f.cells) >= maxKeys; f.full {
		return nil
	}
	if value[0] == '[' && bytes.HasPrefix(bytes.TrimLeft(value[1:], " \t\n"), []byte("{")) {
		f.inner = append(f.inner, bytes.Clone(value))
	}
	if value[0] == '{' && len(value) <= maxFolded && len(f.folded) < maxColumns {
		f.folded = append(f.folded, folded{key, bytes.Clone(value)})
	}
	c := cell{name: key, from: len(f.values), list: value[0] == '[' || value[0] == '{'}
	if c.list {
		f.elements(value, key)
	} else {
		f.values = append(f.values, plainText(value))
	}
	c.to = len(f.values)
	f.cells = append(f.cells, c)
	return nil
}

// elements adds the plain values of an array or object to the values.
func (f *objects) elements(value json.RawMessage, key string) {
	dec := json.NewDecoder(bytes.NewReader(value))
	_, err := dec.Token() // errors cannot occur: the value has been decoded once
	for err == nil && dec.More() {
		if value[0] == '{' {
			_, err = dec.Token() // the key, as of a row in pandas
		}
		var element json.RawMessage
		if err = errors.Join(err, dec.Decode(&element)); err != nil {
			return
		}
		if element[0] == '[' || element[0] == '{' {
			f.nested = cmp.Or(f.nested, key)
		} else if f.full = f.full || len(f.values) >= maxValues; f.full {
			return
		} else {
			f.values = append(f.values, plainText(element))
		}
	}
}

// row adds the rows of the object that has been read.
func (f *objects) row(p *parser) {
	// Beside one size, an object is no column of pandas: its values are columns of the row.
	isSize := func(c cell) bool { return !c.list && parseColumn([]byte(c.name)).isSize() }
	if len(f.folded) > 0 && slices.ContainsFunc(f.cells, isSize) {
		f.unfold()
	}
	if len(f.cells) == 0 || !f.layout(p) && !(f.unfold() && f.layout(p)) {
		if f.full {
			p.suggest(tooBig)
		}
		if f.nested != "" && !f.nestedTables(p) {
			p.suggest("JSON with objects inside %q; give an array of flat objects such as "+
				"{\"size_bytes\": 8, \"time_us\": 1.5}", lex.Short([]byte(f.nested)))
		}
		return
	}
	at := f.at[:0] // cells by column; −1 for none
	for _, name := range f.names {
		at = append(at, f.cell(name))
	}
	f.at = at
	c := f.rows.row.columns
	size, time := &f.cells[at[c.key()]], &f.cells[at[c.at[colTime]]]
	if f.full {
		p.badRow(tooBig)
		return
	}
	n := 1
	// Lists of sizes and times belong together by their order.
	if size.list || time.list {
		sizes, times := size.to-size.from, time.to-time.from
		n = max(sizes, times)
		if size.list && time.list && sizes != times {
			p.badRow("%s of %q and %s of %q; mend the arrays",
				quantity.Plural(sizes, "value"), lex.Short([]byte(size.name)),
				quantity.Plural(times, "value"), lex.Short([]byte(time.name)))
			return
		}
	}
	f.used = true
	f.taken++
	// Messages name the object, as its line may be the only one of the file.
	p.object = f.index
	for i := range n {
		fields := f.rows.row.fields[:0]
		for _, k := range at {
			var v []byte
			if k >= 0 && !f.cells[k].list {
				v = f.values[f.cells[k].from]
				// Other lists of the same length have a value for each row; lists of other
				// lengths are of something else, and empty here.
			} else if k >= 0 && n == f.cells[k].to-f.cells[k].from {
				v = f.values[f.cells[k].from+i]
			}
			fields = append(fields, v)
		}
		f.rows.row.fields = fields
		f.rows.take(p)
	}
	p.object = 0
}

// A folded is an object inside another: "latency": {"avg_us": 2.1, "max_us": 3}.
type folded struct {
	key  string
	text json.RawMessage
}

// maxFolded is the longest of these in bytes: a row has a few numbers.
const maxFolded = 4 << 10

// unfold makes the plain values of the objects inside the one that has been read its own, and
// reports whether there are any. A name that several of them have gets theirs before it.
func (f *objects) unfold() bool {
	type member struct {
		key, name string
		value     []byte
	}
	var all []member
	times := map[string]int{}
	for _, c := range f.cells {
		times[c.name]++
	}
	for _, o := range f.folded {
		var values map[string]json.RawMessage
		if json.Unmarshal(o.text, &values) != nil {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(values)) {
			value := values[name]
			if value[0] == '{' || value[0] == '[' {
				continue
			}
			name = withUnitOf(name, o.key)
			times[name]++
			all = append(all, member{o.key, name, plainText(value)})
		}
	}
	f.cells = slices.DeleteFunc(f.cells, func(c cell) bool {
		return slices.ContainsFunc(f.folded, func(o folded) bool { return o.key == c.name })
	})
	for _, m := range all {
		if times[m.name] > 1 {
			m.name = m.key + "_" + m.name
		}
		f.cells = append(f.cells, cell{name: m.name, from: len(f.values), to: len(f.values) + 1})
		f.values = append(f.values, m.value)
	}
	f.folded = nil
	return len(all) > 0
}

// withUnitOf returns a name with the unit of the key above it, if it has none: "mean_us" in
// "latency_us".
func withUnitOf(name, key string) string {
	above := parseColumn([]byte(key))
	if i := strings.LastIndexAny(key, "_-. (["); i > 0 && above.hasUnit &&
		!parseColumn([]byte(name)).hasUnit {
		return name + key[i:]
	}
	return name
}

// nestedTables reads the arrays of objects in the object as tables, and reports whether one of them
// is.
func (f *objects) nestedTables(p *parser) bool {
	inner := f.inner
	rows := f.taken
	f.inner = nil
	if f.depth++; f.depth > maxNested {
		inner = nil
	}
	for _, array := range inner {
		dec := json.NewDecoder(bytes.NewReader(array))
		_, _ = dec.Token() // the array has been decoded once
		f.arrays++
		index, table := f.index, f.table
		f.index, f.table = 0, f.arrays
		for dec.More() {
			if _, err := dec.Token(); err != nil || f.object(dec) != nil {
				break
			}
		}
		f.index, f.table = index, table
	}
	f.depth--
	return f.taken > rows
}

// maxNested bounds the depth of arrays in objects that are tables.
const maxNested = 8

func (f *objects) cell(name string) int {
	return slices.IndexFunc(f.cells, func(c cell) bool { return c.name == name })
}

// layout finds the columns of the object, and reports whether it is a row. Missing keys are empty
// values, and new keys are added as columns.
func (f *objects) layout(p *parser) bool {
	if f.names != nil && f.tables == f.table && f.fitsLayout(p) {
		return true
	}
	names := list.Map(f.cells, func(c cell) columnName { return parseColumn([]byte(c.name)) })
	c, why := p.findColumns(names, p.unit)
	if c == nil {
		if why != "" {
			p.suggest("%s", why)
		}
		return false
	}
	f.rows.open(p, nil, names, ',', c)
	f.names, f.tables = list.Map(f.cells, func(c cell) string { return c.name }), f.table
	return true
}

// fitsLayout reports whether the object has the size and time of the layout, and adds its new keys.
func (f *objects) fitsLayout(p *parser) bool {
	same := func(c cell, name string) bool { return c.name == name }
	if slices.EqualFunc(f.cells, f.names, same) { // mostly
		return true
	}
	if c := f.rows.row.columns; f.cell(f.names[c.key()]) < 0 || f.cell(f.names[c.at[colTime]]) < 0 {
		return false
	}
	for i := range f.cells {
		// Objects with ever new keys are records of something else; four times the columns that may
		// split a table are enough for results beside them.
		if name := f.cells[i].name; len(f.names) < 4*maxColumns && !slices.Contains(f.names, name) {
			f.names = append(f.names, name)
			f.rows.split.extend(p, parseColumn([]byte(name)), len(f.names)-1)
			f.rows.width = len(f.names)
		}
	}
	return true
}
