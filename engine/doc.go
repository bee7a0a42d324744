// Package engine is an active-message library: small, but real.
//
// A parallel program runs the same function on every node, with an [Endpoint] of
// its own. A node sends a request, which names a handler of the receiving node;
// there the handler runs when the program calls the library, and may reply. Who
// waits, polls: nothing happens behind a program's back. So it is in Generic Active
// Messages [hplam, ch. 3] and in JAM [startjr, sec. 3–4], which this library follows:
//
//   - [Endpoint.Request] and [Message.Reply] carry words, [Endpoint.Medium] data that is
//     valid while the handler runs, [Endpoint.Store] and [Endpoint.Get] data into and out
//     of a registered segment, cut at the largest transfer of the platform.
//   - A request whose handler does not reply is answered by the library: a reply
//     returns the credit that its request took.
//   - A reply handler must not request, and a request handler only reply: an error,
//     since it would be a deadlock.
//   - [Endpoint.Send] is the message of systems without replies (CLIP, the Myricom API).
//
// Below is a [Port], which moves packets from node to node and keeps the time: package
// virtual has simulated ones on a virtual clock. What a port may do
// wrong (lose, repeat, reorder, corrupt), the endpoint finds by sequence numbers and
// checksums; with [Options.Retry] it mends that too, and without it counts it in [Stats].
//
// A reader starts with port.go and endpoint.go; bulk.go cuts data, retry.go mends
// losses, programs/ has the benchmark suite.
//
// # References
//
//	[hplam]    Krumbein. Generic Active Messages on HP 9000/J200 and Myrinet. Master's report, UC Berkeley, 1996.
//	[startjr]  Hoe, Ehrlich. START-JR: A Parallel System from Commodity Technology. MIT CSG Memo 384, 1996.
//	[mpc]      MPC parallel computer: PUT, SLR and MPI-MPC. LIP6, Paris, about 2000.
package engine
