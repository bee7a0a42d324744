package fleet

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"sort"

	"github.com/halfpeak/halfpeak/internal/stats"
	"gonum.org/v1/gonum/stat/distuv"
)

// degrees lists the degrees of freedom that are tried for the residuals. The last one stands for
// a normal distribution. They are dense at the heavy end, where one degree more or less changes a
// p-value by factors.
var degrees = [...]float64{2, 2.5, 3, 4, 5, 7, 10, 20, 2 * stats.MaxDegrees}

// tails describes how heavy the tails of the residuals are: the log-likelihood of
// each of degrees, from all residuals, and the share of each unit in it. The
// distributions have the same quartiles. A normal law would call one of ten pairs of
// any real fleet slow; one heavy law for all fleets would miss the faults of a quiet
// one.
type tails struct {
	all [len(degrees)]float64
	// Of each unit apart, so that a unit can be tested against the tails of all other units.
	of     map[string]*[len(degrees)]float64 // by pair, node or curve, over all groups
	sizes  []sized                           // of all residuals, sorted
	weight float64                           // of a residual, for what units' residuals share
}

// A sized is the absolute residual of a unit, in standard deviations.
type sized struct {
	z   float64
	key string
}

// minOneSided is the number of residuals at or above which only those of the slow side estimate its
// tail: pairs within a rack are fast, and not noise.
const minOneSided = 400

// tailsOf returns the tails of a quantity over all groups. Groups are put together
// because each alone has too few residuals to show its tails; their residuals are in
// units of their own scales. If odd is set, both sides count, since faster units are
// tested as well.
func tailsOf(models []*model, q Quantity, odd bool) *tails {
	t := &tails{of: map[string]*[len(degrees)]float64{}}
	n := 0
	for _, m := range models {
		if m.quantity == q {
			n += len(m.units)
		}
	}
	signed := map[string][]float64{}
	for _, m := range models {
		if m.quantity != q || len(m.units) < minUnits {
			continue
		}
		for i, u := range m.units {
			if odd || n < minOneSided || m.z[i] >= 0 {
				signed[u.key] = append(signed[u.key], m.z[i])
			}
		}
	}
	t.weight = 1 / designEffect(signed)
	for _, key := range slices.Sorted(maps.Keys(signed)) {
		for _, z := range signed[key] {
			t.add(key, z)
		}
	}
	slices.SortFunc(t.sizes, func(a, b sized) int { return cmp.Compare(a.z, b.z) })
	return t
}

// designEffect returns how many residuals of a unit say as much about the tails as one independent
// residual: 1 + (k−1)ρ for k residuals of a unit whose mean correlation is ρ (Kish 1965,
// §5.4). A pair that one night disturbs is off in place and out of place, and with 4 ranks as with
// 8.
func designEffect(byUnit map[string][]float64) float64 {
	var cross, within, count, squares float64
	for _, key := range slices.Sorted(maps.Keys(byUnit)) { // sums depend on the order
		sum, sum2, k := 0.0, 0.0, float64(len(byUnit[key]))
		for _, z := range byUnit[key] {
			z = min(max(z, -3), 3) // one pair may not set the correlation
			sum, sum2 = sum+z, sum2+z*z
		}
		cross, within = cross+sum*sum-sum2, within+(k-1)*sum2
		count, squares = count+k, squares+k*k
	}
	if within == 0 {
		return 1
	}
	return 1 + (squares/count-1)*max(0, cross/within)
}

// add takes a residual of a unit, in robust standard deviations.
func (t *tails) add(key string, z float64) {
	own := t.of[key]
	if own == nil {
		own = new([len(degrees)]float64)
		t.of[key] = own
	}
	// Where nothing scatters a residual is infinite, and one infinite residual would make every
	// log-likelihood −∞.
	z = min(math.Abs(z), 1e6)
	t.sizes = append(t.sizes, sized{z, key})
	for k, nu := range degrees {
		// The scale of z is robust, so it fits the quartiles of a distribution and not its
		// variance, which t with two degrees does not have. With the same quartiles for all, only
		// the tails are compared.
		x := z * quartiles[k]
		v := math.Log(quartiles[k]) - x*x/2 - 0.5*math.Log(2*math.Pi)
		if nu <= stats.MaxDegrees {
			v = math.Log(quartiles[k]) + normalisers[k] - (nu+1)/2*math.Log1p(x*x/nu)
		}
		own[k] += t.weight * v
		t.all[k] += t.weight * v
	}
}

// quartiles has the quartile of each Student's t distribution over that of a normal one, and
// normalisers the logarithm of each density at 0.
var quartiles, normalisers = func() (q, n [len(degrees)]float64) {
	for k, nu := range degrees {
		a, _ := math.Lgamma((nu + 1) / 2)
		b, _ := math.Lgamma(nu / 2)
		q[k] = stats.StudentQuantile(0.25, nu) / distuv.UnitNormal.Quantile(0.75)
		n[k] = a - b - 0.5*math.Log(nu*math.Pi)
	}
	return q, n
}()

// weights returns the probability of each of degrees, which are equally likely a priori: given the
// residuals of all other units, and that one more residual exceeds the largest of them below z.
// Without that condition, tails that have lost their largest residual would look lighter than they
// are.
func (t *tails) weights(key string, z float64) (w [len(degrees)]float64) {
	w = t.all
	if own := t.of[key]; own != nil {
		// The largest residual of another unit that is smaller than z.
		below := sort.Search(len(t.sizes), func(i int) bool { return t.sizes[i].z >= z }) - 1
		for below >= 0 && t.sizes[below].key == key {
			below--
		}
		for k := range w {
			w[k] -= own[k]
			if below >= 0 {
				tail := stats.StudentTail(t.sizes[below].z*quartiles[k], degrees[k])
				w[k] += math.Log(max(tail, math.SmallestNonzeroFloat64)) // not of 0
			}
		}
	}
	// Log-likelihoods of thousands of residuals are far below the smallest exponent of a float, so
	// the largest one is subtracted before exp.
	most, sum := slices.Max(w[:]), 0.0
	for k := range w {
		w[k] = math.Exp(w[k] - most)
		sum += w[k]
	}
	for k := range w {
		w[k] /= sum
	}
	return w
}

// exceeds returns the probability of a deviation of at least z robust standard
// deviations by chance: the mean over degrees. Below one standard deviation it does
// not look at the weights: that is most of the units, and none of them is a finding.
func (t *tails) exceeds(key string, z float64) (p float64) {
	if z < 1 {
		return stats.StudentTail(z, 2*stats.MaxDegrees) // far from significance
	}
	return mean(t.weights(key, z), z)
}

// mean returns the probability of a deviation of at least z, given weights of degrees.
func mean(weights [len(degrees)]float64, z float64) (p float64) {
	for k, w := range weights {
		if w > 0 {
			p += w * stats.StudentTail(z*quartiles[k], degrees[k])
		}
	}
	return p
}

// quantile returns the deviation that is exceeded with probability p, with the weights for a unit
// of deviation z.
func (t *tails) quantile(key string, z, p float64) float64 {
	w := t.weights(key, math.Abs(z))
	low, high := 0.0, 1e6
	// 1e6/2⁶⁰ is below 1e-12: the bracket is exact to a float's digits for any deviation that
	// matters.
	for range 60 {
		if mid := (low + high) / 2; mean(w, mid) > p {
			low = mid
		} else {
			high = mid
		}
	}
	return high
}

// typical returns the degrees of freedom with the mean of 1/ν. The mean is of the inverse, since
// 1/ν is 0 for a normal distribution and grows with the weight of the tails. 200 degrees stand for
// a normal distribution, for which the inverse would be infinite.
func (t *tails) typical() float64 {
	inverse := 0.0
	for k, w := range t.weights("", 0) {
		if degrees[k] <= stats.MaxDegrees {
			inverse += w / degrees[k]
		}
	}
	return min(1/inverse, 200)
}
