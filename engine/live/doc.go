// Package live runs the programs of package engine on real transports of this machine: rings in
// shared memory, Unix and TCP sockets, UDP datagrams.
//
// All are a [engine.Port]: the endpoint, its credits and checksums, its retry on UDP, are those that run
// on the virtual clock. Here only frames are moved and real time is told:
//
//   - ring.go: shared memory. From each node to each other goes a ring of slots of two cache lines,
//     written by one and read by one, without locks. A slot is valid when the number in it is the
//     expected one, as in FUNI's receive queue, so the reader polls a line that it has in its cache
//     until a message comes. Up to 16 bytes travel with the header in one line, up to 64 in the slot; more in a block of the
//     sender's that the slot names, so that the data is copied once into and once out of shared memory.
//   - wire.go, stream.go, datagram.go: a header of 72 bytes before the data. Sockets are polled, and
//     slept on when nothing comes. A stream writes from the program's memory and reads into the segment.
//   - pair.go: two processes and what they tell each other beside the messages; serve.go: two machines.
//   - suite.go, stages.go, signature.go: what is measured; bench.go: how, with intervals.
//
// Credits of requests without a reply come back half of them at a time. Packets have a checksum on UDP, and
// elsewhere if [Options] ask for it: memory and the kernel's streams deliver what was sent.
//
// Shared memory has no name: it is handed to the other process as a file descriptor, so
// nothing is left behind when both are killed.
package live
