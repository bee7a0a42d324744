package trace

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// A format reads the output of one benchmark. Each has a file of its own.
type format interface {
	// take reads one line, and reports whether it belongs to the format: a title, a
	// header, a row of its open table. A line that it does not take is offered to
	// the other formats.
	take(p *parser, line []byte) bool
}

// formats are asked in this order, after the one that took the last line. CSV
// is last, as the least particular.
func formats() []format {
	return []format{&osu{}, &imb{}, &perftest{}, &nccl{}, &netgauge{}, &netpipe{}, &ucx{}, &sockperf{}, &qperf{}, &iperf3{}, &simgrid{}, &objects{}, &csv{}}
}

// A runner is a format whose last run may be open at the end of the file.
type runner interface{ end(p *parser) }

// Known lists what [Read] knows, for messages.
const Known = "CSV, TSV and JSON, NetPIPE, OSU, IMB, netgauge, perftest, nccl-tests, ucx_perftest, sockperf, qperf, iperf3 --json and SimGrid calibration"

// Open reads the named file; "-" is standard input. Errors are of type [*Error],
// or of package os.
func Open(name string, o Options) (*File, error) {
	if name == "-" {
		return Read(os.Stdin, "standard input", o)
	}
	f, err := os.Open(name)
	if err != nil {
		if e := new(fs.PathError); errors.As(err, &e) {
			return nil, &Error{File: name, Msg: e.Err.Error()}
		}
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, &Error{File: name, Msg: "is a directory; name a benchmark's output file"}
	}
	return Read(f, name, o)
}

// Read reads benchmark output, gzipped or not, to its end. Name is for messages.
// A file without a table that could be read is an error of type [*Error], and so is
// a row of a CSV file that is neither right nor noise.
func Read(r io.Reader, name string, o Options) (*File, error) {
	p := &parser{opt: o, file: &File{Name: name}, formats: formats()}
	in := bufio.NewReaderSize(r, maxLine)
	if head, _ := in.Peek(2); bytes.Equal(head, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, p.errorf(0, "broken gzip file: %v", err)
		}
		in = bufio.NewReaderSize(z, maxLine)
	}
	head, err := in.Peek(4096)
	if len(head) == 0 && err == io.EOF {
		return nil, p.errorf(0, "the file is empty")
	}
	if what := notText(head); what != "" {
		return nil, p.errorf(0, "%s; wanted is the text that a benchmark printed", what)
	}
	if bytes.HasPrefix(head, []byte("\ufeff")) {
		_, _ = in.Discard(3) // cannot fail: it was peeked
	}
	p.lines = lineReader{in: in, progress: o.Progress}
	if err := p.run(); err != nil {
		return nil, err
	}
	return p.finish()
}

// notText says what a file is that cannot be read, or "".
func notText(head []byte) string {
	for _, k := range []struct{ magic, what string }{
		{"\xff\xfe", "this is UTF-16; save it as UTF-8"},
		{"\xfe\xff", "this is UTF-16; save it as UTF-8"},
		{"BZh", "compressed with bzip2; decompress it first"},
		{"\xfd7zXZ", "compressed with xz; decompress it first"},
		{"\x28\xb5\x2f\xfd", "compressed with zstd; decompress it first"},
		{"PK\x03\x04", "a zip archive (or spreadsheet); unpack it, or save it as CSV"},
	} {
		if bytes.HasPrefix(head, []byte(k.magic)) {
			return k.what
		}
	}
	if bytes.IndexByte(head, 0) >= 0 {
		return "a binary file"
	}
	return ""
}

// parser is one file being read.
type parser struct {
	opt      Options
	file     *File
	lines    lineReader
	formats  []format
	builders []*builder
	previous string // the line before, if it was skipped
	labelled bool   // lines begin with the rank that printed them
	dropped  int    // tables beyond maxTables
	faults   int    // rows that are neither right nor noise
	fault    *Error // the first of them
	hint     *Error // why what looks like a table is not read
	// histograms and sizes bound what all tables take together.
	histograms, sizes int
}

func (p *parser) errorf(line int, msg string, args ...any) *Error {
	return &Error{p.file.Name, line, fmt.Sprintf(msg, args...)}
}

// badRow notes a row that must not be passed over in silence.
func (p *parser) badRow(msg string, args ...any) {
	if p.faults++; p.fault == nil {
		p.fault = p.errorf(p.file.Lines, msg, args...)
	}
}

// suggest notes what kept a line from being a header, for the case that the file
// has no table.
func (p *parser) suggest(msg string, args ...any) {
	if p.hint == nil {
		p.hint = p.errorf(p.file.Lines, msg, args...)
	}
}

// warn adds a doubt about the file.
func (p *parser) warn(msg string, args ...any) {
	if len(p.file.Warnings) < 100 {
		p.file.Warnings = append(p.file.Warnings, fmt.Sprintf(msg, args...))
	}
}

// run offers every line to the formats.
func (p *parser) run() error {
	for {
		raw, err := p.lines.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			if p.file.Lines == 0 {
				return p.errorf(0, "reading fails: %v", err)
			}
			// A gzip file that was cut off, mostly: what is whole counts.
			p.warn("the file ends in line %d where reading fails: %v", p.file.Lines+1, err)
			return nil
		}
		p.file.Lines++
		line := clean(raw)
		if len(line) == 0 {
			continue
		}
		bare := unlabelled(line)
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
	}
}

func (p *parser) take(line []byte) bool {
	for i, f := range p.formats {
		if f.take(p, line) {
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
	b := &builder{table: &t, parser: p, sizes: map[uint64]*accumulator{}}
	if len(p.builders) >= maxTables || p.sizes > 4*MaxSizes {
		p.dropped++
		return b
	}
	p.builders = append(p.builders, b)
	return b
}

func (p *parser) finish() (*File, error) {
	f := p.file
	for _, format := range p.formats {
		if r, ok := format.(runner); ok {
			r.end(p)
		}
	}
	names := map[string]int{}
	for _, b := range p.builders {
		b.finish()
		if b.table.Rows > 0 {
			if names[b.table.Name()]++; names[b.table.Name()] > 1 {
				b.table.Title = fmt.Sprintf("%s (%d)", b.table.Name(), names[b.table.Name()])
			}
			f.Tables = append(f.Tables, *b.table)
		}
	}
	if p.fault != nil {
		if p.faults > 1 {
			p.fault.Msg += fmt.Sprintf(" (and %s more)", plural(p.faults-1, "row"))
		}
		return nil, p.fault
	}
	if len(f.Tables) == 0 {
		switch {
		case p.hint != nil:
			return nil, p.hint
		case len(f.Warnings) > 0:
			return nil, p.errorf(0, "%s", strings.Join(f.Warnings, "; "))
		case len(p.builders) > 0:
			b := p.builders[0]
			if b.dropped > 0 {
				return nil, p.errorf(b.droppedAt, "no row of %s has a usable size and time", b.table.Name())
			}
			return nil, p.errorf(b.table.Line, "the header of %s is not followed by a row", b.table.Name())
		}
		return nil, p.errorf(0, "no table of sizes and times in %s; known are %s", plural(f.Lines, "line"), Known)
	}
	if p.dropped > 0 {
		p.warn("%s beyond what is kept left out", plural(p.dropped, "table"))
	}
	if p.lines.long > 0 {
		p.warn("%s longer than %d bytes cut", plural(p.lines.long, "line"), maxLine)
	}
	return f, nil
}

// row adds a row of the current line, if its size and time can be; if not, the
// row is dropped and counted.
func (b *builder) row(r row) {
	if !goodSize(r.size) || !goodTime(r.time) {
		if b.dropped++; b.dropped == 1 {
			b.droppedAt = b.parser.file.Lines
		}
		return
	}
	b.add(r, b.parser.file.Lines)
}

// resolution notes that a time was printed with steps of q µs.
func (b *builder) resolution(q float64) {
	if b.table.Quantum == 0 || q < float64(b.table.Quantum) {
		b.table.Quantum = quantity.Micros(q)
	}
}

// warn adds a doubt about the table.
func (b *builder) warn(msg string) { b.table.Warnings = append(b.table.Warnings, msg) }

// cut notes a row that has lost its end.
func (b *builder) cut() {
	if b.cuts++; b.cuts == 1 {
		b.cutAt = b.parser.file.Lines
	}
}

// repeated notes a row that stands in the file twice and counts once.
func (b *builder) repeated() {
	if b.repeats++; b.repeats == 1 {
		b.repeatedAt = b.parser.file.Lines
	}
}

// coarse notes a rate of fewer than three digits: the time from it is no better.
func (b *builder) coarse(v number) {
	if v.value < 100*v.quantum() {
		b.fewDigits++
	}
}
