// Package engine is an active-message library: small, but real.
//
// A parallel program runs the same function on every node, each with an [Endpoint] of its own. A
// node sends a request that names a handler of the receiving node; the handler runs there when the
// program calls the library, and may reply. A program that waits polls the library; handlers run
// only inside its calls. The library follows Generic Active Messages [hplam, ch. 3] and JAM
// [startjr, sec. 3–4]:
//
//   - [Endpoint.Request] and [Message.Reply] carry words, [Endpoint.Medium] data that is valid
//     while the handler runs. [Endpoint.Store] and [Endpoint.Get] carry data into and out of a
//     registered segment, cut at the largest transfer of the platform.
//   - The library replies to a request whose handler does not: a reply returns the credit that its
//     request took.
//   - A request handler may only reply, and a reply handler may send nothing. Anything else is an
//     error, since it could deadlock.
//   - [Endpoint.Send] is the message of systems without replies (CLIP, the Myricom API).
//
// Below the endpoint is a [Port], which moves packets from node to node and keeps the time:
// package virtual simulates them on a virtual clock, and package live has real ones. A port may
// lose, repeat or reorder packets, which the endpoint detects by sequence numbers, and may damage
// them, which [Options.Checksums] detect. With [Options.Retry] the endpoint repairs all of that;
// otherwise [Stats] count it.
//
// Start reading with port.go, options.go and endpoint.go. A packet's way out is packet.go, its way
// in receive.go and segment.go; retry.go repairs losses, wait.go polls and limits the requests
// under way. The calls of a program are in send.go, bulk.go and reply.go; New and the library's own
// handlers in handlers.go. programs/ has the benchmark suite.
//
// # References
//
//	[hplam]    Krumbein. Generic Active Messages on HP 9000/J200 and Myrinet. Master's report,
//	           UC Berkeley, 1996.
//	[startjr]  Hoe, Ehrlich. START-JR: A Parallel System from Commodity Technology.
//	           MIT CSG Memo 384, 1996.
//	[mpc]      MPC parallel computer: PUT, SLR and MPI-MPC. LIP6, Paris, about 2000.
package engine
