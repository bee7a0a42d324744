package fits

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/nearest"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// Options select what is fitted, and how.
type Options struct {
	Trace    benchfile.Options
	Model    string          // one of [Models]; empty: auto
	Method   fit.Method      // of a line
	Segments int             // of a piecewise fit; 0: the data decide
	RTT      quantity.Micros // of a signature; 0: not known
	Compare  string          // another file, or a table of the same; empty: none
	Runs     bool            // the files are runs of one measurement
	Measured MeasuredOptions // of collectives
	Levels   []Level         // of a machine, from inside out; none: no machine
	Fans     FanOut          // of its levels; without a file, contention is unknown
	// Collectives were measured on the machine, and refine the estimate of contention.
	Collectives Calibration
	Saving      bool // the curves are wanted for a platform or a figure
	// Progress returns a function that gets the number of bytes read of a file, and one that is
	// called at its end.
	Progress func(path string) (read func(int64), done func())
}

// Models lists what can be fitted, as --model names it.
func Models() []string {
	return []string{"auto", "linear", "piecewise", "per-size", "loggp", "logp", "pipeline", "collective"}
}

// MeasuredOptions supply values that the files of measured collectives lack.
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

// A Level is a level of a machine that is to be fitted.
type Level struct {
	Name  string
	Holds int // units of the level inside it, or cores; 0: not given
	// From are files with times of messages, of gaps or of overheads between ranks whose common
	// level this is. If Fit is also given files, From are values of the column that distinguishes
	// their tables. None: nothing was measured at this level.
	From []string
}

// ParseLevels reads levels from inside out, as in "node=latency.txt", or "node" if nothing was
// measured there; a repeated name adds a file. holds are numbers of units of the next inner level
// in a unit, as in "node=32".
func ParseLevels(levels, holds []string) ([]Level, error) {
	var all []Level
	names := func() []string { return list.Map(all, func(l Level) string { return l.Name }) }
	for _, text := range levels {
		name, from, given := strings.Cut(text, "=")
		if name == "" || given && from == "" {
			return nil, usage.Fields(fmt.Errorf("%q: write NAME=FILE, for example node=latency.txt, or NAME if nothing was measured there", text), "level")
		}
		if err := platforms.CheckLevelName(name); err != nil {
			return nil, usage.Fields(fmt.Errorf("%q: %w", name, err), "level")
		}
		at := slices.Index(names(), name)
		if at < 0 {
			at, all = len(all), append(all, Level{Name: name})
		}
		if given {
			all[at].From = append(all[at].From, from)
		}
	}
	if len(all) > 0 && !slices.ContainsFunc(all, func(l Level) bool { return len(l.From) > 0 }) {
		return nil, usage.Fields(fmt.Errorf("%q: nothing was measured at any level; write NAME=FILE, for example node=latency.txt", levels[0]), "level")
	}
	for _, text := range holds {
		name, number, _ := strings.Cut(text, "=")
		n, err := strconv.Atoi(number)
		at := slices.Index(names(), name)
		switch {
		case err != nil || n < 1:
			return nil, usage.Fields(fmt.Errorf("%q: write NAME=NUMBER with a number of at least 1, for example node=32", text), "arity")
		case at < 0:
			return nil, usage.Fields(fmt.Errorf("%q: no level %q%s", text, name, nearest.Hint(name, names())), "arity")
		case all[at].Holds > 0:
			return nil, usage.Fields(fmt.Errorf("the arity of level %q is given twice", name), "arity")
		}
		all[at].Holds = n
	}
	return all, nil
}

// FanOut names the file with the times of roots that send to several receivers at once. Beside the
// columns of [Options.Trace] it has one with the number of receivers, and one with the time of the
// slowest rank.
type FanOut struct{ File, Receivers, Slowest string }

// A Calibration lists files of collectives that were measured on the machine whose levels are
// fitted, by the algorithm of [Options.Measured].
type Calibration struct {
	Paths []string
	Map   string // placement of their ranks; see [machine.Machine.Place]
}
