// Package memory makes large slices, and prefetches, for programs that jump about in hundreds of
// megabytes.
package memory

// Make returns a cleared slice of length n. If it is large, the system may map it in huge pages,
// which are touched for the first time and found in less time.
func Make[T any](n int) []T {
	s := make([]T, n)
	advise(s)
	return s
}
