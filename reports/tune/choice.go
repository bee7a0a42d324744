package tune

import (
	"errors"
	"fmt"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// LibraryChoice is the name of the algorithm that the library takes if none is forced.
const LibraryChoice = "default"

// A Choice is an algorithm of the library in a call.
type Choice struct {
	collective.Entry // its Name may be LibraryChoice
	Ranks, PerNode   int
	Size, Segment    quantity.Bytes // Size as in collective.Call
}

// word returns the collective's name in environment variables and commands, which
// cannot have hyphens.
func (c Choice) word() string { return strings.ReplaceAll(c.Collective, "-", "_") }

// total returns the size of all ranks' blocks, or of the message: nccl-tests and NCCL
// count this way, MPI and OSU by a rank's block.
func (c Choice) total() uint64 {
	if c.InBlocks() {
		return uint64(c.Size) * uint64(c.Ranks)
	}
	return uint64(c.Size)
}

// nameParts is the number of parts of a file's name, as errName lists them.
const nameParts = 7

// errName is the error of a file name that no script gives.
var errName = errors.New("not named COLLECTIVE.ALGORITHM.SEGMENT.RANKSxPERNODE.SIZE.PASS.out")

// file returns the name of the files with a choice's measurements, without pass and extension. The
// name says all of the choice, so that the script's folder needs no index.
func (c Choice) file() string {
	return fmt.Sprintf("%s.%s.%.0f.%dx%d.%.0f", c.Collective, c.Name,
		float64(c.Segment), c.Ranks, c.PerNode, float64(c.Size))
}

// choiceOf returns the choice and the pass that a file is named after. The choice has only the
// names that file wrote; [Map] finds the candidate.
func choiceOf(file string) (c Choice, pass string, err error) {
	parts := strings.Split(file, ".")
	if len(parts) != nameParts {
		return c, "", errName
	}
	c.Collective, c.Name = parts[0], parts[1]
	numbers := strings.Join(parts[2:nameParts-2], " ")
	_, err = fmt.Sscanf(numbers, "%f %dx%d %f", &c.Segment, &c.Ranks, &c.PerNode, &c.Size)
	if err != nil {
		return c, "", errName
	}
	return c, parts[nameParts-2], nil
}

// A Time is the mean of the measured times of an algorithm in a call or, where there are none, an
// estimate with its 95 % interval. It is NaN for a library's choice that was not measured.
type Time struct {
	quantity.Interval // in µs
	Measured          bool
}

// OwnLoss returns how much longer the library's choice takes than the fastest measured algorithm:
// 0.1 is 10 %. It is known if the library's choice was measured beside another algorithm.
func (d Decision) OwnLoss() (loss float64, known bool) {
	return d.Own.Value/d.BestTime.Value - 1, d.Own.Measured && d.Measured > 1
}

// A Decision is the choice for a call.
type Decision struct {
	Choice
	Time Time
	// Own is the time of the library's choice. If that was not measured, it is that of OwnName, the
	// algorithm that the library's documented rules take.
	Own     Time
	OwnName string
	// Best is the fastest of the measured algorithms; its Name is empty if none was measured.
	Best     Choice
	BestTime Time
	Loss     float64 // expected loss against the fastest algorithm: 0.1 is 10 % slower
	// Measured, Excluded and Of are the numbers of the call's candidates that were measured, that
	// are not worth a measurement, and of all.
	Measured, Excluded, Of int
	// Duel compares the choice with the library's own in pairs of launches. Only choices that win
	// it become rules.
	Duel Duel

	candidate int
}
