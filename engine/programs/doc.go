// Package programs has the benchmark programs of HP-LAM's suite (§4.1) and the one-way runs of CLIP.
//
// Each runs on all nodes, as any program of package engine does, and knows no clock but the
// endpoint's. The result is that of node 0; on other nodes it is empty. Programs that measure two nodes end
// on the others at once, which then only serve: a barrier would have messages of its own.
package programs
