// Package shard divides work between processes that do not communicate, and merges the parts
// they write: the tasks of a Slurm array, the pods of an indexed job of Kubernetes.
//
// A process does its [Shard] of the work and writes a part: a header with the question, and
// records, each of one piece of the work. [Merge] takes all parts and returns the records.
// Everything that depends on several pieces is computed from the records, in an order that does not
// depend on the shards. The result is therefore the same to the last bit for every number of shards
// and every order of merging.
package shard

import (
	"errors"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
)

// Most is the largest number of shards.
const Most = 100_000

// A Shard is part Index, from 1, of Count. The zero value stands for all the work.
type Shard struct{ Index, Count int }

// Parse reads "3/64".
func Parse(text string) (Shard, error) {
	index, count, ok := strings.Cut(text, "/")
	i, err := strconv.Atoi(index)
	n, errCount := strconv.Atoi(count)
	s := Shard{i, n}
	switch {
	case !ok || err != nil || errCount != nil:
		return Shard{}, errors.New("write the number of the shard and of all shards, as in 3/64")
	case n < 1 || n > Most:
		return Shard{}, fmt.Errorf("there can be 1 to %d shards", Most)
	case i == 0:
		return Shard{}, fmt.Errorf("shards count from 1 to %d; add 1 to an index that counts from 0, as JOB_COMPLETION_INDEX does", n)
	case !s.valid():
		return Shard{}, fmt.Errorf("shards count from 1 to %d", n)
	}
	return s, nil
}

func (s Shard) valid() bool { return 1 <= s.Index && s.Index <= s.Count && s.Count <= Most }

func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.Index, s.Count) }

// Of returns the shard of a file, by a hash of its path below the root (FNV-1a, 64 bits): files
// that come or go do not move others between shards.
func Of(path string, count int) Shard {
	h := fnv.New64a()
	h.Write([]byte(path))
	sum := h.Sum64()
	sum ^= sum >> 32 // the last letters, often a number, reach the low bits alone otherwise
	return Shard{int(sum%uint64(count)) + 1, count}
}

// Has reports whether a file is in the shard; see [Of]. The zero Shard has all.
func (s Shard) Has(path string) bool { return s.Count == 0 || Of(path, s.Count) == s }
