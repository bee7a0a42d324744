package collective_test

import (
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// The list is in the order that its comment says, names are unique, and Open MPI's numbers are
// all there: as many as coll/tuned of 4.1 has ("ompi_info --param coll tuned --level 9").
func TestAlgorithms(t *testing.T) {
	openMPI := map[string]int{"bcast": 9, "reduce": 7, "allreduce": 6, "reduce-scatter": 4, "reduce-scatter-block": 4, "allgather": 6,
		"alltoall": 5, "gather": 3, "scatter": 3, "barrier": 6, "scan": 2}
	order := []string{"bcast", "reduce", "allreduce", "reduce-scatter", "reduce-scatter-block", "allgather", "alltoall", "gather", "scatter", "barrier", "scan"}
	var seen, names []string
	number := 0
	for _, e := range collective.Algorithms {
		if len(seen) == 0 || seen[len(seen)-1] != e.Collective {
			seen = append(seen, e.Collective)
			number = 0
		}
		key := e.Collective + " " + e.Name
		if slices.Contains(names, key) {
			t.Errorf("%s is there twice", key)
		}
		names = append(names, key)
		if e.OpenMPI > 0 && e.OpenMPI != number+1 {
			t.Errorf("%s: its OpenMPI is %d, but the row before has %d; Open MPI's algorithms come first, by number", key, e.OpenMPI, number)
		}
		number = max(number, e.OpenMPI)
		if e.OpenMPI == 0 && number != openMPI[e.Collective] {
			t.Errorf("%s has no OpenMPI; place it after those that have one, of which %d is the last", key, openMPI[e.Collective])
		}
		if e.Algorithm == nil || e.Help == "" || strings.ContainsAny(e.Help+e.When, "\n") || e.Name != strings.ToLower(e.Name) {
			t.Errorf("%s must have an Algorithm, a Help, both texts in one line, and a name in lower case", key)
		}
		if got, err := collective.Find(e.Collective, e.Name); err != nil || got.Help != e.Help {
			t.Errorf("%s is not found: %v", key, err)
		}
		if number > openMPI[e.Collective] {
			t.Errorf("%s: Open MPI has %d algorithms", key, openMPI[e.Collective])
		}
	}
	if !slices.Equal(seen, order) {
		t.Errorf("the order is %v, want %v", seen, order)
	}
}

func TestFind(t *testing.T) {
	for _, c := range [][3]string{
		{"broadcast", "binomial", "bcast binomial"},
		{"Reduce_Scatter", "recursive_halving", "reduce-scatter recursive-halving"},
	} {
		e, err := collective.Find(c[0], c[1])
		if got := e.Collective + " " + e.Name; err != nil || got != c[2] {
			t.Errorf("%q: %q, %v", c, got, err)
		}
	}
	for _, c := range [][3]string{
		{"bcst", "ring", `no collective "bcst"; did you mean "bcast"?`},
		{"scan", "ring\x1b", `scan has no algorithm "ring\x1b"; choose from linear, recursive-doubling`},
	} {
		if _, err := collective.Find(c[0], c[1]); err == nil || !strings.Contains(err.Error(), c[2]) {
			t.Errorf("%q: %v", c, err)
		}
	}
	if got := len(collective.Of("broadcast")); got < 9 {
		t.Errorf("%d broadcasts", got)
	}
}

// A call that cannot be made is an error that says what is wrong.
func TestCheck(t *testing.T) {
	check := func(name, algorithm string, ranks int, c collective.Call, want string) {
		t.Helper()
		e, err := collective.Find(name, algorithm)
		if err != nil {
			t.Fatal(err)
		}
		_, err = e.Schedule(ranks, c)
		if want == "" {
			if err != nil {
				t.Error(err)
			}
			return
		}
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v is not an error with %q", err, want)
		}
	}
	call := func(edit func(c *collective.Call)) collective.Call {
		c := collective.Call{Bytes: 64}
		edit(&c)
		return c
	}
	check("bcast", "binomial", 0, collective.Call{}, "the number of ranks must be 1 to 1048576 (got 0)")
	check("bcast", "binomial", 1<<20+1, collective.Call{}, "the number of ranks must be 1 to 1048576 (got 1048577)")
	check("allgather", "two-processes", 3, collective.Call{}, "it runs on 2 ranks only (got 3)")
	check("bcast", "binomial", 3, call(func(c *collective.Call) { c.Root = 3 }), "the root must be 0 to 2 (got 3)")
	check("bcast", "binomial", 3, call(func(c *collective.Call) { c.Root = -1 }), "the root must be 0 to 2 (got -1)")
	check("allreduce", "ring", 3, call(func(c *collective.Call) { c.Root = 99 }), "") // it has none
	check("alltoall", "linear", 3, call(func(c *collective.Call) { c.Bytes = 1 << 62 }), "are too many")
	check("bcast", "binomial", 3, call(func(c *collective.Call) { c.Element = 65 }), "an element of 65 bytes is larger")
	check("bcast", "pipeline", 3, call(func(c *collective.Call) { c.Bytes, c.Segment = 1<<40, 1 }), "the message has more than 22369621 segments of 1 bytes, too many for 3 ranks; use larger ones")
	check("bcast", "chain", 3, call(func(c *collective.Call) { c.Fanout = -1 }), "the fan-out must be 1 to")
	check("bcast", "chain", 3, call(func(c *collective.Call) { c.Fanout = math.MaxInt32 }), "")
	check("bcast", "k-nomial", 3, call(func(c *collective.Call) { c.Fanout = math.MaxInt32 }), "")
	check("reduce", "linear", 3, call(func(c *collective.Call) { c.Gamma = math.NaN() }), "the time to combine a byte must be")
	check("reduce", "linear", 3, call(func(c *collective.Call) { c.Gamma = -1 }), "the time to combine a byte must be")
	check("reduce", "linear", 3, call(func(c *collective.Call) { c.Gamma = math.Inf(1) }), "the time to combine a byte must be")
	check("bcast", "logp-optimal", 3, call(func(c *collective.Call) { c.LogP.Latency = quantity.Micros(math.NaN()) }), "(got NaN, 0, 0 and 0)")
	check("bcast", "logp-optimal", 3, call(func(c *collective.Call) { c.LogP.GapTime = quantity.Micros(math.Inf(1)) }), "(got 0, 0, 0 and +Inf)")
	check("bcast", "binomial", 3, call(func(c *collective.Call) { c.Tag = math.MaxUint32 }), "the tag must be 0 to")
}

// What an algorithm does not take changes nothing, and what it takes does on 7 or 8 ranks: some
// algorithms need a number without divisors or a power of two.
func TestTakes(t *testing.T) {
	text := func(e collective.Entry, c collective.Call) string {
		ranks := []int{7, 8}
		if e.Ranks > 0 {
			ranks = []int{e.Ranks}
		}
		var b strings.Builder
		for _, p := range ranks {
			s, err := e.Schedule(p, c)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.WriteText(&b); err != nil {
				t.Fatal(err)
			}
		}
		return b.String()
	}
	names := map[collective.ParamSet]string{
		collective.Root: "Root", collective.Segment: "Segment", collective.Fanout: "Fanout",
		collective.Gamma: "Gamma", collective.Shape: "Shape",
	}
	for _, e := range collective.Algorithms {
		plain := collective.Call{Bytes: 4096, Element: 4}
		for takes, edit := range map[collective.ParamSet]func(c *collective.Call){
			collective.Root:    func(c *collective.Call) { c.Root = 1 },
			collective.Segment: func(c *collective.Call) { c.Segment = 64 },
			collective.Fanout:  func(c *collective.Call) { c.Fanout = 2 },
			collective.Gamma:   func(c *collective.Call) { c.Gamma = 1.5 },
			collective.Shape: func(c *collective.Call) {
				c.LogP = model.LogP{Latency: 1, SendOverhead: 1, ReceiveOverhead: 1, GapTime: 90}
			},
		} {
			c := plain
			edit(&c)
			switch changed, name := text(e, c) != text(e, plain), names[takes]; {
			case changed && e.Params&takes == 0:
				t.Errorf("%s %s: another %s changes its schedule; add %s to its Params", e.Collective, e.Name, name, name)
			case !changed && e.Params&takes != 0:
				t.Errorf("%s %s: Params has %s, but another %s does not change its schedule on 7 or 8 ranks", e.Collective, e.Name, name, name)
			}
		}
	}
}

// The broadcast of 1 KiB in two segments along a chain of three, as GOAL.
func ExampleFind() {
	pipeline, err := collective.Find("broadcast", "pipeline")
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := pipeline.Schedule(3, collective.Call{Bytes: 1024, Segment: 512})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := s.WriteText(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// num_ranks 3
	//
	// rank 0 {
	// l1: send 512b to 1 tag 0
	// l2: send 512b to 1 tag 0
	// l2 irequires l1
	// }
	//
	// rank 1 {
	// l1: recv 512b from 0 tag 0
	// l2: send 512b to 2 tag 0
	// l2 requires l1
	// l3: recv 512b from 0 tag 0
	// l4: send 512b to 2 tag 0
	// l4 irequires l2
	// l4 requires l3
	// }
	//
	// rank 2 {
	// l1: recv 512b from 1 tag 0
	// l2: recv 512b from 1 tag 0
	// }
}

// What runs instead of an algorithm is what Runs says: the schedules are the same.
func TestRuns(t *testing.T) {
	others := map[string]bool{}
	for _, e := range collective.Algorithms {
		for p := 2; p <= 17; p++ {
			for _, c := range []collective.Call{{Bytes: 1}, {Bytes: 8}, {Bytes: 16}, {Bytes: 100, Segment: 60}, {Bytes: 1000, Segment: 8, Element: 4}, {Bytes: 24, Element: 8}} {
				if e.Params&collective.Segment == 0 {
					c.Segment = 0
				}
				other := e.Runs(p, c)
				name := other.Name
				if e.Ranks != 0 && e.Ranks != p || name == e.Name {
					continue
				}
				others[e.Collective+" "+e.Name+" "+name] = true
				if got, want := textOf(t, e, p, c), textOf(t, other, p, c); got != want {
					t.Errorf("%s %s, %d ranks, %+v is not %s", e.Collective, e.Name, p, c, name)
				}
			}
		}
		if e.When != "" && !slices.ContainsFunc(slices.Collect(maps.Keys(others)), func(o string) bool { return strings.HasPrefix(o, e.Collective+" "+e.Name+" ") }) {
			t.Errorf("%s %s: %q, but it always runs itself", e.Collective, e.Name, e.When)
		}
	}
}

func textOf(t *testing.T, e collective.Entry, ranks int, c collective.Call) string {
	t.Helper()
	s, err := e.Schedule(ranks, c)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := s.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
