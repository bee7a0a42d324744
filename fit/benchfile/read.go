package benchfile

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/halfpeak/halfpeak/fit/benchfile/internal/input"
	"github.com/halfpeak/halfpeak/fit/benchfile/internal/lex"
)

// A format reads the output of one benchmark. Each has a file of its own.
type format interface {
	// take reads one line, and reports whether it belongs to the format: a title, a header, or a
	// row of its open table. If not, the other formats are tried.
	take(p *parser, line []byte) bool
}

// A runner is a format whose last run may be open at the end of the file.
type runner interface{ end(p *parser) }

// Open reads the named file; "-" is standard input. Errors are of type [*Error] or
// [*Damaged]. For a folder, see [Files].
func Open(name string, o Options) (*File, error) {
	if name == "-" {
		return Read(os.Stdin, "standard input", o)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, pathError(name, err)
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, &Error{File: name, Msg: "is a directory; name a benchmark's output file"}
	}
	return Read(f, name, o)
}

// Read reads benchmark output, gzipped or not, to its end. The name appears in messages; if the
// text does not give the collective and the number of ranks, they are taken from the name. Read
// returns an [*Error] if the file has no usable table, or if a row of a CSV file is invalid. If
// reading fails in the middle, it returns a [*Damaged] with the tables read before.
func Read(r io.Reader, name string, o Options) (*File, error) { return readAt(quick, r, name, o) }

func readAt(pace pace, r io.Reader, name string, o Options) (*File, error) {
	p := &parser{pace: pace, bulkAt: pace.after, stretch: pace.after, opt: o, tableLimit: cmp.Or(o.Tables, maxTables), file: &File{Name: name}, formats: formats()}
	in, done, failure := Text(r)
	if failure != nil {
		return nil, &Error{File: name, Msg: failure.Error()}
	}
	defer done()
	head, err := in.Peek(4096)
	what := input.NotText(head)
	if what != "" {
		what += "; wanted is the text that a benchmark printed"
	} else if len(head) == 0 && err == io.EOF {
		what = "the file is empty"
	}
	if what != "" {
		return nil, &Error{File: name, Msg: what, NoTable: true}
	}
	p.lines = input.NewLines(in, o.Progress)
	broken := p.run()
	f, err := p.finish()
	if broken != nil {
		return nil, &Damaged{p.file, broken}
	}
	return f, err
}

// A parser reads one file.
type parser struct {
	opt         Options
	file        *File
	lines       input.Lines
	formats     []openFormat
	builders    []*builder
	previous    string // the previous line if it was skipped, else ""
	labelled    bool   // lines begin with the rank that printed them
	tableLimit  int    // maximum number of tables
	dropped     int    // number of tables beyond the maximum
	merged      int    // number of builders whose rows were moved to another
	faults      int    // number of invalid rows of CSV and JSON
	fault       *Error // the first of them
	hint        *Error // why a line that resembles a table is not read
	pace        pace
	bulkAt      int64 // byte at which blocks are tried next
	stretch     int64 // minimum distance in bytes from a line that is not plain to the next blocks
	kept, sizes int   // times kept for medians and sizes, of all tables, both bounded

	raw    []byte // the current line before cleaning
	unit   string // of the times, if a comment gave it
	unitAt int    // the line of that comment
	// algorithm is the algorithm that a command line or its environment chose; for Open MPI,
	// chosenFor is the collective.
	algorithm, chosenFor string
	launched             int             // number of ranks in the last command line that gave one
	launchedEach         int             // how many of them are on each node; 0 if it does not say
	mappedTables         int             // number of tables before the last task map
	object               int             // of the JSON array in the current line, from 1
	claimed              int             // the first line that a benchmark's reader took; 0 if none
	claimedBy            string          // name of that benchmark
	asked                map[string]bool // columns of Options.Group and Pool that were found
}

func (p *parser) errorf(line int, msg string, args ...any) *Error {
	return &Error{File: p.file.Name, Line: line, Msg: lex.Plain(fmt.Sprintf(msg, args...))}
}

func (p *parser) spell(option, value string) string {
	if p.opt.Spell == nil {
		return option + "=" + value
	}
	return p.opt.Spell(option, value)
}

// badRow records the error of an invalid row; the first is returned for the file.
func (p *parser) badRow(msg string, args ...any) {
	if p.faults++; p.fault == nil {
		p.fault = p.errorf(p.file.Lines, msg, args...)
		if p.object > 1 {
			p.fault.Msg = "object " + strconv.Itoa(p.object) + ": " + p.fault.Msg
		}
	}
}

// suggest records why a line is not a header; it is reported if the file has no table.
func (p *parser) suggest(msg string, args ...any) {
	if p.hint == nil {
		p.hint = p.errorf(p.file.Lines, msg, args...)
	}
}

func (p *parser) warn(msg string, args ...any) {
	p.file.Warnings = remember(p.file.Warnings, lex.Plain(fmt.Sprintf(msg, args...)))
}

// remember appends text to texts unless they contain it or are full.
func remember(texts []string, text string) []string {
	if len(texts) >= 100 || slices.Contains(texts, text) {
		return texts
	}
	return append(texts, text)
}

func (p *parser) note(msg string, args ...any) {
	p.file.Notes = remember(p.file.Notes, lex.Plain(fmt.Sprintf(msg, args...)))
}

// run passes every line to the formats. It returns the error of reading the file, if any.
func (p *parser) run() error {
	for {
		if p.lines.Offset >= p.bulkAt {
			p.bulk()
		}
		raw, err := p.lines.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		p.file.Lines++
		if p.lines.More {
			p.readPieces(raw)
			continue
		}
		p.raw = raw
		if bytes.Contains(raw, taskMap) {
			p.readTaskMap(raw)
		}
		line := lex.Clean(raw)
		if len(line) == 0 {
			continue
		}
		bare := lex.Unlabelled(line)
		if p.labelled && len(bare) > 0 {
			line = bare
		}
		if p.take(line) {
			p.previous = ""
			continue
		}
		if !p.labelled && len(bare) > 0 && len(bare) < len(line) && p.take(bare) {
			p.labelled = true
			continue
		}
		p.file.Skipped++
		p.previous = ""
		if len(line) < 60 && utf8.Valid(line) {
			p.previous = string(line)
		}
		p.readRemark(line)
	}
}

// readPieces reads a line that comes in pieces: JSON completely, other text only up to maxLine
// bytes.
func (p *parser) readPieces(raw []byte) {
	line := bytes.TrimLeft(raw, " \t")
	if len(line) == 0 || !p.take(line) {
		p.file.Skipped++
		p.lines.Drop()
		return
	}
	f, ok := p.formats[0].format.(*objects)
	if !ok {
		p.lines.Drop()
		return
	}
	for p.lines.More {
		piece, err := p.lines.Next()
		if err != nil {
			return // it comes again with the next line
		}
		if !f.feed(piece, !p.lines.More) {
			p.suggest("broken JSON; mend it, or give the text that the benchmark printed")
			f.discard()
			p.lines.Drop()
		}
	}
}

var unitRemark = regexp.MustCompile(`(?i)\b(?:time|latenc|duration|unit)[a-z]*\b[^,;0-9]{0,40}?(?:\bin\b|\bare\b|:|=|\(|\[)\s*(ns|nsecs?|nanoseconds?|us|µs|μs|usecs?|microseconds?|ms|msec|milliseconds|s|sec|secs|seconds)\b`)

// unitParts are parts of the words at the beginning of unitRemark, for a quick check: matching the
// expression against every line of a long log is slow.
var unitParts = [][]byte{[]byte("ime"), []byte("aten"), []byte("nit"), []byte("urat")}

// readRemark reads a line outside of tables for facts about the next tables: the unit of their
// times, the number of ranks and the algorithm. The first line of calibrate's output is an error:
// its rows would be pooled as one curve.
func (p *parser) readRemark(line []byte) {
	if len(line) > maxHeader {
		return
	}
	if bytes.HasPrefix(line, []byte("# halfpeak calibrate ")) && p.fault == nil {
		p.faults, p.fault = 1, p.errorf(p.file.Lines, "the output of calibrate has times of several kinds, of which only a machine can be fitted; give the file alone to \"halfpeak fit\"")
		p.fault.NoTable = true
	}
	if bytes.Contains(line, []byte("run")) || bytes.Contains(line, []byte("exec")) {
		p.launch(string(line))
	}
	if bytes.Contains(line, []byte("coll_tuned_")) || bytes.Contains(line, []byte("NCCL_ALGO")) {
		p.choose(string(line))
	}
	for _, part := range unitParts {
		if !bytes.Contains(line, part) {
			continue
		}
		if m := unitRemark.FindSubmatch(line); m != nil {
			p.unit, p.unitAt = string(m[1]), p.file.Lines
			return
		}
	}
}

func (p *parser) take(line []byte) bool {
	for i, f := range p.formats {
		if f.take(p, line) {
			if p.claimed == 0 && f.starts != nil {
				p.claimed, p.claimedBy = p.file.Lines, f.name
			}
			if i > 0 { // the next line is most likely of the same format
				copy(p.formats[1:], p.formats[:i])
				p.formats[0] = f
			}
			return true
		}
	}
	return false
}

// begin starts a table at the current line.
func (p *parser) begin(t Table) *builder {
	t.Line = p.file.Lines
	t.Title = lex.Plain(t.Title)
	b := &builder{table: &t, parser: p}
	if len(p.builders) >= p.tableLimit && p.merged > p.tableLimit/2 { // rarely: it walks all tables
		p.builders = slices.DeleteFunc(p.builders, func(b *builder) bool { return b.merged })
		p.merged = 0
	}
	if len(p.builders)-p.merged >= p.tableLimit || p.sizes > sizesEach*p.tableLimit {
		p.dropped++
		return b
	}
	p.builders = append(p.builders, b)
	return b
}

// openTables maps keys to the tables of a format that may still get rows.
type openTables map[string]*builder

// table returns the table of a key, which it begins if it is new.
func (o *openTables) table(p *parser, key string, t Table) *builder {
	b := (*o)[key]
	if b == nil {
		b = p.begin(t)
		if *o == nil {
			*o = openTables{}
		}
		if len(*o) < p.tableLimit {
			(*o)[key] = b
		}
	}
	return b
}

func (p *parser) noTableError() *Error {
	f := p.file
	if len(p.builders) > 0 {
		b := p.builders[0]
		for _, t := range b.tallies {
			if t.what == unusable {
				return p.errorf(t.first, "no row of %s has a usable size and time", b.table.Name())
			}
		}
	}
	switch {
	case len(f.Warnings) > 0:
		return p.errorf(0, "%s", strings.Join(f.Warnings, "; "))
	case p.claimed > 0:
		return p.errorf(p.claimed, "the output of %s has no row with a size and a time; did the run fail?", p.claimedBy)
	case p.hint != nil:
		return p.hint
	case len(p.builders) > 0:
		b := p.builders[0]
		return p.errorf(b.table.Line, "the header of %s is not followed by a row", b.table.Name())
	}
	return p.errorf(0, "no table of sizes and times in %s; known are %s", lex.Plural(f.Lines, "line"), Known)
}

// ended reports whether the reading was interrupted: finish then returns why.
func (p *parser) ended() bool { return p.opt.Context != nil && p.opt.Context.Err() != nil }

func (p *parser) finish() (*File, error) {
	f := p.file
	for _, format := range p.formats {
		if r, ok := format.format.(runner); ok {
			r.end(p)
		}
	}
	names := map[string]int{}
	f.Tables = slices.Grow(f.Tables, len(p.builders)-p.merged)
	p.formats = nil // with what they keep of each table
	for i, b := range p.builders {
		if b.merged {
			continue
		}
		if i%1024 == 0 && p.ended() {
			return nil, p.opt.Context.Err()
		}
		b.finish()
		if b.table.Rows > 0 {
			if names[b.table.Name()]++; names[b.table.Name()] > 1 {
				b.table.Title = fmt.Sprintf("%s (%d)", b.table.Name(), names[b.table.Name()])
			}
			f.Tables = append(f.Tables, *b.table)
			p.builders[i] = nil
		}
	}
	for _, name := range slices.Concat(p.opt.Group, p.opt.Pool) {
		if p.asked != nil && p.fault == nil && !p.asked[name] {
			p.fault = p.errorf(0, "no column %q to group by or to pool", name)
		}
	}
	if p.fault != nil {
		if p.faults > 1 {
			p.fault.Msg += fmt.Sprintf(" (and %s more)", lex.Plural(p.faults-1, "row"))
		}
		return nil, p.fault
	}
	if len(f.Tables) == 0 {
		e := p.noTableError()
		e.NoTable = true
		return nil, e
	}
	if p.dropped > 0 {
		p.warn("%s beyond the limit left out", lex.Plural(p.dropped, "table"))
	}
	if p.lines.Long > 0 {
		p.warn("%s longer than %d bytes cut", lex.Plural(p.lines.Long, "line"), input.MaxLine)
	}
	return f, nil
}
