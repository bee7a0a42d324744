package study

import (
	"encoding/json"
	"errors"
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

// WriteFleetPart writes what was read of a shard's files to a part file, whole or not at all. Files
// that could not be read are in it, for the merge to name. What was interrupted is an error.
func WriteFleetPart(files reports.Files, path string, q FleetQuestion, which shard.Shard, in FleetReading) error {
	if in.Interrupted != "" {
		return errors.New(in.Interrupted + "; no part was written: run the shard again")
	}
	asked, err := json.Marshal(q)
	if err != nil {
		return err
	}
	file, err := openPart(files, path, shard.Header{Command: shard.Command{Kind: "fleet", Asked: asked}, Shard: which}, true)
	if err != nil {
		return err
	}
	for i, entries := range [][]fleet.Entry{in.Now, in.Before} {
		for _, e := range entries {
			record, err := json.Marshal(fleetRecord{i == 1, e})
			if err == nil {
				err = file.Write(record, 1)
			}
			if err != nil {
				return errors.Join(fmt.Errorf("%s: %w", e.Source, err), file.Discard())
			}
		}
	}
	return file.end(nil, nil)
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
