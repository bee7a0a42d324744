// Package collectives times calls of collectives: what several questions ask of them.
//
// [Calls] are algorithms of one collective, numbers of ranks, sizes. Their [Basis] on a design is
// its measurements of the collective if it has some, else the costs of its messages, and a [Plan]
// has a [Cell] for each call that must be timed. One of two sources has the [Estimate] of a cell:
// described simulates the schedule of the algorithm, measured predicts by fits. The [Times] are the
// timed cells, the best of each [Place] marked. [Calls.On] does it all.
//
// [Rules] are the choices for a library. [Calls.Prepare] makes the times quantities of a what-if,
// [Joint] gives a program those that were measured, [Calls.Simulate] records the operations
// of each rank in one call, and [Schedule] returns its schedule.
//
// Read calls.go and plan.go first; described.go and measured.go are the two sources. timer.go has
// the ways to avoid simulating a whole schedule, loop.go the imitation of a benchmark; prepare.go
// and its neighbours time calls again with other costs.
//
// Invariants: times come in the order of ranks, sizes and algorithms, and cut relies on the calls
// of a place being neighbours. A time that is not known is [quantity.Unknown] (NaN) and never 0,
// so that no comparison takes it for the fastest. A call whose schedule is too large is listed in
// TooLarge, and no call of its place is the best.
package collectives
