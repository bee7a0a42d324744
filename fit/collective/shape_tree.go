package collective

import "math"

// The shapes of trees, without segments. A rank sends to one child after the other.

// chainsOf returns the chains of an algorithm's default fan-out, 4, the ranks of each, and the
// number of chains with one rank more.
func chainsOf(p int) (chains, short, longer int) {
	chains = min(4, p-1)
	return chains, (p - 1) / chains, (p - 1) % chains
}

func slowestChain(p int) shape {
	chains, short, _ := chainsOf(p)
	steps := float64(chains - 1 + short)
	return shape{steps, steps}
}

// chainLengths calls f with the ranks of each chain.
func chainLengths(p int, f func(chain, ranks float64)) {
	chains, short, longer := chainsOf(p)
	for i := range chains {
		ranks := short
		if i < longer {
			ranks++
		}
		f(float64(i), float64(ranks))
	}
}

func chainDownMean(p int) shape {
	received, ends := 0.0, 0
	chainLengths(p, func(chain, ranks float64) {
		received += chain*ranks + ranks*(ranks+1)/2
		ends++
	})
	return sending(p, received, p-ends)
}

func chainUpMean(p int) shape {
	done := slowestChain(p).steps
	chainLengths(p, func(_, ranks float64) { done += ranks * (ranks - 1) / 2 })
	return mean(p, done, done+others(p))
}

// binarySteps returns the steps of a binary tree whose level j has 2^j places, the last level p −
// 2^L + 1 of them: place i of a level is reached after as many second children as i has one bits.
func binarySteps(p int) float64 {
	if p < 2 {
		return 0
	}
	last := floorLg(p)
	inLast := p - 1<<last + 1
	return float64(max(2*last-2, last+floorLg(inLast)))
}

func slowestBinary(p int) shape { return shape{binarySteps(p), binarySteps(p)} }

func binaryDownMean(p int) shape {
	last := floorLg(p)
	inLast := p - 1<<last + 1
	received := float64(last*inLast) + ones(inLast)
	for j := range last {
		received += float64(int(j)<<j) + ones(1<<j)
	}
	above := 1 << (last - 1) // places of the level above the last
	return sending(p, received, above-1+min(inLast, above))
}

// binaryUp returns the sum of the times at which the places of a binary tree have combined all
// below them: a place of level j has the last level's places in its subtree whose number is its
// own modulo 2^j, so that subtrees of a level differ by one place at most.
func binaryUp(p int) (done float64) {
	last := floorLg(p)
	inLast := p - 1<<last + 1
	for j := range last {
		places, full := 1<<j, 1<<(last-j)-1
		more := inLast % places // subtrees with one place more
		done += float64(more)*binarySteps(full+inLast/places+1) +
			float64(places-more)*binarySteps(full+inLast/places)
	}
	return done
}

func binaryUpMean(p int) shape { return mean(p, binaryUp(p), binaryUp(p)+others(p)) }

// inOrder is a binary tree whose root is the last rank, which sends the result to the first.
func inOrder(p int) shape { return shape{binarySteps(p) + 1, binarySteps(p) + 1} }

func inOrderMean(p int) shape {
	done := binaryUp(p) + binarySteps(p) + 1
	return mean(p, done, done+others(p))
}

// splitBinary sends half of the message down each half of a binary tree, and exchanges the halves
// in pairs.
func splitBinary(p int) shape {
	if p == 2 {
		return shape{1, 1}
	}
	return shape{binarySteps(p) + 1, (binarySteps(p) + 1) / 2}
}

// splitBinaryMean is within 15 % on 3 and 4 ranks and within 7 % on more: a rank also waits for its
// partner's children.
func splitBinaryMean(p int) shape {
	if p == 2 {
		return fromRootMean(p)
	}
	down := binaryDownMean(p).volume
	return shape{down + 1, (down + 1.25) / 2}
}

// fourNomial is the tree of radix 4, the default: a rank has up to three children in each power of
// four, and those of the largest power come first.
func fourNomial(p int) shape {
	unit, power := unitOf(p)
	steps := math.Ceil(float64(p)/float64(unit)) - 1 + 3*float64(power)
	return shape{steps, steps}
}

// unitOf returns the largest power of four below p ≥ 2.
func unitOf(p int) (unit, power int) {
	for unit = 1; unit*4 < p; unit *= 4 {
		power++
	}
	return unit, power
}

func fourNomialMean(p int) shape { return sending(p, fourNomialReceived(p), (p+2)/4) }

// fourNomialReceived returns the sum of the times at which the places of the tree are reached.
func fourNomialReceived(p int) (sum float64) {
	if p < 2 {
		return 0
	}
	unit, _ := unitOf(p)
	children := (p - 1) / unit // of the root, in the largest power
	for i := 1; i < children; i++ {
		sum += float64(unit * i)
	}
	rest := p - children*unit
	return sum + float64(children)*fourNomialReceived(unit) + fourNomialReceived(rest) +
		float64(children*rest) + float64((unit-1)*children)
}

// binomialUp is a binomial tree to the root. The mean is that of a root that receives from all: in
// both, the times at which ranks send add up to p − 1 steps.
func binomialUp(p int) shape { return shape{ceilLg(p), ceilLg(p)} }

func binomialUpDown(p int) shape { return shape{2 * ceilLg(p), 2 * ceilLg(p)} }

// binomialUpDownMean: downwards rank v is reached in the round of its highest bit.
func binomialUpDownMean(p int) shape {
	rounds := ceilLg(p)
	inner := 1
	for half := 1; 3*half < p; half *= 2 { // the ranks half … 2·half − 1
		inner += min(half, p-3*half)
	}
	down := sending(p, rounds*float64(p)-(math.Exp2(rounds)-1), inner)
	return shape{rounds + down.steps, rounds + down.volume}
}

func treeBarrierMean(p int) shape {
	return shape{steps: ceilLg(p) + sending(p, farthestFirst(p), p/2).steps}
}

// farthestFirst returns the sum of the times at which the places of a binomial tree are reached,
// the farthest child first, which has the ranks above the largest power of two below p.
func farthestFirst(p int) float64 {
	if p < 2 {
		return 0
	}
	half := 1 << int(ceilLg(p)-1)
	return farthestFirst(p-half) + farthestFirst(half) + others(p)
}
