//go:build amd64 || arm64

package memory

import "unsafe"

// Prefetch brings the cache lines at two addresses into the cache, without waiting for them. The
// addresses may be anything.
//
//go:noescape
func Prefetch(a, b unsafe.Pointer)
