package export

import (
	"fmt"
	"slices"

	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// Design writes the message costs of a design for another program, a name in
// [Targets]. Few of these programs read a curve, so the costs are fitted to
// the sizes from the smallest to the largest. ranks is the number of ranks on a
// platform without levels; 0 means 2, the smallest number that sends messages. On a
// platform with levels it must be 0.
func Design(
	d platforms.Design, target string, sizes []quantity.Bytes, ranks int,
) (File, error) {
	t, err := Find(target)
	if err != nil {
		return File{}, err
	}
	to := Machine{Name: d.Name(), Machine: d.Machine()}
	switch {
	case len(to.Levels) > 0 && ranks != 0:
		// The levels say how many ranks there are: one for each core.
		return File{}, usage.Fields(fmt.Errorf("%s has %d ranks; omit their number",
			d.Name(), to.Cores()), "ranks")
	case len(to.Levels) == 0:
		if ranks == 0 {
			ranks = 2
		}
		if ranks < 2 || ranks > mostExported {
			err := fmt.Errorf("%d ranks; give 2 to %d", ranks, mostExported)
			return File{}, usage.Error{Err: err}
		}
		// A layer alone is a machine of one level: each pair of ranks is equally far apart.
		to.Levels = []machine.Level{{Name: "all", Arity: ranks, Layer: d.Layer.Model}}
	}
	return t.Write(to, Sizes{From: slices.Min(sizes), To: slices.Max(sizes)})
}

// mostExported is the maximum number of ranks: 16 million, more than the cores of any
// machine. It catches a number that was typed wrong before a file is written.
const mostExported = 1 << 24
