//go:build !js

package sweeps

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/halfpeak/halfpeak/engine/schedule/mpitrace"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/shard"
	"github.com/halfpeak/halfpeak/study/collectives"
	"github.com/halfpeak/halfpeak/study/simulations"
	"github.com/halfpeak/halfpeak/whatif"
)

// A Question is what was asked of a sweep, as on the command line: what its parts say.
type Question struct {
	Platform string
	Set      []string `json:",omitempty"`
	Vary     []string
	Sizes    string   `json:",omitempty"` // if they were given, and
	Of       []string `json:",omitempty"` // if these were
	Schedule []string `json:",omitempty"`
	// Of a collective: its finish by this algorithm, or several; see [collectives.Finishes].
	Collective string `json:",omitempty"`
	Algorithm  string `json:",omitempty"`
	Ranks      []int  `json:",omitempty"`
}

// Sweeping is the sweep that is asked for.
func (q Question) Sweeping(ctx context.Context) (*Sweeping, error) {
	d, err := whatif.Find(q.Platform)
	if err != nil {
		return nil, err
	}
	sizes, err := quantity.ParseSizes(cmp.Or(q.Sizes, DefaultSize))
	if err != nil {
		return nil, usage.Fields(err, "size")
	}
	finish := []string{whatif.Finish}
	if q.Collective != "" {
		d, finish, err = collectives.Finishes(ctx, d, collectives.Question{Collective: q.Collective, Algorithm: q.Algorithm, Ranks: q.Ranks, Sizes: sizes})
	} else {
		var in *simulations.Input
		if in, err = simulations.ReadInput(ctx, mpitrace.Defaults, q.Schedule...); err == nil {
			d, err = simulations.Scheduled(ctx, d, in)
		}
	}
	if err != nil {
		return nil, err
	}
	if d, err = d.Set(q.Set...); err != nil {
		return nil, usage.Fields(err, "set")
	}
	s := &Sweeping{Sweep: &whatif.Sweep{Design: d, Names: q.Of}}
	switch {
	case len(q.Of) > 0:
	case len(q.Schedule) > 0 || q.Collective != "":
		s.Names = finish
	default:
		s.Names = DefaultNames()
	}
	s.Sizes = sizes
	for _, text := range q.Vary {
		r, err := d.ParseRange(text)
		if err != nil {
			return nil, usage.Fields(err, "sweep")
		}
		s.Ranges = append(s.Ranges, r)
	}
	return s, nil
}

// DefaultSize is the size of messages of which a sweep is that was asked of none.
const DefaultSize = "64KiB"

// DefaultNames are the quantities of a sweep that was asked for none.
func DefaultNames() []string { return []string{"one_way", "gap", "bandwidth"} }

// Header is what a part of the sweep begins with.
func (s *Sweeping) Header(q Question, which shard.Shard) (shard.Header, error) {
	asked, err := json.Marshal(q)
	return shard.Header{Command: shard.Command{Kind: "whatif", Asked: asked, Inputs: sweepID(s.Sweep, "part")}, Shard: which}, err
}

// Records computes rows from ≤ row < to, and hands them over as the records of a part and how many
// rows each has. A record is valid until the next one.
func (s *Sweeping) Records(ctx context.Context, from, to int64, each func(record []byte, rows int) error) error {
	var record []byte
	return s.drive(ctx, s.Until(to), from, nil, func(b *whatif.Block) error {
		record = record[:0]
		for _, v := range b.Values {
			record = binary.LittleEndian.AppendUint64(record, math.Float64bits(v))
		}
		return each(record, b.Rows)
	})
}

// Part writes a shard of the rows to a part file. One that was interrupted goes on, and resumed is
// told how many rows there are.
func (s *Sweeping) Part(ctx context.Context, files reports.Files, path string, q Question, which shard.Shard, resumed func(rows int64)) error {
	header, err := s.Header(q, which)
	if err != nil {
		return err
	}
	file, err := shard.OpenFile(files, path, header)
	if err != nil {
		return err
	}
	if file.Rows() > 0 {
		resumed(file.Rows())
	}
	from, to := which.Range(int64(s.Rows()))
	err = s.Records(ctx, from+file.Rows(), to, file.Write)
	return file.End(err, func(done int64) string {
		return fmt.Sprintf("%d of %d rows are whole", done, to-from)
	})
}

// Merge makes the sweep take its rows from parts instead of computing them. The parts are those of
// the question that [MergedQuestion] gave.
func (s *Sweeping) Merge(q Question, parts *shard.Parts) error {
	header, err := s.Header(q, shard.Shard{})
	if err != nil {
		return err
	}
	if header.Inputs != parts.Inputs {
		return fmt.Errorf("%s is not as it was when the shards ran; run them again, or merge where its files are as they were", q.Platform)
	}
	if parts.Units() != int64(s.Rows()) {
		return fmt.Errorf("the parts have %d rows, and the sweep has %.0f; run the shards again", parts.Units(), s.Rows())
	}
	s.parts = parts
	return nil
}

// MergedQuestion checks the parts of a sweep and returns what was asked; see [shard.Merge].
func MergedQuestion(paths []string) (q Question, parts *shard.Parts, err error) {
	if parts, err = shard.Merge("whatif", paths); err == nil {
		err = json.Unmarshal(parts.Asked, &q)
	}
	return q, parts, err
}

// merged hands over the rows of the parts from first on, in the blocks in which a sweep makes them:
// what is written does not tell where parts begin.
func (s *Sweeping) merged(ctx context.Context, sweep *whatif.Sweep, first int64, encode whatif.Encoder, each func(*whatif.Block) error) error {
	width, total := len(s.Keys()), int64(sweep.Rows())
	b, row, size := &whatif.Block{First: first}, int64(0), sweep.BlockRows()
	hand := func() error {
		b.Rows, b.Text = len(b.Values)/width, b.Text[:0]
		if err := context.Cause(ctx); err != nil || b.Rows == 0 {
			return err
		}
		for i := 0; encode != nil && i < len(b.Values); i += width {
			b.Text = encode(b.Text, b.Values[i:i+width])
		}
		err := each(b)
		b.First, b.Values = b.First+int64(b.Rows), b.Values[:0]
		return err
	}
	for record, err := range s.parts.Records() {
		if err != nil {
			return err
		}
		if len(record)%(8*width) != 0 {
			return errors.New("a part has rows of another width; run the shards again with one version of halfpeak")
		}
		for ; len(record) > 0 && row < total; row++ {
			if row >= first {
				for k := range width {
					b.Values = append(b.Values, math.Float64frombits(binary.LittleEndian.Uint64(record[8*k:])))
				}
				if int64(len(b.Values)) == size*int64(width) {
					if err := hand(); err != nil {
						return err
					}
				}
			}
			record = record[8*width:]
		}
	}
	return hand()
}
