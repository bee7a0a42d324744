package fit

import (
	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// Options select what is fitted, and how. The zero value fits the best model of each
// table. An option that a model does not use is ignored here; cmd refuses such flags.
type Options struct {
	Trace    benchfile.Options
	Model    string          // "auto", "linear", "piecewise", "per-size", "loggp" …; empty: auto
	Method   Method          // of a line
	Segments int             // of a piecewise fit; 0: the data decide
	RTT      quantity.Micros // of a signature; 0: not known
	Compare  string          // another file, or a table of the same; empty: none
	Network  Network         // of Compare; empty: the latencies say
	Runs     bool            // the files are runs of one measurement
	Measured MeasuredOptions // of collectives
	Saving   bool            // the curves are wanted for a platform or a figure
	// Progress returns a function that gets the number of bytes read of a file, and one that is
	// called at its end.
	Progress func(path string) (read func(int64), done func())
}

// MeasuredOptions supply values that the files of measured collectives lack. What a
// file says takes precedence.
type MeasuredOptions struct {
	Collective string // the collective of tables that do not name it
	// Ranks are the numbers of ranks of tables without one: one number for all, or one each.
	Ranks []int
	// PerNode is the number of ranks on each node of the tables that do not say; 0: not known.
	PerNode int
	// Total is set if sizes of CSV and JSON are those of all ranks' blocks, not of one.
	Total bool
	// Algorithm is the algorithm of tables that do not name it, as files call it; empty: searched.
	Algorithm string
}
