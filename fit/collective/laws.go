package collective

// A law gives the shapes of an algorithm on p ranks, as closed forms of p: a fit on thousands of
// ranks needs no schedule, whose size can be p². TestShapes holds them against simulated
// schedules.
type law struct {
	slowest, average func(p int) shape
	// star says that one rank has a message with each other rank, or each rank with each: most of
	// these ranks are on other nodes. Otherwise the steps between nodes are those of one rank a
	// node.
	star bool
}

// even returns the law of an algorithm whose ranks finish together.
func even(at func(p int) shape) law { return law{slowest: at, average: at} }

// laws has the algorithms that formsOf does not have, by collective and name.
var laws = map[[2]string]law{
	{"bcast", "linear"}:           {fromRoot, fromRootMean, true},
	{"bcast", "chain"}:            {slowestChain, chainDownMean, false},
	{"bcast", "split-binary"}:     {splitBinary, splitBinaryMean, false},
	{"bcast", "binary"}:           {slowestBinary, binaryDownMean, false},
	{"bcast", "k-nomial"}:         {fourNomial, fourNomialMean, false},
	{"bcast", "scatter-doubling"}: {scatterDoubling, scatterDoublingMean, false},

	{"reduce", "linear"}:            {fromRoot, toRootMean, true},
	{"reduce", "chain"}:             {slowestChain, chainUpMean, false},
	{"reduce", "binary"}:            {slowestBinary, binaryUpMean, false},
	{"reduce", "in-order-binary"}:   {inOrder, inOrderMean, false},
	{"reduce", "rabenseifner"}:      {halvingToRoot, halvingToRootMean, false},
	{"reduce", "binomial-schedgen"}: {binomialUp, toRootMean, false},

	{"allreduce", "linear"}:           {thereAndBack, thereAndBackMean, true},
	{"allreduce", "reduce-broadcast"}: {binomialUpDown, binomialUpDownMean, false},
	{"allreduce", "segmented-ring"}:   even(ringOfShares),

	{"reduce-scatter", "reduce-scatter"}: {reduceAndScatter, reduceAndScatterMean, true},
	{"reduce-scatter", "butterfly"}:      {butterfly, butterflyMean, false},
	{"reduce-scatter", "pairwise"}:       allPairs,

	{"reduce-scatter-block", "reduce-scatter"}:     {reduceAndScatter, reduceAndScatterMean, true},
	{"reduce-scatter-block", "recursive-doubling"}: {doublingBlocks, doublingBlocksMean, false},
	{"reduce-scatter-block", "butterfly"}:          {blockButterfly, blockButterflyMean, false},

	{"allgather", "linear"}:             {gatherAndSend, gatherAndSendMean, true},
	{"allgather", "bruck"}:              even(bruckOfBlocks),
	{"allgather", "neighbour-exchange"}: even(neighbours),

	{"alltoall", "linear"}:      allPairs,
	{"alltoall", "linear-sync"}: allPairs,

	{"gather", "linear-sync"}:         {askedByRoot, askedByRootMean, true},
	{"scatter", "linear-nonblocking"}: {fromRoot, fromRootMean, true},

	// Barriers have no bytes.
	{"barrier", "double-ring"}: {
		func(p int) shape { return shape{steps: 2 * float64(p)} },
		func(p int) shape { return shape{steps: 1.5*float64(p) + 0.5} }, false},
	{"barrier", "recursive-doubling"}: {
		func(p int) shape { return shape{steps: foldedSteps(p)} }, doublingBarrierMean, false},
	{"barrier", "tree"}: {
		func(p int) shape { return shape{steps: 2 * ceilLg(p)} }, treeBarrierMean, false},
}

var allPairs = law{pairs, pairs, true}
