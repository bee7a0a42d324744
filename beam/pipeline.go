package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/halfpeak/halfpeak/fleet"
	"github.com/halfpeak/halfpeak/internal/atomicfile"
	"github.com/halfpeak/halfpeak/shard"
)

type part struct {
	Shard int
	Path  string
	Head  []byte // what it begins with
}

// A folder is one that a worker lists. A file in place of a folder is listed as itself.
type folder struct {
	Root     int // its number among all roots
	Before   bool
	Top, Dir string // the root, and what to list below it
}

// A file is one that a worker reads.
type file struct {
	Root         int
	Before       bool
	Path, Source string
}

// compare orders files as [fleet.List] does: by root, then as folders are walked.
func (f file) compare(o file) int {
	return cmp.Or(cmp.Compare(f.Root, o.Root), slices.Compare(strings.Split(f.Path, "/"), strings.Split(o.Path, "/")))
}

type record struct {
	File file
	Data []byte
}

// A job is a pipeline that writes parts.
type job struct {
	parts   []part // by shard
	roots   []folder
	options fleet.Options
	force   bool                                                // replace files that are not halfpeak's
	hook    func(beam.Scope, beam.PCollection) beam.PCollection // of tests, between reading and writing
}

// newJob returns a job with that many parts. A single part gets the path itself.
func newJob(ctx context.Context, q fleet.Question, path string, count int) (*job, error) {
	j := &job{options: q.Options}
	for i := 1; i <= count; i++ {
		h, err := q.Header(shard.Shard{Index: i, Count: count})
		if err != nil {
			return nil, err
		}
		p := part{Shard: i, Path: path}
		if count > 1 {
			p.Path = fmt.Sprintf("%s-%d", path, i)
		}
		if p.Head, err = shard.Head(h); err != nil {
			return nil, err
		}
		j.parts = append(j.parts, p)
	}
	for i, roots := range q.AllRoots() {
		for _, root := range roots {
			if err := j.addRoot(ctx, root, i == 1); err != nil {
				return nil, err
			}
		}
	}
	return j, nil
}

// addRoot adds a root, which must not lie in another one: its files would count twice.
func (j *job) addRoot(ctx context.Context, root string, before bool) error {
	inside := func(a, b string) bool {
		if !remote(a) && !remote(b) {
			a, _ = filepath.Abs(a)
			b, _ = filepath.Abs(b)
		}
		return strings.HasPrefix(strings.TrimRight(a, "/")+"/", strings.TrimRight(b, "/")+"/")
	}
	for _, f := range j.roots {
		if f.Before == before && (inside(f.Top, root) || inside(root, f.Top)) {
			return fmt.Errorf("%q and %q share files; they would count twice", f.Top, root)
		}
	}
	j.roots = append(j.roots, folder{len(j.roots), before, root, root})
	return exists(ctx, root)
}

// run adds the steps of the pipeline: workers list the roots, then what is in them, read the files,
// and write the parts.
func (j *job) run(s beam.Scope) {
	folders := beam.ParDo(s, split, beam.CreateList(s, j.roots))
	files := beam.ParDo(s, list, beam.Reshuffle(s, folders))
	records := beam.ParDo(s, &read{Options: j.options, Parts: len(j.parts)}, beam.Reshuffle(s, files))
	if j.hook != nil {
		records = j.hook(s, records)
	}
	named := beam.ParDo(s, &deal{Parts: len(j.parts)}, files)
	parts := beam.ParDo(s, number, beam.CreateList(s, j.parts))
	beam.ParDo0(s, &write{Force: j.force}, beam.CoGroupByKey(s, parts, named, records))
}

// deal gives a file the number of its shard as its key.
type deal struct{ Parts int }

func (d *deal) ProcessElement(f file) (int, file) { return shard.Of(f.Path, d.Parts).Index, f }

// number gives a part the number of its shard as its key.
func number(p part) (int, part) { return p.Shard, p }

// read reads the files of a fleet.
type read struct {
	Options fleet.Options
	Parts   int
}

func (r *read) ProcessElement(ctx context.Context, f file) (int, record, error) {
	kept := fleet.Record{Before: f.Before, Entry: fleet.Entry{Path: f.Path, Source: f.Source}}
	data, err := readAnywhere(ctx, f.Source, func(source string) ([]byte, error) {
		kept.Entry.Source = source
		if err := kept.Entry.Read(ctx, r.Options); err != nil {
			return nil, err
		}
		if source != f.Source { // a copy
			kept.Entry.Bytes, kept.Entry.Changed = 0, 0
		}
		return kept.Encode()
	})
	if err != nil {
		err = fmt.Errorf("%s: %w", f.Source, err)
	}
	return shard.Of(f.Path, r.Parts).Index, record{f, data}, err
}

// write writes parts. What it writes again after a failure is the same.
type write struct{ Force bool }

func (w *write) ProcessElement(ctx context.Context, _ int, parts func(*part) bool, named func(*file) bool, records func(*record) bool) error {
	var p part
	var files []file
	var all []record
	if !parts(&p) {
		return errors.New("records of no part")
	}
	for f := (file{}); named(&f); f = (file{}) {
		files = append(files, f)
	}
	for r := (record{}); records(&r); r = (record{}) {
		all = append(all, r)
	}
	text, err := p.encode(files, all)
	if err != nil {
		return err
	}
	if !remote(p.Path) {
		return atomicfile.Files{Force: w.Force}.Write(p.Path, func(to io.Writer) error {
			_, err := to.Write(text)
			return err
		})
	}
	fs, err := filesystem.New(ctx, p.Path)
	if err != nil {
		return err
	}
	return errors.Join(filesystem.Write(ctx, fs, p.Path, text), fs.Close())
}

// encode returns the part as a file: that of a shard of halfpeak, to the last byte. Each file must
// have one record.
func (p *part) encode(files []file, all []record) ([]byte, error) {
	slices.SortFunc(files, file.compare)
	slices.SortFunc(all, func(a, b record) int { return a.File.compare(b.File) })
	var e shard.Encoder
	text := slices.Clone(p.Head)
	for i, r := range all {
		if i >= len(files) || r.File != files[i] {
			return nil, fmt.Errorf("%q: the record of %q came twice, or one before it did not", p.Path, r.File.Source)
		}
		var err error
		if text, err = e.Append(text, r.Data); err != nil {
			return nil, err
		}
	}
	if len(all) != len(files) {
		return nil, fmt.Errorf("%q: %d of %d records came", p.Path, len(all), len(files))
	}
	return e.End(text), nil
}

func init() {
	register.Function2x1(split)
	register.Function3x1(list)
	register.DoFn1x2[file, int, file](&deal{})
	register.Function1x2(number)
	register.DoFn2x3[context.Context, file, int, record, error](&read{})
	register.DoFn5x1[context.Context, int, func(*part) bool, func(*file) bool, func(*record) bool, error](&write{})
	register.Emitter1[folder]()
	register.Emitter1[file]()
	register.Iter1[part]()
	register.Iter1[file]()
	register.Iter1[record]()
}
