// Package virtual runs programs of package engine on simulated nodes, under a virtual
// clock: their parts cost what a platform's file says.
//
// A packet crosses the sending processor, then stages, then the receiving processor. A stage
// occupies a resource (a bus, an interface, a link) for some time; a resource serves one packet at
// a time, in the order of their arrival, whoever sent them. That is all: pipelines, gaps and
// bottlenecks follow.
// [Build] makes a system from a [model.Layer], [Run] runs a program on it, and [Measure] one of the
// benchmark programs.
//
// Runs are deterministic: what happens at the same time happens in the order of
// the nodes, and on a node in the order in which it was caused.
package virtual
