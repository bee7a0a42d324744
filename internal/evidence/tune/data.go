package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/published"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/collective"
	"github.com/halfpeak/halfpeak/reports/tune"
	"github.com/halfpeak/halfpeak/reports/tune/tuner"
)

// A set has all candidates of a question, with the time of each.
type set struct {
	question
	all   []tuner.Candidate
	times []float64
}

// segmentOf returns the segment of NCCL's and Open MPI's pipelined schedules; 0 for
// the rest. The tables do not state it.
func segmentOf(schedule string) quantity.Bytes {
	if schedule == "double-tree" || schedule == "segmented-ring" {
		// NCCL and Open MPI choose their segments by the size of a call. 16 KiB is of their order;
		// the tuner's factors take up the rest, since one segment for all sizes is wrong by a
		// factor that it learns.
		return 16 * quantity.KiB
	}
	return 0
}

// candidate returns the candidate of an algorithm, without the time of its schedule.
func candidate(r row, call int) tuner.Candidate {
	base := strings.TrimRight(r.algorithm, "0123456789-_") // without segment and ports
	author := ""                                           // PICO, or the network's library
	for _, part := range []string{"segmented", "_over", "MPI", "UTOFU", "nccl", "hier"} {
		if strings.Contains(r.algorithm, part) {
			author = part
			break
		}
	}
	return tuner.Candidate{
		Group: r.library + " " + r.collective, Call: call, Ranks: float64(r.ranks), Size: r.bytes,
		Author:   r.library + " " + author,
		Schedule: cmp.Or(published.Schedule(r.collective, r.algorithm), base),
		Variant:  r.algorithm,
	}
}

// own returns the candidate of the library's own choice in the call of a row, as
// reports/tune has it.
func own(r row, call int) tuner.Candidate {
	r.algorithm = tune.LibraryChoice
	c := candidate(r, call)
	c.Author, c.Schedule, c.Library = tune.LibraryChoice, tune.LibraryChoice, true
	return c
}

// ports returns the number of ports of a node that an algorithm of Fugaku uses at
// once. Its bytes go over all of them, so the part of the bytes is divided by it.
func ports(algorithm string) float64 {
	switch {
	case strings.Contains(algorithm, "UTOFU") && strings.HasSuffix(algorithm, "-3"):
		return 3
	case strings.Contains(algorithm, "UTOFU") && strings.HasSuffix(algorithm, "-6"):
		return 6
	}
	return 1
}

// A row is a measurement. bytes is the size in the table; block is the size as in
// collective.Call.
type row struct {
	library, collective, algorithm string
	ranks                          int
	bytes, block, time             float64
	nodes                          string
}

// A question is a row of the tables: the calls of a machine on these numbers of nodes.
type question struct {
	machine, name string
	asks          func(r row) bool
}

// questions has the machines of which every algorithm was measured: where only some were, the
// fastest of them need not be the fastest, and a loss against it says nothing.
var questions = []question{
	{"LUMI", "dragonfly, 4 to 32 nodes", func(row) bool { return true }},
	{"MareNostrum", "fat tree, 32 to 64 nodes", func(r row) bool { return r.library == "OMPI" }},
	{"MareNostrum", "NCCL, 4 to 64 nodes", func(r row) bool { return r.library == "CUDA" }},
	{"Fugaku", "torus, 8 nodes", func(r row) bool { return r.ranks == 8 }},
	{"Fugaku", "torus, 64 nodes", func(r row) bool { return r.ranks == 64 }},
	{"ORFEO", "2 nodes of 128 cores", func(row) bool { return true }},
}

// read returns the measurements of a machine.
func read(machine string) (all []row, err error) {
	calls, err := published.Calls(machine)
	for _, c := range calls {
		r := row{
			library: c.Library, collective: c.Collective, algorithm: c.Algorithm, ranks: c.Ranks,
			bytes: c.Size(), block: c.Size(), time: c.Median,
			nodes: fmt.Sprintf("%sx%d", c.Nodes, c.PerNode),
		}
		// Neighbouring numbers of ranks have nearly the same times, so a tuner that measures one
		// knows the others: it would look better than it is.
		if machine == "ORFEO" { // 64 numbers of ranks, most of them neighbours
			if !slices.Contains([]int{2, 6, 14, 30, 62, 126, 254}, c.Ranks) {
				continue
			}
			r.time, r.nodes = c.Mean, ""
		}
		if published.InBlocks(r.collective) {
			// The sizes are totals; schedules of such collectives have the block of a rank.
			r.block = max(1, math.Floor(r.bytes/float64(r.ranks)))
		}
		all = append(all, r)
	}
	return all, err
}

// load reads the set of a question. Times of several runs are averaged.
func load(q question) (*set, error) {
	rows, err := read(q.machine)
	if err != nil {
		return nil, err
	}
	rows = slices.DeleteFunc(rows, func(r row) bool { return !q.asks(r) })
	s, computed := &set{question: q}, partsCache{}
	calls, times := map[string]int{}, map[string][]float64{}
	call := func(r row) string {
		return fmt.Sprint(r.library, r.collective, r.nodes, " ", r.ranks, r.bytes)
	}
	for _, r := range rows {
		key := call(r)
		if _, known := calls[key]; !known {
			calls[key] = len(calls)
		}
		times[key+r.algorithm] = append(times[key+r.algorithm], r.time)
	}
	// The library's own choice may stand under several names; it is one candidate, since a user
	// has one library.
	owned := map[int]bool{}
	for _, r := range rows {
		call, key := calls[call(r)], call(r)+r.algorithm
		if times[key] == nil { // a further run
			continue
		}
		t := stats.Mean(times[key])
		delete(times, key)
		if strings.HasPrefix(r.algorithm, "default_") || r.algorithm == "default-default" {
			if !owned[call] {
				owned[call] = true
				s.all, s.times = append(s.all, own(r, call)), append(s.times, t)
			}
			continue
		}
		c := candidate(r, call)
		if c.Parts, err = computed.partsOf(r, rows); err != nil {
			return nil, err
		}
		s.all, s.times = append(s.all, c), append(s.times, t)
	}
	tuner.Complete(s.all)
	return s, nil
}

// A partsCache has the parts of schedules by collective, schedule and ranks, at a set's sizes.
type partsCache map[string]map[tune.Place]tuner.Parts

// partsOf returns the parts of the time of a row's schedule, and computes those of all sizes at
// once.
func (computed partsCache) partsOf(r row, rows []row) (tuner.Parts, error) {
	schedule := published.Schedule(r.collective, r.algorithm)
	segment := segmentOf(schedule)
	if schedule == "" {
		return tuner.Parts{}, nil
	}
	key := fmt.Sprint(r.collective, " ", schedule, " ", r.ranks)
	if computed[key] == nil {
		q := collective.Calls{Collective: r.collective, Algorithm: schedule,
			Ranks: []int{r.ranks}}
		for _, o := range rows {
			if o.collective == r.collective && o.ranks == r.ranks {
				q.Sizes = append(q.Sizes, quantity.Bytes(o.block))
			}
		}
		if segment > 0 {
			q.Segments = []quantity.Bytes{segment}
		}
		var err error
		computed[key], err = tune.PartsOf(context.Background(), platforms.Design{}, q)
		if err != nil {
			return tuner.Parts{}, fmt.Errorf("%s: %w", key, err)
		}
	}
	at := tune.Place{Algorithm: schedule, Ranks: r.ranks,
		Size: quantity.Bytes(r.block), Segment: segment}
	parts, segmented := computed[key][at]
	if at.Segment = 0; !segmented {
		parts = computed[key][at]
	}
	parts[2] /= ports(r.algorithm)
	return parts, nil
}
