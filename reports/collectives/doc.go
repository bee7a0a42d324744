// Package collectives answers how long a collective takes on a platform, by which algorithm: by
// simulation (Question) or from measurements (FittedQuestion). From the times it finds where the
// best algorithm changes (Times.Crossovers, Times.Map), compares them with measured times
// (CompareMeasured), and writes rules of MPI libraries (Times.WriteRules). Question.Simulate
// records the operations of each rank in one call, and Schedule returns its schedule.
package collectives
