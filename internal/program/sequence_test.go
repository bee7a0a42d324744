package program_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/program"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// sequenceMachines are a flat machine, and such whose ranks share ports by turns, or whose NICs
// interleave messages, each also where large messages stop while their ranks compute.
func sequenceMachines(t *testing.T, ranks int) []simulate.Machine {
	t.Helper()
	all := []simulate.Machine{nil}
	for i, packet := range []quantity.Bytes{0, 100, 0, 100} {
		var data machine.Presence
		if i >= 2 {
			data = machine.AtBoth
		}
		layer := func(latency quantity.Micros, perByte quantity.MicrosPerByte) model.Layer {
			return &model.LogGP{LogP: model.LogP{Latency: latency, SendOverhead: 0.2, ReceiveOverhead: 0.3, GapTime: 0.4}, GapPerByte: perByte}
		}
		m := machine.Machine{Levels: []machine.Level{
			{Name: "node", Arity: 4, Layer: layer(1, 0.0005), Packet: packet, Port: machine.Port{&model.Linear{Tau: 0.0004}}},
			{Name: "cluster", Arity: 8, Layer: layer(5, 0.001), Packet: packet, Eager: 3000, Handshake: data, Data: data}}}
		places, err := m.Place(machine.Placement{}, ranks)
		if err != nil {
			t.Fatal(err)
		}
		on, err := simulate.FromMachine(m, places, simulate.NoLimit)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, on)
	}
	return all
}

// drawSteps returns a program of steps with computations, skew, streams, communicators and messages
// between collectives.
func drawSteps(random *rand.Rand) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("def main(mpi):")
	line("    grid = mpi.cart(2, periods = True)")
	line("    low, high = grid.shift(0)")
	if random.IntN(3) == 0 {
		line("    part = mpi.split(mpi.rank %% %d)", 2+random.IntN(2))
	} else {
		line("    part = mpi.dup()")
	}
	all := []string{"mpi.allreduce(%d)", "mpi.allgather(%d)", "mpi.alltoall(%d)", "grid.allreduce(%d)", "mpi.barrier()",
		"mpi.bcast(%d, root = 1)", "mpi.reduce_scatter(%d)", "mpi.reduce(%d)"}
	line("    for step in range(%d):", 5+random.IntN(8))
	for range 1 + random.IntN(3) {
		skew := []string{"0", "mpi.rank", "mpi.rank % 3 * 7", "step % 3"}[random.IntN(4)]
		line("        mpi.compute(%d + %s, \"us\")", []int{1, 40, 300}[random.IntN(3)], skew)
		for range random.IntN(4) {
			size := 1 << random.IntN(14)
			switch random.IntN(6) {
			case 0:
				line("        grid.sendrecv(%d, dest = high, source = low)", size)
			case 1:
				line("        q = mpi.iallreduce(%d, stream = 1)", size)
				line("        mpi.compute(%d, \"us\")", random.IntN(100))
				line("        mpi.wait(q)")
			case 2:
				line("        part.allreduce(%d)", size)
			case 3:
				line("        q = [grid.irecv(%d, low), grid.isend(%d, high)]", size, size)
				line("        mpi.compute(%d, \"us\")", random.IntN(9))
				line("        mpi.waitall(q)")
			case 4:
				line("        if step == 3 and mpi.rank == 1:")
				line("            mpi.compute(5, \"us\")")
			default:
				line("        mpi.mark(\"m%d\")", random.IntN(2))
			}
		}
		call := all[random.IntN(len(all))]
		if strings.Contains(call, "%d") {
			call = fmt.Sprintf(call, 8<<random.IntN(10))
		}
		line("        %s", call)
	}
	if random.IntN(2) == 0 {
		line("    mpi.compute(3, \"us\")")
	}
	return b.String()
}

// A sequence ends on each rank when the whole schedule does, to the tick; so do its marks, and the
// parts of its time are the same.
func TestSequencesEndAsWholePrograms(t *testing.T) {
	// 500 programs take a minute, and were equal; under the race detector a few show a race.
	const ranks = 12
	n := 100
	if testing.Short() {
		n = 20
	}
	sequences, overlaps, simulated, parts := 0, 0, 0, 0
	for seed := range uint64(n) {
		text := drawSteps(rand.New(rand.NewPCG(seed, 5)))
		p, err := program.Read(t.Context(), "p.star", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		calls, err := p.Calls(t.Context(), program.Options{Ranks: ranks})
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		s, err := calls.Sequence(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		if s == nil {
			continue
		}
		sequences++
		whole, marks, err := calls.Schedule(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(whole.Ops()) != s.Ops {
			t.Fatalf("seed %d: %d operations in parts, %d in all\n%s", seed, s.Ops, len(whole.Ops()), text)
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
			setup := simulate.Setup{Machine: on, LogGOPS: simulate.Defaults, Parts: true, Seed: seed, Record: true}
			var ends []uint64
			got, err := sequence.Run(t.Context(), setup, func(_ int32, begin uint64, r *simulate.Result) {
				for _, m := range r.Marks {
					ends = append(ends, begin+m.End)
				}
			})
			if errors.Is(err, simulate.ErrOverlap) {
				overlaps++
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			want, err := all.Run(t.Context(), setup)
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, text)
			}
			if got.Assumed != want.Assumed {
				t.Fatalf("seed %d, machine %d: assumed %v, want %v\n%s", seed, i, got.Assumed, want.Assumed, text)
			}
			if !slices.Equal(got.Ranks, want.Ranks) || !slices.Equal(got.Result.Parts, want.Parts) {
				t.Fatalf("seed %d, machine %d: parts end at %v, the whole at %v\n%s", seed, i, got.Ranks, want.Ranks, text)
			}
			var wanted []uint64
			for _, m := range want.Marks {
				wanted = append(wanted, m.End)
			}
			slices.Sort(ends)
			slices.Sort(wanted)
			if len(wanted) != len(marks.Ops) || !slices.Equal(ends, wanted) {
				t.Fatalf("seed %d, machine %d: other marks\n%s", seed, i, text)
			}
			samePath(t, got, want)
			simulated, parts = simulated+got.Simulated, parts+len(s.Order)
		}
	}
	t.Logf("%d of %d programs are sequences; of %d runs, %d overlap; of %d parts, %d were simulated", sequences, n, 5*sequences, overlaps, parts, simulated)
	if !testing.Short() && (sequences < n/3 || overlaps > 3*sequences || simulated > parts*3/4) {
		t.Error("too few")
	}
}

// samePath compares the critical path of a sequence with that of the whole schedule: what it is
// made of, to the tick.
func samePath(t *testing.T, got *simulate.SequenceResult, want *simulate.Result) {
	t.Helper()
	pieces, err := got.Path()
	if err != nil {
		t.Fatal(err)
	}
	path, err := want.Path()
	if err != nil {
		t.Fatal(err)
	}
	var steps []simulate.Segment
	sums := map[string]uint64{}
	for _, p := range pieces {
		for _, s := range p.Segments {
			steps = append(steps, s)
			for _, part := range s.Shares.Parts() {
				sums[part.Name] += part.Ticks
			}
		}
	}
	for i, s := range path.Segments {
		if i >= len(steps) || steps[i].What != s.What || steps[i].Rank != s.Rank || steps[i].To-steps[i].From != s.To-s.From {
			t.Fatalf("step %d of the path is %+v, in parts %+v", i, s, steps[min(i, len(steps)-1)])
		}
	}
	for _, part := range path.Shares.Parts() {
		if sums[part.Name] != part.Ticks {
			t.Fatalf("%s: %d in parts, %d in all", part.Name, sums[part.Name], part.Ticks)
		}
	}
}

// The computation behind the last collective is no part of its own: it has none of the NICs that
// may be busy when it begins.
func TestLastPartHasMessages(t *testing.T) {
	p, err := program.Read(t.Context(), "p.star", []byte(`
def main(mpi):
    for layer in range(9):
        mpi.allgather(1000)
        mpi.compute(5 + mpi.rank, "us")
`))
	if err != nil {
		t.Fatal(err)
	}
	calls, err := p.Calls(t.Context(), program.Options{Ranks: 4})
	if err != nil {
		t.Fatal(err)
	}
	s, err := calls.Sequence(t.Context(), 0)
	if err != nil || s == nil || len(s.Order) != 9 {
		t.Fatalf("%+v, %v; want 9 parts", s, err)
	}
	last := s.Parts[s.Order[8]].Schedule
	if !slices.ContainsFunc(last.Ops(), func(o schedule.Op) bool { return o.Kind == schedule.Send }) {
		t.Error("the last part has no message")
	}
}
