package study

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/halfpeak/halfpeak/fleet"
	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/shard"
)

// A FleetQuestion is what was asked of a fleet, as on the command line: what its parts say.
type FleetQuestion struct {
	Roots   []string
	Before  string `json:",omitempty"`
	Options fleet.Options
}

// A FleetRecord is a record of a part, as JSON: what is kept of one file.
type FleetRecord struct {
	Before bool `json:",omitempty"`
	Entry  fleet.Entry
}

// MarshalJSON keeps names that are not UTF-8; see [FleetRecord.MarshalJSON].
func (q FleetQuestion) MarshalJSON() ([]byte, error) {
	type plain FleetQuestion
	q.Roots = slices.Clone(q.Roots)
	_ = q.names(quoted)
	return json.Marshal(plain(q))
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (q *FleetQuestion) UnmarshalJSON(text []byte) error {
	type plain FleetQuestion
	if err := json.Unmarshal(text, (*plain)(q)); err != nil {
		return err
	}
	return q.names(unquoted)
}

func (q *FleetQuestion) names(change func(*string) error) error {
	err := errors.Join(change(&q.Before), change(&q.Options.Name))
	for i := range q.Roots {
		err = errors.Join(err, change(&q.Roots[i]))
	}
	return err
}

// MarshalJSON keeps texts that are not UTF-8, as names of files may be, to the byte: they are quoted
// as in Go, since JSON has no such text.
func (r FleetRecord) MarshalJSON() ([]byte, error) {
	type plain FleetRecord
	e := &r.Entry
	e.Curves, e.Left = slices.Clone(e.Curves), slices.Clone(e.Left)
	for i := range e.Curves {
		e.Curves[i].Nodes = slices.Clone(e.Curves[i].Nodes)
	}
	_ = r.texts(quoted)
	return json.Marshal(plain(r))
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (r *FleetRecord) UnmarshalJSON(text []byte) error {
	type plain FleetRecord
	if err := json.Unmarshal(text, (*plain)(r)); err != nil {
		return err
	}
	return r.texts(unquoted)
}

// texts changes all texts that come from outside.
func (r *FleetRecord) texts(change func(*string) error) error {
	e := &r.Entry
	err := errors.Join(change(&e.Path), change(&e.Source))
	for i := range e.Left {
		err = errors.Join(err, change(&e.Left[i].Reason))
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
func (q FleetQuestion) Header(which shard.Shard) (shard.Header, error) {
	asked, err := json.Marshal(q)
	return shard.Header{Command: shard.Command{Kind: "fleet", Asked: asked}, Shard: which}, err
}

// Files are the files to read, in the order in which parts have them. They are found by list, as by
// [fleet.List].
func (q FleetQuestion) Files(list func(roots []string) ([]fleet.Entry, error)) ([]FleetRecord, error) {
	var all []FleetRecord
	for i, roots := range q.roots() {
		entries, err := list(roots)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			all = append(all, FleetRecord{i == 1, e})
		}
	}
	return all, nil
}

// roots are those of now and, if they are asked for, those of before.
func (q FleetQuestion) roots() [][]string {
	if q.Before == "" {
		return [][]string{q.Roots}
	}
	return [][]string{q.Roots, {q.Before}}
}

// ShardFleet reads a shard of the files of a fleet into a part file. Files that cannot be read are
// in it, for the merge to name. What is read is written as it comes, in the order of the list, and
// saved every second: a shard that was interrupted or killed goes on from there, and resumed is told
// how many files there are.
func ShardFleet(ctx context.Context, files reports.Files, path string, q FleetQuestion, which shard.Shard, r fleet.Reader, resumed func(files int64)) error {
	header, err := q.Header(which)
	if err != nil {
		return err
	}
	file, err := openPart(files, path, header)
	if err != nil {
		return err
	}
	type source struct {
		before bool
		name   string
	}
	done := map[source]bool{}
	if file.Rows() > 0 {
		resumed(file.Rows())
		err = file.records(func(record []byte) error {
			var f FleetRecord
			err := json.Unmarshal(record, &f)
			done[source{f.Before, f.Entry.Source}] = true
			return err
		})
	}
	for i, roots := range q.roots() {
		if err != nil {
			break
		}
		before := i == 1
		r.Keep = func(path, name string) bool { return which.Has(path) && !done[source{before, name}] }
		r.Each = func(e fleet.Entry) error {
			record, err := json.Marshal(FleetRecord{before, e})
			if err == nil {
				err = file.Write(record, 1)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", e.Source, err)
			}
			return nil
		}
		_, _, err = fleet.Read(ctx, roots, q.Options, r)
	}
	return file.end(err, func(done int64) string { return plural(int(done), "file") + " read, and kept" })
}

// MergeFleet returns what the shards of a fleet read, and what was asked of it; see [shard.Merge].
func MergeFleet(paths []string) (in FleetReading, q FleetQuestion, err error) {
	parts, err := shard.Merge("fleet", paths)
	if err != nil {
		return in, q, err
	}
	if err := json.Unmarshal(parts.Asked, &q); err != nil {
		return in, q, err
	}
	for record, err := range parts.Records() {
		var r FleetRecord
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
