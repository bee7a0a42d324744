package main

import (
	"cmp"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	fitted "github.com/halfpeak/halfpeak/fit/collective"
	"github.com/halfpeak/halfpeak/internal/evidence/pico"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A series is one collective of one machine, by one algorithm or by the library's choice.
type series struct {
	machine, name, collective string
	algorithm                 string // of the registry, if it is known
	forced                    string // as the library calls it; empty: its choice
	points                    []fitted.Point
}

func (s series) data() fitted.Data {
	of := fitted.Slowest
	if strings.Contains(s.name, "latency") { // OSU's main column
		of = fitted.Average
	}
	return fitted.Data{Collective: s.collective, Algorithm: s.algorithm, Statistic: of, Points: s.points}
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

// sub returns the series with the points that keep keeps.
func (s series) sub(keep func(p fitted.Point) bool) series {
	s.points = slices.DeleteFunc(slices.Clone(s.points), func(p fitted.Point) bool { return !keep(p) })
	return s
}

// published reads all series from the folder of shared data.
func published(folder string) (all []series, err error) {
	scale, orfeo := filepath.Join(folder, "scale"), filepath.Join(folder, "collectives", "orfeo-epyc")
	add := func(more []series, e error) {
		all, err = append(all, more...), cmp.Or(err, e)
	}
	add(table(filepath.Join(scale, "perlmutter-2-gpus-a-node.csv"), func(r pico.Row) (series, fitted.Point, bool) {
		each := r.Whole("gpus_per_node")
		return series{machine: "Perlmutter", name: "NCCL, 2 GPUs a node", collective: r["op"]}, point(r.Whole("ranks"), each, r.Number("bytes"), r.Number("time_us")), r.Whole("nodes") > 1
	}))
	for file, machine := range map[string]string{"pico-lumi.csv": "LUMI", "pico-mare_nostrum.csv": "MareNostrum", "pico-fugaku.csv": "Fugaku"} {
		add(table(filepath.Join(scale, file), func(r pico.Row) (series, fitted.Point, bool) {
			each := r.Whole("tasks_per_node")
			s := series{machine: machine, name: r["library"] + ", " + r["tasks_per_node"] + " a node", collective: r["collective"], forced: r["algorithm"], algorithm: pico.Follows(pico.Collective(r["collective"]), r["algorithm"])}
			return s, point(r.Nodes()*each, each, r.Bytes(), r.Number("median_us")), true
		}))
	}
	add(table(filepath.Join(scale, "nccl-one-node.csv"), func(r pico.Row) (series, fitted.Point, bool) {
		s := series{machine: strings.ToUpper(strings.TrimSuffix(r["sys"], "_sxm")), name: "one node, NCCL " + r["version"] + ", " + r["dtype"], collective: r["op"]}
		return s, point(r.Whole("ranks"), 8, r.Number("bytes"), r.Number("time_us")), true
	}))
	for column, each := range map[string]int{"latency": 0, "max": 0, "latency, 128 a node": 128, "max, 128 a node": 128} {
		add(table(filepath.Join(orfeo, "bcast_core_algorithms_2_5_6.csv"), func(r pico.Row) (series, fitted.Point, bool) {
			name := pico.OrfeoNames[r["algorithm"]]
			s := series{machine: "ORFEO", name: "Open MPI, by core, " + column, collective: "bcast", algorithm: name, forced: name}
			us, _, _ := strings.Cut(column, ",")
			return s, point(r.Whole("cores"), each, r.Number("size"), r.Number(us)), true
		}))
	}
	for name, files := range map[string]map[string]int{
		"Lassen, Spectrum MPI, 1": {"lassen/lassen_osu_4_nodes.out": 4, "lassen/lassen_osu_16_nodes.out": 16, "lassen/lassen_osu_64_nodes.out": 64},
		"ABCI, NCCL, 4":           {"abci2/allreduce_inter_vnode/job02.sh.7194532.nccl": 2, "abci2/allreduce_inter_vnode/job08.sh.7194534.nccl": 8, "abci2/allreduce_inter_vnode/job32.sh.7194536.nccl": 32},
		"ABCI, Open MPI, 4":       {"abci2/allreduce_inter_vnode/job02.sh.7194532.mpi-cpu": 2, "abci2/allreduce_inter_vnode/job08.sh.7194534.mpi-cpu": 8, "abci2/allreduce_inter_vnode/job32.sh.7194536.mpi-cpu": 32},
	} {
		parts := strings.Split(name, ", ")
		each, _ := strconv.Atoi(parts[2]) // of the names above
		s := series{machine: parts[0], name: parts[1] + ", " + parts[2] + " a node", collective: "allreduce"}
		for file, n := range files {
			more, e := allreduces(filepath.Join(folder, "collectives", file), n, each)
			s.points, err = append(s.points, more...), cmp.Or(err, e)
		}
		all = append(all, s)
	}
	slices.SortStableFunc(all, func(a, b series) int {
		return cmp.Or(cmp.Compare(a.machine, b.machine), cmp.Compare(a.name, b.name), cmp.Compare(a.collective, b.collective), cmp.Compare(a.forced, b.forced))
	})
	for i := range all {
		all[i].points = merged(all[i].points)
		slices.SortFunc(all[i].points, func(a, b fitted.Point) int {
			return cmp.Or(cmp.Compare(a.Ranks, b.Ranks), cmp.Compare(a.PerNode, b.PerNode), cmp.Compare(a.Size, b.Size))
		})
	}
	return all, err
}

// table reads a CSV file, and groups its rows. The function returns the series of a row without
// points, and the row's point with the bytes of all ranks.
func table(path string, row func(r pico.Row) (series, fitted.Point, bool)) (all []series, err error) {
	rows, err := pico.Read(path)
	at := map[string]int{}
	for _, r := range rows {
		s, p, ok := row(r)
		if !ok {
			continue
		}
		s.collective = pico.Collective(s.collective)
		if pico.InBlocks(s.collective) {
			p.Size /= quantity.Bytes(p.Ranks)
		}
		key := s.machine + s.name + s.collective + s.forced
		if _, has := at[key]; !has {
			at[key] = len(all)
			all = append(all, s)
		}
		p.Count = 1
		all[at[key]].points = append(all[at[key]].points, p)
	}
	return all, err
}

func point(ranks, perNode int, bytes, us float64) fitted.Point {
	return fitted.Point{Ranks: ranks, PerNode: perNode, Size: quantity.Bytes(bytes), Time: quantity.Micros(us)}
}

// allreduces reads the times of an output of OSU's benchmarks or of nccl-tests, out of place.
func allreduces(path string, nodes, perNode int) (all []fitted.Point, err error) {
	f, err := benchfile.Open(path, benchfile.Options{})
	if err != nil {
		return nil, err
	}
	for _, t := range f.Tables {
		if t.Kind != benchfile.Collective || t.Series == "in-place" {
			continue
		}
		for _, s := range t.Samples {
			all = append(all, fitted.Point{Ranks: nodes * perNode, PerNode: perNode, Size: s.Size, Time: s.Mean, Count: 1})
		}
	}
	return all, nil
}

// merged returns the means of the runs of each call.
func merged(points []fitted.Point) (all []fitted.Point) {
	at := map[fitted.Point]int{}
	var runs []int
	for _, p := range points {
		key := p
		key.Time = 0
		i, has := at[key]
		if !has {
			i = len(all)
			at[key] = i
			all, runs = append(all, key), append(runs, 0)
		}
		runs[i]++
		all[i].Time += (p.Time - all[i].Time) / quantity.Micros(runs[i])
	}
	return all
}
