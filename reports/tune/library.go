package tune

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/schedule/collective/rules"
	"github.com/halfpeak/halfpeak/internal/collectives"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A library has algorithms that can be forced, and a rules file. What a job forces by
// its environment must be the same algorithm that the rules file names later, or the
// measurement is of another one.
type library struct {
	collective.Library
	force func(c Choice) string // returns the environment that forces the choice's algorithm
	// versus returns the environment, and the variables of calibrate --versus, with which one
	// launch measures the choice and the library's own in turns; nil if the library cannot do that.
	versus    func(c Choice) (environment, variables string)
	perNode   string // the launcher's flag for %d ranks on each node
	benchmark string // default benchmark
	rules     string // name of the rules file
	use       string // how a program reads that file, %s
	write     func(w io.Writer, decisions []Decision) error
}

// The benchmark is the one that its users have: OSU for MPI, nccl-tests for NCCL.
var libraries = []library{
	{
		Library: rules.OpenMPI.Library, force: forceOpenMPI, versus: versusOpenMPI,
		perNode: "--map-by ppr:%d:node", benchmark: "osu", rules: "rules.conf",
		use: rules.OpenMPI.Use,
		write: func(w io.Writer, all []Decision) error {
			return rules.OpenMPI.Write(w, rulesOf(all))
		},
	},
	{
		Library: known("mpich"), force: forceMPICH,
		perNode: "-ppn %d", benchmark: "osu", rules: "rules.sh",
		use:   ". %s, which has one algorithm for each collective",
		write: writeMPICH,
	},
	{
		Library: rules.NCCL.Library, force: forceNCCL,
		perNode: "--map-by ppr:%d:node", benchmark: "nccl-tests", rules: "rules.csv",
		use:   "NCCL_TUNER_CONFIG_FILE=%s, with NCCL's example tuner plugin in NCCL_TUNER_PLUGIN",
		write: writeNCCL,
	},
}

func known(name string) collective.Library {
	l, err := collective.FindLibrary(name)
	if err != nil {
		panic(err) // the table of libraries has it
	}
	return l
}

// Libraries are the names of the libraries whose algorithms can be forced.
var Libraries = list.Map(libraries, func(l library) string { return l.Name })

func libraryOf(name string) (library, error) {
	i := slices.IndexFunc(libraries, func(l library) bool { return l.Name == name })
	if i < 0 {
		err := fmt.Errorf("no library %q%s", name, usage.Hint(name, Libraries))
		return library{}, usage.Fields(err, "library")
	}
	return libraries[i], nil
}

// tunedOpenMPI lets coll/tuned serve all collectives, and read the parameters of its algorithms.
// Without the priority, another component of Open MPI may take the collective.
const tunedOpenMPI = "OMPI_MCA_coll_tuned_priority=100 OMPI_MCA_coll_tuned_use_dynamic_rules=1"

// parametersOpenMPI returns the parameters of coll/tuned that force a choice.
func parametersOpenMPI(c Choice) []string {
	algorithm := "coll_tuned_" + c.word() + "_algorithm"
	all := []string{fmt.Sprintf("%s=%d", algorithm, c.OpenMPI)}
	// Without the parameter, Open MPI takes its default for the segment.
	if c.Segment > 0 {
		all = append(all, fmt.Sprintf("%s_segmentsize=%.0f", algorithm, float64(c.Segment)))
	}
	if c.Name == "chain" { // our fan-out; Open MPI's default is one chain
		all = append(all, algorithm+"_chain_fanout=4")
	}
	return all
}

// forceOpenMPI sets MCA parameters of coll/tuned in the environment, which mpirun passes
// on to all ranks.
func forceOpenMPI(c Choice) string {
	return tunedOpenMPI + " OMPI_MCA_" + strings.Join(parametersOpenMPI(c), " OMPI_MCA_")
}

// versusOpenMPI sets the same parameters before a communicator is made. The library's own choice is
// then coll/tuned's, as for calls without a rule.
func versusOpenMPI(c Choice) (environment, variables string) {
	return tunedOpenMPI, strings.Join(parametersOpenMPI(c), ",")
}

func forceMPICH(c Choice) string {
	// Without the first variable, a device's own collectives come before the algorithm.
	return fmt.Sprintf("MPIR_CVAR_DEVICE_COLLECTIVES=none MPIR_CVAR_%s_INTRA_ALGORITHM=%s",
		strings.ToUpper(c.word()), c.MPICH)
}

func forceNCCL(c Choice) string {
	s := "NCCL_ALGO=" + strings.ToUpper(c.NCCL[:1]) + c.NCCL[1:]
	if c.total() >= rules.SimpleFrom { // as rules files say it
		s += " NCCL_PROTO=Simple"
	}
	return s
}

// writeMPICH writes one variable for each collective, with the algorithm that most of its decisions
// have: no rules file is read by all versions of MPICH.
func writeMPICH(w io.Writer, decisions []Decision) error {
	var order []string // of the collectives
	counts, most := map[string]int{}, map[string]Choice{}
	for _, d := range decisions {
		c := d.Choice
		if !slices.Contains(order, c.Collective) {
			order = append(order, c.Collective)
		}
		// Counts over all ranks and sizes, since the variable holds for all.
		counts[c.Collective+c.Name]++
		if counts[c.Collective+c.Name] > counts[c.Collective+most[c.Collective].Name] {
			most[c.Collective] = c
		}
	}
	for _, name := range order {
		if c := most[name]; c.Name != LibraryChoice {
			if _, err := fmt.Fprintf(w, "export %s\n", forceMPICH(c)); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeNCCL leaves out rules for messages that NCCL may send with another protocol:
// the algorithm was measured with Simple, and a rule for LL or LL128 would be a
// guess.
func writeNCCL(w io.Writer, decisions []Decision) error {
	return rules.NCCL.Write(w, slices.DeleteFunc(rulesOf(decisions), func(r rules.Rule) bool {
		largest := Choice{Entry: r.Of,
			Ranks: int(r.Ranks.To), Size: quantity.Bytes(r.Bytes.To)}
		return largest.total() < rules.SimpleFrom
	}))
}

// rulesOf returns the rules that [collectives.Rules] makes of the decisions,
// without those of the library's own choice: where no rule applies, the library
// decides as before.
func rulesOf(decisions []Decision) (all []rules.Rule) {
	of := map[string][]collectives.Timing{}
	for _, d := range decisions {
		call := collective.Call{Bytes: uint64(d.Size), Segment: uint64(d.Segment)}
		of[d.Collective] = append(of[d.Collective], collectives.Timing{
			Cell: collectives.Cell{Entry: d.Entry, Ranks: d.Ranks, Call: call}})
	}
	for _, name := range slices.Sorted(maps.Keys(of)) {
		all = append(all, collectives.Rules(of[name])...)
	}
	return slices.DeleteFunc(all, func(r rules.Rule) bool { return r.Of.Name == LibraryChoice })
}
