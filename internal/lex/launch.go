package lex

import (
	"bytes"
	"path/filepath"
	"strings"
)

var (
	// "np16", "nprocs_64", "ranks-128"; "64ranks", "16-procs". No letter may stand before:
	// "inp16", the 16th input, would have an np16 otherwise.
	nameRanks = NewPattern(
		`(?i)(?:^|[^a-z0-9])(?:np|n?ranks?|n?procs?|processes)[-_=]?(\d{1,7})(?:[^0-9]|$)|` +
			`(?:^|[^0-9])(\d{1,7})[-_]?(?:ranks|procs|processes)(?:[^a-z]|$)`)
	// nameNodes is nodes, ranks and the number of the run: all_reduce-4-64-1.out.
	nameNodes     = NewPattern(`[a-z][-_](\d{1,6})[-_](\d{1,7})[-_]\d{1,4}(?:\.|$)`)
	nameAlgorithm = NewPattern(
		`(?i)(?:^|[^a-z])alg(?:o|orithm)?[-_=]?(\d{1,2})(?:[^0-9]|$)`)

	// A command line as a script's set -x, a prompt or a job log has it.
	launcher = NewPattern(
		`\b(srun|mpirun|mpiexec|mpiexec\.hydra|jsrun|aprun|prun|orterun|flux run|` +
			`flux submit)\b`)
	launchRanks = NewPattern(`\s(?:-n|-np|--np|--ntasks)[= ]?(\d{1,7})(?:\s|$)`)
	launchNodes = NewPattern(`\s(?:-N|--nodes)[= ]?(\d{1,6})(?:\s|$)`)
	launchEach  = NewPattern(
		`\s(?:--?ppn|-perhost|-npernode|--npernode|--ntasks-per-node|--tasks-per-node)[= ]?` +
			`(\d{1,6})(?:\s|$)`)
	launchHosts = NewPattern(`\s(?:-H|-host|--host|-hosts|--hosts)[= ](\S+)`)
	jsrunSets   = NewPattern(`\s(?:-r|--rs_per_host)[= ]?(\d{1,6})(?:\s|$)`)
	jsrunTasks  = NewPattern(`\s-a[= ]?(\d{1,6})(?:\s|$)`)
	// Open MPI: "--mca coll_tuned_bcast_algorithm 6", or OMPI_MCA_coll_tuned_bcast_algorithm=6.
	tunedBy = NewPattern(`coll_tuned_([a-z_]+?)_algorithm[ =](\d{1,2})\b`)
	// NCCL: "NCCL_ALGO=Ring", and its log "NCCL_ALGO set by environment to Ring".
	ncclBy = NewPattern(
		`\bNCCL_ALGO[ =:]+(?i:set by environment to )?"?([A-Za-z]+)\b`)
	// Flux: {"taskmap":{"version":1,"map":[[0,3,96,1],[3,1,4,2]]}}, 3·96·1 + 1·4·2 ranks.
	taskMap      = []byte(`"taskmap"`)
	taskMapBlock = NewPattern(`\[(\d{1,7}),(\d{1,7}),(\d{1,7}),(\d{1,7})\]`)
)

// RanksOfFile returns the number of ranks that a file's name gives, and the number of nodes if the
// name gives that too: "np16", "64ranks", "all_reduce-4-64-1.out". They are 0 if the name does not.
func RanksOfFile(name string) (ranks, nodes int) {
	base := filepath.Base(name)
	// A name that says "ranks" is surer than three numbers.
	if m := nameRanks().FindStringSubmatch(base); m != nil {
		return Count(m[1] + m[2]), 0
	}
	if m := nameNodes().FindStringSubmatch(base); m != nil {
		nodes, ranks := Count(m[1]), Count(m[2])
		// Dates and versions are three numbers, too: only ranks that fill their nodes evenly count.
		if nodes > 0 && ranks >= nodes && ranks%nodes == 0 {
			return ranks, nodes
		}
	}
	return 0, 0
}

// AlgorithmOfFile returns the number of the algorithm that a file's name gives, or "".
func AlgorithmOfFile(name string) string {
	if m := nameAlgorithm().FindStringSubmatch(filepath.Base(name)); m != nil {
		return m[1]
	}
	return ""
}

// Algorithm returns the algorithm that a line makes a library use; for Open MPI, also the
// collective.
func Algorithm(line string) (algorithm, collective string, ok bool) {
	if m := tunedBy().FindStringSubmatch(line); m != nil {
		return m[2], m[1], true
	} else if m := ncclBy().FindStringSubmatch(line); m != nil {
		return strings.ToLower(m[1]), "", true
	}
	return "", "", false
}

// Ranks returns the number of ranks of a printed command line, and how many are on each node. They
// are 0 if the line does not give them.
func Ranks(line string) (ranks, perNode int) {
	at := launcher().FindStringIndex(line)
	if at == nil {
		return 0, 0
	}
	name, line := line[at[0]:at[1]], line[at[1]:]
	find := func(e Pattern) int {
		if m := e().FindStringSubmatch(line); m != nil {
			return Count(m[1])
		}
		return 0
	}
	// What the line does not say stays 0, and the caller looks elsewhere.
	n, each := find(launchRanks), find(launchEach)
	// -N is a number of nodes for srun and flux; for mpirun of Open MPI and aprun, it is the ranks
	// on each node.
	slurm := name == "srun" || strings.HasPrefix(name, "flux")
	nodes := find(launchNodes)
	if !slurm && name != "jsrun" && each == 0 {
		each = nodes
	}
	switch {
	case n > 0 && name == "jsrun":
		// Without -a a resource set has one task.
		tasks := max(1, find(jsrunTasks))
		// jsrun -n counts resource sets, -r those on each host, and -a the tasks in a set.
		n, each = n*tasks, find(jsrunSets)*tasks
	case n == 0 && slurm:
		n = nodes * each
	case slurm && each == 0 && nodes > 0:
		// The fullest node has the rounded-up share.
		each = (n + nodes - 1) / nodes
	case n == 0:
		if m := launchHosts().FindStringSubmatch(line); m != nil {
			n = hosts(m[1], max(1, each))
		}
	}
	return n, each
}

// ncclRanks matches the lines with which NCCL's log reports a communicator: "rank 0 nranks 16 …",
// and since 2.19 "nRanks 16 nNodes 2 localRanks 8".
var ncclRanks = NewPattern(`(?i)\bnranks (\d{1,7})\b(?:.*\blocalranks (\d{1,5})\b)?`)

// NCCLRanks returns the number of ranks of a communicator that a line of NCCL's log reports, and
// how many are on each node; 0 if the line does not give them.
func NCCLRanks(line []byte) (ranks, perNode int) {
	m := ncclRanks().FindSubmatch(line)
	if m == nil {
		return 0, 0
	}
	return Count(string(m[1])), Count(string(m[2]))
}

// hosts returns the number of ranks of a host list: each per host in "a,b", as given in "a:4,b:4".
func hosts(list string, each int) (n int) {
	for host := range strings.SplitSeq(list, ",") {
		// "a:4" is Open MPI's form for four slots on host a.
		if _, slots, ok := strings.Cut(host, ":"); ok {
			n += Count(slots)
		} else {
			n += each
		}
	}
	return n
}

// TaskMap returns the number of ranks in the task map that Flux logs when a job has run: blocks of
// the first node, nodes, tasks on each, and repeats (Flux RFC 34). It returns false if the line has
// no task map, or one of more ranks than a machine has.
func TaskMap(line []byte) (ranks int, ok bool) {
	from := bytes.Index(line, taskMap)
	if from < 0 {
		return 0, false
	}
	n := 0.0
	for _, m := range taskMapBlock().FindAllSubmatch(line[from:], -1) {
		n += float64(Count(string(m[2]))) * float64(Count(string(m[3]))) *
			float64(Count(string(m[4])))
	}
	// In floating point, as the product of three numbers may overflow an int.
	if n >= 1<<24 {
		return 0, false
	}
	return int(n), true
}
