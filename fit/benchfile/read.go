package benchfile

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/halfpeak/halfpeak/internal/lex"
)

// Open reads the named file; "-" is standard input. Errors are of type [*Error] or
// [*Damaged]. For a folder, see [Files].
func Open(name string, o Options) (*File, error) {
	in, name, done, err := openInput(name, o.Context)
	if err != nil {
		return nil, err
	}
	defer done()
	return Read(in, name, o)
}

// Read reads benchmark output, gzipped or not, to its end. The name appears in messages; if the
// text does not give the collective and the number of ranks, they are taken from the name. Read
// returns an [*Error] if the file has no usable table, or if 1 % of the rows of a CSV or JSON file
// are invalid. If fewer are, or if reading fails in the middle, it returns a [*Damaged] with the
// tables of the other rows, or of those before.
func Read(r io.Reader, name string, o Options) (*File, error) {
	text, done, failure := Text(r)
	if failure != nil {
		return nil, &Error{File: name, Msg: failure.Error()}
	}
	defer done()
	// 4 KiB are enough for the magic numbers, tar's is at 257, and for the zero bytes of a
	// binary file.
	head, _ := text.Peek(4096)
	if what := lex.NotText(head); what != "" {
		msg := what + "; wanted is the text that a benchmark printed"
		return nil, &Error{File: name, Msg: msg, NoTable: true}
	}
	if o.Other != nil && o.Other(text, name) {
		return &File{Name: name}, nil
	}
	return newReader(lex.NewLines(text, o.Progress), name, o).read()
}

// A reader passes the lines of a file to the formats.
type reader struct {
	parser
	formats   []openFormat // the format of the previous line first
	labelled  bool         // lines begin with the rank that printed them
	claimed   int          // the first line that a benchmark's reader took; 0 if none
	claimedBy string       // name of that benchmark

	divides bool   // reading ends before the next output; its first line is held
	name    string // of the file with the outputs
	title   string // of the output, if it has one
	hasRows bool   // the output has rows
}

func newReader(lines lex.Lines, name string, o Options) *reader {
	return &reader{
		parser: parser{
			opt: o, tableLimit: cmp.Or(o.Tables, maxTables), file: &File{Name: name}, lines: lines,
		},
		formats: formats(),
	}
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
			continue
		}
		bare := lex.Unlabelled(line)
		if r.labelled && len(bare) > 0 {
			line = bare
		}
		if r.lines.Partial && !r.readsJSON(line) {
			r.cutLine(line)
			return nil
		}
		if r.take(line) {
			r.previous = ""
			continue
		}
		// "0: 8 1.25" could be a row of a log, too. Lines are taken as labelled only after a reader
		// has accepted one without its label.
		if !r.labelled && len(bare) > 0 && len(bare) < len(line) && r.take(bare) {
			r.labelled = true
			continue
		}
		r.file.Skipped++
		r.previous = ""
		// A short line may be a title that a script has printed before a table; see perftest.
		if len(line) < 60 && utf8.Valid(line) {
			r.previous = string(line)
		}
		r.readRemark(line)
	}
}

// cutLine handles a last line without a line end. It is left out, since 486.43 may have become 48,
// and the file is damaged, unless the line is no part of a benchmark's output.
func (r *reader) cutLine(line []byte) {
	r.end() // before the line is looked at: the rows that formats still hold are whole
	r.usage.closed = true
	begun := len(r.builders)
	c, words := line[0], r.formats[0].words
	isRow := c >= '0' && c <= '9' || r.labelled || words && c != '#' ||
		c == '[' || // of a timestamp or a rank in front of a row
		bytes.HasSuffix(line, []byte("\ufffd")) // half a character of UTF-16
	// Of other text, a reader takes titles and headers.
	if isRow || r.take(line) {
		r.endsWithin(begun, "the last line has no line end: it may be cut off, so it is left out; "+
			"if it is whole, end the line")
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
	for i, f := range r.formats {
		if f.take(&r.parser, line) {
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
	// Tables of one name are numbered, so that each can be named in a command.
	names := map[string]int{}
	f.Tables = slices.Grow(f.Tables, len(r.builders)-r.usage.merged)
	r.formats = nil // with what they keep of each table
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
	for _, name := range slices.Concat(r.opt.Group, r.opt.Pool) {
		// Columns exist only in CSV and JSON; for other files the options have no meaning, and none
		// is missed.
		if r.asked != nil && !r.asked[name] {
			r.fail(0, "no column %q to group by or to pool", name)
		}
	}
	if r.fault != nil {
		return nil, r.fault
	}
	bad, fatal := r.badRows()
	if fatal {
		return nil, bad
	}
	if len(f.Tables) == 0 {
		e := r.noTableError()
		e.NoTable = true
		return nil, e
	}
	if r.dropped > 0 {
		r.warn("%s beyond the limit left out", lex.Plural(r.dropped, "table"))
	}
	if r.lines.Long > 0 {
		r.warn("%s longer than %d bytes cut", lex.Plural(r.lines.Long, "line"), lex.MaxLine)
	}
	if bad != nil {
		return nil, &Damaged{f, bad}
	}
	return f, nil
}

// end ends the last runs of all formats.
func (r *reader) end() {
	if r.usage.closed {
		return
	}
	for _, format := range r.formats {
		if f, ok := format.format.(runner); ok {
			f.end(&r.parser)
		}
	}
}

func (r *reader) noTableError() *Error {
	f := r.file
	if len(r.builders) > 0 {
		b := r.builders[0]
		for _, t := range b.tallies {
			if t.what == unusable {
				return r.errorf(t.first, "no row of %s has a usable size and time", b.table.Name())
			}
		}
	}
	switch {
	case f.Lines == 0:
		return r.errorf(0, "the file is empty; the benchmark may have said why on the "+
			"terminal (calibrate needs at least two ranks)")
	// From the most certain reason to the least: what a reader has warned of, a benchmark
	// without rows, a line that is nearly a header.
	case len(f.Warnings) > 0:
		return r.errorf(0, "%s", strings.Join(f.Warnings, "; "))
	case r.claimed > 0:
		return r.errorf(r.claimed,
			"the output of %s has no row with a size and a time; did the run fail?", r.claimedBy)
	case r.hint != nil:
		return r.hint
	case len(r.builders) > 0:
		b := r.builders[0]
		return r.errorf(b.table.Line, "the header of %s is not followed by a row", b.table.Name())
	}
	return r.errorf(0, "no table of sizes and times in %s; known formats are %s",
		lex.Plural(f.Lines, "line"), Known)
}

// Outputs reads a file that may hold the outputs of many runs behind each other, as cat *.log
// writes them. It calls each with every output, or with the error of an output that cannot be read,
// in file order.
//
// A new output begins where a benchmark prints its first line, and where head and tail print the
// name of a file (==> a.log <==); such an output is named FILE!a.log. Any other file is one output.
//
// Outputs holds one output at a time in memory. It returns an error of opening the file, or the
// first error that each returns, which ends the reading.
func Outputs(name string, o Options, each func(*File, error) error) error {
	in, name, done, err := openInput(name, o.Context)
	if err != nil {
		return err
	}
	defer done()
	return outputs(in, name, o, each)
}

func outputs(r io.Reader, name string, o Options, each func(*File, error) error) error {
	text, done, failure := Text(r)
	if failure != nil {
		return each(nil, &Error{File: name, Msg: failure.Error()})
	}
	defer done()
	if head, _ := text.Peek(4096); lex.NotText(head) != "" {
		return each(Read(text, name, o)) // reports the format and reads no further
	}
	var nothing error // the first error of an output without a table, if no output has one
	reported := false
	lines := lex.NewLines(text, o.Progress)
	for before, title := 0, ""; ; {
		r := newReader(lines, name, o)
		r.divides, r.name, r.title = true, name, title
		if title != "" {
			r.file.Name += "!" + title
		}
		f, err := r.read()
		for i := range r.file.Tables { // lines count from the beginning of the file
			r.file.Tables[i].Line += before
		}
		if e := (*Error)(nil); errors.As(err, &e) && e.NoTable && !r.hasRows {
			nothing = cmp.Or(nothing, err) // text before or between outputs
		} else {
			reported = true
			if err := each(f, err); err != nil {
				return err
			}
		}
		if r.lines.Held == nil { // without a line put back, the file has ended
			break
		}
		lines, title, before = r.lines, r.title, before+r.file.Lines
		lines.Long = 0 // counted with the output that ended
	}
	if nothing != nil && !reported {
		return each(nil, nothing)
	}
	return nil
}
