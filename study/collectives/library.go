package collectives

import (
	"fmt"
	"io"
	"slices"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/schedule/collective/rules"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/nearest"
)

// A library is a form of rules, with the algorithms that it can name.
type library struct {
	name     string
	has      func(collective.Entry) bool
	segments bool
	pads     bool   // it has no other algorithm for messages of fewer elements than ranks
	use      string // how a program takes the file %s; empty where the form has no comments
	write    func(io.Writer, []rules.Rule) error
}

var libraries = []library{
	{name: "openmpi", has: func(e collective.Entry) bool { return e.OpenMPI > 0 }, segments: true, use: rules.OpenMPIUse, write: rules.OpenMPI},
	{name: "openmpi-json", has: func(e collective.Entry) bool { return e.OpenMPI > 0 }, segments: true, write: rules.OpenMPIJSON},
	{name: "nccl-tuner", has: func(e collective.Entry) bool { return e.NCCL != "" }, pads: true, use: "NCCL_TUNER_CONFIG_FILE=%s, with NCCL's example tuner plugin in NCCL_TUNER_PLUGIN; -1 leaves channels, pipe_ops and registered to NCCL, and stands for any nodes or ranks", write: rules.NCCL},
	{name: "intel", has: func(e collective.Entry) bool { return e.Intel > 0 }, use: ". %s", write: rules.Intel},
}

// Libraries are the names of the forms of rules.
func Libraries() []string {
	return list.Map(libraries, func(l library) string { return l.name })
}

func libraryOf(name string) (library, error) {
	i := slices.IndexFunc(libraries, func(l library) bool { return l.name == name })
	if i < 0 {
		return library{}, fmt.Errorf("no form of rules %q%s", name, nearest.Hint(name, Libraries()))
	}
	return libraries[i], nil
}
