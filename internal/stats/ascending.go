package stats

import (
	"cmp"
	"slices"
)

// Ascending returns the values in ascending order, each once.
func Ascending[T cmp.Ordered](values []T) []T {
	return slices.Compact(slices.Sorted(slices.Values(values)))
}

// Doubled returns the sizes with every power of two between them, in ascending order.
func Doubled[T ~float64](sizes []T) []T {
	all := Ascending(sizes)
	for n := T(1); len(all) > 1 && n < all[len(all)-1]; n *= 2 {
		if n > all[0] {
			all = append(all, n)
			slices.Sort(all)
		}
	}
	return Ascending(all)
}
