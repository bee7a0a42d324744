// Package collectives answers how long a collective takes on a platform, by which algorithm: by
// simulation (Question) or from measurements (FittedQuestion). From the times it finds the sizes
// from which another algorithm is best (Times.Crossovers, Times.Map), compares them with measured
// ones (CompareMeasured), and writes rules of MPI libraries (Times.WriteRules). RunQuestion shows
// what each rank does in one call, and Schedule returns its schedule.
package collectives
