package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	fitted "github.com/halfpeak/halfpeak/fit/collective"
	"github.com/halfpeak/halfpeak/internal/evidence/pico"
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

func (s series) data() fitted.Data {
	of := fitted.Slowest
	if strings.Contains(s.name, "latency") { // OSU's main column
		of = fitted.Average
	}
	return fitted.Data{Collective: s.collective, Algorithm: s.algorithm, Statistic: of,
		Points: s.points}
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

// published reads all series from the folder of shared data.
func published(folder string) (all []series, err error) {
	readers := []func(folder string) ([]series, error){
		perlmutter, measuredByPICO, oneNode, orfeo, outputs,
	}
	for _, read := range readers {
		more, err := read(folder)
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	// The order of rows in the tables of docs, and of draws in the second report, must not depend
	// on the order of a map of files.
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

// perlmutter reads times of NCCL. One node is left out, where GPUs do not use the
// network.
func perlmutter(folder string) ([]series, error) {
	path := filepath.Join(folder, "scale", "perlmutter-2-gpus-a-node.csv")
	return table(path, func(r pico.Row) (series, fitted.Point, bool) {
		s := series{machine: "Perlmutter", name: "NCCL, 2 GPUs a node", collective: r["op"]}
		each := r.Whole("gpus_per_node")
		p := point(r.Whole("ranks"), each, r.Number("bytes"), r.Number("time_us"))
		return s, p, r.Whole("nodes") > 1
	})
}

// measuredByPICO reads the machines that PICO measured, with each algorithm of the
// libraries forced. Libraries and placements are series of their own: they are never
// fitted together.
func measuredByPICO(folder string) (all []series, err error) {
	for _, m := range []struct{ machine, file string }{
		{"LUMI", "pico-lumi.csv"}, {"MareNostrum", "pico-mare_nostrum.csv"},
		{"Fugaku", "pico-fugaku.csv"},
	} {
		path := filepath.Join(folder, "scale", m.file)
		more, err := table(path, func(r pico.Row) (series, fitted.Point, bool) {
			each, collective := r.Whole("tasks_per_node"), pico.Collective(r["collective"])
			s := series{
				machine: m.machine, name: r["library"] + ", " + r["tasks_per_node"] + " a node",
				collective: collective, forced: r["algorithm"],
				algorithm: pico.Follows(collective, r["algorithm"]),
			}
			return s, point(r.Nodes()*each, each, r.Bytes(), r.Number("median_us")), true
		})
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	return all, nil
}

// oneNode reads times of NCCL within nodes of 8 GPUs, by version and type of numbers.
func oneNode(folder string) ([]series, error) {
	path := filepath.Join(folder, "scale", "nccl-one-node.csv")
	return table(path, func(r pico.Row) (series, fitted.Point, bool) {
		s := series{
			machine: strings.ToUpper(strings.TrimSuffix(r["sys"], "_sxm")),
			name:    "one node, NCCL " + r["version"] + ", " + r["dtype"], collective: r["op"],
		}
		return s, point(r.Whole("ranks"), 8, r.Number("bytes"), r.Number("time_us")), true
	})
}

// orfeo reads both columns of OSU's times, each with and without the placement of ranks on nodes,
// since users' files may lack it.
func orfeo(folder string) (all []series, err error) {
	path := filepath.Join(folder, "collectives", "orfeo-epyc", "bcast_core_algorithms_2_5_6.csv")
	for _, column := range []string{"latency", "max"} {
		for _, each := range []int{0, 128} {
			name := "Open MPI, by core, " + column
			if each > 0 {
				name += fmt.Sprintf(", %d a node", each)
			}
			more, err := table(path, func(r pico.Row) (series, fitted.Point, bool) {
				algorithm := pico.OrfeoNames[r["algorithm"]]
				s := series{machine: "ORFEO", name: name, collective: "bcast",
					algorithm: algorithm, forced: algorithm}
				return s, point(r.Whole("cores"), each, r.Number("size"), r.Number(column)), true
			})
			if err != nil {
				return nil, err
			}
			all = append(all, more...)
		}
	}
	return all, nil
}

// switching is a machine whose library takes another algorithm beyond the measured nodes, which no
// fit can foresee.
const switching = "ABCI, switches"

// outputs reads the machines that are known from outputs of benchmarks, a file for each number of
// nodes.
func outputs(folder string) (all []series, err error) {
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
			more, err := allreduces(filepath.Join(folder, "collectives", file), n, m.perNode)
			if err != nil {
				return nil, err
			}
			s.points = append(s.points, more...)
		}
		all = append(all, s)
	}
	return all, nil
}

// table reads a CSV file, and groups its rows. The function returns the series of a row without
// points, and the row's point with the bytes of all ranks.
func table(path string,
	row func(r pico.Row) (series, fitted.Point, bool)) (all []series, err error) {
	rows, err := pico.Read(path)
	at := map[string]int{}
	for _, r := range rows {
		s, p, ok := row(r)
		if !ok {
			continue
		}
		s.collective = pico.Collective(s.collective)
		if pico.InBlocks(s.collective) {
			// The tables have the bytes of all ranks, a fit those of one rank's block.
			p.Size /= quantity.Bytes(p.Ranks)
		}
		key := s.machine + s.name + s.collective + s.forced
		if _, has := at[key]; !has {
			at[key] = len(all)
			all = append(all, s)
		}
		// A row is one piece of evidence, however many repeats are behind its median.
		p.Count = 1
		all[at[key]].points = append(all[at[key]].points, p)
	}
	return all, err
}

// point takes numbers as tables have them: bytes and µs.
func point(ranks, perNode int, bytes, us float64) fitted.Point {
	return fitted.Point{Ranks: ranks, PerNode: perNode,
		Size: quantity.Bytes(bytes), Time: quantity.Micros(us)}
}

// allreduces reads the times of an output of OSU's benchmarks or of nccl-tests, out of place.
func allreduces(path string, nodes, perNode int) (all []fitted.Point, err error) {
	f, err := benchfile.Open(path, benchfile.Options{})
	if err != nil {
		return nil, err
	}
	for _, t := range f.Tables {
		// nccl-tests times each call twice; one of the two times is enough.
		if t.Kind != benchfile.Collective || t.Series == "in-place" {
			continue
		}
		for _, s := range t.Samples {
			all = append(all, fitted.Point{Ranks: nodes * perNode, PerNode: perNode,
				Size: s.Size, Time: s.Mean, Count: 1})
		}
	}
	return all, nil
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
