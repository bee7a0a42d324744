package stats

import (
	"cmp"
	"slices"
)

// Ascending is the values in order, each once.
func Ascending[T cmp.Ordered](values []T) []T {
	return slices.Compact(slices.Sorted(slices.Values(values)))
}
