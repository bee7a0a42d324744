// Package programs contains the benchmark programs: HP-LAM's suite (§4.1), CLIP's one-way runs, and
// programs that time the stages of a packet's path. [All] lists them.
//
// A program runs on all nodes, as any program of package engine does, and uses the endpoint's
// clock. Node 0 returns the result, which is empty on other nodes. If a program measures two nodes,
// the other nodes return immediately and only serve requests, since a barrier would add messages.
package programs
