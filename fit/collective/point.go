package collective

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// ErrNoFit is wrapped by the errors of [Fit] about data that cannot be fitted.
var ErrNoFit = errors.New("cannot be fitted")

// A Point is a measured call, or one repeat of it. It is the only type of a measured collective
// time: readers of files make points, and tables of platform files are points.
type Point struct {
	Ranks   int // at least 2
	PerNode int // ranks on each node; 0 if not known
	// Size is at least 0, and as in the call's argument, see [engine.Call]: of the message, or of a
	// rank's block.
	Size quantity.Bytes
	Time quantity.Micros // above 0
	// Count is the number of repeats behind the time, at least 1. Deviation is their standard
	// deviation over the time: 0 with one repeat, or if the file has only their mean.
	Count     int64
	Deviation float64
}

// Data is one collective as measured, by one algorithm or by the library's choice.
type Data struct {
	Collective string // as in the registry: allreduce, bcast, …
	Algorithm  string // of the registry; empty: the library's choice, which [Fit] searches
	// Foreign is the library's name of an algorithm that was forced and that the registry does not
	// have, so that Algorithm is empty.
	Foreign string
	// Name distinguishes data of one collective and algorithm: what a file says of it, as in-place
	// or mapby=core, or the name of its table in a platform file.
	Name      string
	Statistic Statistic
	Points    []Point
}

// librarys reports whether the times are those of the library's own choice.
func (d Data) librarys() bool { return d.Algorithm == "" && d.Foreign == "" }

// Label names the data in messages.
func (d Data) Label() string {
	parts := []string{d.Collective}
	switch {
	case d.librarys():
		parts = append(parts, "by the library's choice")
	case d.Foreign == "": // else the algorithm is part of the name
		parts = append(parts, d.Algorithm)
	}
	if d.Name != "" {
		parts = append(parts, d.Name)
	}
	return strings.Join(append(parts, string(d.Statistic)), ", ")
}

// perNode returns the largest number of ranks on a node that was measured, 0 if no placement is
// known.
func (d Data) perNode() (most int) {
	for _, p := range d.Points {
		most = max(most, p.PerNode)
	}
	return most
}

// placements returns the placements of the points, without repeats where points are sorted by call.
func (d Data) placements() (all []Placement) {
	for _, p := range d.Points {
		all = append(all, p.placement())
	}
	return slices.Compact(all)
}

// byCall orders points by ranks, ranks on a node, and size.
func byCall(a, b Point) int {
	return cmp.Or(cmp.Compare(a.Ranks, b.Ranks), cmp.Compare(a.PerNode, b.PerNode),
		cmp.Compare(a.Size, b.Size))
}

// repeats returns the number of repeats whose deviation is known, or 1 if the file gives only a
// mean.
func (p Point) repeats() float64 {
	if p.Deviation == 0 {
		return 1
	}
	return float64(max(1, p.Count))
}

// byCalls sorts points by call, and returns those of each call.
func byCalls(points []Point) (all [][]Point) {
	points = slices.SortedStableFunc(slices.Values(points), byCall)
	for i, p := range points {
		if i == 0 || byCall(points[i-1], p) != 0 {
			all = append(all, nil)
		}
		last := len(all) - 1
		all[last] = append(all[last], p)
	}
	return all
}

// OnePerCall returns one point for each call, sorted by call. If there are several of a call, each
// counts once, whatever its Count is: of means, a longer run is no better against disturbances.
func OnePerCall(points []Point) (all []Point) {
	for _, same := range byCalls(points) {
		if len(same) > 1 {
			for i := range same {
				same[i].Count, same[i].Deviation = 1, 0
			}
		}
		all = append(all, repeated(same))
	}
	return all
}

// AnotherSetting is the factor between repeats of a call above which they have different settings.
// Two jobs on shared networks differ by up to 1.9 times in the median.
const AnotherSetting = 3

// repeated returns the point of a call from those of its repeats: the median of their times, which
// a disturbed repeat does not move, with the number of repeats and their deviation.
func repeated(all []Point) (p Point) {
	if p = all[0]; len(all) == 1 {
		return p
	}
	var times []float64
	var count, sum, squares float64
	for _, o := range all {
		k, t := o.repeats(), float64(o.Time)
		times = append(times, t)
		count, sum = count+k, sum+k*t
		// k repeats of mean t have the squares k·t² + (k − 1)·deviation².
		deviation := o.Deviation * t
		squares += k*t*t + (k-1)*deviation*deviation
	}
	center := stats.Median(times)
	slices.Sort(times)
	if n := len(times); n%2 == 0 && times[n/2] > AnotherSetting*times[n/2-1] {
		center = times[n/2-1] // their mean is a time of neither setting
	}
	variance := max(0, squares-sum*sum/count) / (count - 1)
	p.Time, p.Count = quantity.Micros(center), int64(count)
	p.Deviation = math.Sqrt(variance) / center
	return p
}

// A Placement says where the ranks of a call run: PerNode on each node, the last node with the
// rest. PerNode is 0 if it is not known.
type Placement struct{ Ranks, PerNode int }

// nodes returns the number of nodes, 0 if the placement is not known.
func (p Placement) nodes() int {
	if p.PerNode == 0 {
		return 0
	}
	return (p.Ranks + p.PerNode - 1) / p.PerNode
}

func (p Point) placement() Placement { return Placement{p.Ranks, p.PerNode} }

func (p Point) place() place { return p.placement().place() }

func (p Placement) place() place {
	if nodes := p.nodes(); nodes > 1 {
		return place{float64(p.Ranks), float64(nodes)}
	}
	return place{float64(p.Ranks), float64(p.Ranks)}
}

// maxRanksOfNode is the number of ranks of unknown placement that are taken to be on one node.
const maxRanksOfNode = 8

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

// percent prints a fraction in percent, with one decimal below 10 %.
func percent(v float64) string {
	return fmt.Sprintf("%.*f %%", max(0, 1-int(math.Log10(max(1, 100*v)))), 100*v)
}
