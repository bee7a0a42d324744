package main

import (
	"fmt"
)

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
