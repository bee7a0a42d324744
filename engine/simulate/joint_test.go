package simulate

import (
	"context"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule"
)

// jointProgram makes a program of ranks that compute and meet in groups, and the finish of each
// rank by a recurrence: a group goes on together, from the last of its ranks.
func jointProgram(t *testing.T, random *rand.Rand) (*schedule.Schedule, []uint64) {
	t.Helper()
	ranks := 2 + random.IntN(7)
	b := schedule.NewBuilder(ranks)
	type step struct {
		calc uint64
		op   schedule.Op
	}
	steps, clock := make([][]step, ranks), make([]uint64, ranks)
	for number := range 1 + random.IntN(12) {
		members := random.Perm(ranks)[:1+random.IntN(ranks)]
		takes, last := uint64(random.IntN(50)), uint64(0)
		for _, r := range members {
			calc := uint64(random.IntN(40))
			steps[r] = append(steps[r], step{calc, schedule.Op{Kind: schedule.Joint, Peer: uint32(number), Size: takes}})
			clock[r] += calc
			last = max(last, clock[r])
		}
		for _, r := range members {
			clock[r] = last + takes
		}
	}
	numbers := map[uint32]uint32{} // in the order of the schedule, as a Builder wants them
	for r := range ranks {
		b.NextRank()
		before := b.Calc(0)
		for _, s := range steps[r] {
			if _, has := numbers[s.op.Peer]; !has {
				numbers[s.op.Peer] = uint32(len(numbers))
			}
			s.op.Peer = numbers[s.op.Peer]
			for _, op := range []schedule.Op{{Kind: schedule.Calc, Size: s.calc}, s.op} {
				next := b.Add(op)
				b.Requires(next, before)
				before = next
			}
		}
		clock[r] *= 1000
	}
	s, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return s, clock
}

// Random programs finish as the recurrence says, recorded or not and in both orders; the shares of
// the path add up to the finish, and nothing is on it but computations and joint operations.
func TestJoint(t *testing.T) {
	random := rand.New(rand.NewPCG(51, 6))
	for range 300 {
		s, want := jointProgram(t, random)
		p, err := New(s)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []Setup{{LogGOPS: Defaults}, {LogGOPS: Defaults, Reversed: true},
			{LogGOPS: Defaults, Record: true, Parts: true}} {
			r, err := p.Run(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(r.Ranks, want) {
				t.Fatalf("%v: finish %v, want %v", o, r.Ranks, want)
			}
			if !o.Record {
				continue
			}
			path, err := r.Path()
			if err != nil {
				t.Fatal(err)
			}
			ComputedAsRecorded(t, p, Setup{LogGOPS: Defaults}, path)
			if sum := path.Shares.Compute + path.Shares.Collective; sum != slices.Max(want) {
				t.Fatalf("%d computing and %d together of %d", path.Shares.Compute, path.Shares.Collective, slices.Max(want))
			}
			if _, err := r.Timeline(); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.WriteText(io.Discard); err == nil || !strings.Contains(err.Error(), "GOAL has no word") {
			t.Fatalf("GOAL: %v", err)
		}
		if err := s.WriteBinary(io.Discard); err == nil {
			t.Fatal("written as binary GOAL")
		}
	}
}

// Noise delays the arrival, so that all ranks wait for the one that it meets.
func TestJointAfterNoise(t *testing.T) {
	s, want := jointProgram(t, rand.New(rand.NewPCG(1, 1)))
	n, err := readDetours(strings.NewReader("0 700\n1000000 1\n"), "noise", true)
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Run(context.Background(), Setup{LogGOPS: Defaults, Noise: n, Record: true})
	if err != nil {
		t.Fatal(err)
	}
	path, err := r.Path()
	if err != nil {
		t.Fatal(err)
	}
	if last := slices.Max(r.Ranks); last < slices.Max(want) || path.Shares.Sum() != last {
		t.Errorf("finish %d with noise, %d without; the path has %d", last, slices.Max(want), path.Shares.Sum())
	}
}

// A rank that does not come is a deadlock that says so.
func TestJointWithout(t *testing.T) {
	b := schedule.NewBuilder(2)
	b.NextRank()
	b.Add(schedule.Op{Kind: schedule.Joint, Size: 5})
	b.NextRank()
	b.Requires(b.Add(schedule.Op{Kind: schedule.Joint, Size: 5}), b.Recv(1, 0, 0))
	s, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.Run(context.Background(), Setup{LogGOPS: Defaults})
	if err == nil || !strings.Contains(err.Error(), "waits for 1 of the 2 ranks of its collective") {
		t.Error(err)
	}
	if _, err := p.Run(context.Background(), Setup{LogGOPS: Defaults, Rules: LogGOPSim}); err == nil {
		t.Error("LogGOPSim ran it")
	}
}
