// Package collectives answers how long a collective takes on a platform, by which algorithm
// (Compute), from which sizes another algorithm is best (Times.Crossovers, Times.Map), and how the
// times compare with measured ones (CompareMeasured). It writes the best choices as rules of MPI
// libraries (Times.WriteRules), and single collectives as schedules (Schedule).
package collectives
