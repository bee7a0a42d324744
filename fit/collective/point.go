package collective

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// ErrNoFit is wrapped by the errors of [Fit] about data that cannot be fitted.
var ErrNoFit = errors.New("cannot be fitted")

// A Point is a measured call, or one repeat of it.
type Point struct {
	Ranks   int             // at least 2
	PerNode int             // ranks on each node; 0 if not known
	Size    quantity.Bytes  // in bytes, from 0, as in the call's argument: see [engine.Call]
	Time    quantity.Micros // above 0
	// Count is the number of repeats behind the time, from 1; Deviation is their standard deviation
	// over the time, 0 with one.
	Count     int64
	Deviation float64
}

// Data is one collective as measured, by one algorithm or by the library's choice.
type Data struct {
	Collective string // as in the registry: allreduce, bcast, …
	Algorithm  string // of the registry; empty: searched
	Statistic  Statistic
	Points     []Point
}

// byCall orders points by ranks, ranks on a node, and size.
func byCall(a, b Point) int {
	return cmp.Or(cmp.Compare(a.Ranks, b.Ranks), cmp.Compare(a.PerNode, b.PerNode), cmp.Compare(a.Size, b.Size))
}

// repeats returns the number of repeats whose deviation is known, or 1 if the file gives only a
// mean.
func (p Point) repeats() float64 {
	if p.Deviation == 0 {
		return 1
	}
	return float64(max(1, p.Count))
}

// Repeated returns the point of a call from those of its repeats: the median of their times, which
// a disturbed repeat does not move, with the number of repeats and their deviation.
func Repeated(all []Point) (p Point) {
	if p = all[0]; len(all) == 1 {
		return p
	}
	var times []float64
	var count, sum, squares float64
	for _, o := range all {
		k, t := o.repeats(), float64(o.Time)
		times, count, sum = append(times, t), count+k, sum+k*t
		squares += k*t*t + (k-1)*(o.Deviation*t)*(o.Deviation*t)
	}
	center := stats.Median(times)
	p.Time, p.Count = quantity.Micros(center), int64(count)
	p.Deviation = math.Sqrt(max(0, squares-sum*sum/count)/(count-1)) / center
	return p
}

// A Placement says where the ranks of a call run: PerNode on each node, the last node with the
// rest. PerNode is 0 if it is not known.
type Placement struct{ Ranks, PerNode int }

// Nodes returns the number of nodes, 0 if the placement is not known.
func (p Placement) Nodes() int {
	if p.PerNode == 0 {
		return 0
	}
	return (p.Ranks + p.PerNode - 1) / p.PerNode
}

func (p Point) placement() Placement { return Placement{p.Ranks, p.PerNode} }

func (p Point) place() place { return p.placement().place() }

func (p Placement) place() place {
	if nodes := p.Nodes(); nodes > 1 {
		return place{float64(p.Ranks), float64(nodes)}
	}
	return place{float64(p.Ranks), float64(p.Ranks)}
}

// A place is a placement as forms take it. Ranks that are all on one node, or whose nodes are not
// known, count as nodes of one rank each.
type place struct{ ranks, nodes float64 }

// perNode returns the ranks on each node.
func (p place) perNode() float64 { return p.ranks / p.nodes }

func (p place) ofNodes() float64 { return p.nodes }

// comparePlaces orders places by nodes and ranks.
func comparePlaces(a, b place) int {
	return cmp.Or(cmp.Compare(a.nodes, b.nodes), cmp.Compare(a.ranks, b.ranks))
}

func percent(v float64) string {
	return fmt.Sprintf("%.*f %%", max(0, 1-int(math.Log10(max(1, 100*v)))), 100*v)
}
