package main

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/evidence/judge"
	"github.com/halfpeak/halfpeak/internal/fitted"
	measured "github.com/halfpeak/halfpeak/internal/published"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A described machine is known from its latencies, and its collectives were measured too.
type described struct {
	name   string
	levels []distance // from inside out
	calls  []series
}

// A distance is a level with the latencies between its units.
type distance struct {
	name  string
	arity int
	ways  []fitted.Point // of which Size and Time are set
}

const juno = "Juno" // one node of two cores

// measuredBothWays reads the machines. Inside the nodes of ABCI, hpc7g and EKS no latency was
// measured, so those between the cores of an ORFEO socket stand for them.
func measuredBothWays(folder string, all []series) (machines []described, err error) {
	failed := func(e error) { err = cmp.Or(err, e) }
	in := func(parts ...string) string {
		return filepath.Join(append([]string{folder}, parts...)...)
	}
	files := func(parts ...string) []benchfile.Table {
		found, e := filepath.Glob(in(parts...))
		if e == nil && len(found) == 0 {
			e = fmt.Errorf("no file %s", in(parts...))
		}
		failed(e)
		tables, e := tablesOf(found)
		failed(e)
		return tables
	}
	// Of ORFEO's 64 numbers of ranks, every sixth is enough.
	of := func(machine, name string) (found []series) {
		for _, s := range all {
			if s.machine == machine && strings.Contains(s.name, name) {
				counts := s.counts()
				found = append(found, s.sub(func(p fitted.Point) bool {
					return machine != "ORFEO" || slices.Index(counts, nodes(p))%6 == 1
				}))
			}
		}
		return found
	}
	orfeo := func(file, distance string) []fitted.Point {
		p, e := rowsOf(in("collectives", "orfeo-epyc", file), "size", "latency", 1,
			func(r judge.Row) bool {
				// A root with one receiver is a pair; p2p.csv has no pair across sockets.
				pair := r["comm"] == "" || r["comm"] == "1" && r["p"] == "2"
				return r["mapby"] == distance && pair
			})
		failed(e)
		return p
	}
	vidur := func(file, column string, keep func(ranks, perNode int) bool) []fitted.Point {
		p, e := rowsOf(in("scale", "vidur-a100_dgx-"+file+".csv.gz"), "size",
			"time_stats."+file+"."+column, 1000, func(r judge.Row) bool {
				return keep(int(r.Number("num_workers")), int(r.Number("devices_per_node")))
			})
		failed(e)
		return p
	}
	gpus := func(perNode int) []fitted.Point {
		return vidur("send_recv", "median", func(_, each int) bool {
			return each == perNode
		})
	}
	var nccl []series
	for _, ranks := range []int{2, 4, 8, 16} {
		s := newSeries("A100", "allreduce", ranks, vidur("all_reduce", "median",
			func(n, each int) bool { return n == ranks && each == min(8, ranks) }))
		// Of 994 sizes, one in each octave, as other machines have them.
		octave := -1
		s.points = slices.DeleteFunc(s.points, func(p fitted.Point) bool {
			before := octave
			octave = int(math.Log2(float64(p.Size)))
			return octave == before
		})
		nccl = append(nccl, s)
	}
	core := orfeo("p2p.csv", "core")
	board := files("formats", "imb", "imb41_mpi1_all_juno_aarch64_intranode.txt")
	machines = []described{
		{"ORFEO", []distance{{"cache", 4, orfeo("p2p.csv", "cache")}, {"socket", 16, core},
			{"node", 2, orfeo("nbft.csv", "socket")}, {"cluster", 2, orfeo("p2p.csv", "node")}},
			of("ORFEO", "latency, 128 a node")},
		{"Lassen", []distance{{"cluster", 64, ways(files("collectives", "lassen", "*.out"))}},
			of("Lassen", "")},
		{juno, []distance{{"node", 2, ways(board)}}, calls(juno, 2, board)},
		{"A100", []distance{{"node", 8, gpus(2)}, {"cluster", 2, gpus(1)}}, nccl},
		{"ABCI", []distance{{"node", 4, core}, {"cluster", 32,
			ways(files("collectives", "abci2", "pt2pt_inter_vnode", "*.prc.latency"))}},
			of(switching, "")},
		{"hpc7g", []distance{{"node", 16, core}, {"cluster", 16,
			ways(files("collectives", "aws-hpc7g", "osu_latency*"))}},
			append(calls("hpc7g", 64, files("collectives", "aws-hpc7g", "all_reduce-4-*")),
				calls("hpc7g", 256, files("collectives", "aws-hpc7g", "all_reduce-16-*"))...)},
		{"EKS", []distance{{"node", 96, core}, {"cluster", 64,
			ways(files("collectives", "aws-eks-hard", "osu-2-*"))}},
			calls("EKS", 64*96, files("collectives", "aws-eks-hard", "osu-64-*"))},
	}
	return machines, err
}

func newSeries(machine, collective string, ranks int, points []fitted.Point) series {
	for i := range points {
		points[i].Ranks = ranks
	}
	return series{machine: machine, collective: collective, points: points}
}

// rowsOf reads sizes and times from a CSV file, which may be gzipped: the means of each size.
func rowsOf(path, size, time string, micros float64, keep func(judge.Row) bool) (
	[]fitted.Point, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, done, err := benchfile.Text(f)
	if err != nil {
		return nil, err
	}
	defer done()
	rows, err := judge.ReadRows(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var points []fitted.Point
	for _, r := range rows {
		if keep(r) {
			points = append(points, fitted.Point{Size: quantity.Bytes(r.Number(size)),
				Time: quantity.Micros(micros * r.Number(time))})
		}
	}
	return bySize(points), nil
}

func bySize(points []fitted.Point) []fitted.Point {
	points = merged(points)
	slices.SortFunc(points, func(a, b fitted.Point) int { return int(a.Size - b.Size) })
	return points
}

// ways reads the latencies of outputs of OSU or IMB, as means over the files.
func ways(tables []benchfile.Table) (all []fitted.Point) {
	for _, t := range tables {
		if t.Kind != benchfile.OneWay {
			continue
		}
		for _, s := range t.Samples {
			if s.Size > 0 {
				all = append(all, fitted.Point{Size: s.Size, Time: s.Mean})
			}
		}
	}
	return bySize(all)
}

// calls reads the collectives of outputs likewise, but for those with a size for each rank.
func calls(machine string, ranks int, tables []benchfile.Table) (all []series) {
	for _, t := range tables {
		name := measured.Collective(t.Collective.Name)
		if t.Kind != benchfile.Collective || strings.HasSuffix(name, "v") || name == "barrier" {
			continue
		}
		var points []fitted.Point
		for _, s := range t.Samples {
			if s.Size > 0 {
				points = append(points, fitted.Point{Size: s.Size, Time: s.Mean})
			}
		}
		s := newSeries(machine, name, ranks, points)
		at := slices.IndexFunc(all, func(o series) bool { return o.collective == name })
		if at < 0 {
			all = append(all, s)
			continue
		}
		all[at].points = merged(append(all[at].points, s.points...))
	}
	return all
}

func tablesOf(files []string) (all []benchfile.Table, err error) {
	for _, path := range files {
		f, err := benchfile.Open(path, benchfile.Options{})
		if err != nil {
			return nil, err
		}
		all = append(all, f.Tables...)
	}
	return all, nil
}
