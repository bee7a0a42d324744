package fleet

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/parallel"
	"github.com/halfpeak/halfpeak/internal/usage"
)

// A fileSummary holds what the analysis needs of one file. It exists before the file
// is read, so that workers fill entries of one list and the order is that of the
// list.
type fileSummary struct {
	path    string // below the named folder, with slashes; of a named file its last part
	source  string // the file as it was found
	curves  []curveSummary
	skipped []skippedFile
}

// A skippedFile is a file, or an output in it, that was not used, or only in part.
type skippedFile struct {
	reason string // with the file's name and what to do
	// Fault is set if reading failed. Otherwise the file is not the output of a benchmark, or not
	// of a wanted one.
	fault bool
	// Unmatched is set if the file's name does not match the pattern of names.
	unmatched bool
}

// A Question asks which nodes and pairs of a fleet stand out.
type Question struct {
	Files  []string // folders and files of benchmark output
	Before string   // an earlier folder or file, with which they are compared; empty: none
	Options
	Watch func() // is told of each file that was read, from any goroutine; nil: none
}

// Options determine an answer, together with the files.
type Options struct {
	// Name is a pattern of file names, such as "nccl_*_G{gpus}_{a}_{b}.log"; empty: none. A *
	// matches any letters but /, and {name} at least one. {a} and {b} are the nodes, and other
	// names are dimensions: only curves of the same dimensions are compared.
	Name string
	// Columns of tables that name the nodes; nil: those of [benchfile.NodeColumns]. Of two, the
	// first names the sender: each node is tested in both directions, if both were measured.
	Columns []string
	// X, Y, Group, Pool and Spell are those of [benchfile.Options].
	X, Y        string
	Group, Pool []string
	Spell       func(option, value string) string
	// Places has the blocks of nodes, such as racks, by the names of the nodes; nil if unknown.
	Places map[string]string
	// TwoSided also reports nodes and pairs that are faster.
	TwoSided bool
	// FDR is the false discovery rate: the expected share of false alarms among the findings. 0 is
	// 0.05.
	FDR float64
	// MinEffect is the smallest effect that is reported: 0.01 is 1 %.
	MinEffect float64
	// All keeps all tests in the answer, not only the findings.
	All bool
}

// directed reports whether the columns say which node of a pair sends.
func (o Options) directed() bool { return len(o.Columns) == 2 }

// listFiles returns the entries of the files that roots name, and of the files in
// folders, with nothing read. It fails if a root cannot be listed or a file is named
// twice: a curve that counts twice would look like a measurement with less noise.
func listFiles(roots []string) ([]fileSummary, error) {
	var entries []fileSummary
	named := map[string]bool{}
	for _, root := range roots {
		files, err := benchfile.Files(root)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			// A folder and a file in it may both be named, by different relative paths.
			where, err := filepath.Abs(f)
			if err != nil {
				where = f
			}
			if named[where] {
				return nil, fmt.Errorf("%q is named twice; it would count twice", f)
			}
			named[where] = true
			path := filepath.ToSlash(filepath.Base(f))
			if f != root {
				if below, err := filepath.Rel(root, f); err == nil {
					path = filepath.ToSlash(below)
				}
			}
			entries = append(entries, fileSummary{path: path, source: f})
		}
	}
	return entries, nil
}

// A reading is the entries of a fleet: of now and, if asked for, of before.
type reading struct {
	now, before []fileSummary
	// Interrupted gives the progress of an interrupted reading; otherwise it is empty.
	interrupted string
}

// load reads the files of the question. If ctx ends the reading, load returns the files read so
// far. Errors are of the options and the roots; a file that cannot be read is in the answer's
// skippedRows.
func load(ctx context.Context, q Question) (in reading, err error) {
	files := 0
	in.now, files, err = readFiles(ctx, q.Files, q.Options, q.Watch)
	done := len(in.now)
	if err == nil && q.Before != "" {
		in.before, files, err = readFiles(ctx, []string{q.Before}, q.Options, q.Watch)
		done = len(in.before)
		if err != nil {
			in.before = nil // part of it would be compared with the whole
		}
	}
	if errors.Is(err, context.Canceled) {
		in.interrupted = fmt.Sprintf("interrupted: %d of %d files read", done, files)
		if q.Before != "" && done < files {
			in.interrupted += ", and nothing compared"
		}
		err = nil
	}
	return in, err
}

// readFiles reads the files that roots name, and the files in folders, in parallel, and returns
// their number as well. Errors of files are in the summaries. If ctx ends, readFiles returns its
// error with the summaries of the files that were read whole. Other errors are of the roots and of
// the options, such as a pattern that matches no file.
func readFiles(
	ctx context.Context, roots []string, o Options, progress func(),
) (entries []fileSummary, files int, err error) {
	w, err := newWorker(ctx, o)
	if err == nil {
		entries, err = listFiles(roots)
	}
	if err != nil {
		return nil, 0, err
	}
	files = len(entries)
	whole := make([]bool, files) // an interrupted file would look like a file with fewer curves
	// Each file has its own entry, so the goroutines need no lock and the order is that of the
	// list.
	err = parallel.Each(ctx, files, 0, func(_ context.Context, i int) error {
		whole[i] = w.read(&entries[i])
		if whole[i] && progress != nil {
			progress()
		}
		return nil
	})
	i := 0
	entries = slices.DeleteFunc(entries, func(fileSummary) bool {
		i++
		return !whole[i-1]
	})
	if err == nil && w.pattern != nil && !w.matched.Load() && files > 0 {
		err = fmt.Errorf("%q matches no file; the first file is %q: * matches any letters, "+
			"{a} and {b} are the nodes", o.Name, entries[0].path)
		return nil, files, usage.Fields(err, "name")
	}
	return entries, files, err
}

// A worker reads files; it may be used by many goroutines, since it changes nothing
// but matched.
type worker struct {
	Options
	pattern *namePattern
	ctx     context.Context
	// Whether the pattern matched any name: a wrong pattern would skip all files without an error.
	matched atomic.Bool
}

func newWorker(ctx context.Context, o Options) (*worker, error) {
	w := &worker{Options: o, ctx: ctx}
	if o.Name != "" {
		var err error
		if w.pattern, err = parsePattern(o.Name); err != nil {
			return nil, usage.Fields(fmt.Errorf("%q: %w", o.Name, err), "name")
		}
	}
	return w, nil
}

// read reads a file, and reports whether it was not interrupted. Everything else that
// goes wrong is kept in the entry: among a million files some are broken, and the
// rest are still worth an answer.
func (w *worker) read(e *fileSummary) bool {
	o := benchfile.Options{
		X: w.X, Y: w.Y, Spell: w.Spell,
		Group:   append(slices.Clone(w.Columns), w.Group...),
		Pool:    w.Pool,
		Tables:  maxTables,
		Context: w.ctx,
	}
	skip := func(fault bool, reason string) {
		e.skipped = append(e.skipped, skippedFile{reason: reason, fault: fault})
	}
	// Columns with names of nodes are looked for only if the user did not say where
	// the nodes are.
	if w.Columns == nil && w.pattern == nil {
		o.Names = benchfile.NodeColumns
	}
	err := benchfile.Outputs(e.source, o, func(f *benchfile.File, err error) error {
		if w.ctx.Err() != nil {
			return w.ctx.Err()
		}
		// The rows before the damage are good, and the file counts as a fault all the
		// same.
		if damaged := (*benchfile.Damaged)(nil); errors.As(err, &damaged) {
			f = damaged.File
		}
		if err != nil {
			unread := (*benchfile.Error)(nil)
			skip(!errors.As(err, &unread) || !unread.NoTable, err.Error())
		}
		if f == nil {
			return nil
		}
		var nodes, labels []string
		if w.pattern != nil {
			name := e.path
			// Outputs concatenated with tail -n +1 keep the names of their files,
			// after a "!".
			if _, member, ok := strings.Cut(f.Name, "!"); ok {
				name = strings.ReplaceAll(member, "!", "/")
			}
			var ok bool
			if nodes, labels, ok = w.pattern.match(name); !ok {
				e.skipped = append(e.skipped, skippedFile{unmatched: true,
					reason: fmt.Sprintf("%q does not match it", name)})
				return nil
			}
			w.matched.Store(true)
		}
		for i := range f.Tables {
			if i%1024 == 0 && w.ctx.Err() != nil { // a file may have millions of tables
				return w.ctx.Err()
			}
			columns := w.columnsOf(f.Tables[i].Labels)
			if nodes != nil && len(columns) > 0 {
				const format = "%s: both the pattern of names and columns (%s) name the nodes; " +
					"omit the pattern, or pool the columns"
				skip(false, fmt.Sprintf(format, f.Name, strings.Join(columns, ", ")))
				return nil
			}
			if c, ok := summarise(&f.Tables[i], nodes, labels, columns); ok {
				e.curves = append(e.curves, c)
			}
		}
		return nil
	})
	if w.ctx.Err() != nil {
		return false
	}
	if err != nil {
		skip(true, err.Error())
	}
	return true
}

// maxTables bounds the curves in one file: all pairs of 5,800 nodes. Memory ends before.
const maxTables = 1 << 24

// columnsOf returns the columns that name the nodes of a table: those that were given
// or, of the known pairs of names, the first that the table has.
func (w *worker) columnsOf(labels []benchfile.Label) []string {
	if w.Columns != nil || len(labels) == 0 {
		return w.Columns
	}
	for _, names := range benchfile.NodeColumns {
		if hasColumns(labels, names) {
			return names
		}
	}
	return nil
}

// hasColumns reports whether labels have a value for each of names.
func hasColumns(labels []benchfile.Label, names []string) bool {
	for _, name := range names {
		named := func(l benchfile.Label) bool { return l.Column == name }
		if !slices.ContainsFunc(labels, named) {
			return false
		}
	}
	return true
}

// ReadPlaces reads the group of each node, such as its rack or switch: a CSV with the names of a
// node and of its group in the first two columns. A heading that begins with "node" is skipped.
func ReadPlaces(in io.Reader) (map[string]string, error) {
	text, done, err := benchfile.Text(in)
	if err != nil {
		return nil, err
	}
	defer done()
	const most = 64 << 20 // bytes: a million nodes take 20 MB
	limited := &io.LimitedReader{R: text, N: most}
	rows := csv.NewReader(limited)
	// -1 allows further columns, as lists of inventories have them.
	rows.FieldsPerRecord, rows.TrimLeadingSpace, rows.Comment = -1, true, '#'
	places := map[string]string{}
	for n := 0; ; n++ {
		row, err := rows.Read()
		// Before the error of the row, which the limit may have cut short.
		if limited.N == 0 {
			return nil, errors.New("the list of nodes is larger than 64 MiB; " +
				"write only a node and its group in each row")
		}
		if err == io.EOF && len(places) > 0 {
			return places, nil
		}
		if err == io.EOF {
			return nil, errors.New("no node has a group; " +
				"write a row for each node, as in n01,rack1")
		}
		if err != nil {
			return nil, err
		}
		line, _ := rows.FieldPos(0)
		node := strings.TrimSpace(row[0])
		switch {
		case n == 0 && strings.EqualFold(node, "node"):
			continue
		case len(row) < 2 || node == "" || strings.TrimSpace(row[1]) == "":
			return nil, fmt.Errorf("line %d: want a node and its group, as in n01,rack1", line)
		}
		place := strings.TrimSpace(row[1])
		// A repeated row with the same group does no harm.
		if was := places[node]; was != "" && was != place {
			return nil, fmt.Errorf("line %d: node %q is in %q and in %q", line, node, was, place)
		}
		places[node] = place
	}
}
