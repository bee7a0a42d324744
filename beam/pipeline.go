package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/halfpeak/halfpeak/fleet"
	"github.com/halfpeak/halfpeak/internal/atomicfile"
	"github.com/halfpeak/halfpeak/shard"
)

// A part is a file that the pipeline writes, and what it must hold.
type part struct {
	Shard         int
	Path          string
	Head          []byte // what it begins with
	Records, Rows int64
}

// A record is one of a part, on its way there.
type record struct {
	Index int64 // its place in the part
	Rows  int64 // or files that it holds
	Data  []byte
}

// A union is records of one part, in any order.
type union struct{ Records []record }

// A job is a pipeline that writes parts.
type job struct {
	parts []part // by shard
	force bool   // replace files that are not halfpeak's
	// records makes the records of the parts, by the number of their shard: KV<int, record>.
	records func(beam.Scope) beam.PCollection
}

// newJob returns a job with that many empty parts. A single part gets the path itself.
func newJob(path string, count int, header func(shard.Shard) (shard.Header, error)) (*job, error) {
	j := &job{}
	for i := 1; i <= count; i++ {
		h, err := header(shard.Shard{Index: i, Count: count})
		if err != nil {
			return nil, err
		}
		p := part{Shard: i, Path: path}
		if count > 1 {
			p.Path = fmt.Sprintf("%s-%d", path, i)
		}
		if p.Head, err = new(shard.Encoder).Head(h); err != nil {
			return nil, err
		}
		j.parts = append(j.parts, p)
	}
	return j, nil
}

// merge unites the records of each part, and writes it.
func (j *job) merge(s beam.Scope, records beam.PCollection) {
	united := beam.CombinePerKey(s, &unite{}, records)
	numbered := beam.ParDo(s, number, beam.CreateList(s, j.parts))
	beam.ParDo0(s, &write{Force: j.force}, beam.CoGroupByKey(s, numbered, united))
}

// A file is one that a part of a fleet has.
type file struct {
	Shard        int
	Index        int64
	Before       bool
	Path, Source string
}

// fleetJob finds the files of a fleet and divides them among that many parts.
func fleetJob(ctx context.Context, q fleet.Question, path string, count int) (*job, error) {
	j, err := newJob(path, count, q.Header)
	if err != nil {
		return nil, err
	}
	found, err := q.Files(func(roots []string) ([]fleet.Entry, error) { return list(ctx, roots) })
	if err != nil {
		return nil, err
	}
	var files []file
	for _, f := range found {
		which := shard.Of(f.Entry.Path, count)
		p := &j.parts[which.Index-1]
		files = append(files, file{which.Index, p.Records, f.Before, f.Entry.Path, f.Entry.Source})
		p.Records, p.Rows = p.Records+1, p.Rows+1
	}
	j.records = func(s beam.Scope) beam.PCollection {
		return beam.ParDo(s, &read{Options: q.Options}, beam.Reshuffle(s, beam.CreateList(s, files)))
	}
	return j, nil
}

// read reads the files of a fleet.
type read struct{ Options fleet.Options }

func (r *read) ProcessElement(ctx context.Context, f file, emit func(int, record)) error {
	kept := fleet.Record{Before: f.Before, Entry: fleet.Entry{Path: f.Path, Source: f.Source}}
	data, err := readAnywhere(ctx, f.Source, func(source string) ([]byte, error) {
		kept.Entry.Source = source
		if err := kept.Entry.Read(ctx, r.Options); err != nil {
			return nil, err
		}
		return json.Marshal(kept)
	})
	if err != nil {
		return fmt.Errorf("%s: %w", f.Source, err)
	}
	emit(f.Shard, record{f.Index, 1, data})
	return nil
}

// unite is the CombineFn: the union of sets, which no order and no grouping changes.
type unite struct{}

func (*unite) AddInput(u union, r record) union { return union{append(u.Records, r)} }

func (*unite) MergeAccumulators(u, v union) union { return union{append(u.Records, v.Records...)} }

// number gives a part the number of its shard as its key.
func number(p part) (int, part) { return p.Shard, p }

// write writes parts. What it writes again after a failure is the same.
type write struct{ Force bool }

func (w *write) ProcessElement(ctx context.Context, _ int, parts func(*part) bool, unions func(*union) bool) error {
	var p part
	var all []record
	if !parts(&p) {
		return errors.New("records of no part")
	}
	for u := (union{}); unions(&u); u = (union{}) {
		all = append(all, u.Records...)
	}
	text, err := p.encode(all)
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

// encode is the part as a file: that of a shard of halfpeak, to the last byte.
func (p *part) encode(all []record) ([]byte, error) {
	slices.SortFunc(all, func(a, b record) int { return cmp.Compare(a.Index, b.Index) })
	var e shard.Encoder
	var err error
	text, left := slices.Clone(p.Head), p.Rows
	for i, r := range all {
		if r.Index != int64(i) {
			return nil, fmt.Errorf("%q: record %d came twice, or one before it did not", p.Path, r.Index)
		}
		if text, err = e.Append(text, r.Data, int(r.Rows)); err != nil {
			return nil, err
		}
		left -= r.Rows
	}
	if left != 0 || int64(len(all)) != p.Records {
		return nil, fmt.Errorf("%q: %d of %d records came", p.Path, len(all), p.Records)
	}
	return e.End(text), nil
}

func init() {
	register.DoFn3x1[context.Context, file, func(int, record), error](&read{})
	register.DoFn4x1[context.Context, int, func(*part) bool, func(*union) bool, error](&write{})
	register.Combiner2[union, record](&unite{})
	register.Function1x2(number)
	register.Emitter2[int, record]()
	register.Iter1[part]()
	register.Iter1[union]()
}
