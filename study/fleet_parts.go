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

// A fleetRecord is a record of a part: what is kept of one file.
type fleetRecord struct {
	Before bool `json:",omitempty"`
	Entry  fleet.Entry
}

// ShardFleet reads a shard of the files of a fleet into a part file. Files that cannot be read are
// in it, for the merge to name. One that was interrupted goes on, and resumed is told how many files
// there are.
func ShardFleet(ctx context.Context, files reports.Files, path string, q FleetQuestion, which shard.Shard, r fleet.Reader, resumed func(files int64)) error {
	asked, err := json.Marshal(q)
	if err != nil {
		return err
	}
	file, err := openPart(files, path, shard.Header{Command: shard.Command{Kind: "fleet", Asked: asked}, Shard: which})
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
			var f fleetRecord
			err := json.Unmarshal(record, &f)
			done[source{f.Before, f.Entry.Source}] = true
			return err
		})
	}
	all := [][]string{q.Roots}
	if q.Before != "" {
		all = append(all, []string{q.Before})
	}
	for i, roots := range all {
		if err != nil {
			break
		}
		before := i == 1
		r.Keep = func(path, name string) bool { return which.Has(path) && !done[source{before, name}] }
		var entries []fleet.Entry
		entries, _, err = fleet.Read(ctx, roots, q.Options, r)
		for _, e := range entries {
			record, fault := json.Marshal(fleetRecord{before, e})
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
		var r fleetRecord
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
