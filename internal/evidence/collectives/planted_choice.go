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
	random := rand.New(rand.NewPCG(43, seed))
	c := newCluster(kind, random)
	c.known = true
	var group []series
	for _, algorithm := range algorithms {
		c.algorithm = algorithm
		var nodes []int
		for i := range counts + 3 {
			nodes = append(nodes, c.first<<i)
		}
		group = append(group, c.campaign(nodes, 1, random))
	}
	last := c.first << (counts - 1)
	in := func(p fitted.Point) bool { return nodes(p) <= last }
	l.choose(group, in, func(p fitted.Point) bool { return !in(p) })
}
