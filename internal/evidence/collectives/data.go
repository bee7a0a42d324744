package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/fitted"
	measured "github.com/halfpeak/halfpeak/internal/published"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A series is one collective of one machine, by one algorithm or by the library's choice.
type series struct {
	machine, name, collective string
	algorithm                 string         // of the registry, if it is known
	forced                    string         // as the library calls it; empty: its choice
	points                    []fitted.Point // the mean of the runs of each call
	runs                      []fitted.Point // each run
}

// librarys reports whether the times are those of the library's own choice, which PICO measures
// beside the algorithms under names of its own.
func (s series) librarys() bool {
	own := strings.HasPrefix(s.forced, "default_") || s.forced == "default-default"
	return own || s.forced == ""
}

// entry returns an algorithm that this program names.
func entry(of, algorithm string) collective.Entry {
	e, err := collective.Find(of, algorithm)
	if err != nil {
		panic(err)
	}
	return e
}

func (s series) data() fitted.Data {
	of := fitted.Slowest
	if strings.Contains(s.name, "latency") { // OSU's main column
		of = fitted.Average
	}
	d := fitted.Data{Of: entry(s.collective, s.algorithm), Statistic: of, Points: s.points}
	if !s.librarys() && s.algorithm == "" {
		d.Foreign = s.forced
	}
	return d
}

// counts returns the numbers of nodes, ascending.
func (s series) counts() (all []int) {
	for _, p := range s.points {
		all = append(all, nodes(p))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// nodes returns the number of nodes of a point, or of ranks if they are on one node, unplaced, or
// leave a node in part empty.
func nodes(p fitted.Point) int {
	if p.PerNode == 0 || p.Ranks <= p.PerNode || p.Ranks%p.PerNode != 0 {
		return p.Ranks
	}
	return p.Ranks / p.PerNode
}

// sub returns the series with the points that keep keeps. It copies, since a series
// is asked about in many ways.
func (s series) sub(keep func(p fitted.Point) bool) series {
	out := func(p fitted.Point) bool { return !keep(p) }
	s.points = slices.DeleteFunc(slices.Clone(s.points), out)
	return s
}

// published returns the series of all published machines.
func published() (all []series, err error) {
	calls, err := measured.Calls()
	if err != nil {
		return nil, err
	}
	at := map[string]int{}
	for _, c := range calls {
		for _, s := range seriesOf(c) {
			key := s.machine + s.name + s.collective + s.forced
			if _, has := at[key]; !has {
				at[key] = len(all)
				all = append(all, series{machine: s.machine, name: s.name,
					collective: s.collective, algorithm: s.algorithm, forced: s.forced})
			}
			all[at[key]].points = append(all[at[key]].points, s.points...)
		}
	}
	more, err := outputs()
	if err != nil {
		return nil, err
	}
	all = append(all, more...)
	// The order of rows in the tables of docs, and of draws in the second report, must not depend
	// on the order of the files.
	slices.SortStableFunc(all, func(a, b series) int {
		return cmp.Or(cmp.Compare(a.machine, b.machine), cmp.Compare(a.name, b.name),
			cmp.Compare(a.collective, b.collective), cmp.Compare(a.forced, b.forced))
	})
	for i := range all {
		all[i].runs = all[i].points
		all[i].points = merged(all[i].points)
		slices.SortFunc(all[i].points, func(a, b fitted.Point) int {
			return cmp.Or(cmp.Compare(a.Ranks, b.Ranks), cmp.Compare(a.PerNode, b.PerNode),
				cmp.Compare(a.Size, b.Size))
		})
	}
	return all, nil
}

// seriesOf returns the series to which a call belongs, each with the call as its only point.
// Libraries and placements are series of their own: they are never fitted together.
func seriesOf(c measured.Call) []series {
	size, time := c.Size(), c.Median
	if time == 0 {
		time = c.Mean
	}
	if measured.InBlocks(c.Collective) {
		// The tables have the bytes of all ranks, a fit those of one rank's block.
		size /= float64(c.Ranks)
	}
	one := func(name, algorithm string, perNode int, time float64) series {
		return series{machine: c.Machine, name: name, collective: c.Collective,
			algorithm: algorithm, forced: c.Algorithm,
			// A row is one piece of evidence, however many repeats are behind its median.
			points: []fitted.Point{{Ranks: c.Ranks, PerNode: perNode, Count: 1,
				Size: quantity.Bytes(size), Time: quantity.Micros(time)}}}
	}
	switch {
	case c.Machine == "ORFEO":
		// Both columns of OSU's times, each with and without the placement of ranks on nodes, since
		// users' files may lack it.
		const average, slowest = "Open MPI, by core, latency", "Open MPI, by core, max"
		placed := fmt.Sprintf(", %d a node", c.PerNode)
		return []series{
			one(average, c.Algorithm, 0, c.Mean),
			one(average+placed, c.Algorithm, c.PerNode, c.Mean),
			one(slowest, c.Algorithm, 0, c.Max),
			one(slowest+placed, c.Algorithm, c.PerNode, c.Max),
		}
	case c.Machine == "Perlmutter" && c.Nodes == "1": // its GPUs do not use the network
		return nil
	case c.Machine == "Perlmutter":
		name := fmt.Sprintf("%s, %d GPUs a node", c.Library, c.PerNode)
		return []series{one(name, "", c.PerNode, time)}
	case c.Type != "":
		return []series{one("one node, "+c.Library+", "+c.Type, "", c.PerNode, time)}
	}
	name := fmt.Sprintf("%s, %d a node", c.Library, c.PerNode)
	return []series{one(name, measured.Follows(c.Collective, c.Algorithm), c.PerNode, time)}
}

// switching is a machine whose library takes another algorithm beyond the measured nodes, which no
// fit can foresee.
const switching = "ABCI, switches"

// outputs returns the series of machines that are known from outputs of benchmarks, a file for each
// number of nodes.
func outputs() (all []series, err error) {
	const abci = "abci2/allreduce_inter_vnode/"
	for _, m := range []struct {
		machine, library string
		perNode          int
		files            map[int]string // by nodes
	}{
		{"Lassen", "Spectrum MPI", 1, map[int]string{4: "lassen/lassen_osu_4_nodes.out",
			16: "lassen/lassen_osu_16_nodes.out", 64: "lassen/lassen_osu_64_nodes.out"}},
		{"ABCI", "NCCL", 4, map[int]string{2: abci + "job02.sh.7194532.nccl",
			8: abci + "job08.sh.7194534.nccl", 32: abci + "job32.sh.7194536.nccl"}},
		{switching, "Open MPI", 4, map[int]string{2: abci + "job02.sh.7194532.mpi-cpu",
			8: abci + "job08.sh.7194534.mpi-cpu", 32: abci + "job32.sh.7194536.mpi-cpu"}},
	} {
		s := series{machine: m.machine, collective: "allreduce",
			name: fmt.Sprintf("%s, %d a node", m.library, m.perNode)}
		for n, file := range m.files {
			more, err := allreduces("collectives/"+file, n, m.perNode)
			if err != nil {
				return nil, err
			}
			s.points = append(s.points, more...)
		}
		all = append(all, s)
	}
	return all, nil
}

// allreduces returns the times in an output of OSU's benchmarks or of nccl-tests, out of place.
func allreduces(file string, nodes, perNode int) (all []fitted.Point, err error) {
	curves, err := measured.Of(file)
	for _, c := range curves {
		// nccl-tests times each call twice; one of the two times is enough.
		if c.Kind != benchfile.Collective || c.Series == "in-place" {
			continue
		}
		for _, s := range c.Samples {
			all = append(all, fitted.Point{Ranks: nodes * perNode, PerNode: perNode,
				Size: s.Size, Time: s.Mean, Count: 1})
		}
	}
	return all, err
}

// merged returns the means of the runs of each call, so that a call counts once,
// however often it was run.
func merged(points []fitted.Point) (all []fitted.Point) {
	at := map[fitted.Point]int{}
	var runs []int
	for _, p := range points {
		// A point is its own key without its time: ranks, placement and size.
		key := p
		key.Time = 0
		i, has := at[key]
		if !has {
			i = len(all)
			at[key] = i
			all, runs = append(all, key), append(runs, 0)
		}
		runs[i]++
		// The running mean; times of all runs need not be kept.
		all[i].Time += (p.Time - all[i].Time) / quantity.Micros(runs[i])
	}
	return all
}
