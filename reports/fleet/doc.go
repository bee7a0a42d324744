// Package fleet finds the nodes and pairs of a cluster that stand out among thousands
// of measured curves.
//
// [Question.Ask] reads files, and keeps a few numbers of each curve. It compares only curves of
// the same group. It takes the files in the order of their paths, so the answer is the
// same to the last bit in whatever order they were read.
//
// # Statistics
//
// The value y of a pair is the median of the logarithms of its measurements (of β,
// which may be 0: of the ratios to the fleet's median). Where the pairs connect the
// nodes, y = μ + u(a) + u(b) + e is fitted by medians and then by Tukey's biweight: a
// node is slow if its pairs are slow, and then these pairs are not reported. A node is
// compared with the other nodes, by Qn of their effects (Rousseeuw and Croux 1993, eq.
// 3.7); a pair with the residuals e of the pairs. The reference distribution has the
// tails of Student's t, as heavy as the residuals show. If there are few residuals, the
// tails are taken as heavy as the residuals allow. The method of Benjamini and Hochberg
// (1995) selects the findings from all tests of an answer together.
//
// # Reading the code
//
// The files follow the data. read.go and pattern.go turn files into curveSummaries
// (curve.go): a few numbers each, since a million curves must fit in memory. model.go
// gathers the curves of a group into units (a pair, a node or a file with all its
// measurements) and fits a model for each quantity: twoway.go has the effects of nodes,
// blocks.go those of links between racks. scale.go and tails.go say how far a value may
// be off by chance, findings.go makes the tests and selects among them, and analysis.go
// runs these steps and writes the notes. answer.go, rows.go, plot.go and matrix.go show
// the result.
//
// # Invariants
//
// A unit is tested against the others, never against itself: its value is left out of
// the centre and the scale (standardised, of few values) and out of the tails
// (tails.weights). Otherwise the one bad node of ten widens the noise by which it is
// judged, and hides. All tests of an answer, over groups and quantities, are selected
// together (Answer.test): the rate of false alarms is that of the whole table, not of a
// group. Maps are walked in the order of their keys wherever floats are summed or
// findings appended.
package fleet
