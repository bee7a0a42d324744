// Package program runs schedules and traces of parallel programs on platforms.
//
// A [Question] is answered by its Ask: [Read] reads a program in Starlark (program.go), a schedule
// or a trace (input.go), package placed puts its ranks on a platform, and a simulation runs it
// (simulate.go), or several on numbers of ranks (scaling.go). A [Simulation] has the finish of
// each rank, the critical path, the effect of parameters, or the distribution over noise.
// [Input.Prepare] makes the finish a quantity of a what-if, so that it can be swept and aimed at
// like a property of a single message (prepare.go).
//
// The engine counts in whole picoseconds and knows neither files nor platforms; this package does
// the rest. Two rules hold throughout: a layer's times include its rendezvous, so the simulation
// adds none unless it is asked to; and a run is recorded, which takes memory for each operation,
// only if a table or picture needs its path.
package program
