// Package virtual runs programs of package engine on simulated nodes, under a virtual clock, with
// the costs from a platform's file.
//
// A packet crosses the sending processor, then stages, then the receiving processor. A stage
// occupies a resource (a bus, an interface, a link) for some time. A resource serves one packet at
// a time, in the order of arrival, from any sender. This alone causes pipelining, gaps and
// bottlenecks: the package contains no formula of a model, so that [Measure] can judge them.
//
// [Build] makes a system from a [model.Layer], [Run] runs a program on it, and [Measure] one of the
// benchmark programs. Read in this order:
//
//   - system.go: what a system is, the route that a message takes by its size, and the cost of a
//     packet in a stage;
//   - build.go: from the resources of a layer to a system;
//   - network.go: the events, and how packets move from stage to stage, wait and are lost;
//   - port.go: a node as [engine.Port]: processor time, polls and interrupts;
//   - run.go: nodes as coroutines, the loop, and the report of a deadlock;
//   - fault.go and trace.go: injected faults, and the times at which resources were busy.
//
// # Invariants
//
// Runs are deterministic: simultaneous events happen in the order of the nodes, and on one node in
// the order in which they were caused. There is no wall clock, and exactly one node's coroutine or
// the loop of [Run] is running at a time, so nothing here is locked.
//
// A packet is always in one place: in a queue or the blocked list of a resource, in an event, in an
// inbox or in front of one, with the program that handles it, or in the pool of free packets.
//
// Back-pressure moves backwards one stage at a time: a packet without room stays in its stage and
// keeps the resource from its next packet, until [network.release].
package virtual
