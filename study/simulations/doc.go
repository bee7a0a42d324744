// Package simulations runs schedules and traces of parallel programs on platforms (Run). It gives
// the finish of each rank, the critical path, and the effect of parameters and noise on the finish.
package simulations
