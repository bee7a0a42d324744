package program

import (
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// A Table is what is wanted of a program.
type Table int

const (
	// Finishes has a row for each rank of a schedule on one machine, and a row for each
	// machine of a trace, or if there are several machines.
	Finishes Table = iota
	Totals         // one row for the whole schedule
	Reasons        // parts of the finish, and its sensitivity to parameters
	Scales         // of a program in Starlark: a row for each number of ranks
)

// A Question is what a program, a schedule or a trace takes on machines.
type Question struct {
	// Files are read as [Read] does; [Several] are compared. Input, if given, was read already.
	Files   []string
	Input   *Input
	Reading Reading
	// On are the machines; without any, messages cost what the LogGOPS parameters of Run say.
	On    []platforms.Design
	Run   simulate.Setup    // its Machine is that of a design
	Eager quantity.Bytes    // of the machines; see [simulate.FromLayer]
	Map   machine.Placement // of ranks on levels
	Table Table
	Runs  int     // above 1: runs with different noise, for the distribution of the finish
	Drawn *Extent // the ranks of the figure; nil: it shows the scaling
}

// An Extent is the ranks that a figure draws, from First to Last, and its title; an empty one is
// made of the names.
type Extent struct {
	First, Last int
	Title       string
}
