// Package programs has the benchmark programs: HP-LAM's suite (§4.1), the one-way runs of CLIP, and
// what takes a packet's way apart. [All] is the one list of them.
//
// A program runs on all nodes, as any program of package engine does, and knows no clock but the
// endpoint's. Its result is that of node 0 and empty on the other nodes. A program that measures
// two nodes returns on the others at once, which then only serve: a barrier would add messages.
package programs
