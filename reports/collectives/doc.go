// Package collectives answers how long a collective takes on a platform, by which algorithm: by
// simulation (Question) or from measurements (FittedQuestion). From the times it finds where the
// best algorithm changes (Times.Crossovers), draws it (Times.Picture), and writes rules of MPI
// libraries (Times.WriteRules). CompareMeasured compares a model with measured times.
// Question.Simulate records the operations of each rank in one call, and Schedule returns its
// schedule.
package collectives
