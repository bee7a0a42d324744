package benchfile

import (
	"bufio"
	"bytes"
	"cmp"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/halfpeak/halfpeak/internal/lex"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A reader passes the lines of a file to the formats.
type reader struct {
	parser
	formats   []openFormat // the format of the previous line first
	dress     dress
	found     recogniser
	claimed   int    // the first line that a benchmark's reader took; 0 if none
	claimedBy string // name of that benchmark

	divides bool   // reading ends before the next output; its first line is held
	name    string // of the file with the outputs
	title   string // of the output, if it has one
	hasRows bool   // the output has rows
	numbers int    // lines that begin with a number, and that no format took
}

func newReader(lines lex.Lines, name string, o Options) *reader {
	r := &reader{
		parser: parser{
			opt: o, tableLimit: cmp.Or(o.Tables, maxTables), file: &File{Name: name}, lines: lines,
		},
		formats: formats(),
	}
	r.above = func() []string { return r.found.above }
	return r
}

func (r *reader) read() (*File, error) {
	if err := r.run(); err != nil {
		r.cut = err
	}
	f, err := r.finish()
	if r.cut != nil {
		return nil, &Damaged{r.file, r.cut}
	}
	return f, err
}

// run passes every line to the formats. It returns the error of reading the file, if any.
func (r *reader) run() error {
	for {
		r.plainRows()
		raw, err := r.lines.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		line := lex.Clean(raw)
		r.file.Lines++
		// The line belongs to the next output: it is put back, and counted there.
		if r.divides && r.begins(line) {
			r.file.Lines--
			r.lines.Held = raw
			return nil
		}
		if r.lines.More {
			r.readPieces(raw)
			continue
		}
		r.raw = raw
		if ranks, ok := lex.TaskMap(raw); ok {
			r.mapTasks(ranks)
		}
		if len(line) == 0 {
			r.found.look(&r.parser, raw, false)
			continue
		}
		bare, source := r.dress.undress(line)
		if source != "" && source != r.dress.source {
			r.change(source)
		}
		if r.lines.Partial && !r.readsJSON(bare) {
			r.cutLine(bare)
			return nil
		}
		r.why = ""
		if r.take(bare) || r.takeDressed(line, bare) {
			r.previous = ""
			r.found.look(&r.parser, raw, true)
			r.dress.ends(line)
			continue
		}
		r.skip(line)
		if c := line[0]; c >= '0' && c <= '9' {
			r.numbers++
		}
		if r.numbers > maxNumbers && r.usage.sizes == 0 {
			return r.errorf(r.file.Lines, "no table in %d lines that begin with a number; "+
				"give the rows a header such as \"size_bytes,time_us\"", maxNumbers)
		}
	}
}

// maxNumbers is the number of lines that may begin with a number before the first row of a table.
// They take some seconds, and a small compressed file may have hundreds of millions of them.
const maxNumbers = 1 << 21

// plainRows reads the rows of CSV that are in memory, as long as they are plain: most long files
// have two columns of numbers. Everything else is left to the formats.
func (r *reader) plainRows() {
	f, ok := r.formats[0].format.(*csv)
	if !ok || r.dress.depth > 0 || !f.isPlain() {
		return
	}
	text := r.lines.Ahead()
	from := 0
	for {
		size, t, end := f.plainRow(text[from:])
		if end == 0 {
			break
		}
		r.file.Lines++
		f.addPlain(size, t, r.file.Lines)
		r.dress.ends(bytes.TrimSuffix(text[from:from+end-1], []byte{'\r'}))
		r.hasRows, r.previous = true, ""
		from += end
	}
	r.lines.Skip(from)
}

// skip counts a line that no format takes, and looks at it for facts about the next tables.
func (r *reader) skip(line []byte) {
	r.file.Skipped++
	r.previous = ""
	// A short line may be a title that a script has printed before a table; see perftest.
	if len(line) < 60 && utf8.Valid(line) {
		r.previous = string(line)
	}
	r.readRemark(line)
	r.found.look(&r.parser, r.raw, false)
}

// change makes the readers of a source the present ones.
func (r *reader) change(source string) {
	d := &r.dress
	if d.others == nil {
		d.others = map[string][]openFormat{}
	}
	next, known := d.others[source]
	if !known && len(d.others) >= maxSources {
		return
	}
	d.others[d.source] = r.formats
	delete(d.others, source)
	if !known {
		next = formats()
	}
	r.formats, d.source = next, source
	r.parser.source, r.parser.sources = source, len(d.others)+1
}

// takeDressed takes a line that no format takes as it stands: with labels before it that the file
// had not had before, or without the "#" that a web page has swallowed. bare is what undress left.
func (r *reader) takeDressed(line, bare []byte) bool {
	if len(line) > maxHeader {
		return false
	}
	if len(bare) < len(line) && r.take(line) || r.takeHash(bare) {
		return true
	}
	// Each form of a line is passed to all formats. In a long log without labels, only lines that
	// may be a title or a header are worth that.
	if r.file.Skipped > patience && r.dress.depth == 0 && !mayBeHeader(line) {
		return false
	}
	rest, source := line, ""
	for depth := 1; depth <= maxDepth; depth++ {
		var label []byte
		if label, rest = lex.Labelled(rest); rest == nil {
			return false
		}
		if from := r.dress.sourceOf(label); from != "" {
			source = from
		}
		// The labels that are known have been tried.
		if depth != r.dress.depth && (r.take(rest) || r.takeHash(rest)) {
			r.dress.depth, r.dress.source = depth, source
			r.parser.source = source
			return true
		}
	}
	return false
}

// patience is the number of skipped lines of which every form is tried.
const patience = 1 << 10

// mayBeHeader reports cheaply whether a line may be a title or a header behind a label.
func mayBeHeader(line []byte) bool {
	return bytes.IndexByte(line, '#') >= 0 || bytes.Contains(line, []byte("ize")) ||
		bytes.Contains(line, []byte("ytes"))
}

// takeHash takes a title or header whose "#" is missing.
func (r *reader) takeHash(line []byte) bool {
	if c := line[0] | 0x20; c < 'a' || c > 'z' {
		return false
	}
	sign := "# "
	if bytes.HasPrefix(line, []byte("bytes")) {
		sign = "#" // of IMB and perftest
	}
	return r.takeBy(append([]byte(sign), line...), func(f openFormat) bool { return f.hash })
}

// cutLine reads a last line without a line end. 486.43 may have become 48, so a row is read only if
// its last number is as long as those of the rows before, or if no value is read from its last
// field. Otherwise the file ends within a row.
func (r *reader) cutLine(line []byte) {
	first := r.formats[0]
	// A line of words may lack some behind its number.
	r.open = !r.dress.whole(line) || first.words && !first.cut
	if !r.open && r.take(line) || r.open && first.cut && first.take(&r.parser, line) {
		return
	}
	r.open = false
	r.end() // before the line is looked at: the rows that formats still hold are whole
	r.usage.closed = true
	begun := len(r.builders)
	c := line[0]
	isRow := c >= '0' && c <= '9' || r.dress.depth > 0 || first.words && c != '#' ||
		c == '[' || // of a timestamp or a rank in front of a row
		bytes.HasSuffix(line, []byte("\ufffd")) // half a character of UTF-16
	const msg = "the last line has no line end and may be cut off, so it is left out; " +
		"if it is whole, end the line"
	switch {
	// Of other text, a reader takes titles and headers.
	case !isRow && !r.take(line):
	default:
		r.endsWithin(begun, msg)
	}
}

// readsJSON reports whether the line is JSON, which shows itself whether it is whole.
func (r *reader) readsJSON(line []byte) bool {
	for _, f := range r.formats {
		if f, ok := f.format.(*objects); ok {
			return f.inside || f.mayBegin(line)
		}
	}
	return false
}

// begins reports whether a line is the first of another output. It notes titles and rows.
func (r *reader) begins(line []byte) bool {
	kind, title := kindOfLine(line)
	switch {
	case kind == titleLine && r.file.Lines == 1:
		r.title, r.file.Name = title, r.name+"!"+title
	case kind == rowLine:
		r.hasRows = true
	default:
		return kind == titleLine || kind == startLine && r.hasRows
	}
	return false
}

// readPieces reads a line that comes in pieces: JSON completely, other text only up to
// [lex.MaxLine] bytes.
func (r *reader) readPieces(raw []byte) {
	line := bytes.TrimLeft(raw, " \t")
	if len(line) == 0 || !r.take(line) {
		r.file.Skipped++
		r.lines.Drop()
		return
	}
	f, ok := r.formats[0].format.(*objects)
	if !ok {
		r.lines.Drop()
		return
	}
	for r.lines.More {
		piece, err := r.lines.Next()
		if err != nil {
			return // it comes again with the next line
		}
		if !f.feed(piece, !r.lines.More) {
			r.suggest("broken JSON; mend it, or give the text that the benchmark printed")
			f.discard()
			r.lines.Drop()
		}
	}
}

func (r *reader) take(line []byte) bool {
	return r.takeBy(line, func(openFormat) bool { return true })
}

// takeBy passes the line to the formats that may read it.
func (r *reader) takeBy(line []byte, may func(openFormat) bool) bool {
	for i, f := range r.formats {
		if may(f) && f.take(&r.parser, line) {
			if r.claimed == 0 && f.starts != nil {
				r.claimed, r.claimedBy = r.file.Lines, f.name
			}
			if i > 0 { // the next line is most likely of the same format
				copy(r.formats[1:], r.formats[:i])
				r.formats[0] = f
			}
			return true
		}
	}
	return false
}

func (r *reader) finish() (*File, error) {
	f := r.file
	r.end()
	r.found.close(&r.parser)
	if r.usage.sizes == 0 && r.bad == 0 && r.fault == nil && r.stopped == nil {
		r.takeRecognised()
	}
	// Tables of one name are numbered, so that each can be named in a command.
	names := map[string]int{}
	f.Tables = slices.Grow(f.Tables, len(r.builders)-r.usage.merged)
	r.formats, r.dress = nil, dress{} // with what they keep of each table
	for i, b := range r.builders {
		if b.merged {
			continue
		}
		if i%1024 == 0 && r.ended() {
			return nil, r.opt.Context.Err()
		}
		b.finish()
		// Headers without rows are left out: scripts print one for each run that failed.
		if b.table.Rows > 0 {
			if r.sources > 1 && b.source != "" {
				b.table.Title = b.table.Name() + ", " + b.source
			}
			if k, ok := kindsByName[r.opt.Kind]; ok && b.table.Kind != Interval && b.free {
				b.table.Kind, b.table.Collective = k, CollectiveOp{}
			}
			name := b.table.Name()
			names[name]++
			if b.table.Run = names[name]; b.table.Run > 1 {
				b.table.Title = name + b.table.runSuffix()
			}
			f.Tables = append(f.Tables, *b.table)
			// Its memory is free while the others are finished.
			r.builders[i] = nil
		}
	}
	roles := []string{r.opt.Ranks, r.opt.PerNode, r.opt.Nodes}
	for _, name := range slices.Concat(r.opt.Group, r.opt.Pool, roles) {
		// Columns exist only in CSV and JSON; for other files the options have no meaning, and none
		// is missed.
		if r.asked != nil && name != "" && !r.asked[name] {
			r.fail(0, "no column %q", name)
		}
	}
	r.checkCycles(f.Tables)
	if r.fault != nil {
		return nil, r.fault
	}
	bad, fatal := r.badRows()
	if fatal {
		return nil, bad
	}
	if len(f.Tables) == 0 {
		e := r.found.noTable(&r.parser, r.claimed, r.claimedBy, r.try)
		e.NoTable = true
		return nil, e
	}
	if r.dropped > 0 {
		r.warn("%s beyond the limit left out", quantity.Plural(r.dropped, "table"))
	}
	if r.lines.Long > 0 {
		r.warn("%s longer than %d bytes cut", quantity.Plural(r.lines.Long, "line"), lex.MaxLine)
	}
	if bad != nil {
		return nil, &Damaged{f, bad}
	}
	return f, nil
}

// try reads rows of the file with other options.
func (r *reader) try(rows string, o Options) (*File, error) {
	lines := lex.NewLines(bufio.NewReader(strings.NewReader(rows)), nil)
	return newReader(lines, r.file.Name, o).read()
}

// takeRecognised makes the recognised tables those of the file, which no format has read. Lines of
// prose with a size and a time are none beside a table with a header that asks for its columns.
func (r *reader) takeRecognised() {
	if no := r.found.refused; no != nil && no.named && len(no.ways) > 0 {
		rows, named := 0, false
		for _, found := range r.found.records {
			rows, named = rows+found.rows, named || found.named
		}
		if !named && rows < len(no.block.rows) {
			return
		}
	}
	for _, found := range r.found.records {
		r.builders = append(r.builders, found.order...)
		r.file.Skipped -= found.rows
		for _, n := range found.notes {
			r.note("%s", n)
		}
	}
	if no := r.found.refused; len(r.builders) > 0 && no != nil &&
		(no.named && len(no.ways) > 0 || len(no.block.rows) > 2 && no.hasUnit()) {
		r.warn("%s; not read: %s", no.rows(), no.why)
	}
}

// end ends the last runs of all formats.
func (r *reader) end() {
	if r.usage.closed {
		return
	}
	for _, format := range r.dress.all(r.formats) {
		if f, ok := format.format.(runner); ok {
			f.end(&r.parser)
		}
	}
}
