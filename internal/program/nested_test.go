package program_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/internal/program"
)

// What lies in one another without end is an error of one line: expressions whose parser does not
// recurse, tuples that are hashed, values that are frozen, functions that call one another.
func TestNested(t *testing.T) {
	const often = "for i in range(100000):\n        "
	again := strings.TrimSuffix(often, "    ") // outside of a function
	chain := func(n int, of string) string { return strings.Repeat(of, n) }
	var functions strings.Builder
	functions.WriteString("def f0():\n    pass\n")
	for i := range 20000 {
		fmt.Fprintf(&functions, "def f%d(): f%d()\n", i+1, i)
	}
	inMain := func(body string) string { return source("", body) }
	inFile := func(body string) string {
		return "def f():\n    " + body + "\nx = f()\ndef main(mpi):\n    mpi.barrier()\n"
	}
	for name, c := range map[string]struct{ text, want string }{
		"calls": {inMain("mpi" + chain(400000, "()")),
			"operations or branches in one another"},
		"sums": {inMain("x = 1" + chain(400000, "+1")),
			"operations or branches in one another"},
		"attributes": {inMain("mpi" + chain(400000, ".a")),
			"operations or branches in one another"},
		"indices": {inMain("mpi" + chain(400000, "[0]")),
			"operations or branches in one another"},
		"branches": {inMain("if 1:\n    pass\n" + chain(50000, "elif 2:\n    pass\n")),
			"operations or branches in one another"},
		"parentheses": {inMain("x = " + chain(400000, "(")), "excessive nesting"},
		"a tuple": {inMain("t = ()\n" + again + "t = (t,)\nd = {t: 1}"),
			"p.star:4:14: rank 0: a tuple nested deeper than 1000"},
		"pairs": {inMain("t = ()\nfor i in range(100):\n    t = (t, t)\nd = {t: 1}"),
			"a tuple nested deeper than 1000, or with more than 16777216 values"},
		"arguments": {inMain("f = lambda *a: a\nt = ()\n" + again + "t = f(t)"),
			"a tuple nested deeper than 1000"},
		"items": {inMain("t = ()\n" + again + "t = {0: t}.items()[0]"),
			"a tuple nested deeper than 1000"},
		"lists": {inFile("x = []\n    " + often + "x = [x]\n    return x"),
			"holds values nested deeper than 1000"},
		"defaults": {inFile("x = None\n    " + often + "x = lambda x = x: x\n    return x"),
			"holds values nested deeper than 1000"},
		"receivers": {inFile("x = []\n    " + often + "x = [x].append\n    return x"),
			"holds values nested deeper than 1000"},
		"functions": {functions.String() + "def main(mpi):\n    f20000()\n",
			"rank 0: more than 1000 functions call one another"},
		"digits": {inMain("x = int('9' * 10000000)"),
			"a number of 10000000 digits; the largest has 320000"},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := program.Read(t.Context(), "p.star", []byte(c.text))
			if err == nil {
				_, _, err = p.Schedule(t.Context(), program.Options{Ranks: 1})
			}
			if err == nil || !strings.Contains(err.Error(), c.want) ||
				strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

// A program with tuples of any form runs; so does one after a byte-order mark.
func TestHonest(t *testing.T) {
	text := "\uFEFF" + source("", `def pair(*all):
    return all
seen = {}
for i in range(100000):
    (a, b), c = (i % 7, 1), pair(i % 3, (i % 2, "x"))
    seen[(a, b, c)] = a + b
[x, (y, z)] = [1, (2, 3)]
ways = [i + j for i, j in zip((1, 2), (3, 4))]
mpi.compute(len(seen) + x + y + z + sum_of(ways), "ns")`) + `def sum_of(list):
    total = 0
    for x in list:
        total += x
    return total
`
	p, err := program.Read(t.Context(), "p.star", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	s, _, err := p.Schedule(t.Context(), program.Options{Ranks: 1})
	if err != nil {
		t.Fatal(err)
	}
	// 7 × 3 × 2 keys, 1 + 2 + 3, and (1 + 3) + (2 + 4)
	if got := operations(s, 0); !strings.Contains(got, "calc 58 in 0") {
		t.Errorf("got %s", got)
	}
}
