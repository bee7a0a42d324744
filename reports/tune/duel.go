package tune

import (
	"math"

	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/reports/tune/tuner"
)

// A Duel compares a choice with the library's own in rounds. Each round is a launch in which both
// take turns or, if the library cannot do that, two launches, one right after the other, which take
// turns to be first: the state of a machine (clocks, places of ranks, other jobs) differs between
// launches by more than algorithms do, so a choice that was measured in a lucky launch need not be
// faster.
type Duel struct {
	Rounds int
	// Gain is the mean logarithm of the default's time over the choice's, and Low its lower bound
	// of 97.5 % by Student's t, −Inf below two rounds.
	Gain, Low float64
}

// newDuel returns the duel of the logarithms of ratios, one a round.
func newDuel(gains []float64) Duel {
	t := Duel{Rounds: len(gains), Gain: stats.Mean(gains), Low: math.Inf(-1)}
	if len(gains) > 1 {
		var squares float64
		for _, g := range gains {
			squares += (g - t.Gain) * (g - t.Gain)
		}
		n := float64(len(gains))
		t.Low = t.Gain - stats.T95(n-1)*math.Sqrt(squares/(n-1)/n)
	}
	return t
}

// minRounds is the number of rounds that a rule needs: of fewer, too many agree by chance.
const minRounds = 4

// over reports whether a duel has its rounds.
func (t Duel) over() bool { return t.Rounds >= minRounds }

// wins reports whether the choice is faster beyond the noise of the rounds, by the margin in the
// mean: ties are left to the library.
func (t Duel) wins() bool { return t.over() && t.Low > 0 && t.Gain > tuner.Margin }

// deviation returns the standard deviation of a normal gain that has Low as its lower bound: few
// rounds have heavy tails, which widen it.
func (t Duel) deviation() float64 { return (t.Gain - t.Low) / 1.96 }

// percent is the factor of a share.
const percent = 100

// percent returns how much longer the library's choice takes, in percent.
func (t Duel) percent() float64 { return percent * math.Expm1(t.Gain) }
