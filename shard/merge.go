package shard

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strings"
)

// Parts are all parts of one command.
type Parts struct {
	Command
	paths []string // by shard
	units int64
}

// mostNamed bounds the shards that an error names.
const mostNamed = 20

// Merge checks parts of a kind, in any order, and reads all of each. Its error has a line for each
// shard that is missing, there twice, damaged, not whole, of another version or of another command.
// The notes that an interrupted process leaves beside its part (part-3.partial.state) are passed
// over.
func Merge(kind string, paths []string) (*Parts, error) {
	var all []error
	p := &Parts{}
	var first string
	named := map[Shard]bool{} // what is wrong with them was said
	for _, path := range paths {
		if strings.HasSuffix(path, ".partial.state") {
			continue
		}
		h, units, err := check(path)
		switch {
		case err != nil:
			if h.Count > 0 {
				err = fmt.Errorf("%w; run shard %v again", err, h.Shard)
				named[h.Shard] = true
			}
			all = append(all, fmt.Errorf("%q %w", path, err))
			continue
		case h.Kind != kind:
			all = append(all, fmt.Errorf("%q is a part of halfpeak %s; give it to \"halfpeak %s merge\"", path, h.Kind, h.Kind))
			continue
		case first == "":
			first, p.Command, p.paths = path, h.Command, make([]string, h.Count)
		case !p.equal(h.Command):
			all = append(all, fmt.Errorf("%q is of another command than %q: %s; merge the parts of one", path, first, h.differs(p.Command)))
			continue
		case h.Count != len(p.paths):
			all = append(all, fmt.Errorf("%q is shard %v, but %q is one of %d; merge the parts of one division", path, h.Shard, first, len(p.paths)))
			continue
		}
		if other := p.paths[h.Index-1]; other != "" {
			all = append(all, fmt.Errorf("duplicate shard %v: %q and %q; pass only one", h.Shard, other, path))
			continue
		}
		p.paths[h.Index-1] = path
		p.units += units
	}
	missing := 0
	for i, path := range p.paths {
		s := Shard{i + 1, len(p.paths)}
		if path == "" && !named[s] {
			if missing++; missing <= mostNamed {
				all = append(all, fmt.Errorf("shard %v is missing; compute it, and merge with its part", s))
			}
		}
	}
	if missing > mostNamed {
		all = append(all, fmt.Errorf("and %d more shards are missing", missing-mostNamed))
	}
	if first == "" && len(all) == 0 {
		return nil, errors.New("no part is given")
	}
	return p, errors.Join(all...)
}

// check reads a part to its end. The header is there as soon as it could be read.
func check(path string) (h Header, units int64, err error) {
	for record, err := range records(path, &h) {
		if err != nil {
			return h, 0, err
		}
		units = record.end
	}
	return h, units, nil
}

// equal reports whether two commands ask the same question.
func (c Command) equal(d Command) bool {
	return c.Kind == d.Kind && bytes.Equal(c.Asked, d.Asked) && c.Inputs == d.Inputs
}

// A Record is one record of a part.
type Record struct {
	Data []byte // valid until the next one
	end  int64  // units of the part up to the one before; of the end, all
}

// records are the records of a part, and at its end an empty one.
func records(path string, h *Header) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		file, err := os.Open(path)
		if err != nil {
			yield(Record{}, cut(err))
			return
		}
		defer file.Close()
		r, err := NewReader(bufio.NewReaderSize(file, 1<<18))
		if err != nil {
			yield(Record{}, err)
			return
		}
		*h = r.Header
		for {
			data, err := r.Next()
			if err == io.EOF {
				yield(Record{nil, r.Units()}, nil)
				return
			}
			if !yield(Record{data, r.Units()}, err) || err != nil {
				return
			}
		}
	}
}

// Units returns the number of work units of all parts together.
func (p *Parts) Units() int64 { return p.units }

// Records are the records of all parts, in the order of the shards and of each part.
func (p *Parts) Records() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for _, path := range slices.Clone(p.paths) {
			var h Header
			for record, err := range records(path, &h) {
				if err != nil {
					yield(nil, fmt.Errorf("%q %w", path, err))
					return
				}
				if record.Data != nil && !yield(record.Data, nil) {
					return
				}
			}
		}
	}
}
