package machine

import (
	"fmt"
	"strconv"
	"strings"
)

// A Topology is a network of the inner units of a level. The route of a message depends on its two
// units alone. With the zero value, all units are equally far apart.
//
//   - "torus 4 4 2": sizes by dimension, the first one of neighbouring units. A message corrects
//     one dimension after another, each the shorter way round.
//   - "dragonfly 2 4 2 1": groups, chassis in a group, routers in a chassis, units of a router
//     (Kim, Dally, Scott, Abts 2008; chassis as in Cray's Cascade, Faanes and others 2012). Routers
//     of a chassis are linked, as are those of one position in all chassis of a group. Router g of
//     the first chassis has the link to group g. Routes are minimal.
type Topology struct {
	kind  string
	sizes []int
}

// ParseTopology reads a topology such as "torus 4 4". The number of routers in a chassis of a
// dragonfly must be at least that of groups.
func ParseTopology(text string) (Topology, error) {
	words := strings.Fields(text)
	var t Topology
	units := 1
	for i, word := range words {
		if i == 0 {
			t.kind = word
			continue
		}
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 || n > MaxCores/units {
			return t, fmt.Errorf("must have sizes of at least 1 with blanks between them, "+
				"as in \"torus 4 4\", for at most 2^30 units (got %q)", text)
		}
		t.sizes, units = append(t.sizes, n), units*n
	}
	switch {
	case t.kind == "torus" && len(t.sizes) > 0:
	case t.kind == "dragonfly" && len(t.sizes) == 4:
		if t.sizes[2] < t.sizes[0] {
			return t, fmt.Errorf("%q has %d groups, so a chassis must have as many routers "+
				"(got %d)", text, t.sizes[0], t.sizes[2])
		}
	default:
		return t, fmt.Errorf("must be \"torus X Y …\" or "+
			"\"dragonfly GROUPS CHASSIS ROUTERS UNITS\" (got %q)", text)
	}
	return t, nil
}

// MaxCores bounds the cores of a machine, so that products of arities cannot overflow. The largest
// machines have some 10 million cores.
const MaxCores = 1 << 30

// UnmarshalText is [ParseTopology].
func (t *Topology) UnmarshalText(text []byte) (err error) {
	*t, err = ParseTopology(string(text))
	return err
}

// String returns the text that ParseTopology reads; "" for none.
func (t Topology) String() string {
	return strings.TrimSpace(t.kind + " " + strings.Trim(fmt.Sprint(t.sizes), "[]"))
}

// Units returns the number of units that the topology connects; 1 for the zero value.
func (t Topology) Units() int {
	units := 1
	for _, n := range t.sizes {
		units *= n
	}
	return units
}

// Links returns the number of links; each direction is a link of its own.
func (t Topology) Links() int {
	units := t.Units()
	if t.kind != "dragonfly" {
		return 2 * len(t.sizes) * units
	}
	// Each unit has a link up and one down. Each router has a number for a link to each router of
	// its chassis and to each chassis (its own included, unused), and one to another group.
	routers := units / t.sizes[3]
	return 2*units + routers*(t.sizes[2]+t.sizes[1]+1)
}

// A LinkClass is a kind of links of a topology, which may have another speed.
type LinkClass int

// Classes of links. All links of a torus are UnitLinks.
const (
	UnitLinks   LinkClass = iota // of units: up to their routers and down, or to neighbours
	LocalLinks                   // between routers of a group
	GlobalLinks                  // between groups
)

// HasRouters reports whether units are linked to routers, so that there are links of all classes.
func (t Topology) HasRouters() bool { return t.kind == "dragonfly" }

// Class returns the class of a link.
func (t Topology) Class(link int) LinkClass {
	if t.kind != "dragonfly" || link < 2*t.Units() {
		return UnitLinks
	}
	routers := t.Units() / t.sizes[3]
	if link < 2*t.Units()+routers*(t.sizes[2]+t.sizes[1]) {
		return LocalLinks
	}
	return GlobalLinks
}

// Route returns the links from unit a to another unit b, in order, as numbers below Links.
func (t Topology) Route(a, b int) (links []int) {
	if t.kind == "dragonfly" {
		return t.dragonflyRoute(a, b)
	}
	stride := 1
	for dim, n := range t.sizes {
		x, y := a/stride%n, b/stride%n
		step := 1
		if (y-x+n)%n > n/2 {
			step = n - 1 // backwards: the way round is shorter
		}
		for x != y {
			links = append(links, 2*(a*len(t.sizes)+dim)+min(step-1, 1))
			to := (x + step) % n
			a, x = a+(to-x)*stride, to
		}
		stride *= n
	}
	return links
}

// dragonflyRoute numbers the links of units before those within chassis, then those across the
// chassis of a group, then those between groups.
func (t Topology) dragonflyRoute(a, b int) (links []int) {
	units := t.Units()
	chassis, positions, each := t.sizes[1], t.sizes[2], t.sizes[3]
	routers := units / each
	within := 2 * units // the first link inside a chassis; up and down of each unit come before
	across := within + routers*positions
	global := across + routers*chassis
	at, goal := a/each, b/each
	toPosition := func(p int) {
		if at%positions != p {
			links = append(links, within+at*positions+p)
			at += p - at%positions
		}
	}
	toChassis := func(c int) {
		if from := at / positions % chassis; from != c {
			links = append(links, across+at*chassis+c)
			at += (c - from) * positions
		}
	}
	links = append(links, a)
	if g, h := at/positions/chassis, goal/positions/chassis; g != h {
		toPosition(h)
		toChassis(0)
		links = append(links, global+at)
		at = h*chassis*positions + g
	}
	toPosition(goal % positions)
	toChassis(goal / positions % chassis)
	return append(links, units+b)
}

// minLinks returns the number of links between the closest units: neighbours in a torus; in a
// dragonfly two units of a router (up, down) or, with one unit each, of linked routers.
func (t Topology) minLinks() int {
	switch {
	case t.kind != "dragonfly":
		return 1
	case t.sizes[3] > 1:
		return 2
	}
	return 3
}

// Extra returns the number of links from unit a to unit b beyond that between the closest units.
func (t Topology) Extra(a, b int) int { return max(len(t.Route(a, b))-t.minLinks(), 0) }
