// Package live runs the programs of package engine on two nodes and the real transports between
// them: rings in shared memory, Unix and TCP sockets, UDP datagrams.
//
// Each transport is an [engine.Port]. The endpoint above it, with its credits, checksums and
// retry, is the one that also runs on the virtual clock; this package only moves frames and reads
// the clock:
//
//   - layout.go, ring.go: shared memory. A ring of slots goes from each node to the other, with a
//     single writer, a single reader and no locks. A slot is two cache lines, and valid when the
//     number in it is the expected one, as in FUNI's receive queue: the reader polls a line that
//     stays in its cache until a message comes. Up to 16 bytes travel in the line of the header, up
//     to 64 in the slot, and up to 256 beside it. More travel in a block of the sender, which the
//     slot names, so that data is copied once into shared memory and once out of it.
//   - wire.go, socket.go, stream.go: sockets (datagrams too), with a header of 72 bytes before the
//     data. A node polls its socket, and sleeps if nothing comes. A stream writes from the
//     program's memory and reads into the segment.
//   - control.go, pair.go: two processes and their control channel; serve.go: two machines.
//   - job.go: the measurements; bench.go: their repetition and intervals.
//
// Packets have checksums on UDP, and elsewhere only if a [Job] asks for them: memory and the
// kernel's streams are reliable.
//
// Shared memory has no name. The other process gets it as a file descriptor, so nothing is left
// behind when both are killed.
package live
