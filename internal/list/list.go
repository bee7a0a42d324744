// Package list has what package slices lacks: a map of a slice, and a priority queue.
package list

import "slices"

// Map returns the results of the function for all values, in their order; nil if there are none.
func Map[T, R any](all []T, of func(T) R) (results []R) {
	results = slices.Grow(results, len(all))
	for _, v := range all {
		results = append(results, of(v))
	}
	return results
}
