package main

import (
	"fmt"
	"math/rand/v2"
)

// mostRanks bounds the ranks of a drawn platform: SMPI runs all of them on one processor.
const mostRanks = 36

// draw returns a platform of each kind, whose shape and links are drawn. A seed that nobody has
// tried gives platforms that nobody has looked at.
func draw(seed uint64) []platform {
	d := drawing{rand.New(rand.NewPCG(seed, 0))}
	return []platform{d.twoLevels(), d.threeLevels(), d.torus(), d.dragonfly(), d.backbone(),
		d.farApart()}
}

type drawing struct{ *rand.Rand }

func (d drawing) between(least, most int) int { return least + d.IntN(most-least+1) }

// links returns the attributes of links, and their name.
func (d drawing) links() (attributes, name string) {
	speed := []string{"3", "6", "12.5", "25"}[d.IntN(4)]
	latency := d.between(1, 15) * 100
	return fmt.Sprintf(`bw="%sGBps" lat="%dns"`, speed, latency),
		fmt.Sprintf("%s GB/s, %.1f µs", speed, float64(latency)/1000)
}

func (d drawing) twoLevels() platform {
	down, leaves := d.between(3, 8), d.between(3, 6)
	for down*leaves > mostRanks {
		down, leaves = d.between(3, 8), d.between(3, 6)
	}
	up := d.between(1, down)
	p := platform{nodes: down * leaves, perNode: d.between(1, mostRanks/(down*leaves)),
		topology: fatTree(fmt.Sprintf("2;%d,%d;1,%d;1,1", down, leaves, up))}
	return d.named(p, "fat tree %d × %d, %d uplinks", down, leaves, up)
}

func (d drawing) threeLevels() platform {
	sizes := d.sizes(3, 2, 4)
	first, second := d.between(1, sizes[0]), d.between(1, sizes[1])
	p := platform{nodes: product(sizes), perNode: 1,
		topology: fatTree(fmt.Sprintf("3;%d,%d,%d;1,%d,%d;1,1,1", sizes[0], sizes[1], sizes[2],
			first, second))}
	return d.named(p, "fat tree %d × %d × %d, %d and %d uplinks", sizes[0], sizes[1], sizes[2],
		first, second)
}

func (d drawing) torus() platform {
	sizes := d.sizes(d.between(2, 4), 2, 5)
	var parameters, name string
	for i, n := range sizes {
		if i > 0 {
			parameters, name = parameters+",", name+" × "
		}
		parameters, name = parameters+fmt.Sprint(n), name+fmt.Sprint(n)
	}
	p := platform{nodes: product(sizes), perNode: 1, topology: torus(parameters)}
	return d.named(p, "torus %s", name)
}

func (d drawing) dragonfly() platform {
	for {
		groups, chassis, hosts := d.between(2, 5), d.between(1, 2), d.between(1, 3)
		routers := groups + d.IntN(3) // one for each group at least
		n := groups * chassis * routers * hosts
		if n > mostRanks {
			continue
		}
		global, local := d.between(1, 2), d.between(1, 2)
		p := platform{nodes: n, perNode: 1, topology: dragonfly(fmt.Sprintf("%d,%d;%d,1;%d,%d;%d",
			groups, global, chassis, routers, local, hosts))}
		return d.named(p, "dragonfly %d × %d × %d × %d, %d and %d links", groups, chassis, routers,
			hosts, global, local)
	}
}

func (d drawing) backbone() platform {
	nodes, perNode := d.between(4, 12), d.between(2, 3)
	speed, loopback := d.between(10, 40), d.between(10, 100)
	p := platform{nodes: nodes, perNode: perNode, loopback: fmt.Sprintf("%dGBps", loopback),
		topology: fmt.Sprintf(`bb_bw="%dGBps" bb_lat="%dns"`, speed, 100*d.between(1, 10))}
	return d.named(p, "backbone of %d GB/s, loopback of %d", speed, loopback)
}

func (d drawing) farApart() platform {
	clusters, nodes := d.between(2, 4), d.between(3, 8)
	speed, latency := float64(d.between(1, 10))/2, 10*d.between(1, 50)
	p := d.named(platform{nodes: clusters * nodes, perNode: 1},
		"%d clusters of %d over %g GB/s, %d µs", clusters, nodes, speed, latency)
	p.zone = farApart(clusters, nodes, p.links,
		fmt.Sprintf(`bandwidth="%gGBps" latency="%dus"`, speed, latency))
	return p
}

// named gives a platform links and a name.
func (d drawing) named(p platform, format string, args ...any) platform {
	links, of := d.links()
	p.links, p.name = links, fmt.Sprintf(format, args...)+"; "+of
	return p
}

// sizes returns n sizes from least to most, for 8 ranks at least.
func (d drawing) sizes(n, least, most int) (sizes []int) {
	for product(sizes) < 8 || product(sizes) > mostRanks {
		sizes = sizes[:0]
		for range n {
			sizes = append(sizes, d.between(least, most))
		}
	}
	return sizes
}

func product(sizes []int) int {
	n := 1
	for _, size := range sizes {
		n *= size
	}
	return n
}
