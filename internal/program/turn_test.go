package program_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/program"
)

// drawTurns returns a program that is the same on all nodes of four ranks, mostly.
func drawTurns(random *rand.Rand) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("def main(mpi):")
	line("    n = mpi.size")
	switch random.IntN(3) {
	case 0:
		line("    inner, outer = mpi, mpi")
	case 1:
		line("    inner, outer = mpi.split(mpi.rank // 4), mpi.split(mpi.rank %% 4)")
	default:
		line("    inner, outer = mpi.dup(), mpi.dup()")
	}
	line("    for step in range(%d):", 1+random.IntN(4))
	for range 1 + random.IntN(4) {
		skew := []string{"0", "mpi.rank % 4 * 7", "mpi.rank % 2", "step", "mpi.rank // 31"}[random.IntN(5)]
		line("        mpi.compute(%d + %s, \"us\")", []int{1, 40, 300}[random.IntN(3)], skew)
		size := 1 << random.IntN(14)
		switch random.IntN(9) {
		case 0:
			d := []int{1, 2, 4, 3, 8, 12}[random.IntN(6)]
			line("        mpi.sendrecv(%d, dest = (mpi.rank + %d) %% n, source = (mpi.rank - %d) %% n)", size, d, d)
		case 1:
			line("        q = mpi.iallgather(%d, stream = 1, algorithm = \"ring\")", size)
			line("        mpi.compute(%d, \"us\")", random.IntN(100))
			line("        mpi.wait(q)")
		case 2:
			line("        outer.allreduce(%d, algorithm = \"ring\")", 32*size)
		case 3:
			line("        inner.allreduce(%d)", size)
		case 4:
			line("        q = [mpi.irecv(%d, (mpi.rank - 4) %% n), mpi.isend(%d, (mpi.rank + 4) %% n)]", size, size)
			line("        mpi.compute(%d, \"us\")", random.IntN(9))
			line("        mpi.waitall(q)")
		case 5:
			line("        if mpi.rank %% 4 == 1:")
			line("            mpi.compute(5, \"us\")")
		case 6:
			line("        mpi.bcast(%d, root = 0)", size)
		case 7:
			line("        mpi.allreduce(%d, algorithm = \"ring\")", 31+random.IntN(2))
		default:
			line("        mpi.mark(\"m%d\")", random.IntN(2))
		}
	}
	line("        mpi.allgather(%d, algorithm = \"ring\")", 8<<random.IntN(10))
	return b.String()
}

// A few nodes that stand for all end on each rank when all ranks do: to the tick where the
// beginnings of ranks are the same.
func TestNodesStandForAll(t *testing.T) {
	const n, ranks = 200, 32
	folded, compared, failed, most := 0, 0, 0, 0.0
	for seed := range uint64(n) {
		text := drawTurns(rand.New(rand.NewPCG(seed, 6)))
		p, err := program.Read(t.Context(), "p.star", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		calls, err := p.Calls(t.Context(), program.Options{Ranks: ranks})
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		s, err := calls.Sequence(t.Context(), 4)
		if err != nil {
			t.Fatal(err)
		}
		if s == nil || !slices.ContainsFunc(s.Parts, func(p program.Part) bool { return p.Of > 1 }) {
			continue
		}
		folded++
		whole, _, err := calls.Schedule(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(whole.Ops()) != s.Ops {
			t.Fatalf("seed %d: %d operations stand for all, of %d\n%s", seed, s.Ops, len(whole.Ops()), text)
		}
		all, err := simulate.New(whole)
		if err != nil {
			t.Fatal(err)
		}
		sequence := &simulate.Sequence{Ranks: ranks, Order: s.Order}
		for _, part := range s.Parts {
			one, err := simulate.New(part.Schedule)
			if err != nil {
				t.Fatal(err)
			}
			sequence.Parts = append(sequence.Parts, one)
		}
		for i, on := range sequenceMachines(t, ranks) {
			if unit := simulate.EqualUnits(on); unit != 4 && unit != 1 {
				t.Fatalf("machine %d: units of %d", i, unit)
			}
			setup := simulate.Setup{Machine: on, LogGOPS: simulate.Defaults, Parts: true, Seed: seed}
			got, err := sequence.Run(t.Context(), setup, func(int32, uint64, *simulate.Result) {})
			if errors.Is(err, simulate.ErrOverlap) || errors.Is(err, simulate.ErrUneven) {
				failed++
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			want, err := all.Run(t.Context(), setup)
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, text)
			}
			compared++
			if i == 2 || i == 4 { // where NICs interleave messages, ranks begin up to 10 ns apart
				end := float64(slices.Max(want.Ranks))
				most = max(most, math.Abs(float64(slices.Max(got.Ranks))/end-1))
				continue
			}
			if !slices.Equal(got.Ranks, want.Ranks) || !slices.Equal(got.Result.Parts, want.Parts) {
				t.Fatalf("seed %d, machine %d: a few end at %v, all at %v\n%s", seed, i, got.Ranks, want.Ranks, text)
			}
		}
	}
	t.Logf("%d of %d programs have nodes that stand for all; %d runs were compared, %d overlap or are uneven; NICs: within %.2g", folded, n, compared, failed, most)
	if most > 0.003 {
		t.Errorf("where NICs interleave messages, a few nodes end %.2g apart", most)
	}
	if folded < n/5 || compared < 2*folded {
		t.Error("too few")
	}
}
