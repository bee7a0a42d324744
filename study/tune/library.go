package tune

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/schedule/collective/rules"
	"github.com/halfpeak/halfpeak/internal/nearest"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A library has algorithms that can be forced, and a file of rules.
type library struct {
	name      string
	has       func(e collective.Entry) bool
	force     func(c Choice) string // the environment in which it takes the choice's algorithm
	perNode   string                // the launcher's flag for %d ranks on each node
	benchmark string                // what measures it, if nothing else is asked for
	rules     string                // the name of its file of rules
	use       string                // how a program takes that file %s
	write     func(m *Map, w io.Writer, all []Decision) error
}

var libraries = []library{
	{
		name: "openmpi", has: func(e collective.Entry) bool { return e.OpenMPI > 0 }, force: forceOpenMPI,
		perNode: "--map-by ppr:%d:node", benchmark: "osu", rules: "rules.conf",
		use:   rules.OpenMPIUse,
		write: func(m *Map, w io.Writer, all []Decision) error { return rules.OpenMPI(w, m.Rules(all)) },
	},
	{
		name: "mpich", has: func(e collective.Entry) bool { return e.MPICH != "" }, force: forceMPICH,
		perNode: "-ppn %d", benchmark: "osu", rules: "rules.sh",
		use: ". %s, which has one algorithm for each collective", write: (*Map).writeMPICH,
	},
	{
		name: "nccl", has: func(e collective.Entry) bool { return e.NCCL != "" }, force: forceNCCL,
		perNode: "--map-by ppr:%d:node", benchmark: "nccl-tests", rules: "rules.csv",
		use: "NCCL_TUNER_CONFIG_FILE=%s, with NCCL's example tuner plugin in NCCL_TUNER_PLUGIN", write: (*Map).writeNCCL,
	},
}

// Libraries returns the names of the libraries whose algorithms can be forced.
func Libraries() (all []string) {
	for _, l := range libraries {
		all = append(all, l.name)
	}
	return all
}

func libraryOf(name string) (library, error) {
	i := slices.IndexFunc(libraries, func(l library) bool { return l.name == name })
	if i < 0 {
		return library{}, usage.Fields(fmt.Errorf("no library %q%s", name, nearest.Hint(name, Libraries())), "library")
	}
	return libraries[i], nil
}

// word returns the collective's name as variables and programs spell it.
func (c Choice) word() string { return strings.ReplaceAll(c.Collective, "-", "_") }

// total returns the size of all ranks' blocks, or of the message.
func (c Choice) total() uint64 {
	if c.InBlocks() {
		return uint64(c.Size) * uint64(c.Ranks)
	}
	return uint64(c.Size)
}

func forceOpenMPI(c Choice) string {
	// Without the priority, another component of Open MPI may take the collective.
	s := fmt.Sprintf("OMPI_MCA_coll_tuned_priority=100 OMPI_MCA_coll_tuned_use_dynamic_rules=1 OMPI_MCA_coll_tuned_%s_algorithm=%d", c.word(), c.OpenMPI)
	if c.Segment > 0 {
		s += fmt.Sprintf(" OMPI_MCA_coll_tuned_%s_algorithm_segmentsize=%.0f", c.word(), float64(c.Segment))
	}
	if c.Name == "chain" {
		s += fmt.Sprintf(" OMPI_MCA_coll_tuned_%s_algorithm_chain_fanout=4", c.word())
	}
	return s
}

func forceMPICH(c Choice) string {
	return fmt.Sprintf("MPIR_CVAR_DEVICE_COLLECTIVES=none MPIR_CVAR_%s_INTRA_ALGORITHM=%s", strings.ToUpper(c.word()), c.MPICH)
}

func forceNCCL(c Choice) string {
	s := "NCCL_ALGO=" + strings.ToUpper(c.NCCL[:1]) + c.NCCL[1:]
	if c.total() >= rules.SimpleFrom { // as rules files say it
		s += " NCCL_PROTO=Simple"
	}
	return s
}

// writeMPICH writes the variables of the algorithms that are best in most calls of a collective:
// MPICH has no file of rules that all its versions read.
func (m *Map) writeMPICH(w io.Writer, all []Decision) error {
	counts, most := map[string]int{}, map[string]Choice{}
	for _, d := range all {
		c := d.Choice
		counts[c.Collective+c.Name]++
		if counts[c.Collective+c.Name] > counts[c.Collective+most[c.Collective].Name] {
			most[c.Collective] = c
		}
	}
	for _, name := range m.Collectives {
		if c := most[collective.Of(name)[0].Collective]; c.Name != LibraryChoice {
			if _, err := fmt.Fprintf(w, "export %s\n", forceMPICH(c)); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeNCCL leaves out rules of messages for which NCCL may take another protocol.
func (m *Map) writeNCCL(w io.Writer, all []Decision) error {
	return rules.NCCL(w, slices.DeleteFunc(m.Rules(all), func(r rules.Rule) bool {
		c := Choice{Entry: collective.Entry{Collective: r.Collective}, Ranks: int(r.Ranks.To), Size: quantity.Bytes(r.Bytes.To)}
		return c.total() < rules.SimpleFrom
	}))
}
