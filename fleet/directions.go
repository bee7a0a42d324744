package fleet

import (
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/stats"
)

// fitDirections fits each node as a sender and as a receiver, if pairs were measured in both
// directions. It returns nil unless a node differs between the two beyond chance. Nodes that do not
// differ have one effect.
func fitDirections(n int, links []link) (*twoWay, []effect) {
	if n < leastNodes || !slices.ContainsFunc(links, func(l link) bool { return l.a > l.b }) {
		return nil, nil // the usual fleet has each pair once, in the order of names
	}
	there := map[[2]int]bool{}
	for _, l := range links {
		there[[2]int{l.a, l.b}] = true
	}
	both := 0
	apart := make([]link, len(links)) // node a as a sender is a, as a receiver n+a
	for i, l := range links {
		if apart[i] = (link{l.a, n + l.b, l.y}); there[[2]int{l.b, l.a}] {
			both++
		}
	}
	if 2*both < len(links) {
		return nil, nil
	}
	f := fitTwoWay(2*n, apart)
	var nodes []int
	var differences, errors []float64
	for a := range n {
		if f.known[a] && f.known[n+a] {
			nodes = append(nodes, a)
			differences, errors = append(differences, f.u[a]-f.u[n+a]), append(errors, math.Hypot(f.se[a], f.se[n+a]))
		}
	}
	if len(nodes) < leastNodes {
		return nil, nil
	}
	var all []effect
	least := 1.0
	z, scales := standardised(differences, errors)
	for k, a := range nodes {
		r := n + a
		p := 2 * float64(len(nodes)) * stats.StudentTail(math.Abs(z[k]), welch(scales[k], errors[k], degreesOf(len(nodes))))
		if least = min(least, p); p > 0.05 {
			all = append(all, effect{a, "", (f.u[a] + f.u[r]) / 2, errors[k] / 2, append(f.of[a], f.of[r]...)})
			continue
		}
		all = append(all, effect{a, "sender", f.u[a], f.se[a], f.of[a]}, effect{a, "receiver", f.u[r], f.se[r], f.of[r]})
	}
	if least > blockLevel {
		return nil, nil
	}
	return f, all
}
