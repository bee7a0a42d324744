package main

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	engine "github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/fit/benchfile"
	fitted "github.com/halfpeak/halfpeak/fit/collective"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A series is one collective of one machine, by one algorithm or by the library's choice.
type series struct {
	machine, name, collective string
	algorithm                 string // of the registry, if it is known
	forced                    string // as the library calls it; empty: its choice
	points                    []fitted.Point
}

// nodes returns the number of nodes of a point, or of ranks if they are on one node, unplaced, or
// leave a node in part empty.
func nodes(p fitted.Point) int {
	if p.PerNode == 0 || p.Ranks <= p.PerNode || p.Ranks%p.PerNode != 0 {
		return p.Ranks
	}
	return p.Ranks / p.PerNode
}

// counts returns the numbers of nodes, ascending.
func (s series) counts() (all []int) {
	for _, p := range s.points {
		all = append(all, nodes(p))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// sub returns the series with the points for which keep is true.
func (s series) sub(keep func(p fitted.Point) bool) series {
	s.points = slices.DeleteFunc(slices.Clone(s.points), func(p fitted.Point) bool { return !keep(p) })
	return s
}

// collectiveNames are the registry's words for those of the files.
var collectiveNames = map[string]string{"reducescatter": "reduce-scatter", "reduce_scatter": "reduce-scatter"}

// inBlocks has the collectives whose size is that of one rank's block.
var inBlocks = []string{"allgather", "reduce-scatter", "alltoall", "gather", "scatter"}

// table reads a CSV file, and groups its rows. The function returns the series of a row without
// points, and the row's point with the bytes of all ranks.
func table(path string, row func(r map[string]string) (series, fitted.Point, bool)) (all []series, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	at := map[string]int{}
	for _, line := range rows[1:] {
		r := map[string]string{}
		for i, name := range rows[0] {
			r[name] = line[i]
		}
		s, p, ok := row(r)
		if !ok {
			continue
		}
		s.collective = cmp.Or(collectiveNames[s.collective], s.collective)
		if slices.Contains(inBlocks, s.collective) {
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
	return all, nil
}

func number(text string) int {
	n, _ := strconv.Atoi(text) // of published files
	return n
}

func point(ranks, perNode int, bytes, us string) fitted.Point {
	t, _ := strconv.ParseFloat(us, 64) // of published files
	n, _ := strconv.ParseFloat(bytes, 64)
	return fitted.Point{Ranks: ranks, PerNode: perNode, Size: quantity.Bytes(n), Time: quantity.Micros(t)}
}

// registryNames are the registry's words for algorithms that PICO's files call otherwise.
var registryNames = map[string]string{"tree": "double-tree", "binary-tree": "binary", "split-binary-tree": "split-binary", "knomial": "k-nomial", "modified-bruck": "bruck",
	"brucks": "bruck", "bruck-log-mpi-0-1": "bruck", "basic-linear": "linear", "linear-synch": "linear-sync", "linear-nb": "linear-nonblocking",
	"scatter-allgather": "scatter-doubling", "scatter-allgather-ring": "scatter-ring", "in-order": "in-order-binary", "neighbor": "neighbour-exchange",
	"nonoverlapping": "reduce-broadcast", "non-overlapping": "reduce-scatter"}

// bine has the algorithms with the steps and bytes of Bine trees; allreduces have several.
var bine = map[string]string{"allgather": "recursive-doubling", "reduce-scatter": "recursive-halving", "alltoall": "bruck",
	"bcast": "binomial", "reduce": "binomial", "gather": "binomial", "scatter": "binomial"}

var libraries = strings.NewReplacer("allreduce_nccl_", "", "default-", "", "_mpich", "", "_ompi", "", "_over", "", "_", "-")

// algorithmOf returns the registry's word for an algorithm that PICO forced; empty if it has none.
func algorithmOf(collective, forced string) string {
	collective = cmp.Or(collectiveNames[collective], collective)
	name := libraries.Replace(strings.ToLower(forced))
	if name = cmp.Or(registryNames[name], name); strings.HasPrefix(name, "bine") {
		name = bine[collective]
	}
	if _, err := engine.Find(collective, name); err != nil || name == "" {
		return ""
	}
	return name
}

// published reads all series from the folder of shared data.
func published(folder string) (all []series, err error) {
	scale, orfeo := filepath.Join(folder, "scale"), filepath.Join(folder, "collectives", "orfeo-epyc")
	add := func(more []series, e error) {
		all, err = append(all, more...), cmp.Or(err, e)
	}
	add(table(filepath.Join(scale, "perlmutter-2-gpus-a-node.csv"), func(r map[string]string) (series, fitted.Point, bool) {
		each := number(r["gpus_per_node"])
		return series{machine: "Perlmutter", name: "NCCL, 2 GPUs a node", collective: r["op"]}, point(number(r["ranks"]), each, r["bytes"], r["time_us"]), number(r["nodes"]) > 1
	}))
	for file, machine := range map[string]string{"pico-lumi.csv": "LUMI", "pico-mare_nostrum.csv": "MareNostrum", "pico-fugaku.csv": "Fugaku"} {
		add(table(filepath.Join(scale, file), func(r map[string]string) (series, fitted.Point, bool) {
			each := number(r["tasks_per_node"])
			s := series{machine: machine, name: r["library"] + ", " + r["tasks_per_node"] + " a node", collective: r["collective"], forced: r["algorithm"], algorithm: algorithmOf(r["collective"], r["algorithm"])}
			nodes := 1
			for side := range strings.SplitSeq(r["nodes"], "x") { // of a torus
				nodes *= number(side)
			}
			return s, point(nodes*each, each, r["bytes"], r["median_us"]), true
		}))
	}
	add(table(filepath.Join(scale, "nccl-one-node.csv"), func(r map[string]string) (series, fitted.Point, bool) {
		s := series{machine: strings.ToUpper(strings.TrimSuffix(r["sys"], "_sxm")), name: "one node, NCCL " + r["version"] + ", " + r["dtype"], collective: r["op"]}
		return s, point(number(r["ranks"]), 8, r["bytes"], r["time_us"]), true
	}))
	names := map[string]string{"2": "chain", "5": "binary", "6": "binomial"}
	for column, each := range map[string]int{"latency": 0, "max": 0, "latency, 128 a node": 128, "max, 128 a node": 128} {
		add(table(filepath.Join(orfeo, "bcast_core_algorithms_2_5_6.csv"), func(r map[string]string) (series, fitted.Point, bool) {
			name := names[r["algorithm"]]
			s := series{machine: "ORFEO", name: "Open MPI, by core, " + column, collective: "bcast", algorithm: name, forced: name}
			us, _, _ := strings.Cut(column, ",")
			return s, point(number(r["cores"]), each, r["size"], r[us]), true
		}))
	}
	for name, files := range map[string]map[string]int{
		"Lassen, Spectrum MPI, 1": {"lassen/lassen_osu_4_nodes.out": 4, "lassen/lassen_osu_16_nodes.out": 16, "lassen/lassen_osu_64_nodes.out": 64},
		"ABCI, NCCL, 4":           {"abci2/allreduce_inter_vnode/job02.sh.7194532.nccl": 2, "abci2/allreduce_inter_vnode/job08.sh.7194534.nccl": 8, "abci2/allreduce_inter_vnode/job32.sh.7194536.nccl": 32},
		"ABCI, Open MPI, 4":       {"abci2/allreduce_inter_vnode/job02.sh.7194532.mpi-cpu": 2, "abci2/allreduce_inter_vnode/job08.sh.7194534.mpi-cpu": 8, "abci2/allreduce_inter_vnode/job32.sh.7194536.mpi-cpu": 32},
	} {
		parts := strings.Split(name, ", ")
		s := series{machine: parts[0], name: parts[1] + ", " + parts[2] + " a node", collective: "allreduce"}
		for file, n := range files {
			more, e := allreduces(filepath.Join(folder, "collectives", file), n, number(parts[2]))
			s.points, err = append(s.points, more...), cmp.Or(err, e)
		}
		all = append(all, s)
	}
	slices.SortStableFunc(all, func(a, b series) int {
		return cmp.Or(cmp.Compare(a.machine, b.machine), cmp.Compare(a.name, b.name), cmp.Compare(a.collective, b.collective), cmp.Compare(a.forced, b.forced))
	})
	for i := range all {
		all[i].points = merged(all[i].points)
	}
	return all, err
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
