package collective

import (
	"math"
	"math/bits"
)

// The shapes of exchanges over distances of powers of two. On other numbers of ranks than powers of
// two some are approximations, within the part that their comments name: libraries use other
// algorithms there.

// power returns the largest power of two that is at most p.
func power(p int) float64 { return float64(int(1) << floorLg(p)) }

// halvingToRoot is recursive halving, and a binomial gather of the parts to the root.
func halvingToRoot(p int) shape {
	n := power(p)
	if aboveTwo(p) == 0 {
		return shape{2 * float64(floorLg(p)), 2 * (n - 1) / n}
	}
	return shape{2*float64(floorLg(p)) + 2, 1 + 2*(n-1)/n}
}

func halvingToRootMean(p int) shape {
	k, n, above := float64(floorLg(p)), power(p), float64(aboveTwo(p))
	if above == 0 {
		return mean(p, n*(k+1)-1, n-1+k)
	}
	return mean(p, n*(k+3)-1+above, 2*n+k-1+above)
}

func doublingBarrierMean(p int) shape {
	k, above := float64(floorLg(p)), float64(aboveTwo(p))
	if above == 0 {
		return shape{steps: k}
	}
	return shape{steps: k + 1 + above/float64(p)}
}

// exchangeSteps returns the steps in which all p = 2^z·q ranks have exchanged with all, where
// ranks without a partner get what they miss from those beside them: 1.5 ⌈lg q⌉ for an odd q,
// within a fifth. In the mean over ranks they are 1.3 ⌈lg q⌉, within a quarter.
func exchangeSteps(p int, perOdd float64) float64 {
	z := bits.TrailingZeros(uint(p))
	if q := p >> z; q > 1 {
		return float64(z) + perOdd*ceilLg(q)
	}
	return float64(z)
}

func scatterDoubling(p int) shape {
	s := shape{ceilLg(p) + exchangeSteps(p, 1.5), 2.7} // the volume within a third
	if aboveTwo(p) == 0 {
		s.volume = 2 * others(p) / float64(p)
	}
	return s
}

func scatterDoublingMean(p int) shape {
	s := shape{ceilLg(p) + exchangeSteps(p, 1.3), 2.45}
	if aboveTwo(p) == 0 {
		s.volume = 2 * others(p) / float64(p)
	}
	return s
}

// doublingBlocks exchanges all blocks but those of its own side in each round.
func doublingBlocks(p int) shape { return exchangedBlocks(p, exchangeSteps(p, 1.5)) }

func doublingBlocksMean(p int) shape { return exchangedBlocks(p, exchangeSteps(p, 1.3)) }

func exchangedBlocks(p int, steps float64) shape {
	if aboveTwo(p) == 0 {
		return shape{steps, float64(p)*(steps-1) + 1}
	}
	return shape{steps, float64(p) * (steps - 1)}
}

// The bytes of a butterfly on other numbers of ranks than powers of two, for each rank: ranks above
// a power of two hand in all their blocks, and get one block back. Within a fifth.
const (
	butterflyBytes     = 2.4
	butterflyBytesMean = 2.25
)

// butterfly is recursive halving over growing distances; a last message puts the blocks right.
func butterfly(p int) shape {
	k, above := float64(floorLg(p)), aboveTwo(p)
	switch {
	case p == 2:
		return shape{1, 1}
	case above == 0:
		return shape{k + 1, float64(p)}
	}
	return shape{k + 1 + min(2, float64(above)), butterflyBytes * float64(p)}
}

// butterflyMean: of 2^k ranks, those whose number is the same with its bits reversed have no last
// message.
func butterflyMean(p int) shape {
	k, above := float64(floorLg(p)), aboveTwo(p)
	if above == 0 {
		last := 1 - math.Exp2(math.Ceil(k/2)-k)
		return shape{k + last, others(p) + last}
	}
	steps := k + 1.7 + 0.55*float64(above-1)/power(p)
	return shape{steps, butterflyBytesMean * float64(p)}
}

// blockButterfly puts the blocks right beforehand if p is a power of two.
func blockButterfly(p int) shape {
	if aboveTwo(p) == 0 {
		return shape{float64(floorLg(p)), others(p)}
	}
	return butterfly(p)
}

func blockButterflyMean(p int) shape {
	if aboveTwo(p) == 0 {
		return blockButterfly(p)
	}
	return butterflyMean(p)
}
