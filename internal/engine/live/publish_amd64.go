//go:build linux && amd64 && !race

package live

// publish stores v after everything that was stored before: a node that sees v sees all of it. The
// processor keeps stores in order, and the compiler does not move them across a call that it does
// not inline. An atomic store would do more: it would wait until all stores have left the store
// buffer, that is, for a cache line which the other node has.
//
//go:noinline
func publish(to *uint32, v uint32) { *to = v }
