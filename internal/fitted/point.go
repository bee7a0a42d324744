package fitted

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	engine "github.com/halfpeak/halfpeak/engine/schedule/collective"
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

// A Statistic is how a measurement combines the times of the ranks. These differ within a call: the
// root of a broadcast is done long before the last rank.
type Statistic string

// The statistics over ranks.
const (
	Average Statistic = "average" // the mean over ranks of the time in the call: OSU's main column
	Slowest Statistic = "slowest" // the time of the slowest rank: OSU's max column
)

// Statistics lists them.
var Statistics = []Statistic{Average, Slowest}

// Data is one collective as measured, by one algorithm or by the library's choice.
type Data struct {
	// Of is the algorithm; the collective alone: the library's choice, which [Fit] searches.
	Of engine.Entry
	// Foreign is the library's name of an algorithm that was forced and that the registry does not
	// have, so that Of has none.
	Foreign string
	// Name distinguishes data of one collective and algorithm: what a file says of it, as in-place
	// or mapby=core, or the name of its table in a platform file.
	Name      string
	Statistic Statistic
	// Groups is the number of groups of so many ranks that called at once on each node; 0 if there
	// was one.
	Groups int
	Points []Point
}

// librarys reports whether the times are those of the library's own choice.
func (d Data) librarys() bool { return d.Of.Name == "" && d.Foreign == "" }

// Label names the data in messages.
func (d Data) Label() string {
	parts := []string{d.Of.Collective}
	switch {
	case d.librarys():
		parts = append(parts, "by the library's choice")
	case d.Foreign == "": // else the algorithm is part of the name
		parts = append(parts, d.Of.Name)
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

// A place is a placement as forms take it: the ranks, and the nodes that they are on.
type place struct{ ranks, nodes float64 }

// perNode returns the ranks on each node.
func (p place) perNode() float64 { return p.ranks / p.nodes }

// count returns the number of nodes, or on one node, of ranks.
func (p place) count() float64 {
	if p.nodes == 1 {
		return p.ranks
	}
	return p.nodes
}

// comparePlaces orders places by nodes and ranks.
func comparePlaces(a, b place) int {
	return cmp.Or(cmp.Compare(a.nodes, b.nodes), cmp.Compare(a.ranks, b.ranks))
}

// maxRanksOfNode is the number of ranks of unknown placement that are taken to be on one node:
// nodes of GPUs have 8.
const maxRanksOfNode = 8

// placeOf returns the place of a placement. Ranks of an unknown placement are taken to be on one
// node if all measured ones can be, and else on a node each.
func (d Data) placeOf(at Placement) place {
	ranks, most := float64(at.Ranks), 0
	for _, p := range d.Points {
		most = max(most, p.Ranks)
	}
	switch {
	case d.perNode() > 0 && at.PerNode > 0:
		return place{ranks, float64(at.nodes())}
	case d.perNode() == 0 && most > maxRanksOfNode:
		return place{ranks, ranks}
	case at.PerNode > 0:
		return place{ranks, float64(at.nodes())}
	}
	return place{ranks, 1}
}

// percent prints a fraction in percent, with one decimal below 10 %.
func percent(v float64) string {
	return fmt.Sprintf("%.*f %%", max(0, 1-int(math.Log10(max(1, 100*v)))), 100*v)
}

// blockwise reports whether the size of a collective is that of one rank's block.
func blockwise(name string) bool { return engine.Entry{Collective: name}.InBlocks() }
