package benchfile

import (
	"bytes"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// A CollectiveOp describes a collective operation, as far as the file describes it.
type CollectiveOp struct {
	// Name is MPI's name in lower case: allreduce, allgather, alltoall, bcast, reduce,
	// reduce_scatter, gather, scatter, scan, exscan, with MPI's suffix v or w for varying counts
	// and prefix "i" or "neighbor_"; or sendrecv or hypercube of nccl-tests. It is empty if neither
	// the file nor its name gives the operation.
	Name string
	// Ranks is the number of ranks, PerNode the number on each node, Nodes the number of nodes; 0
	// if unknown.
	Ranks, PerNode, Nodes int
	// Algorithm is the file's name of the algorithm; empty if unknown.
	Algorithm string
	// PerRank is set if the size is the block of one rank, as OSU and IMB count it for allgather,
	// alltoall, gather and scatter. Otherwise the size is that of the whole buffer, Ranks times as
	// much, as in nccl-tests and for all other collectives. CSV and JSON files do not give this;
	// there it is not set.
	PerRank bool
	// Total is set if a column total_bytes gives the sizes, which then add up all ranks' blocks.
	Total bool
}

// place computes one of ranks, ranks on each node and nodes from the other two.
func (c *CollectiveOp) place() {
	switch {
	case c.Ranks == 0:
		c.Ranks = c.Nodes * c.PerNode
	case c.PerNode == 0 && c.Nodes > 0:
		c.PerNode = (c.Ranks + c.Nodes - 1) / c.Nodes
	case c.Nodes == 0 && c.PerNode > 0:
		c.Nodes = (c.Ranks + c.PerNode - 1) / c.PerNode
	}
}

// collectives maps the letters of collectives to [CollectiveOp.Name].
var collectives = func() map[string]string {
	all := map[string]string{"broadcast": "bcast", "ibroadcast": "ibcast"}
	for _, name := range []string{"allreduce", "allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw", "reduce_scatter", "reduce_scatter_block",
		"bcast", "reduce", "gather", "gatherv", "scatter", "scatterv", "scan", "exscan", "barrier"} {
		all[letters.Replace(name)], all["i"+letters.Replace(name)] = name, "i"+name
	}
	return all
}()

var letters = strings.NewReplacer(" ", "", "_", "", "-", "")

// collectiveNamed returns the operation for a benchmark's name of it: "Allreduce", "MPI_Bcast",
// "osu_ialltoall", "all_reduce_perf", "Neighbor Allgather".
func collectiveNamed(text string) (CollectiveOp, bool) {
	name := letters.Replace(strings.ToLower(text))
	for _, prefix := range []string{"mpi", "osu", "nccl", "rccl"} {
		name = strings.TrimPrefix(name, prefix)
	}
	name = strings.TrimSuffix(strings.TrimSuffix(name, "perf"), "pure")
	name, near := strings.CutPrefix(strings.Replace(name, "neighborhood", "neighbor", 1), "neighbor")
	c, ok := collectives[name]
	if ok && near {
		c = "neighbor_" + c
	}
	return CollectiveOp{Name: c}, ok
}

// perRank returns c with PerRank set as MPI benchmarks count the size of the operation.
func (c CollectiveOp) perRank() CollectiveOp {
	base := strings.TrimPrefix(strings.TrimPrefix(c.Name, "neighbor_"), "i")
	for _, name := range []string{"allgather", "alltoall", "gather", "scatter"} {
		c.PerRank = c.PerRank || strings.HasPrefix(base, name)
	}
	return c
}

var (
	nameWord  = regexp.MustCompile(`(?i)(?:^|[^a-z])i?(all_?reduce|all_?gather|all_?to_?all|reduce_?scatter|bcast|broadcast)(?:[^a-z]|$)`)
	nameRanks = regexp.MustCompile(`(?i)(?:^|[^a-z0-9])(?:np|n?ranks?|n?procs?|processes)[-_=]?(\d{1,7})(?:[^0-9]|$)|(?:^|[^0-9])(\d{1,7})[-_]?(?:ranks|procs|processes)(?:[^a-z]|$)`)
	// nameNodes is nodes, ranks and the number of the run: all_reduce-4-64-1.out.
	nameNodes     = regexp.MustCompile(`[a-z][-_](\d{1,6})[-_](\d{1,7})[-_]\d{1,4}(?:\.|$)`)
	nameAlgorithm = regexp.MustCompile(`(?i)(?:^|[^a-z])alg(?:o|orithm)?[-_=]?(\d{1,2})(?:[^0-9]|$)`)

	launcher     = regexp.MustCompile(`\b(srun|mpirun|mpiexec|mpiexec\.hydra|jsrun|aprun|prun|orterun|flux run|flux submit)\b`)
	launchRanks  = regexp.MustCompile(`\s(?:-n|-np|--np|--ntasks)[= ]?(\d{1,7})(?:\s|$)`)
	launchNodes  = regexp.MustCompile(`\s(?:-N|--nodes)[= ]?(\d{1,6})(?:\s|$)`)
	launchEach   = regexp.MustCompile(`\s(?:-ppn|-perhost|-npernode|--npernode|--ntasks-per-node|--tasks-per-node)[= ]?(\d{1,6})(?:\s|$)`)
	launchHosts  = regexp.MustCompile(`\s(?:-H|-host|--host|-hosts|--hosts)[= ](\S+)`)
	jsrunSets    = regexp.MustCompile(`\s(?:-r|--rs_per_host)[= ]?(\d{1,6})(?:\s|$)`)
	jsrunTasks   = regexp.MustCompile(`\s-a[= ]?(\d{1,6})(?:\s|$)`)
	tunedBy      = regexp.MustCompile(`coll_tuned_([a-z_]+?)_algorithm[ =](\d{1,2})\b`)
	ncclBy       = regexp.MustCompile(`\bNCCL_ALGO[ =:]+(?i:set by environment to )?"?([A-Za-z]+)\b`)
	taskMap      = []byte(`"taskmap"`)
	taskMapBlock = regexp.MustCompile(`\[(\d{1,7}),(\d{1,7}),(\d{1,7}),(\d{1,7})\]`)
)

// fromFileName returns the operation, ranks and nodes that the file's name gives.
func fromFileName(name string) (c CollectiveOp) {
	base := filepath.Base(name)
	if m := nameWord.FindStringSubmatch(base); m != nil {
		c, _ = collectiveNamed(m[1])
	}
	return c
}

// placeOf returns the ranks that a command line or the file's name gives, with the number on each
// node where it says that too; zero if none does.
func (p *parser) placeOf() (c CollectiveOp) {
	if p.launched > 0 {
		c = CollectiveOp{Ranks: p.launched, PerNode: p.launchedEach}
		c.place()
		return c
	}
	base := filepath.Base(p.file.Name)
	if m := nameRanks.FindStringSubmatch(base); m != nil {
		c.Ranks = number10(m[1] + m[2])
		return c
	}
	if m := nameNodes.FindStringSubmatch(base); m != nil {
		nodes, ranks := number10(m[1]), number10(m[2])
		if nodes > 0 && ranks >= nodes && ranks%nodes == 0 {
			p.warn("the file's name says that %d ranks took part, on %d nodes", ranks, nodes)
			c = CollectiveOp{Ranks: ranks, Nodes: nodes}
			c.place()
		}
	}
	return c
}

// ranksOf returns the number of ranks that a command line or the file's name gives; 0 if none does.
func (p *parser) ranksOf() int { return p.placeOf().Ranks }

// number10 parses decimal digits; it returns 0 if the number is too large for a number of ranks.
func number10(digits string) int {
	if n, err := strconv.Atoi(digits); err == nil && n < 1<<24 {
		return n
	}
	return 0
}

// algorithmOf returns the collective's algorithm that a command line or the file's name gives.
func (p *parser) algorithmOf(name string) string {
	if p.algorithm != "" && (p.chosenFor == "" || p.chosenFor == name) {
		return p.algorithm
	}
	if m := nameAlgorithm.FindStringSubmatch(filepath.Base(p.file.Name)); m != nil {
		return m[1]
	}
	return ""
}

// choose records the algorithm that a line makes a library use.
func (p *parser) choose(line string) {
	if m := tunedBy.FindStringSubmatch(line); m != nil {
		p.algorithm, p.chosenFor = m[2], m[1]
	} else if m := ncclBy.FindStringSubmatch(line); m != nil {
		p.algorithm, p.chosenFor = strings.ToLower(m[1]), ""
	}
}

// launch records the number of ranks of a printed command line, and how many are on each node.
func (p *parser) launch(line string) {
	at := launcher.FindStringIndex(line)
	if at == nil {
		return
	}
	name, line := line[at[0]:at[1]], line[at[1]:]
	find := func(e *regexp.Regexp) int {
		if m := e.FindStringSubmatch(line); m != nil {
			return number10(m[1])
		}
		return 0
	}
	n, each, slurm := find(launchRanks), find(launchEach), name == "srun" || strings.HasPrefix(name, "flux")
	switch nodes := find(launchNodes); {
	case n > 0 && name == "jsrun":
		tasks := max(1, find(jsrunTasks))
		n, each = n*tasks, find(jsrunSets)*tasks
	case n == 0 && slurm:
		n = nodes * each
	case slurm && each == 0 && nodes > 0:
		each = (n + nodes - 1) / nodes
	case n == 0:
		if m := launchHosts.FindStringSubmatch(line); m != nil {
			n = hosts(m[1], max(1, each))
		}
	}
	if n > 0 {
		p.launched, p.launchedEach = n, each
	}
}

// hosts returns the number of ranks of a host list: each per host in "a,b", as given in "a:4,b:4".
func hosts(list string, each int) (n int) {
	for host := range strings.SplitSeq(list, ",") {
		if _, slots, ok := strings.Cut(host, ":"); ok {
			n += number10(slots)
		} else {
			n += each
		}
	}
	return n
}

// readTaskMap reads the task map that Flux logs when a job has run: blocks of the first node,
// nodes, tasks on each, and repeats (Flux RFC 34). It sets the ranks of the collectives since the
// last map.
func (p *parser) readTaskMap(line []byte) {
	n := 0.0
	for _, m := range taskMapBlock.FindAllSubmatch(line[bytes.Index(line, taskMap):], -1) {
		n += float64(number10(string(m[2]))) * float64(number10(string(m[3]))) * float64(number10(string(m[4])))
	}
	if n >= 1<<24 {
		return // of no machine
	}
	if p.mappedTables > len(p.builders) { // tables have been merged
		p.mappedTables = 0
	}
	for _, b := range p.builders[p.mappedTables:] {
		if c := &b.table.Collective; b.table.Kind == Collective && n > 0 && c.Ranks != int(n) {
			c.Ranks, c.PerNode, c.Nodes = int(n), 0, 0
		}
	}
	p.mappedTables = len(p.builders)
}
