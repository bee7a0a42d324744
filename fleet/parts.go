package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/halfpeak/halfpeak/internal/atomicfile"
	"github.com/halfpeak/halfpeak/shard"
)

// A Question is what was asked of a fleet, as on the command line: what its parts say.
type Question struct {
	Roots   []string
	Before  string `json:",omitempty"`
	Options Options
}

// A Record is a record of a part, as JSON: what is kept of one file.
type Record struct {
	Before bool `json:",omitempty"`
	Entry  Entry
}

// MarshalJSON keeps names that are not UTF-8; see [Record.MarshalJSON].
func (q Question) MarshalJSON() ([]byte, error) {
	type plain Question
	q.Roots = slices.Clone(q.Roots)
	_ = q.names(quoted)
	return json.Marshal(plain(q))
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (q *Question) UnmarshalJSON(text []byte) error {
	type plain Question
	if err := json.Unmarshal(text, (*plain)(q)); err != nil {
		return err
	}
	return q.names(unquoted)
}

func (q *Question) names(change func(*string) error) error {
	err := errors.Join(change(&q.Before), change(&q.Options.Name))
	for i := range q.Roots {
		err = errors.Join(err, change(&q.Roots[i]))
	}
	return err
}

// MarshalJSON keeps texts that are not UTF-8, as names of files may be, to the byte: they are
// quoted as in Go, since JSON has no such text.
func (r Record) MarshalJSON() ([]byte, error) {
	type plain Record
	e := &r.Entry
	e.Curves, e.Skipped = slices.Clone(e.Curves), slices.Clone(e.Skipped)
	for i := range e.Curves {
		e.Curves[i].Nodes = slices.Clone(e.Curves[i].Nodes)
	}
	_ = r.texts(quoted)
	return json.Marshal(plain(r))
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (r *Record) UnmarshalJSON(text []byte) error {
	type plain Record
	if err := json.Unmarshal(text, (*plain)(r)); err != nil {
		return err
	}
	return r.texts(unquoted)
}

// texts changes all texts that come from outside.
func (r *Record) texts(change func(*string) error) error {
	e := &r.Entry
	err := errors.Join(change(&e.Path), change(&e.Source))
	for i := range e.Skipped {
		err = errors.Join(err, change(&e.Skipped[i].Reason))
	}
	for i := range e.Curves {
		c := &e.Curves[i]
		err = errors.Join(err, change(&c.Group.Benchmark), change(&c.Group.Labels))
		for k := range c.Nodes {
			err = errors.Join(err, change(&c.Nodes[k]))
		}
	}
	return err
}

// quoted quotes a text that JSON cannot hold, or that would be taken for a quoted one.
func quoted(s *string) error {
	if !utf8.ValidString(*s) || strings.HasPrefix(*s, `"`) {
		*s = strconv.Quote(*s)
	}
	return nil
}

func unquoted(s *string) (err error) {
	if strings.HasPrefix(*s, `"`) {
		*s, err = strconv.Unquote(*s)
	}
	return err
}

// Header is what a part of the fleet begins with.
func (q Question) Header(which shard.Shard) (shard.Header, error) {
	asked, err := json.Marshal(q)
	return shard.Header{Asked: asked, Shard: which}, err
}

// AllRoots returns the roots of now and, if they are asked for, those of before.
func (q Question) AllRoots() [][]string {
	if q.Before == "" {
		return [][]string{q.Roots}
	}
	return [][]string{q.Roots, {q.Before}}
}

// A source names a file of now or of before.
type source struct {
	before bool
	name   string
}

// WritePart reads a shard of the files of a fleet into a part file. Files that cannot be read are
// in it, for the merge to name. What is read is written as it comes, in the order of the list, and
// saved every second: a shard that was interrupted or killed continues from there. A part that was
// there of the same question is an earlier reading: files of it that did not change since are taken
// from it. Resumed is called with the number of files that need not be read.
func WritePart(ctx context.Context, files atomicfile.Files, path string, q Question, which shard.Shard, r Reader, resumed func(files int64)) error {
	header, err := q.Header(which)
	if err != nil {
		return err
	}
	known := map[source]Entry{}
	for record := range shard.Kept(path, header) {
		var f Record
		if json.Unmarshal(record, &f) == nil && !slices.ContainsFunc(f.Entry.Skipped, func(l Skipped) bool { return l.Fault }) {
			known[source{f.Before, f.Entry.Source}] = f.Entry
		}
	}
	file, err := shard.OpenFile(files, path, header)
	if err != nil {
		return err
	}
	done := map[source]bool{}
	for record := range shard.Kept(file.Part(), header) {
		var f Record
		if err = json.Unmarshal(record, &f); err != nil {
			break
		}
		done[source{f.Before, f.Entry.Source}] = true
	}
	if n := len(known) + len(done); n > 0 && resumed != nil {
		resumed(int64(n))
	}
	for i, roots := range q.AllRoots() {
		if err != nil {
			break
		}
		before := i == 1
		r.Keep = func(path, name string) bool { return which.Has(path) && !done[source{before, name}] }
		r.Known = func(e *Entry) bool {
			old, ok := known[source{before, e.Source}]
			if ok = ok && old.Path == e.Path && old.Changed == e.Changed && old.Bytes == e.Bytes; ok {
				*e = old
			}
			return ok
		}
		r.Each = func(e Entry) error {
			record, err := json.Marshal(Record{before, e})
			if err == nil {
				err = file.Write(record)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", e.Source, err)
			}
			return nil
		}
		_, _, err = Read(ctx, roots, q.Options, r)
	}
	return file.End(err, func(done int64) string { return plural(int(done), "file") + " read, and kept" })
}

// MergeParts returns what the shards of a fleet read, and what was asked of it; see [shard.Merge].
func MergeParts(paths []string) (in Reading, q Question, err error) {
	parts, err := shard.Merge(paths)
	if err != nil {
		return in, q, err
	}
	if err := json.Unmarshal(parts.Asked, &q); err != nil {
		return in, q, err
	}
	for record, err := range parts.Records() {
		var r Record
		if err == nil {
			err = json.Unmarshal(record, &r)
		}
		if err != nil {
			return in, q, err
		}
		if r.Before {
			in.Before = append(in.Before, r.Entry)
		} else {
			in.Now = append(in.Now, r.Entry)
		}
	}
	return in, q, nil
}
