package fleet

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/halfpeak/halfpeak/internal/atomicfile"
	"github.com/halfpeak/halfpeak/shard"
)

// A Question is a question about a fleet, as on the command line. Each part file contains it.
type Question struct {
	Roots   []string
	Before  string `json:",omitempty"`
	Options Options
}

// A Record is the JSON record of one file in a part.
type Record struct {
	Before bool `json:",omitempty"`
	Entry  Entry
}

// Encode returns the record as it is written to a part.
func (r Record) Encode() ([]byte, error) { return encode(r) }

// encode returns JSON that keeps texts that are not UTF-8, as names of files may be, to the byte:
// they are quoted as in Go, since JSON has no such text.
func encode(v any) ([]byte, error) {
	return json.Marshal(mapTexts(reflect.ValueOf(v), quote).Interface())
}

// decode reads what encode wrote.
func decode[T any](text []byte) (v T, err error) {
	err = json.Unmarshal(text, &v)
	return mapTexts(reflect.ValueOf(v), unquote).Interface().(T), err
}

// mapTexts returns a copy of a value with all its texts changed.
func mapTexts(v reflect.Value, change func(string) string) reflect.Value {
	to := reflect.New(v.Type()).Elem()
	to.Set(v)
	switch {
	case v.Kind() == reflect.String:
		to.SetString(change(v.String()))
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			to.Field(i).Set(mapTexts(v.Field(i), change))
		}
	case v.Kind() == reflect.Slice && v.Len() > 0:
		to.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		for i := range v.Len() {
			to.Index(i).Set(mapTexts(v.Index(i), change))
		}
	case v.Kind() == reflect.Map && v.Len() > 0:
		to.Set(reflect.MakeMap(v.Type()))
		for key, value := range v.Seq2() {
			to.SetMapIndex(mapTexts(key, change), mapTexts(value, change))
		}
	}
	return to
}

// quote quotes a text that JSON cannot hold, or that would be taken for a quoted one.
func quote(s string) string {
	if !utf8.ValidString(s) || strings.HasPrefix(s, `"`) {
		return strconv.Quote(s)
	}
	return s
}

func unquote(s string) string {
	if text, err := strconv.Unquote(s); err == nil && strings.HasPrefix(s, `"`) {
		return text
	}
	return s
}

// Header returns the header of a part for the shard.
func (q Question) Header(which shard.Shard) (shard.Header, error) {
	asked, err := encode(q)
	return shard.Header{Asked: asked, Shard: which}, err
}

// AllRoots returns the roots of now and, if there is a baseline, of before.
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
// in it, for the merge to name. Records are written in the order of the list as soon as they are
// read, and saved every second, so that an interrupted or killed shard continues from there. If the
// part already exists and has the same question, it is an earlier reading: files that did not
// change since are taken from it. Resumed is called with the number of files that need not be read.
func WritePart(ctx context.Context, files atomicfile.Files, path string, q Question, which shard.Shard, r Reader, resumed func(files int64)) error {
	header, err := q.Header(which)
	if err != nil {
		return err
	}
	known := map[source]Entry{}
	for record := range shard.Kept(path, header) {
		f, err := decode[Record](record)
		if err == nil && !slices.ContainsFunc(f.Entry.Skipped, func(l Skipped) bool { return l.Fault }) {
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
		if f, err = decode[Record](record); err != nil {
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
			record, err := encode(Record{before, e})
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

// MergeParts returns the entries in the parts of a fleet's shards, and their question; see
// [shard.Merge].
func MergeParts(paths []string) (in Reading, q Question, err error) {
	parts, err := shard.Merge(paths)
	if err != nil {
		return in, q, err
	}
	if q, err = decode[Question](parts.Asked); err != nil {
		return in, q, err
	}
	for record, err := range parts.Records() {
		var r Record
		if err == nil {
			r, err = decode[Record](record)
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
