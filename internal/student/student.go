// Package student knows Student's t distribution.
package student

import (
	"math"
	"sync"

	"gonum.org/v1/gonum/stat/distuv"
)

// T is the 97.5 % quantile of Student's t with ν degrees of freedom, ν ≥ 1 and not always whole:
// the half width of a two-sided 95 % interval in standard errors. Fewer than 1 count as 1, for
// which it is 12.7.
//
// It takes longer than most of what it is for, so those of whole numbers are kept; there are as
// many as numbers of points.
func T(dof float64) float64 {
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

var known sync.Map // of float64
