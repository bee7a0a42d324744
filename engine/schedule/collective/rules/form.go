package rules

import (
	"fmt"
	"io"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/usage"
)

// A Form is a form of rules files. Algorithms that its library does not have are not compared: the
// best choice would be one that the user cannot make.
type Form struct {
	Name string
	collective.Library
	Segments bool   // its rules can have a size of segments
	Pads     bool   // the library has no other algorithm for messages of fewer elements than ranks
	Use      string // how a program takes the file %s; empty where the form has no comments
	Write    func(io.Writer, []Rule) error
}

// The forms of rules files.
var (
	// OpenMPI is the classic rules file of Open MPI 4.x and 5.x, see [openMPI]. The priority of its
	// use is above that of HAN, which Open MPI 5 prefers on several nodes and which does not read
	// these rules.
	OpenMPI = Form{Name: "openmpi", Library: library("openmpi"), Segments: true, Write: openMPI,
		Use: "mpirun --mca coll_tuned_priority 100 --mca coll_tuned_use_dynamic_rules 1" +
			" --mca coll_tuned_dynamic_rules_filename %s"}
	OpenMPIJSON = Form{Name: "openmpi-json", Library: library("openmpi"), Segments: true,
		Write: openMPIJSON}
	// NCCL is the file of NCCL's example tuner plugin, see [nccl].
	NCCL = Form{Name: "nccl-tuner", Library: library("nccl"), Pads: true, Write: nccl,
		Use: "NCCL_TUNER_CONFIG_FILE=%s, with NCCL's example tuner plugin in " +
			"NCCL_TUNER_PLUGIN; -1 leaves channels, pipe_ops and registered to NCCL, and stands " +
			"for any nodes or ranks"}
	// Intel is a script of Intel MPI's variables, see [intel].
	Intel = Form{Name: "intel", Library: library("intel"), Use: ". %s", Write: intel}
)

// Forms lists the forms.
var Forms = []Form{OpenMPI, OpenMPIJSON, NCCL, Intel}

func library(name string) collective.Library {
	l, err := collective.FindLibrary(name)
	if err != nil {
		panic(err) // the table of libraries has it
	}
	return l
}

// FormNames are the names of the forms.
var FormNames = list.Map(Forms, func(f Form) string { return f.Name })

// FindForm returns the form with this name.
func FindForm(name string) (Form, error) {
	for _, f := range Forms {
		if f.Name == name {
			return f, nil
		}
	}
	return Form{}, fmt.Errorf("no form of rules %q%s", name, usage.Hint(name, FormNames))
}
