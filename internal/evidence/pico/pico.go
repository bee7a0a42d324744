// Package pico reads published tables of collectives, most of them by the benchmark PICO, and maps
// PICO's names of algorithms to schedules.
package pico

import (
	"encoding/csv"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
)

// A Row has the cells of a line by the names of their columns.
type Row map[string]string

// Read reads a CSV file whose first line names the columns. The tables have columns
// in different orders, so rows are read by names.
func Read(path string) (all []Row, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, line := range lines[1:] {
		r := Row{}
		for i, name := range lines[0] {
			r[name] = line[i]
		}
		all = append(all, r)
	}
	return all, nil
}

// Number returns the number in a column; 0 if the cell has no number.
func (r Row) Number(column string) float64 {
	v, _ := strconv.ParseFloat(r[column], 64) // of published files
	return v
}

// Whole is Number for counts.
func (r Row) Whole(column string) int { return int(r.Number(column)) }

// Bytes returns the size of PICO's table as all algorithms but the hierarchical allreduces of GPUs
// count it. These count the bytes of all GPUs of a node: their sizes and numbers of calls are those
// of the other algorithms times the GPUs of a node. If they counted as the other algorithms do, 2
// GiB on 4 nodes would need 290 GB/s of each node, and its four NICs have 100.
func (r Row) Bytes() float64 {
	if strings.HasPrefix(r["algorithm"], "allreduce_hier_") {
		return r.Number("bytes") / r.Number("tasks_per_node")
	}
	return r.Number("bytes")
}

// Nodes returns the number of nodes: the product of the sides of a torus, as Fugaku's
// table has them ("4x2x2"); a plain number is its own product.
func (r Row) Nodes() int {
	nodes := 1
	for side := range strings.SplitSeq(r["nodes"], "x") {
		n, _ := strconv.Atoi(side) // of published files
		nodes *= n
	}
	return nodes
}

// Collective returns the registry's word for a collective; the word itself if it has none.
func Collective(name string) string {
	if name == "reducescatter" || name == "reduce_scatter" {
		return "reduce-scatter"
	}
	return name
}

// InBlocks reports whether schedules of a collective have the size of one rank's
// block, while the tables have the bytes of all ranks.
func InBlocks(name string) bool { return collective.Entry{Collective: name}.InBlocks() }

// OrfeoNames has the algorithms of ORFEO's table by their numbers in Open MPI.
var OrfeoNames = map[string]string{"2": "chain", "5": "binary", "6": "binomial"}

// schedules maps words in the names of algorithms to schedules of the registry; the first word that
// occurs in a name decides. The schedule is empty if it is not known.
var schedules = map[string][][2]string{
	"allreduce": {
		{"bine_lat", "recursive-doubling"}, {"bine-l", "recursive-doubling"},
		{"recdoub-l", "recursive-doubling"}, {"recursive", "recursive-doubling"},
		{"non_blocking", "recursive-doubling"}, {"hier", ""}, {"collnet", ""}, {"nvls", ""},
		{"trix", ""}, {"segmented_ring", "segmented-ring"}, {"ring", "ring"},
		{"tree", "double-tree"}, {"nonoverlapping", "reduce-broadcast"},
		{"rdbc", "reduce-broadcast"}, {"basic_linear", "linear"}, {"pat", "ring"},
		{"", "rabenseifner"},
	},
	"bcast": {
		{"bine_bdw", "scatter-doubling"}, {"allgather_ring", "scatter-ring"},
		{"allgather", "scatter-doubling"}, {"split", "split-binary"}, {"binary", "binary"},
		{"bintree", ""}, {"trinary", ""}, {"chain", "chain"}, {"pipeline", "pipeline"},
		{"knomial", "k-nomial"}, {"linear", "linear"}, {"", "binomial"},
	},
	"reduce": {
		{"bine_bdw", "rabenseifner"}, {"reduce_scatter", "rabenseifner"},
		{"rabenseifner", "rabenseifner"}, {"in_order", "in-order-binary"},
		{"in-order", "in-order-binary"}, {"binary", "binary"}, {"trinary", ""}, {"chain", "chain"},
		{"pipeline", "pipeline"}, {"linear", "linear"}, {"", "binomial"},
	},
	"allgather": {
		{"3dtorus", ""}, {"gtbc", ""}, {"ring", "ring"}, {"neighbor", "neighbour-exchange"},
		{"bruck", "bruck"}, {"sparbit", "bruck"}, {"linear", "linear"}, {"", "recursive-doubling"},
	},
	"alltoall": {
		{"blacc", ""}, {"crp", ""}, {"doublespread", ""}, {"bruck", "bruck"}, {"log", "bruck"},
		{"bine", "bruck"}, {"sync", "linear-sync"}, {"linear", "linear"}, {"", "pairwise"},
	},
	"gather": {
		{"simple", ""}, {"sync", "linear-sync"}, {"linear", "linear"}, {"", "binomial"},
	},
	"scatter": {
		{"use-bcast", ""}, {"nb", "linear-nonblocking"}, {"linear", "linear"}, {"", "binomial"},
	},
	"reduce-scatter": {
		{"ring", "ring"}, {"overlapping", "reduce-scatter"}, {"", "recursive-halving"},
	},
}

// Schedule returns the schedule that stands for an algorithm; empty for none. The
// order of a collective's words decides: "bine_bdw" must come before the empty word,
// which every name contains.
func Schedule(collective, algorithm string) string {
	for _, s := range schedules[collective] {
		if strings.Contains(strings.ToLower(algorithm), s[0]) {
			return s[1]
		}
	}
	return ""
}

// alike lists parts of names of algorithms that differ from the schedule that stands for them: by a
// library's own choice, by other steps, or by the use of several ports of Fugaku's network.
var alike = []string{
	"default_", "default-default", "default-rdbc", "non_blocking", "sparbit", "k_bruck", "nccl_pat",
	"ring-", "recdoub-l", "recdoub-b",
}

// Follows returns the schedule that an algorithm follows, by steps and bytes; empty for none. Bine
// trees are taken for binomial trees in broadcast and reduce; Bine allreduces have several
// schedules.
func Follows(collective, algorithm string) string {
	name := strings.ToLower(algorithm)
	if strings.HasPrefix(name, "bine") {
		switch collective {
		case "allreduce":
			return ""
		case "bcast", "reduce":
			return "binomial"
		}
	}
	for _, part := range alike {
		if strings.Contains(name, part) {
			return ""
		}
	}
	return Schedule(collective, algorithm)
}
