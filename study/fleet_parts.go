package study

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/halfpeak/halfpeak/fit/fleet"
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
// in it, for the merge to name. One that was interrupted goes on, and resumed is told how many files
// there are.
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
		var entries []fleet.Entry
		entries, _, err = fleet.Read(ctx, roots, q.Options, r)
		for _, e := range entries {
			record, fault := json.Marshal(FleetRecord{before, e})
			if fault == nil {
				fault = file.Write(record, 1)
			}
			if fault != nil {
				err = fmt.Errorf("%s: %w", e.Source, fault)
				break
			}
		}
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
