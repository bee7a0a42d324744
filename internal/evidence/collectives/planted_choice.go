package main

import (
	"fmt"
	"io"
	"math/rand/v2"

	fitted "github.com/halfpeak/halfpeak/fit/collective"
)

// plantedChoices writes the losses on simulated clusters, whose four algorithms are known and
// measured on one to four numbers of nodes.
func plantedChoices(w io.Writer) {
	fmt.Fprintln(w, "\n"+choiceHeading)
	for k, kind := range kinds {
		for counts := 1; counts <= 4; counts++ {
			l := &losses{}
			for i := range 2 * clusters { // losses vary more than times
				l.planted(kind, counts, uint64(100*k+i))
			}
			l.write(w, kind, "allreduce", fmt.Sprintf("%d numbers of nodes", counts))
		}
	}
}

// planted chooses among the algorithms of one cluster beyond the measured numbers of nodes.
func (l *losses) planted(kind string, counts int, seed uint64) {
	group, nodesOf := plantedGroup(kind, counts, rand.New(rand.NewPCG(43, seed)))
	in := func(p fitted.Point) bool { return nodes(p) <= nodesOf[counts-1] }
	l.choose(group, in, func(p fitted.Point) bool { return !in(p) })
}

// plantedGroup returns the campaigns of all algorithms on a cluster. The numbers of nodes double:
// counts of them, and three more.
func plantedGroup(kind string, counts int, random *rand.Rand) (group []series, nodes []int) {
	c := newCluster(kind, random)
	c.known = true
	for i := range counts + 3 {
		nodes = append(nodes, c.first<<i)
	}
	for _, algorithm := range algorithms {
		c.algorithm = algorithm
		group = append(group, c.campaign(nodes, 1, random))
	}
	return group, nodes
}
