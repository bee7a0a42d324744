package stats

import (
	"cmp"
	"slices"
)

// Ascending returns the values in ascending order, each once.
func Ascending[T cmp.Ordered](values []T) []T {
	return slices.Compact(slices.Sorted(slices.Values(values)))
}
