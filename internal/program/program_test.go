package program_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/internal/program"
)

// read reads a program whose main has the given body.
func read(t *testing.T, params, body string) *program.Program {
	t.Helper()
	p, err := program.Read(t.Context(), "p.star", []byte(source(params, body)))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func source(params, body string) string {
	return "def main(mpi" + params + "):\n    " + strings.ReplaceAll(body, "\n", "\n    ") + "\n"
}

// operations returns the operations of a rank with their contexts and lines.
func operations(s *schedule.Schedule, rank int) string {
	var lines []string
	lo, hi := s.Rank(rank)
	for i := lo; i < hi; i++ {
		o := s.Ops()[i]
		_, line, _ := strings.Cut(s.Line(i), ":")
		if o.Tag != schedule.Any {
			o.Tag &= 1<<31 - 1 // collectives count from 0
		}
		lines = append(lines, fmt.Sprintf("%s: %s in %d", line, o, o.Context))
	}
	return strings.Join(lines, "\n")
}

// Each call becomes the operations that a trace of the same call becomes.
func TestCalls(t *testing.T) {
	for _, c := range []struct {
		name, body string
		ranks      int
		want       string // of rank 0
	}{
		{"a size and a time in words", `mpi.compute("3us")
mpi.compute(1.5, "ms")
if mpi.rank == 0:
    mpi.send("4KiB", 1, tag = 3)
else:
    mpi.recv(4096.0)`, 2,
			"2: calc 3000 in 0\n3: calc 1500000 in 0\n5: send 4096b to 1 tag 3 in 0"},
		{"edges", `grid = mpi.cart(1)
low, high = grid.shift(0)
grid.sendrecv(8, dest = high, source = low)`, 1,
			"2: calc 0 in 0"},
		{"a grid", `grid = mpi.cart([2, 2], periods = [True, False])
if (grid.dims, grid.coords) != ((2, 2), (mpi.rank // 2, mpi.rank % 2)):
    fail("dims %s coords %s" % (grid.dims, grid.coords))
low, high = grid.shift(0, disp = -1)
grid.sendrecv(8, dest = high, source = low, tag = 1, recvtag = 2)
mpi.send(1, 0) if mpi.rank == 1 else mpi.recv(2, source = 1) if mpi.rank == 0 else None`, 4,
			"2: send 0b to 1 tag 0 in 1\n2: recv 0b from 3 tag 0 in 1\n" +
				"2: send 0b to 2 tag 0 in 1\n2: recv 0b from 2 tag 0 in 1\n2: calc 0 in 0\n" +
				"6: send 8b to 2 tag 1 in 2\n6: recv 8b from 2 tag 2 in 2\n" +
				"7: recv 2b from 1 tag 0 in 0"},
		{"requests", `q = [mpi.irecv(8, source = None), mpi.irecv(8, tag = ANY), mpi.isend(8, 0)]
mpi.compute(1, "us")
mpi.wait(q[1])
mpi.waitall(q)`, 1,
			"2: recv 8b from -1 tag -1 in 0\n2: send 8b to 0 tag 0 in 0\n3: calc 1000 in 0\n" +
				"4: calc 0 in 0\n5: calc 0 in 0"},
		{"a stream", `q = mpi.isend(8, 0, stream = 2)
mpi.recv(8)
mpi.wait(q)`, 1,
			"2: send 8b to 0 tag 0 cpu 2 in 0\n3: recv 8b from -1 tag 0 in 0\n4: calc 0 in 0"},
		{"a non-blocking collective", `q = mpi.iallreduce(8)
mpi.wait(q)`, 2,
			"2: calc 0 cpu 1 in 0\n2: send 8b to 1 tag 0 cpu 1 in 1\n" +
				"2: recv 8b from 1 tag 0 cpu 1 in 1\n2: calc 0 cpu 1 in 0\n3: calc 0 in 0"},
		{"split, in the order of keys", `half = mpi.split(mpi.rank % 2, key = -mpi.rank)
half.send(8, 0) if half.rank == 1 else half.recv(8)
if mpi.split(None if mpi.rank else 0):
    mpi.mark("alone")`, 4,
			"2: send 0b to 1 tag 0 in 1\n2: recv 0b from 3 tag 0 in 1\n" +
				"2: send 0b to 2 tag 0 in 1\n2: recv 0b from 2 tag 0 in 1\n2: calc 0 in 0\n" +
				"3: send 8b to 2 tag 0 in 2\n4: send 0b to 1 tag 2 in 1\n" +
				"4: recv 0b from 3 tag 2 in 1\n4: send 0b to 2 tag 2 in 1\n" +
				"4: recv 0b from 2 tag 2 in 1\n4: calc 0 in 0\n5: calc 0 in 0"},
		{"unequal blocks", `mpi.allgather(sizes = [5, 7])
mpi.alltoall(sizes = [9, 1 + mpi.rank])`, 2,
			"2: send 5b to 1 tag 0 in 1\n2: recv 7b from 1 tag 0 in 1\n2: calc 0 in 0\n" +
				"3: send 1b to 1 tag 2 in 1\n3: recv 9b from 1 tag 2 in 1\n3: calc 0 in 0"},
		{"an algorithm", `mpi.bcast(8, root = 1, algorithm = "linear")`, 3,
			"2: recv 8b from 1 tag 0 in 1\n2: calc 0 in 0"},
	} {
		s, _, err := read(t, "", c.body).Schedule(t.Context(), program.Options{Ranks: c.ranks})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if got := operations(s, 0); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// Dimensions are as even as the factors allow.
func TestDivide(t *testing.T) {
	for ranks, want := range map[int]string{1: "(1, 1)", 7: "(7, 1)", 12: "(4, 3)", 16: "(4, 4)",
		24: "(6, 4)", 1024: "(32, 32)"} {
		p := read(t, "", "grid = mpi.cart(2)\nif str(grid.dims) != '"+want+"':\n    fail(grid.dims)")
		if _, _, err := p.Schedule(t.Context(), program.Options{Ranks: ranks}); err != nil {
			t.Errorf("%d ranks: %v, want %s", ranks, err, want)
		}
	}
}

// Mistakes name the file, the line and the rank.
func TestMistakes(t *testing.T) {
	for body, want := range map[string]string{
		`mpi.send(8)`:                                 "p.star:2:13: rank 0: send needs dest",
		`mpi.send(8, 2)`:                              "rank 0: there is no rank 2 in the communicator, only 0 to 1",
		`mpi.send(-1, 1)`:                             "the size must be at least 0 bytes (got -1)",
		`mpi.send(8.5, 1)`:                            `whole bytes or a text such as "64KiB" (got 8.5)`,
		`mpi.send("8 apples", 1)`:                     "apples",
		`mpi.send(8, ANY)`:                            "only a receive accepts ANY",
		`mpi.send(8, 1, tag = ANY)`:                   "only a receive accepts ANY",
		`mpi.send(8, "1")`:                            `dest must be a rank or None (got "1")`,
		`mpi.compute(3)`:                              `a time needs a unit, as in compute(3, "us")`,
		`mpi.compute(-3, "us")`:                       "a computation must take 0 to",
		`mpi.compute(1, "h")`:                         `must be "ns", "us", "ms" or "s" (got "h")`,
		`mpi.sendd(8, 1)`:                             `a communicator has no "sendd"; did you mean`,
		`mpi.dims`:                                    "only a communicator made by cart has dims",
		`mpi.dup().compute(1, "us")`:                  "compute is a method of the communicator of all ranks",
		`mpi.split("red")`:                            `the color must be a whole number (got "red")`,
		`mpi.split(-2)`:                               "the color must be at least 0, or None (got -2)",
		`if mpi.rank: mpi.split(0)`:                   "rank 1 waits for rank 0 to call split, but that ends without it",
		`if mpi.rank: mpi.barrier()`:                  "p.star:2: rank 1 calls barrier, but rank 0 ends without it",
		`mpi.allreduce(8 + mpi.rank)`:                 "rank 1: allreduce(9), but rank 0 calls allreduce(8) in line 2",
		"mpi.bcast(8) if mpi.rank else mpi.barrier()": "bcast(8), but rank 0 calls barrier() in line 2",
		`mpi.bcast(8, root = 2)`:                      "the root must be 0 to 1 (got 2)",
		`mpi.bcast(8, algorithm = "binomal")`:         `bcast has no algorithm "binomal"; did you mean`,
		`mpi.bcast("64GiB", segment = 1)`:             "rank 0: bcast binomial: the message has more than 33554432 segments",
		`mpi.alltoall(sizes = [1])`:                   "sizes must have 2 entries, one for each rank (got 1)",
		`mpi.alltoall()`:                              "alltoall needs a size, or sizes with one for each rank",
		`mpi.allgather(sizes = [1, mpi.rank])`:        "sizes must be the same list on all ranks",
		`mpi.isend(8, 1)`:                             "p.star:2: rank 0: no wait for the request of this call",
		`mpi.wait(3)`:                                 "wait takes a request (got 3)",
		`None.send(8, 1)`:                             "NoneType has no .send field or method",
		`x = [0] * (1 << 40)`:                         "this operation makes 1.8e+04 GB, but the program may take",
		"x = 3\nfor i in range(60): x = x * x":        "a product of 1661954 bits; the largest has 1048576",
		`range(1 << 40)`:                              "a range of 1099511627776 numbers; the largest has 16777216",
		`mpi.cart([2, 2])`:                            "must have 1 to 2 ranks",
		`mpi.cart(0)`:                                 "the number of dimensions must be 1 to 20 (got 0)",
		"for i in range(33000): mpi.dup()":            "p.star:2:35: rank 0: more than 32768 communicators",
		`fail("by myself")`:                           "by myself",
	} {
		p, err := program.Read(t.Context(), "p.star", []byte(source("", body)))
		if err == nil {
			_, _, err = p.Schedule(t.Context(), program.Options{Ranks: 2})
		}
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v, want %q", body, err, want)
		}
	}
	for text, want := range map[string]string{
		"":                                "p.star: no function main",
		"main = 3":                        "p.star: no function main",
		"def main(): pass":                "p.star:1:1: main must have a parameter for the communicator",
		"def main(mpi, n): pass":          "the parameter n of main needs a default",
		"def main(mpi, n = []): pass":     "the default of n must be a number",
		"def main(mpi:\n":                 "p.star:1:14: got ':', want ')'",
		"def main(mpi):\n  while 1: pass": "does not support while loops",
		"def main(mpi): main(mpi)":        "called recursively",
		"\x00\xff":                        "p.star: no function main",
	} {
		p, err := program.Read(t.Context(), "p.star", []byte(text))
		if err == nil {
			_, _, err = p.Schedule(t.Context(), program.Options{Ranks: 2})
		}
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}

// A parameter is read as its default's type says.
func TestParameters(t *testing.T) {
	p := read(t, `, n = 1, x = 1.0, name = "a", on = False`,
		`if [n, x, name, on] != [65536, 3000.0, "64KiB", True]: fail([n, x, name, on])`)
	for _, set := range [][2]string{{"n", "64KiB"}, {"x", "3ms"}, {"name", "64KiB"}, {"on", "true"}} {
		q, err := p.Set(set[0], set[1])
		if err != nil {
			t.Fatal(err)
		}
		p = q
	}
	if _, _, err := p.Schedule(t.Context(), program.Options{Ranks: 1}); err != nil {
		t.Error(err)
	}
	if got := strings.Join(p.Params(), " "); got != `n=65536 x=3000.0 name="64KiB" on=True` {
		t.Errorf("got %s", got)
	}
	for _, set := range [][3]string{{"x", "0.25", "x=0.25"}, {"x", "-1e3", "x=-1000.0"},
		{"n", "-2", "n=-2"}, {"n", "0.5", "n=0.5"}, {"n", "1e3", "n=1000"}} {
		if q, err := p.Set(set[0], set[1]); err != nil || !slices.Contains(q.Params(), set[2]) {
			t.Errorf("%v: %v, %v", set, q, err)
		}
	}
	for _, set := range [][3]string{{"m", "1", `no parameter "m"`}, {"n", "a", "n: "},
		{"x", "NaN", "must be a finite number"}, {"n", "inf", "must be a finite number"},
		{"on", "1", "must be True or False"}} {
		if _, err := p.Set(set[0], set[1]); err == nil || !strings.Contains(err.Error(), set[2]) {
			t.Errorf("%v: %v", set, err)
		}
	}
}

// An endless program ends with its context, and a long one at the limit of calls.
func TestLimits(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	endless := read(t, "", "for i in range(16000000):\n    for j in range(16000000):\n        mpi.rank")
	if _, _, err := endless.Schedule(ctx, program.Options{Ranks: 2}); err != context.DeadlineExceeded {
		t.Errorf("got %v", err)
	}
	_, _, err := read(t, "", `for i in range(16000000):
    mpi.compute(1, "ns")`).Schedule(t.Context(), program.Options{Ranks: 2, MaxCalls: 1000})
	if err == nil || !strings.Contains(err.Error(), "p.star:3:20: rank 0: more than 1000 calls") {
		t.Errorf("got %v", err)
	}
	for _, ranks := range []int{0, 1<<20 + 1} {
		if _, _, err := endless.Schedule(ctx, program.Options{Ranks: ranks}); err == nil {
			t.Errorf("%d ranks: no error", ranks)
		}
	}
}

// The end of the context does not wait for an operation that takes seconds, the comparison of lists
// of 10⁹ values.
func TestLongOperation(t *testing.T) {
	p := read(t, "", `x, y = [1] * 1000, [1] * 1000
for i in range(2):
    x, y = [x] * 1000, [y] * 1000
print(1)
z = x == y`)
	ctx, cancel := context.WithCancel(t.Context())
	o := program.Options{Ranks: 1, Print: func(int, string) { cancel() }}
	if _, _, err := p.Schedule(ctx, o); err != context.Canceled {
		t.Errorf("got %v", err)
	}
}

// Bounded operators and methods are those of the language.
func TestBounded(t *testing.T) {
	p := read(t, "", `x = [1]
y = x
x += (2,)
x.extend([3])
x[0] *= 4
x[0] += 1
d = {"a": 1}
d |= {"b": 2}
d.update([("c", 3)], e = 5)
f = lambda *a, **k: (a, k)
got = [y, d, x[1:], "%s-%d" % ("a", 3), 7 % 4, 1.5 * 2, 2 * "ab", set([1]) | set([2]), f(*x, **d),
    "a{}{z}".format(1, z = 2), "ab".replace("a", "cc", 1), ",".join(["a", "b"]), list(zip("ab".elems(), x)),
    sorted([2, 1], reverse = True), getattr(x, "pop")(), getattr(x, "none", 7), dict(a = 1), tuple(range(2)),
    list(d.items())[0], "a b".split(), -3 % 5, 3 * 4 + 1, "A".lower()]
print(repr(got))`)
	got := ""
	_, _, err := p.Schedule(t.Context(), program.Options{Ranks: 1, Print: func(_ int, text string) { got = text }})
	want := `[[5, 2], {"a": 1, "b": 2, "c": 3, "e": 5}, [2, 3], "a-3", 3, 3.0, "abab", set([1, 2]), ` +
		`((5, 2, 3), {"a": 1, "b": 2, "c": 3, "e": 5}), "a12", "ccb", "a,b", [("a", 5), ("b", 2)], ` +
		`[2, 1], 3, 7, {"a": 1}, (0, 1), ("a", 1), ["a", "b"], 2, 13, "a"]`
	if err != nil || got != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
	for body, want := range map[string]string{
		`[].extend(3)`:    "p.star:2:14: rank 0: extend: for parameter 1: got int, want iterable",
		`[1] + 3`:         "p.star:2:9: rank 0: unknown binary op: list + int",
		`x = [1]; x += 3`: "p.star:2:16: rank 0: unknown binary op: list + int",
		`[].union`:        "p.star:2:7: rank 0: list has no .union field or method",
		`"%d" % "a"`:      "p.star:2:10: rank 0: %d format requires integer",
		`sorted(3)`:       "p.star:2:11: rank 0: sorted: for parameter iterable: got int, want iterable",
		`f = lambda k: k.x; sorted([1], key = f)`: "p.star:2:20: rank 0: int has no .x field or method",
	} {
		_, _, err := read(t, "", body).Schedule(t.Context(), program.Options{Ranks: 1})
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", body, err, want)
		}
	}
}

// Whatever a program is, reading and running it ends without a panic.
func FuzzProgram(f *testing.F) {
	for _, body := range []string{
		"half = mpi.split(mpi.rank % 2)\nhalf.alltoall(8)",
		"grid = mpi.cart(2)\ngrid.sub([0]).bcast(8, root = 1)\nmpi.mark('x')",
		"mpi.waitall([mpi.irecv(8), mpi.isend('1KiB', 0, stream = 1)])",
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		if len(body) > 500 || strings.Contains(body, "range") || strings.Contains(body, "*") {
			return // slow, not wrong
		}
		p, err := program.Read(t.Context(), "p.star", []byte(source("", body)))
		if err != nil {
			return
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		p.Schedule(ctx, program.Options{Ranks: 3, MaxCalls: 1000})
	})
}

// BenchmarkSchedule is a stencil of 1,024 ranks and 100 steps.
func BenchmarkSchedule(b *testing.B) {
	p, err := program.Read(b.Context(), "halo.star", []byte(source("", `grid = mpi.cart(2)
for step in range(100):
    mpi.compute(1, "us")
    for dim in (0, 1):
        low, high = grid.shift(dim)
        grid.sendrecv(512, dest = high, source = low)
        grid.sendrecv(512, dest = low, source = high)`)))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		s, _, err := p.Schedule(b.Context(), program.Options{Ranks: 1024})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(len(s.Ops())), "operations")
	}
}
