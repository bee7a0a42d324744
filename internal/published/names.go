package published

import (
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
)

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
