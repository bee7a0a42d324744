//go:build linux && amd64 && !race

package live

// publish stores v so that a node that sees it also sees what was stored before. The processor
// keeps stores in order, and the compiler keeps them before a call; an atomic store would also wait
// until all of them have left the store buffer, here for a cache line that the other node has.
//
//go:noinline
func publish(to *uint32, v uint32) { *to = v }
