// Package collective answers how long a collective takes on a platform, by which algorithm.
//
// [Calls] are what is asked: algorithms of one collective, numbers of ranks, sizes. [Calls.On] a
// design answers: from the measurements of the collective if the design has them, else by
// simulating the algorithms' schedules with the costs of its messages. The answer is [Times]: a
// [Timing] for each call, the best of each place marked. Everything else starts from these times:
// [Times.Crossovers] asks again between them to find where the best algorithm changes,
// [Times.WriteRules] writes the choices for a library, and [Calls.Compare] holds them against
// measurements. [Calls.Prepare] makes the times quantities of a what-if, [Calls.Simulate] records
// the operations of each rank in one call, and [Schedule] returns its schedule. [Rows]
// and [Picture] make tables and maps of the answers.
//
// Read calls.go and question.go first; simulated.go and fitted.go are the two ways to an answer,
// prepare.go and its neighbours ask again with other costs.
// timer.go has the ways to avoid simulating a whole schedule, loop.go the imitation of a benchmark.
// timing.go and times.go are the answer.
//
// Invariants: times come in the order of ranks, sizes and algorithms, and cut relies on the calls
// of a place being neighbours. A time that is not known is [quantity.Unknown] (NaN) and never 0,
// so that no comparison takes it for the fastest. A call whose schedule is too large is listed in
// TooLarge: the best of a place is the best of those that were timed.
package collective
