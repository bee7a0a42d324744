// Package virtual runs programs of package engine on simulated nodes, under a virtual clock, with
// the costs from a platform's file.
//
// A packet crosses the sending processor, then stages, then the receiving processor. A stage
// occupies a resource (a bus, an interface, a link) for some time. A resource serves one packet at
// a time, in the order of arrival, from any sender. This alone causes pipelining, gaps and
// bottlenecks. [Build] makes a system from a [model.Layer], [Run] runs a program on it, and
// [Measure] one of the benchmark programs.
//
// Runs are deterministic: simultaneous events happen in the order of the nodes, and on one node in
// the order in which they were caused.
package virtual
