package collective

import (
	"math/bits"
	"slices"

	"github.com/halfpeak/halfpeak/model"
)

// A tree of size members returns the parent of a virtual place, −1 for the root, and its children
// in the order of service. Virtual places are counted from the root, which is 0. Only some trees
// use the call's fan-out.
type tree func(size, fanout, v int) (parent int, children []int)

// A treeShape identifies an optimal tree, so that the members of one call build it once.
type treeShape struct {
	model.LogP
	size int
}

// binomialTree: the parent of v is v without its highest bit; children are v + 2^k for
// 2^k > v, the nearest first. (Open MPI's tree of broadcasts.)
func binomialTree(size, _, v int) (int, []int) {
	parent := -1
	if v > 0 {
		parent = v - highest(v)
	}
	var children []int
	for d := nextPowerOfTwo(v); v+d < size; d *= 2 {
		children = append(children, v+d)
	}
	return parent, children
}

// contiguousTree: the parent of v is v without its lowest bit 2^j; children are v + 2^k
// for k < j, the nearest first. The places below v follow it: v … v + 2^j − 1.
func contiguousTree(size, _, v int) (int, []int) {
	parent := -1
	if v > 0 {
		parent = v & (v - 1)
	}
	var children []int
	for d := 1; v+d < size && v&d == 0; d *= 2 {
		children = append(children, v+d)
	}
	return parent, children
}

// subtreeSize returns the number of places in the subtree of v in contiguousTree.
func subtreeSize(v, size int) int {
	if v == 0 {
		return size
	}
	return min(v&-v, size-v)
}

// farthestFirst is contiguousTree with the farthest child first.
func farthestFirst(size, _, v int) (int, []int) {
	parent, children := contiguousTree(size, 0, v)
	slices.Reverse(children)
	return parent, children
}

// knomialTree is contiguousTree in the radix Fanout (default 4): the parent of v is v
// with its lowest digit that is not 0 made 0; the farthest children come first.
func knomialTree(size, fanout, v int) (int, []int) {
	radix := fanoutOr(fanout, 4, 2)
	parent, unit := -1, 1
	for ; unit < size; unit *= radix {
		if digit := v / unit % radix; digit > 0 {
			parent = v - digit*unit
			break
		}
	}
	var children []int
	for unit /= radix; unit > 0; unit /= radix {
		for child := v + unit; child < size && child < v+radix*unit; child += unit {
			children = append(children, child)
		}
	}
	return parent, children
}

// binaryTree has 2^j places on level j, beginning with 2^j − 1. The children of v are on the next
// level, v + 2^j and v + 2^(j+1). So the left half has the odd places and the right half the even
// ones.
func binaryTree(size, _, v int) (int, []int) {
	level := 1 << (bits.Len(uint(v+1)) - 1)
	parent := -1
	if v > 0 {
		// The level above has level/2 places, from level/2 − 1 on.
		parent = v - level/2
		if parent > level-2 {
			parent -= level / 2
		}
	}
	var children []int
	for _, child := range []int{v + level, v + 2*level} {
		if child < size {
			children = append(children, child)
		}
	}
	return parent, children
}

// chainTree has Fanout chains (default 4) of consecutive places from the root, the longer chains
// first.
func chainTree(size, fanout, v int) (int, []int) { return chains(fanoutOr(fanout, 4, 1), size, v) }

func lineTree(size, _, v int) (int, []int) { return chains(1, size, v) }

func chains(fanout, size, v int) (parent int, children []int) {
	fanout = min(fanout, size-1)
	if fanout < 1 {
		return -1, nil
	}
	short, longer := (size-1)/fanout, (size-1)%fanout
	head := func(chain int) int { return 1 + chain*short + min(chain, longer) }
	if v == 0 {
		for chain := range fanout {
			children = append(children, head(chain))
		}
		return -1, children
	}
	chain := (v - 1) / (short + 1)
	if chain >= longer {
		chain = longer + (v-1-longer*(short+1))/short
	}
	parent = v - 1
	if v == head(chain) {
		parent = 0
	}
	if v+1 < head(chain+1) {
		children = []int{v + 1}
	}
	return parent, children
}

// inOrderTree is a binary tree of the places lo … hi−1 that combines them in order: a place
// comes after its subtrees, and the second child's subtree before the first child's. The root is
// the last place.
func inOrderTree(lo, hi, place int) (parent int, children []int) {
	parent = -1
	for {
		root := hi - 1
		middle := lo + (hi-lo)/2 // the second child's places are lo … middle−1
		if place == root {
			if root-1 >= middle {
				children = append(children, root-1)
			}
			if middle > lo {
				children = append(children, middle-1)
			}
			return parent, children
		}
		parent = root
		if place < middle {
			hi = middle
		} else {
			lo, hi = middle, root
		}
	}
}

// fanoutOr returns the fan-out of a call but at least the minimum, or def if it is 0.
func fanoutOr(fanout, def, minimum int) int {
	if fanout == 0 {
		return def
	}
	return max(fanout, minimum)
}

func highest(v int) int { return 1 << (bits.Len(uint(v)) - 1) }

func nextPowerOfTwo(v int) int { return 1 << bits.Len(uint(v)) }

func isPower(p int) bool { return p&(p-1) == 0 }
