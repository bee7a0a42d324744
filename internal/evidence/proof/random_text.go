package main

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed c/random.c
var randomC string

// starlark returns the program in Starlark.
func (g *randomProgram) starlark() string {
	var b strings.Builder
	b.WriteString("def main(mpi):\n    c0, r = mpi, {}\n")
	for _, c := range g.comms[1:] {
		fmt.Fprintf(&b, "    %s = None\n", c.name)
	}
	for _, s := range g.statements {
		if s.rank == everybody {
			fmt.Fprintf(&b, "    if %s: %s\n", s.comm, s.star)
		} else {
			fmt.Fprintf(&b, "    if mpi.rank == %d: %s\n", s.rank, s.star)
		}
	}
	return b.String()
}

// function returns the program as a function of C.
func (g *randomProgram) function(name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "static void %s(void) {\n\tMPI_Comm c0 = MPI_COMM_WORLD;\n", name)
	for _, c := range g.comms[1:] {
		fmt.Fprintf(&b, "\tMPI_Comm %s = MPI_COMM_NULL;\n", c.name)
	}
	for _, s := range g.statements {
		switch {
		case s.c == "":
		case s.rank == everybody:
			fmt.Fprintf(&b, "\tif (%s != MPI_COMM_NULL) %s;\n", s.comm, s.c)
		default:
			fmt.Fprintf(&b, "\tif (rank == %d) %s;\n", s.rank, s.c)
		}
	}
	b.WriteString("}\n\n")
	return b.String()
}

// cSource returns a C program of several programs, which are called by their numbers.
func cSource(all []*randomProgram) string {
	var functions, table strings.Builder
	for i, g := range all {
		name := fmt.Sprintf("program%d", i)
		functions.WriteString(g.function(name))
		table.WriteString(name + ", ")
	}
	return strings.NewReplacer("/* programs */", functions.String(), "/* table */",
		table.String()).Replace(randomC)
}
