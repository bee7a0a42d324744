package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// randomRanks is the number of ranks of random programs: one on each node of the platforms.
const randomRanks = 16

// A statement is what some ranks do at one place of the program, in both languages.
type statement struct {
	rank    int    // the rank that does it; everybody: all members of comm
	comm    string // its variable, which may be None, for everybody
	star, c string
	swaps   bool // a message, which may change places with the rank's next statement
}

const everybody = -1

// A communicator is a variable of the program. A split makes several groups, each with the same
// name on its own members.
type communicator struct {
	name   string
	groups [][]int // ranks of all by place; nil if only whole groups are used
	grid   int     // dimensions; 0: not a grid
}

// A randomProgram is drawn statement by statement. There is one order of all statements that each
// rank follows, and the send and the receive of a message are neighbours in it, so that it ends in
// any MPI. Waits come later than what they wait for.
type randomProgram struct {
	*rand.Rand
	comms      []communicator
	statements []statement
	unwaited   [randomRanks][]int // requests by rank
	collective bool               // a non-blocking collective is under way
	ids, tags  int
	wild       bool // statements change places: it may deadlock
	seed       uint64
	sizes      []int // of messages
}

// Sizes on both sides of the eager threshold, 64 KiB in SMPI as it is asked here.
var randomSizes = []int{0, 1, 8, 100, 1000, 4096, 10000, 60000, 70000, 131072, 200000}

// eagerSizes is the number of those below.
const eagerSizes = 8

// roomFor returns the room of a receive for any message that SMPI sends by the same protocol.
func roomFor(size int) int {
	if size <= randomSizes[eagerSizes-1] {
		return randomSizes[eagerSizes-1]
	}
	return randomSizes[len(randomSizes)-1]
}

// drawProgram returns the program of a seed.
func drawProgram(seed uint64, statements int, wild bool) *randomProgram {
	g := &randomProgram{Rand: rand.New(rand.NewPCG(seed, 50)), wild: wild, tags: 100,
		seed: seed, sizes: randomSizes}
	if wild { // of one protocol, so that each receive has room for each message
		g.sizes = randomSizes[eagerSizes:]
		if g.IntN(4) == 0 {
			g.sizes = randomSizes[:eagerSizes]
		}
	}
	all := make([]int, randomRanks)
	for i := range all {
		all[i] = i
	}
	g.comms = []communicator{{name: "c0", groups: [][]int{all}}}
	for range 1 + g.IntN(4) {
		g.newCommunicator()
	}
	g.whole("c0", `mpi.barrier(algorithm = "dissemination")`, "begin()")
	g.whole("c0", `mpi.mark("begin")`, "")
	for len(g.statements) < statements {
		switch p := g.IntN(100); {
		case p < 45:
			g.message()
		case p < 60:
			g.computation()
		case p < 78:
			g.collectiveCall()
		case p < 84:
			g.nonBlockingCollective()
		case p < 90:
			g.ring()
		case p < 94:
			g.fanIn()
		case p < 96:
			g.newCommunicator()
		default:
			g.wait(g.IntN(randomRanks))
		}
	}
	g.waitAll()
	if wild {
		g.swap()
	}
	return g
}

func (g *randomProgram) on(rank int, star, c string) {
	g.statements = append(g.statements, statement{rank: rank, star: star, c: c})
}

func (g *randomProgram) messageOn(rank int, star, c string) {
	g.statements = append(g.statements, statement{rank: rank, star: star, c: c, swaps: true})
}

// whole adds a statement of all members of a communicator.
func (g *randomProgram) whole(comm, star, c string) {
	g.statements = append(g.statements, statement{rank: everybody, comm: comm, star: star, c: c})
}

func pick[T any](g *randomProgram, of []T) T { return of[g.IntN(len(of))] }

// newCommunicator makes one of a random one: by split, dup, cart or sub.
func (g *randomProgram) newCommunicator() {
	from := pick(g, g.comms)
	name := fmt.Sprintf("c%d", len(g.comms))
	made := communicator{name: name}
	p := g.IntN(5)
	switch {
	case from.grid > 1 && p < 2:
		// SMPI 3.32 divides by zero in a shift of a part of a grid, so it counts as no grid.
		dim := g.IntN(from.grid)
		g.whole(from.name, fmt.Sprintf("%s = %s.sub([%d])", name, from.name, dim),
			fmt.Sprintf("%s = sub(%s, %d)", name, from.name, dim))
	case p == 0:
		made.groups = from.groups
		g.whole(from.name, fmt.Sprintf("%s = %s.dup()", name, from.name),
			fmt.Sprintf("MPI_Comm_dup(%s, &%s)", from.name, name))
	case p == 1:
		made.grid = 1 + g.IntN(3)
		periods, word := g.IntN(2), "False"
		if periods == 1 {
			word = "True"
		}
		g.whole(from.name, fmt.Sprintf("%s = %s.cart(%d, periods = %s)", name, from.name, made.grid,
			word), fmt.Sprintf("%s = cart(%s, %d, %d)", name, from.name, made.grid, periods))
	default:
		made.groups = g.split(from, name)
	}
	g.comms = append(g.comms, made)
}

// split draws the colors and keys of a split, and returns the groups.
func (g *randomProgram) split(from communicator, name string) [][]int {
	var colors, keys [randomRanks]int // by rank of all, though the split is of fewer
	groups := map[int][]int{}
	parts := 1 + g.IntN(3)
	star := make([]string, randomRanks)
	for i := range randomRanks {
		colors[i], keys[i] = g.IntN(parts+1)-1, g.IntN(9)-4
		if star[i] = fmt.Sprint(colors[i]); colors[i] < 0 {
			star[i] = "None"
		}
	}
	number := func(all []int) string {
		return strings.Trim(strings.Join(strings.Fields(fmt.Sprint(all)), ", "), "[]")
	}
	g.whole(from.name, fmt.Sprintf("%s = %s.split([%s][mpi.rank], key = [%s][mpi.rank])", name,
		from.name, strings.Join(star, ", "), number(keys[:])),
		fmt.Sprintf("%s = split(%s, (int[]){%s}, (int[]){%s})", name, from.name,
			number(colors[:]), number(keys[:])))
	if from.groups == nil {
		return nil
	}
	var list [][]int
	for _, group := range from.groups {
		clear(groups)
		order := slices.Clone(group)
		slices.SortStableFunc(order, func(a, b int) int { return keys[a] - keys[b] })
		for color := range parts {
			var members []int
			for _, rank := range order {
				if colors[rank] == color {
					members = append(members, rank)
				}
			}
			if len(members) > 0 {
				list = append(list, members)
			}
		}
	}
	return list
}

// group returns a communicator and the members of one of its groups, at least two.
func (g *randomProgram) group() (string, []int) {
	for {
		c := pick(g, g.comms)
		if len(c.groups) == 0 {
			continue
		}
		if group := pick(g, c.groups); len(group) > 1 {
			return c.name, group
		}
	}
}

// message adds a message between two ranks, blocking or not on each side, perhaps with wildcards. A
// tag of its own lets only this message match a receive from any source.
func (g *randomProgram) message() {
	comm, group := g.group()
	from := g.IntN(len(group))
	to := (from + 1 + g.IntN(len(group)-1)) % len(group)
	size, tag := g.sizeAndTag()
	source, starSource, starTag, cTag := fmt.Sprint(from), fmt.Sprint(from), "", ""
	switch g.IntN(6) {
	case 0:
		g.tags++
		tag, source, starSource = g.tags, "MPI_ANY_SOURCE", "ANY"
		starTag, cTag = fmt.Sprint(tag), fmt.Sprint(tag)
	case 1:
		starTag, cTag = "ANY", "MPI_ANY_TAG"
	default:
		starTag, cTag = fmt.Sprint(tag), fmt.Sprint(tag)
	}
	// SMPI looks for messages of the two protocols in two places, by the room of the receive.
	room := size
	if g.wild || g.IntN(4) == 0 {
		room = roomFor(size)
	}
	send := func() {
		if g.IntN(2) == 0 {
			g.messageOn(group[from], fmt.Sprintf("%s.send(%d, %d, tag = %d)", comm, size, to, tag),
				fmt.Sprintf("MPI_Send(out, %d, MPI_CHAR, %d, %d, %s)", size, to, tag, comm))
			return
		}
		id := g.request(group[from])
		g.messageOn(group[from], fmt.Sprintf("r[%d] = %s.isend(%d, %d, tag = %d)", id, comm, size,
			to, tag), fmt.Sprintf("MPI_Isend(out, %d, MPI_CHAR, %d, %d, %s, &r[%d])", size, to, tag,
			comm, id))
	}
	receive := func() {
		if g.IntN(2) == 0 {
			g.messageOn(group[to], fmt.Sprintf("%s.recv(%d, source = %s, tag = %s)", comm, room,
				starSource, starTag),
				fmt.Sprintf("receive(%d, %s, %s, %s)", room, source, cTag, comm))
			return
		}
		id := g.request(group[to])
		g.messageOn(group[to], fmt.Sprintf("r[%d] = %s.irecv(%d, source = %s, tag = %s)", id, comm,
			room, starSource, starTag), fmt.Sprintf("begin_receive(%d, %d, %s, %s, %s)", id, room,
			source, cTag, comm))
	}
	send()
	receive()
}

// sizeAndTag returns those of a message. SMPI 3.32 can match a message of one protocol with a
// receive of the other out of order, and then deadlocks, so each has tags of its own.
func (g *randomProgram) sizeAndTag() (size, tag int) {
	size, tag = pick(g, g.sizes), g.IntN(3)
	if size >= randomSizes[eagerSizes] {
		tag += 50
	}
	return size, tag
}

// request returns a new number of a request of the rank.
func (g *randomProgram) request(rank int) int {
	g.ids++
	g.unwaited[rank] = append(g.unwaited[rank], g.ids-1)
	return g.ids - 1
}

// wait waits for some requests of the rank.
func (g *randomProgram) wait(rank int) {
	all := g.unwaited[rank]
	if len(all) == 0 {
		return
	}
	g.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	n := 1 + g.IntN(len(all))
	var star, c []string
	for _, id := range all[:n] {
		star = append(star, fmt.Sprintf("r[%d]", id))
		c = append(c, fmt.Sprint(id))
	}
	g.unwaited[rank] = all[n:]
	g.on(rank, "mpi.waitall(["+strings.Join(star, ", ")+"])",
		fmt.Sprintf("wait_all(%d, (int[]){%s})", n, strings.Join(c, ", ")))
}

func (g *randomProgram) waitAll() {
	for rank := range randomRanks {
		for len(g.unwaited[rank]) > 0 {
			g.wait(rank)
		}
	}
	g.collective = false
}
