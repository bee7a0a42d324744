// Package memory allocates large slices, and prefetches, for programs with random access to
// hundreds of megabytes.
package memory

// Make returns a cleared slice of length n. If it is large, the system may map it in huge pages,
// which are faster to touch and to look up.
func Make[T any](n int) []T {
	s := make([]T, n)
	advise(s)
	return s
}
