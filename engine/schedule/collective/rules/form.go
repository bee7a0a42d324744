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

// Forms lists the forms of rules files.
var Forms = []Form{
	{Name: "openmpi", Library: library("openmpi"), Segments: true, Use: OpenMPIUse, Write: OpenMPI},
	{Name: "openmpi-json", Library: library("openmpi"), Segments: true, Write: openMPIJSON},
	{Name: "nccl-tuner", Library: library("nccl"), Pads: true, Write: NCCL,
		Use: "NCCL_TUNER_CONFIG_FILE=%s, with NCCL's example tuner plugin in " +
			"NCCL_TUNER_PLUGIN; -1 leaves channels, pipe_ops and registered to NCCL, and stands " +
			"for any nodes or ranks"},
	{Name: "intel", Library: library("intel"), Use: ". %s", Write: Intel},
}

func library(name string) collective.Library {
	l, err := collective.FindLibrary(name)
	if err != nil {
		panic(err) // the table of libraries has it
	}
	return l
}

// FormNames returns the names of the forms.
func FormNames() []string { return list.Map(Forms, func(f Form) string { return f.Name }) }

// FindForm returns the form with this name.
func FindForm(name string) (Form, error) {
	for _, f := range Forms {
		if f.Name == name {
			return f, nil
		}
	}
	return Form{}, fmt.Errorf("no form of rules %q%s", name, usage.Hint(name, FormNames()))
}
