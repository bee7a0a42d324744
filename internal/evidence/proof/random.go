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

// computation lets each of some ranks compute.
func (g *randomProgram) computation() {
	rank, count := g.IntN(randomRanks), 1+g.IntN(randomRanks)
	for i := range count {
		us := 1 + g.IntN(100)
		g.on((rank+i)%randomRanks, fmt.Sprintf(`mpi.compute(%d, "us")`, us),
			fmt.Sprintf("compute(%d)", us))
	}
}

// A drawnCollective is a collective whose algorithm is prescribed to SMPI, or which SMPI has only
// one of. %[1]s is the communicator, %[2]d bytes, %[3]d a number for the root, %[4]d a request.
type drawnCollective struct{ smpi, star, c string }

// drawnCollectives are the blocking ones. Sizes are of a block, or of the whole message.
var drawnCollectives = []drawnCollective{
	{"barrier:ompi_bruck", `%[1]s.barrier(algorithm = "dissemination")`, "MPI_Barrier(%[1]s)"},
	{"bcast:binomial_tree",
		`%[1]s.bcast(%[2]d, root = %[3]d %% %[1]s.size, algorithm = "binomial-mpich")`,
		"MPI_Bcast(in, %[2]d, MPI_CHAR, %[3]d %% size(%[1]s), %[1]s)"},
	{"reduce:ompi_binomial",
		`%[1]s.reduce(%[2]d, root = %[3]d %% %[1]s.size, algorithm = "binomial")`,
		"MPI_Reduce(out, in, %[2]d / 8, MPI_DOUBLE, MPI_SUM, %[3]d %% size(%[1]s), %[1]s)"},
	{"allreduce:rdb", `%[1]s.allreduce(%[2]d, algorithm = "recursive-doubling")`,
		"MPI_Allreduce(out, in, %[2]d / 8, MPI_DOUBLE, MPI_SUM, %[1]s)"},
	{"gather:ompi_basic_linear", `%[1]s.gather(%[2]d, root = %[3]d %% %[1]s.size)`,
		"MPI_Gather(out, %[2]d, MPI_CHAR, in, %[2]d, MPI_CHAR, %[3]d %% size(%[1]s), %[1]s)"},
	{"scatter:ompi_basic_linear", `%[1]s.scatter(%[2]d, root = %[3]d %% %[1]s.size)`,
		"MPI_Scatter(out, %[2]d, MPI_CHAR, in, %[2]d, MPI_CHAR, %[3]d %% size(%[1]s), %[1]s)"},
	{"allgather:NTSLR", `%[1]s.allgather(%[2]d, algorithm = "ring")`,
		"MPI_Allgather(out, %[2]d, MPI_CHAR, in, %[2]d, MPI_CHAR, %[1]s)"},
	{"alltoall:ring", `%[1]s.alltoall(%[2]d, algorithm = "pairwise")`,
		"MPI_Alltoall(out, %[2]d, MPI_CHAR, in, %[2]d, MPI_CHAR, %[1]s)"},
	{"reduce_scatter:mpich_pair", `%[1]s.reduce_scatter(%[2]d, algorithm = "pairwise")`,
		"reduce_scatter(%[2]d, %[1]s)"},
	{"allgatherv:mpich_ring",
		`%[1]s.allgather(sizes = [%[2]d * (i %% 3 + 1) for i in ` +
			`range(%[1]s.size)], algorithm = "ring")`,
		"allgatherv(%[2]d, %[1]s)"},
	{"alltoallv:ring",
		`%[1]s.alltoall(sizes = [%[2]d * ((%[1]s.rank + i) %% 3 + 1) for i in ` +
			`range(%[1]s.size)], algorithm = "pairwise")`,
		"alltoallv(%[2]d, %[1]s)"},
}

// nonBlockingCollectives are those for which SMPI has the messages that we have.
var nonBlockingCollectives = []drawnCollective{
	{"", `r[%[4]d] = %[1]s.iallgather(%[2]d)`,
		"MPI_Iallgather(out, %[2]d, MPI_CHAR, in, %[2]d, MPI_CHAR, %[1]s, &r[%[4]d])"},
	{"", `r[%[4]d] = %[1]s.ialltoall(%[2]d)`,
		"MPI_Ialltoall(out, %[2]d, MPI_CHAR, in, %[2]d, MPI_CHAR, %[1]s, &r[%[4]d])"},
	{"", `r[%[4]d] = %[1]s.igather(%[2]d, root = %[3]d %% %[1]s.size)`,
		"MPI_Igather(out, %[2]d, MPI_CHAR, in, %[2]d, MPI_CHAR, %[3]d %% size(%[1]s), %[1]s, " +
			"&r[%[4]d])"},
	{"", `r[%[4]d] = %[1]s.iscatter(%[2]d, root = %[3]d %% %[1]s.size, ` +
		`algorithm = "linear-nonblocking")`,
		"MPI_Iscatter(out, %[2]d, MPI_CHAR, in, %[2]d, MPI_CHAR, %[3]d %% size(%[1]s), %[1]s, " +
			"&r[%[4]d])"},
}

// arguments returns those of a collective. Its size is a multiple of what SMPI divides without a
// rest: a number for each rank.
func (g *randomProgram) arguments(comm string, id int) []any {
	return []any{comm, 8 * (1 << g.IntN(11)), g.IntN(randomRanks), id}
}

func (g *randomProgram) collectiveCall() {
	c := pick(g, g.comms)
	g.add(c.name, pick(g, drawnCollectives), g.arguments(c.name, 0))
}

func (g *randomProgram) add(comm string, d drawnCollective, args []any) {
	g.whole(comm, fmt.Sprintf(d.star, args...), fmt.Sprintf(d.c, args...))
}

// nonBlockingCollective begins one. Only one is under way at a time: ours run one after the other
// on a stream, and those of SMPI at once.
func (g *randomProgram) nonBlockingCollective() {
	if g.collective {
		g.waitAll()
	}
	c := pick(g, g.comms)
	if c.groups == nil {
		return
	}
	g.ids++
	g.add(c.name, pick(g, nonBlockingCollectives), g.arguments(c.name, g.ids-1))
	for _, group := range c.groups {
		for _, rank := range group {
			g.unwaited[rank] = append(g.unwaited[rank], g.ids-1)
		}
	}
	g.collective = true
}

// ring lets all members of a communicator pass a message on; in a grid, along a dimension.
func (g *randomProgram) ring() {
	c := pick(g, g.comms)
	size, tag := g.sizeAndTag()
	if c.grid > 0 {
		dim := g.IntN(c.grid)
		g.whole(c.name, fmt.Sprintf("low, high = %s.shift(%d)", c.name, dim), "")
		g.whole(c.name, fmt.Sprintf("%s.sendrecv(%d, high, low, tag = %d)", c.name, size, tag),
			fmt.Sprintf("shift(%d, %d, %d, %s)", size, dim, tag, c.name))
		return
	}
	by := 1 + g.IntN(3)
	g.whole(c.name, fmt.Sprintf("%[1]s.sendrecv(%[2]d, (%[1]s.rank + %[3]d) %% %[1]s.size, "+
		"(%[1]s.rank - %[3]d) %% %[1]s.size, tag = %[4]d)", c.name, size, by, tag),
		fmt.Sprintf("ring(%d, %d, %d, %s)", size, by, tag, c.name))
}

// fanIn lets a rank receive from all others of a group, whichever comes first. The times between
// decide the order: each sender computes 30 µs more than another one.
func (g *randomProgram) fanIn() {
	g.waitAll() // no rank is late from before
	comm, group := g.group()
	g.whole(comm, comm+`.barrier(algorithm = "dissemination")`, "MPI_Barrier("+comm+")")
	root, size, delays := g.IntN(len(group)), pick(g, g.sizes), g.Perm(len(group))
	g.tags++
	for place, rank := range group {
		if place == root {
			continue
		}
		g.on(rank, fmt.Sprintf(`mpi.compute(%d, "us")`, 30*delays[place]),
			fmt.Sprintf("compute(%d)", 30*delays[place]))
		g.messageOn(rank, fmt.Sprintf("%s.send(%d, %d, tag = %d)", comm, size, root, g.tags),
			fmt.Sprintf("MPI_Send(out, %d, MPI_CHAR, %d, %d, %s)", size, root, g.tags, comm))
	}
	for range len(group) - 1 {
		g.messageOn(group[root], fmt.Sprintf("%s.recv(%d, tag = %d)", comm, size, g.tags),
			fmt.Sprintf("receive(%d, MPI_ANY_SOURCE, %d, %s)", size, g.tags, comm))
	}
}

// swap mixes the messages of a rank between two other statements of it, so that some programs
// deadlock, and others do with some eager thresholds only.
func (g *randomProgram) swap() {
	runs := map[int][]int{} // by rank: the places of its messages since its last other statement
	mix := func(rank int) {
		run := runs[rank]
		if g.IntN(3) == 0 {
			g.Shuffle(len(run), func(i, j int) {
				a, b := &g.statements[run[i]], &g.statements[run[j]]
				*a, *b = *b, *a
			})
		}
		runs[rank] = run[:0]
	}
	for i, s := range g.statements {
		switch {
		case s.rank == everybody:
			for rank := range randomRanks {
				mix(rank)
			}
		case s.swaps:
			runs[s.rank] = append(runs[s.rank], i)
		default:
			mix(s.rank)
		}
	}
}
