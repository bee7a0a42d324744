package shard

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
)

// Parts are all parts of one question.
type Parts struct {
	Asked json.RawMessage
	paths []string // by shard
}

// mostNamed bounds the shards that an error names.
const mostNamed = 20

// Merge checks parts, in any order, and reads all of each. Its error has a line for each shard that
// is missing, duplicate, damaged, truncated, of another version or of another command. It skips the
// state that an interrupted process leaves beside its part (part-3.partial.state).
func Merge(paths []string) (*Parts, error) {
	var all []error
	p := &Parts{}
	var first string
	named := map[Shard]bool{} // their errors are listed
	for _, path := range paths {
		if strings.HasSuffix(path, ".partial.state") {
			continue
		}
		h, err := check(path)
		switch {
		case err != nil:
			if h.Count > 0 {
				err = fmt.Errorf("%w; run shard %v again", err, h.Shard)
				named[h.Shard] = true
			}
			all = append(all, fmt.Errorf("%q %w", path, err))
			continue
		case first == "":
			first, p.Asked, p.paths = path, h.Asked, make([]string, h.Count)
		case !bytes.Equal(h.Asked, p.Asked):
			name, is, was := difference("question", h.Asked, p.Asked)
			all = append(all, fmt.Errorf("%q belongs to another command than %q: %s is %s, not %s; merge the parts of one command", path, first, strings.ToLower(name), is, was))
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
func check(path string) (h Header, err error) {
	for _, err := range records(path, &h) {
		if err != nil {
			return h, err
		}
	}
	return h, nil
}

// Records returns the records of all parts, in the order of the shards and of each part.
func (p *Parts) Records() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for _, path := range p.paths {
			var h Header
			for record, err := range records(path, &h) {
				if err != nil {
					err = fmt.Errorf("%q %w", path, err)
				}
				if !yield(record, err) || err != nil {
					return
				}
			}
		}
	}
}
