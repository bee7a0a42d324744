package benchfile

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/internal/lex"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A parser holds what the formats share while a file is read: its lines, its tables, and the facts
// that lines outside of tables give.
type parser struct {
	opt      Options
	file     *File
	lines    lex.Lines
	raw      []byte // the current line before cleaning
	open     bool   // the last field of the current line may be cut off: it must not be read
	source   string // the host or file whose line it is; "" if no label names one
	sources  int    // number of sources so far
	previous string // the previous line if it was skipped, else ""

	above func() []string // the last lines, plain

	builders   []*builder
	usage      usage
	tableLimit int // maximum number of tables
	dropped    int // number of tables beyond the maximum

	cut     error   // why the file ends before its output does; nil: it is whole
	fault   *Error  // why the file as a whole cannot be used; nil: it can
	faults  []fault // the first maxFaults invalid rows of CSV and JSON
	bad     int     // the number of all of them
	hint    *Error  // why a line that resembles a table is not read
	why     string  // why the current line is no row; see [parser.stop]
	stopped *Error  // the first of these reasons, of a line that looks like a row
	object  int     // of the JSON array in the current line, from 1

	unit   string // of the times, if a comment gave it
	unitAt int    // the line of that comment
	// algorithm is the algorithm that a command line or its environment chose; for Open MPI,
	// chosenFor is the collective.
	algorithm, chosenFor string
	ranks, perNode       int             // of the last command line that gave ranks; 0 if unknown
	program              string          // of nccl-tests, on the last command line
	hosts                []string        // the pair that a line above the next tables names
	cycles               bool            // the last command line of perftest asked for cycles
	command              string          // the benchmark of the last command line of IMB
	mappedTables         int             // number of tables before the last task map
	asked                map[string]bool // columns of Options.Group and Pool that were found
}

// A fault is an invalid row of a CSV or JSON file, which is left out.
type fault struct {
	*Error
	object int // of a JSON array in the line, from 1
}

// maxFaults is the number of invalid rows that a message names: the first with its fault, the
// others by their lines. A user who mends these sees the next ones.
const maxFaults = 6

// maxHeader is the longest line in bytes that can be a header or a remark. The widest header
// of a benchmark, nccl-tests', has about 110.
const maxHeader = 1024

func (p *parser) begin(t Table) *builder {
	t.Line = p.file.Lines
	t.Title = lex.Plain(t.Title)
	if t.Hosts == nil {
		t.Hosts = p.hosts
	}
	b := &builder{table: &t, file: p.file, usage: &p.usage, source: p.source}
	// rarely: it walks all tables
	if len(p.builders) >= p.tableLimit && p.usage.merged > p.tableLimit/2 {
		p.builders = slices.DeleteFunc(p.builders, func(b *builder) bool { return b.merged })
		p.usage.merged = 0
	}
	// The table is read, as the format's state must go on, but it is not kept.
	if len(p.builders)-p.usage.merged >= p.tableLimit || p.usage.sizes > sizesEach*p.tableLimit {
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
		// Beyond the limit a table is not remembered, so that a file of ever new names does not
		// fill the memory. Its next row begins another one, which is dropped, too.
		if len(*o) < p.tableLimit {
			(*o)[key] = b
		}
	}
	return b
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

// fail records why the file cannot be used, unless there is a reason already.
func (p *parser) fail(line int, msg string, args ...any) {
	if p.fault == nil {
		p.fault = p.errorf(line, msg, args...)
	}
}

// badRow leaves out an invalid row and records why; see [parser.badRows].
func (p *parser) badRow(msg string, args ...any) {
	if p.bad++; len(p.faults) < maxFaults {
		p.faults = append(p.faults, fault{p.errorf(p.file.Lines, msg, args...), p.object})
	}
}

// A file with at least one invalid row in faultyShare is refused: then a column was misread rather
// than a row.
const faultyShare = 100

// badRows returns the error of the invalid rows; nil if there are none. It is fatal if they are too
// many, or if no row is valid. Otherwise the valid rows may be used beside it.
func (p *parser) badRows() (err *Error, fatal bool) {
	if p.bad == 0 {
		return nil, false
	}
	good := 0
	for _, t := range p.file.Tables {
		good += int(t.Rows)
	}
	first := p.faults[0]
	err = first.Error
	if first.object > 1 {
		err.Msg = "object " + strconv.Itoa(first.object) + ": " + err.Msg
	}
	if fatal = p.bad*faultyShare >= good+p.bad; !fatal {
		err.Msg += fmt.Sprintf("; %d of %s left out", p.bad, quantity.Plural(good+p.bad, "row"))
	}
	if p.bad > 1 {
		lines := list.Map(p.faults[1:], func(f fault) string { return strconv.Itoa(f.Line) })
		if p.bad > maxFaults {
			lines = append(lines, "…")
		}
		err.Msg += ", also in line " + strings.Join(lines, ", ")
	}
	return err, fatal
}

// stop records why the current line is no row of a format's open table: the column that is missing
// or wrong. It is reported if the file has no table.
func (p *parser) stop(msg string, args ...any) {
	if p.stopped == nil && p.why == "" {
		p.why = p.errorf(0, msg, args...).Msg
	}
}

// suggest records why a line is not a header; it is reported if the file has no table.
func (p *parser) suggest(msg string, args ...any) {
	if p.hint == nil {
		p.hint = p.errorf(p.file.Lines, msg, args...)
	}
}

// endsWithin records that the file ends within a row. builders is the number of open tables that
// the row may belong to. If it is 0, the message is the reason why the file has no table.
func (p *parser) endsWithin(builders int, msg string, args ...any) {
	if builders == 0 {
		p.suggest(msg, args...)
	} else if p.cut == nil {
		p.cut = p.errorf(p.file.Lines, msg, args...)
	}
}

func (p *parser) warn(msg string, args ...any) {
	p.file.Warnings = remember(p.file.Warnings, lex.Plain(fmt.Sprintf(msg, args...)))
}

func (p *parser) note(msg string, args ...any) {
	p.file.Notes = remember(p.file.Notes, lex.Plain(fmt.Sprintf(msg, args...)))
}

func (p *parser) ended() bool { return p.opt.Context != nil && p.opt.Context.Err() != nil }

// unitRemark matches lines such as "All times in microseconds" and "# time unit: us".
var unitRemark = lex.NewPattern(
	`(?i)\b(?:time|latenc|duration|unit)[a-z]*\b` +
		`[^,;0-9]{0,40}?(?:\bin\b|\bare\b|:|=|\(|\[)\s*` +
		`(ns|nsecs?|nanoseconds?|us|µs|μs|usecs?|microseconds?|` +
		`ms|msec|milliseconds|s|sec|secs|seconds)\b`)

// unitParts are parts of the words at the beginning of unitRemark, for a quick check: matching the
// expression against every line of a long log is slow.
var unitParts = [][]byte{[]byte("ime"), []byte("aten"), []byte("nit"), []byte("urat")}

// ncclCommand matches a command line with a program of nccl-tests and an option.
var ncclCommand = lex.NewPattern(`(?:^|[\s/])((?:all_reduce|all_gather|alltoallv?|broadcast|` +
	`gather|hypercube|reduce|reduce_scatter|scatter|sendrecv)_perf) +-`)

// hostPair matches a line with the two hosts of the next tables: "== node01 <-> node02 ==", and
// "pair: node01, node02". A host's name has a letter, and here a digit.
var hostPair = lex.NewPattern(`(?i)^[\s=#*-]*(?:(?:pair|hosts|nodes)\b\s*[:=]?\s*)?` +
	`([a-z][\w.-]*\d[\w.]*)\s*(<?[-=]+>|,|\band\b|\bto\b|\s)\s*([a-z][\w.-]*\d[\w.]*)[\s=#*:-]*$`)

// pairOfHosts returns the hosts that a line names; nil if it is another line. Two words alone are
// hosts only behind "pair" and its like.
func pairOfHosts(line []byte) []string {
	m := hostPair().FindSubmatch(line)
	if m == nil {
		return nil
	}
	arrow := bytes.ContainsRune(m[2], '>')
	if !arrow && !bytes.Contains(bytes.ToLower(line), []byte("pair")) {
		return nil
	}
	return []string{lex.Plain(string(m[1])), lex.Plain(string(m[3]))}
}

// imbCommand matches a command line of IMB with a benchmark.
var imbCommand = lex.NewPattern(
	`IMB-\S+\s(?:.*\s)?(?i:(PingPong|PingPing|Sendrecv|Exchange|Uniband|Biband|Bcast|` +
		`Allreduce|Allgatherv?|Alltoallv?|Reduce|Reduce_scatter|Gatherv?|Scatterv?))\b`)

// Options of perftest's programs; -C prints cycles of the processor in columns that say usec.
var (
	perftestCommand = lex.NewPattern(`\bib_(?:send|write|read|atomic)_(?:lat|bw)\b`)
	perftestCycles  = lex.NewPattern(`\s(?:-C|--report-cycles)\b`)
)

// readRemark reads a line outside of tables for facts about the next tables: the unit of their
// times, the number of ranks and the algorithm. The first line of calibrate's output is an error:
// its rows would be pooled as one curve.
func (p *parser) readRemark(line []byte) {
	if len(line) > maxHeader {
		return
	}
	if bytes.HasPrefix(line, []byte("# halfpeak calibrate ")) && p.fault == nil {
		p.fail(p.file.Lines, "the output of calibrate has times of several kinds, "+
			"of which only a machine can be fitted; give the file alone to \"halfpeak fit\"")
		p.fault.NoTable = true
	}
	// Parts of all launchers' names: srun, mpirun, mpiexec, flux submit.
	if bytes.Contains(line, []byte("run")) || bytes.Contains(line, []byte("exec")) ||
		bytes.Contains(line, []byte("flux")) {
		if ranks, perNode := lex.Ranks(string(line)); ranks > 0 {
			p.ranks, p.perNode = ranks, perNode
		}
	}
	if bytes.IndexByte(line, '>') >= 0 || bytes.Contains(line, []byte("air")) {
		if hosts := pairOfHosts(line); hosts != nil {
			p.hosts = hosts
		}
	}
	if bytes.Contains(line, []byte("ib_")) && perftestCommand().Match(line) {
		p.cycles = perftestCycles().Match(line)
	}
	if bytes.Contains(line, []byte("IMB-")) {
		if m := imbCommand().FindSubmatch(line); m != nil {
			p.command = string(m[1])
		}
	}
	if bytes.Contains(line, []byte("_perf ")) {
		if m := ncclCommand().FindSubmatch(line); m != nil {
			p.program = string(m[1])
		}
	}
	if bytes.Contains(line, []byte("coll_tuned_")) || bytes.Contains(line, []byte("NCCL_ALGO")) {
		if algorithm, collective, ok := lex.Algorithm(string(line)); ok {
			p.algorithm, p.chosenFor = algorithm, collective
		}
	}
	if bytes.Contains(line, []byte("NCCL INFO")) {
		if ranks, perNode := lex.NCCLRanks(line); ranks > 0 {
			p.ranks, p.perNode = ranks, perNode
		}
	}
	for _, part := range unitParts {
		if !bytes.Contains(line, part) {
			continue
		}
		if m := unitRemark().FindSubmatch(line); m != nil {
			p.unit, p.unitAt = string(m[1]), p.file.Lines
			return
		}
	}
}

// placeOf returns the ranks that a command line or the file's name gives, with the number on each
// node where it says that too; zero if none does.
func (p *parser) placeOf() (c CollectiveOp) {
	// A command line is surer than a name.
	if p.ranks > 0 {
		c = CollectiveOp{Ranks: p.ranks, PerNode: p.perNode}
		c.place()
		return c
	}
	c.Ranks, c.Nodes = lex.RanksOfFile(p.file.Name)
	if c.Nodes > 0 {
		p.warn("the file's name says that %d ranks took part, on %d nodes", c.Ranks, c.Nodes)
		c.place()
	}
	return c
}

// algorithmOf returns the algorithm of a collective: that of the last command line, if it was
// chosen for this collective or for all, or else that of the file's name.
func (p *parser) algorithmOf(name string) string {
	if p.algorithm != "" && (p.chosenFor == "" || p.chosenFor == name) {
		return p.algorithm
	}
	return lex.AlgorithmOfFile(p.file.Name)
}

// mapTasks sets the ranks of a new task map for the collectives since the last one. Flux logs
// the map when the job has ended, so behind its tables.
func (p *parser) mapTasks(ranks int) {
	if p.mappedTables > len(p.builders) { // tables have been merged
		p.mappedTables = 0
	}
	for _, b := range p.builders[p.mappedTables:] {
		if c := &b.table.Collective; b.table.Kind == Collective && ranks > 0 && c.Ranks != ranks {
			c.Ranks, c.PerNode, c.Nodes = ranks, 0, 0
		}
	}
	p.mappedTables = len(p.builders)
}

// An Error is one line about a file that cannot be used: the place, the fault, and the remedy.
type Error struct {
	File string
	Line int // 0 if it is about the whole file
	Msg  string
	// NoTable is set if the file is valid but has no table, and so is not the output of a
	// benchmark. Callers that read a folder may skip such files.
	NoTable bool
}

func (e *Error) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("%s:%d: %s", lex.Quote(e.File), e.Line, e.Msg)
	}
	return lex.Quote(e.File) + ": " + e.Msg
}

// A Damaged reports that a part of a file is missing. Either reading failed in the middle, for
// example because a gzip file is truncated, its checksum is wrong, or a disk failed: File holds the
// tables before that. Or a few rows of CSV or JSON are invalid: File holds the tables of all
// others. The tables may be shown, but the exit status must be an error, since they are incomplete.
type Damaged struct {
	File *File // the tables that could be read; may have none
	Err  error // an [*Error] if rows are invalid
}

func (e *Damaged) Error() string {
	if rows := (*Error)(nil); errors.As(e.Err, &rows) {
		return rows.Error()
	}
	if errors.Is(e.Err, lex.ErrUnzipped) {
		return fmt.Sprintf("%s:%d: %v", lex.Quote(e.File.Name), e.File.Lines+1, e.Err)
	}
	return fmt.Sprintf("%s:%d: the file is damaged or cut off here (%v); fetch it again",
		lex.Quote(e.File.Name), e.File.Lines+1, e.Err)
}

func (e *Damaged) Unwrap() error { return e.Err }
