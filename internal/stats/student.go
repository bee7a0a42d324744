package stats

import (
	"math"
	"sync"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// T95 returns the 97.5 % quantile of Student's t distribution with dof degrees of freedom, which
// need not be whole: the half-width of a two-sided 95 % interval in standard errors. Values of dof
// below 1 count as 1, which gives 12.7.
//
// Quantiles of whole dof are cached: each takes longer than most computations that use it.
func T95(dof float64) float64 {
	dof = max(dof, 1)
	whole := dof == math.Trunc(dof)
	if whole {
		if t, ok := known.Load(dof); ok {
			return t.(float64)
		}
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: dof}.Quantile(0.975)
	if whole {
		known.Store(dof, t)
	}
	return t
}

var known sync.Map // float64 → float64

// MaxDegrees is the number of degrees of freedom above which t is treated as normal.
// There its 97.5 % quantile, 1.9602, is 0.0002 above the normal one.
const MaxDegrees = 1e4

// StudentTail returns the probability that Student's t with nu degrees of freedom exceeds x.
func StudentTail(x, nu float64) float64 {
	if nu > MaxDegrees {
		return 0.5 * math.Erfc(x/math.Sqrt2)
	}
	p := 0.5 * mathext.RegIncBeta(nu/2, 0.5, nu/(nu+x*x)) // Abramowitz and Stegun 1964, 26.7.1
	if x < 0 {
		return 1 - p
	}
	return p
}

// StudentQuantile returns the value that Student's t with nu degrees of freedom exceeds with
// probability p.
func StudentQuantile(p, nu float64) float64 {
	if nu > MaxDegrees {
		return distuv.UnitNormal.Quantile(1 - p)
	}
	return distuv.StudentsT{Sigma: 1, Nu: nu}.Quantile(1 - p)
}
