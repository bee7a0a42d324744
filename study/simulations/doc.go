// Package simulations runs schedules and traces of parallel programs on platforms (Run): when
// each rank finishes, the critical path, and how the finish depends on parameters and noise.
package simulations
