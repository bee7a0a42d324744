// Package simulate runs a schedule on a machine whose message costs come from LogGOPS parameters
// or from a platform's layers. It reports when each rank finishes, the critical path, and the
// sensitivity to each parameter.
//
//	p, err := simulate.New(s) // a schedule, made ready; several goroutines may run it
//	r, err := p.Run(ctx, simulate.Setup{LogGOPS: simulate.Defaults})
//	t, rank := r.Finish()
//
// # Rules
//
// A message of n bytes has b = max(n−1, 0) bytes after the first. By the default rules, it goes
// from a send to a receive like this:
//
//   - The send begins when all operations that it requires have finished, its CPU is free and
//     its NIC may send. It occupies the CPU for o + bO, and the NIC for g + bG.
//
//   - If n ≤ S it is finished when its CPU is free again. The first byte is at the receiver L
//     later.
//
//   - Once posted, the receive takes the message at no cost. Its NIC takes in one message after the
//     other, in the order of their matches, each for g + bG. The last byte is in bG after the first
//     byte.
//
//   - Then the CPU of the receive is occupied for o + bO, as soon as it is free, and the
//     receive is finished.
//
//   - If n > S (rendezvous), the send first sends a request of 1 byte. Once matched, the receive
//     answers it: its CPU receives the request for o and then at once sends a grant of 1 byte. The
//     CPU of the send receives that for o and then at once sends the data. Each of these begins
//     when its CPU is free and when its NIC may send o later. The send is finished when the last
//     byte has left.
//
//   - Where messages cost what a layer of LogP says, at most ⌈L/g⌉ are in transit to a rank, each
//     for L. The CPU of a further send stalls behind its o until one of them is there [logp].
//
//   - Where a layer has a window of credits, the CPU of a send stalls until the credits of the
//     pieces before it, from its rank to the same other one, let it go on.
//
// So one way takes o + bO + L + bG + o + bO. Without O this is LogGP's o + L + (n−1)G + o
// [loggp]. Each message of a stream takes the gap g + (n−1)G.
//
// Operations that need the same CPU or NIC run in the order in which they became ready. If several
// became ready together, sends are first, then receives, then computations. Receives without
// predecessors are posted before any other operation begins. A wildcard receive takes the message
// that arrived first; a message goes to the receive that was posted first.
//
// On a machine of levels ranks share memories and NICs besides: see [FromMachine].
//
// # LogGOPSim
//
// The rules LogGOPSim reproduce the program of that name [loggops]: the finish time of each rank
// and the number of events are equal to the last digit. This includes arithmetic modulo 2⁶⁴ and
// the unstable sort of its C++ library. These rules differ from the default rules where LogGOPS
// leaves a choice or means something else. The examples have L = 2500, o = 1500, g = 1000, G = 6, O
// = 0 (ns) and S = 65535, unless they state another value. The times are the finish times of ranks
// 0 and 1 in ns; TestDifferences runs them.
//
//	                                                    LogGOPSim           default rules
//	A successor waits for its predecessor's finish only if they are on one CPU; here always.
//	  calc 100 cpu 0, then calc 50 cpu 1                100                 150
//	A receiver's CPU is busy while bytes come in; here its NIC is, and the CPU for o after.
//	  3 sends of 100 B to one rank                      4688 10282          5282 9282
//	O is charged to the receiver instead of G where it is larger; here both, to both CPUs.
//	  100 B, O = 9                                      2391 6391           2985 7876
//	A message is charged when it comes, even if its receive is posted later; here to the receive.
//	  100 B; rank 1: calc 50000, then recv              1500 52094          2094 51500
//	A sender's labels choose the CPU and NIC of the receiver; here the receiver's do.
//	  2 sends of 10000 B from CPUs 0 and 1; recvs on 0  1500 65494          61494 66994
//	A rendezvous takes no more than an eager message, and ends at the match; here a request
//	and a grant come first.
//	  70000 B; rank 1: calc 1000000, then recv          1000000 1421494     1428494 1432494
//	A message of 0 bytes costs o − O and g − G, modulo 2⁶⁴; here o and g.
//	  0 B                                               1500 5494           1500 5500
//	A finish time leaves out what a NIC still sends; here it counts.
//	  70000 B, S = 100000                               1500 425494         421494 425494
//	More than 16 operations that become free together are mixed up by its sort; here they keep
//	their order.
//	  17 sends of 8 B to 17 ranks                       25500 19042         25542 5542
//	Operations that wait for themselves, or for such operations, are left out silently; here both
//	rules report an error (Deadlock).
//	A receive of fewer bytes than its message takes it; here it is an error.
//	  100 B into a receive of 99 B                      1500 6094           –
//
// Both rules use a trace of noise ([Text]) in the same way. LogGOPSim reads the last detour of a
// file twice if the file ends with a new line.
//
// # How it is built
//
// Files are named by what they belong to. A kernel_ file knows neither costs nor rules: kernel.go
// holds the operations of a run, kernel_queue.go what comes next, kernel_match.go pairs receives
// with messages, kernel_processors.go lets operations wait for processors and NICs. A rules_ file
// says what happens at the time of an entry: rules_messages.go by the default rules,
// rules_loggopsim.go by LogGOPSim's. A net_ file says what a message costs and how long it is on
// its way: net.go has the interface and the network of LogGP, net_shared.go that of levels,
// net_rates.go how a shared resource divides its rate. An observe_ file looks on: observe_record.go
// keeps steps, each with its cause, from which observe_path.go makes the critical path and
// observe_timeline.go spans and waits. simulate.go begins and ends a run; a sequence_ file runs
// parts of a program that follow each other.
//
// # How it is fast
//
// Entries of 16 bytes wait in a radix heap. Blocked operations are parked at their rank, and one
// entry represents all of them: those of a broadcast or an all-to-all do not pass through the heap
// repeatedly. Receives and messages are matched by lists that New determines, and wildcards by
// sequence numbers. Memory that the next entries need is prefetched. Messages that share resources
// have one entry for the next of their events, which is queued when no earlier one is. See
// docs/simulate.md for numbers.
//
// # References
//
//	[loggops]  Hoefler, Schneider, Lumsdaine. LogGOPSim – Simulating Large-Scale Applications
//	           in the LogGOPS Model. LSAP 2010.
//	[logp]     Culler, Karp, Patterson, Sahay, Schauser, Santos, Subramonian, von Eicken. LogP:
//	           Towards a Realistic Model of Parallel Computation. PPoPP 1993.
//	[loggp]    Alexandrov, Ionescu, Schauser, Scheiman. LogGP: Incorporating Long Messages into
//	           the LogP Model. SPAA 1995.
package simulate
