package trace

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// A CollectiveOp is a collective operation, as far as a file tells.
type CollectiveOp struct {
	// Name is that of MPI in lower case: allreduce, allgather, alltoall, bcast, reduce,
	// reduce_scatter, gather, scatter, scan, exscan; with v or w behind it where the
	// counts vary, and "i" or "neighbor_" before it as MPI has them; and sendrecv and hypercube
	// of nccl-tests. It is empty if neither the file nor its name says.
	Name string
	// Ranks take part; 0 if the file does not say.
	Ranks int
	// Algorithm as the file calls it; empty if it does not say.
	Algorithm string
	// PerRank is set where the size is the block of one rank, as OSU and IMB count
	// it for allgather, alltoall, gather and scatter: Ranks of them are in the whole buffer,
	// which is the size of nccl-tests, and of all other collectives. It is not set for CSV and
	// JSON, which do not tell.
	PerRank bool
}

// collectives are the words for them in titles and names, and what each is called.
var collectives = map[string]string{
	"allreduce": "allreduce", "all_reduce": "allreduce",
	"allgather": "allgather", "all_gather": "allgather", "allgatherv": "allgatherv", "all_gather_v": "allgatherv",
	"alltoall": "alltoall", "all_to_all": "alltoall", "all-to-all": "alltoall", "alltoallv": "alltoallv", "all-to-allv": "alltoallv",
	"alltoallw": "alltoallw", "all-to-allw": "alltoallw",
	"reduce_scatter": "reduce_scatter", "reducescatter": "reduce_scatter", "reduce-scatter": "reduce_scatter",
	"reduce_scatter_block": "reduce_scatter_block",
	"bcast":                "bcast", "broadcast": "bcast",
	"reduce": "reduce", "gather": "gather", "gatherv": "gatherv", "scatter": "scatter", "scatterv": "scatterv",
	"scan": "scan", "exscan": "exscan", "barrier": "barrier",
}

// collectiveNamed returns the operation that a benchmark calls so: "Allreduce", "MPI_Bcast",
// "osu_ialltoall", "all_reduce_perf", "Neighbor Allgather".
func collectiveNamed(text string) (CollectiveOp, bool) {
	name := strings.ReplaceAll(strings.ToLower(strings.TrimSpace(text)), " ", "_")
	for _, prefix := range []string{"mpi_", "osu_", "nccl_", "rccl_"} {
		name = strings.TrimPrefix(name, prefix)
	}
	name = strings.ReplaceAll(strings.TrimSuffix(strings.TrimSuffix(name, "_perf"), "_pure"), "neighborhood", "neighbor")
	name, near := strings.CutPrefix(name, "neighbor_")
	blocking := name
	c, ok := collectives[name]
	if !ok {
		if blocking, ok = strings.CutPrefix(name, "i"); ok {
			if c, ok = collectives[blocking]; ok {
				c = "i" + c
			}
		}
	}
	if !ok {
		return CollectiveOp{}, false
	}
	if near {
		c = "neighbor_" + c
	}
	return CollectiveOp{Name: c}, true
}

// perRank sets what the size counts where each rank's block is printed, as by MPI benchmarks.
func (c CollectiveOp) perRank() CollectiveOp {
	base := strings.TrimPrefix(strings.TrimPrefix(c.Name, "neighbor_"), "i")
	for _, name := range []string{"allgather", "alltoall", "gather", "scatter"} {
		c.PerRank = c.PerRank || strings.HasPrefix(base, name)
	}
	return c
}

var (
	nameWord   = regexp.MustCompile(`(?i)(?:^|[^a-z])i?(all_?reduce|all_?gather|all_?to_?all|reduce_?scatter|bcast|broadcast)(?:[^a-z]|$)`)
	nameRanks  = regexp.MustCompile(`(?i)(?:^|[^a-z0-9])(?:np|n?ranks?|n?procs?|processes)[-_=]?(\d{1,7})(?:[^0-9]|$)|(?:^|[^0-9])(\d{1,7})[-_]?(?:ranks|procs|processes)(?:[^a-z]|$)`)
	launchLine = regexp.MustCompile(`\b(srun|mpirun|mpiexec|mpiexec\.hydra|jsrun|aprun|prun|orterun|flux run)\b.*?\s(?:-n|-np|--np|--ntasks)[= ](\d{1,7})(?:\s|$)`)
	jsrunTasks = regexp.MustCompile(`\s-a[= ]?(\d{1,6})(?:\s|$)`)
)

// fromFileName returns what the file's name says of a collective.
func fromFileName(name string) (c CollectiveOp) {
	base := filepath.Base(name)
	if m := nameWord.FindStringSubmatch(base); m != nil {
		c, _ = collectiveNamed(m[1])
	}
	return c
}

// ranksOf returns the number of ranks that a command line or the file's name says; 0 if none does.
func (p *parser) ranksOf() int {
	if p.launched > 0 {
		return p.launched
	}
	if m := nameRanks.FindStringSubmatch(filepath.Base(p.file.Name)); m != nil {
		n, _ := strconv.Atoi(m[1] + m[2])
		return n
	}
	return 0
}

// launch notes the number of ranks of a command line that was printed.
func (p *parser) launch(line string) {
	m := launchLine.FindStringSubmatch(line)
	if m == nil {
		return
	}
	n, _ := strconv.Atoi(m[2])
	if a := jsrunTasks.FindStringSubmatch(line); m[1] == "jsrun" && a != nil {
		tasks, _ := strconv.Atoi(a[1])
		n *= tasks
	}
	p.launched = n
}
