package collective

import (
	"math/bits"
)

// A Statistic is how a measurement combines the times of the ranks. These differ within a call: the
// root of a broadcast is done long before the last rank.
type Statistic string

// The statistics over ranks.
const (
	Average Statistic = "average" // the mean over ranks of the time in the call: OSU's main column
	Slowest Statistic = "slowest" // the time of the slowest rank: OSU's max column
)

// Statistics lists them.
var Statistics = []Statistic{Average, Slowest}

// A shape is what an algorithm does on a number of ranks, along the path that decides the time:
// T = steps·α + n·volume·β for calls of n bytes, where a message of m bytes takes α + mβ and
// holds its sender's way out and its receiver's way in (Hockney, one port). What combining costs is
// left out: within one algorithm it is proportional to the bytes, so β has it.
type shape struct{ steps, volume float64 }

// others returns the number of other ranks.
func others(p int) float64 { return float64(p - 1) }

// ceilLg returns ⌈lg p⌉, and floorLg ⌊lg p⌋.
func ceilLg(p int) float64 { return float64(bits.Len(uint(p - 1))) }

func floorLg(p int) int { return bits.Len(uint(p)) - 1 }

// aboveTwo returns the ranks above the largest power of two.
func aboveTwo(p int) int { return p - 1<<floorLg(p) }

// foldedSteps returns the steps of an exchange over all powers of two: ranks above the largest
// power of two first send to another one and get the result from there.
func foldedSteps(p int) float64 {
	if aboveTwo(p) > 0 {
		return float64(floorLg(p) + 2)
	}
	return float64(floorLg(p))
}

// ones returns the number of one bits of 0 … n−1 together.
func ones(n int) float64 {
	if n < 2 {
		return 0
	}
	k := floorLg(n)
	half := 1 << k // the numbers below it have half of their k bits
	return float64(k)*float64(half)/2 + float64(n-half) + ones(n-half)
}

// mean returns the shape of ranks whose numbers of steps have the sum steps, and whose numbers of
// messages have the sum volume.
func mean(p int, steps, volume float64) shape {
	return shape{steps / float64(p), volume / float64(p)}
}

// sending returns the mean over ranks that get their message at times of this sum, and then send:
// a rank is done when its last message begins or, of long messages, when it ends. Inner ranks have
// something to send.
func sending(p int, received float64, inner int) shape {
	return mean(p, received+others(p)-float64(inner), received+others(p))
}

// A root that sends to one rank after the other, or receives from them. A rank that sends one
// message is done at once if the message is short.

func fromRoot(p int) shape { return shape{others(p), others(p)} }

func fromRootMean(p int) shape { return sending(p, others(p)*float64(p)/2, 1) }

func toRootMean(p int) shape { return mean(p, others(p), 2*others(p)) }

func thereAndBack(p int) shape { return shape{2 * others(p), 2 * others(p)} }

func thereAndBackMean(p int) shape {
	return sending(p, others(p)*float64(p)+others(p)*float64(p)/2, 1)
}

// askedByRoot is a root that asks each rank by a message without bytes.
func askedByRoot(p int) shape { return shape{2*float64(p) - 1, others(p)} }

func askedByRootMean(p int) shape {
	n := float64(p)
	return mean(p, n*n/2+2.5*n-2, 2*others(p))
}

// gatherAndSend gathers the blocks at a root, which sends all p of them to each rank.
func gatherAndSend(p int) shape { return shape{2 * others(p), float64(p)*float64(p) - 1} }

func gatherAndSendMean(p int) shape {
	n := float64(p)
	return shape{thereAndBackMean(p).steps, (n*n - 1 + (n-1)*(n-1) + n*n*(n-1)/2) / n}
}

// reduceAndScatter is a binomial reduce of all p blocks, which the root then scatters.
func reduceAndScatter(p int) shape {
	return shape{ceilLg(p) + others(p), ceilLg(p)*float64(p) + others(p)}
}

func reduceAndScatterMean(p int) shape {
	scattered := fromRootMean(p)
	return shape{ceilLg(p) + scattered.steps, ceilLg(p)*float64(p) + scattered.volume}
}

// ringOfShares reduces and gathers shares around a ring.
func ringOfShares(p int) shape { return shape{2 * others(p), 2 * others(p) / float64(p)} }

// neighbours exchanges two blocks with both neighbours in turns; an odd number of ranks is a ring.
func neighbours(p int) shape {
	if p%2 == 1 {
		return pairs(p)
	}
	return shape{float64(p) / 2, others(p)}
}

// pairs is a message of each rank with each other.
func pairs(p int) shape { return shape{others(p), others(p)} }

func bruckOfBlocks(p int) shape { return shape{ceilLg(p), others(p)} }
