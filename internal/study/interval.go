package study

import (
	"fmt"
	"slices"

	"github.com/halfpeak/halfpeak/platforms"
)

// How far the numbers of papers were from those that the models predict from the papers'
// parameters, in percent: 24 numbers of three papers. A test of reports/papers compares these with
// what reproduce prints.
const (
	PaperMedianError = 8.0
	PaperWorstError  = 43.2
)

// NoInterval says, of messages whose time has no 95 % interval in a design, what is known of the
// error instead, or how to have an interval.
func NoInterval(d platforms.Design) string {
	switch ranged := func(p platforms.Param) bool { return p.PlusMinus > 0 }; {
	case slices.ContainsFunc(d.Uses(), ranged):
		return "halfpeak whatif uncertainty has the interval by those of the parameters"
	case d.Platform.Paper != "":
		return fmt.Sprintf("no interval: numbers predicted from papers were off by %.2g %% in "+
			"the median, %.2g %% at worst", PaperMedianError, PaperWorstError)
	}
	return "no interval: the parameters have none; fit a benchmark, or write them as in " +
		"beta = \"3us ± 0.1us\""
}
