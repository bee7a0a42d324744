package calibrate

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
)

// choices is the table of default algorithms; its first lines describe its columns.
//
//go:embed choices.txt
var choices string

// ChoicesKnown reports whether the algorithms are known that the library takes by default.
func (c *Calibration) ChoicesKnown() bool { return libraryKey(c.Library) != "" }

// libraryKey returns the library's name in choices.txt for what MPI_Get_library_version says; "" if
// its choices are not known.
func libraryKey(version string) string {
	// The table is of these versions alone. For all other libraries, every algorithm is simulated.
	switch fields := strings.Fields(version); {
	case strings.HasPrefix(version, "Open MPI v4.1"), strings.HasPrefix(version, "Open MPI v5.0"):
		return "openmpi"
	case len(fields) > 2 && fields[0] == "MPICH" && strings.HasPrefix(fields[2], "4."):
		return "mpich"
	}
	return ""
}

// chosen returns the algorithm that a library takes by default. A line of choices.txt
// is for fewer ranks than its third field, or for any if that is 0; of its choices the
// first counts whose limit in bytes is above the size. The file is read anew for each
// call: it is short, and simulating the answer takes far longer.
func chosen(library, name string, ranks int, size uint64) (e collective.Entry, known bool) {
	for line := range strings.Lines(choices) {
		fields := strings.Fields(line)
		if len(fields) < 4 || fields[0] != library || fields[1] != name {
			continue
		}
		if most, _ := strconv.Atoi(fields[2]); most > 0 && ranks >= most {
			continue
		}
		for _, choice := range fields[3:] {
			algorithm, below, limited := strings.Cut(choice, "<")
			if n, _ := strconv.ParseUint(below, 10, 64); limited && size >= n {
				continue
			}
			all := collective.Of(name)
			i := slices.IndexFunc(all, func(e collective.Entry) bool {
				if library == "openmpi" {
					return strconv.Itoa(e.OpenMPI) == algorithm
				}
				return e.MPICH == algorithm
			})
			if i < 0 {
				return e, false // the library's own, which no schedule of ours follows
			}
			return all[i], true
		}
	}
	return e, false
}
