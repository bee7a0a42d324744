// Package memory allocates large slices, and prefetches, for programs with random access to
// hundreds of megabytes.
package memory

import "unsafe"

// Again returns a cleared slice of length n, in the room of old if that is large enough.
func Again[T any](old []T, n int) []T {
	if cap(old) < n {
		return Make[T](n)
	}
	clear(old[:n])
	return old[:n]
}

// Make returns a cleared slice of length n. If it is large, the system may map it in huge pages,
// which are faster to touch and to look up. A slice that exceeds the limit of [Watch] ends the
// program.
func Make[T any](n int) []T {
	expect(uint64(n) * uint64(unsafe.Sizeof(*new(T))))
	s := make([]T, n)
	advise(s)
	return s
}
