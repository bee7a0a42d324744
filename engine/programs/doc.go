// Package programs contains the benchmark programs: HP-LAM's suite (§4.1), CLIP's one-way runs, and
// programs that time the stages of a packet's path. [All] lists them.
//
// A program runs on all nodes, as any program of package engine does, and uses the endpoint's
// clock. Node 0 returns the result; it is empty on other nodes. A program that measures two nodes
// returns on the rest at once, and these only serve: a barrier would add messages.
package programs
