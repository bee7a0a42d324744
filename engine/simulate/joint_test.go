package simulate

import (
	"context"
	"errors"
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

// finishesAs runs a program of computations and joint operations, recorded or not and in both orders.
// Its ranks finish as wanted; its path has no gap, and nothing else is on it.
func finishesAs(t *testing.T, p *Program, want []uint64) {
	t.Helper()
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
		at := uint64(0)
		for _, g := range path.Segments {
			if g.From != at {
				t.Fatalf("a gap from %d to %d in the path", at, g.From)
			}
			at = g.To
		}
		sum := path.Shares.Compute + path.Shares.Collective
		if sum != slices.Max(want) || at != sum {
			t.Fatalf("%d on the path to %d, which ends at %d", sum, slices.Max(want), at)
		}
		if _, err := r.Timeline(); err != nil {
			t.Fatal(err)
		}
	}
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
		finishesAs(t, p, want)
		if err := s.WriteText(io.Discard); err == nil || !strings.Contains(err.Error(), "GOAL has no word") {
			t.Fatalf("GOAL: %v", err)
		}
		if err := s.WriteBinary(io.Discard); err == nil {
			t.Fatal("written as binary GOAL")
		}
	}
}

// linksProgram makes a program of ranks that each meet others on streams of their own, and the
// finish of each rank: those on common links run in the order in which their last ranks come.
func linksProgram(t *testing.T, random *rand.Rand) (*schedule.Schedule, []uint64) {
	t.Helper()
	ranks := 2 + random.IntN(7)
	type meeting struct {
		ranks []int
		calcs []uint64 // before it
		nic   uint16
		takes uint64
		last  uint64
		of    int
	}
	var all []*meeting
	for number := range 1 + random.IntN(8) {
		m := &meeting{ranks: random.Perm(ranks)[:1+random.IntN(ranks)], nic: uint16(random.IntN(2)),
			takes: uint64(random.IntN(3)) * uint64(random.IntN(60)), of: number}
		for range m.ranks { // no two at one time
			calc := uint64(16*random.IntN(10) + number)
			m.calcs = append(m.calcs, calc)
			m.last = max(m.last, calc)
		}
		all = append(all, m)
	}
	b := schedule.NewBuilder(ranks)
	numbers := map[int]uint32{}
	for r := range ranks {
		b.NextRank()
		b.Calc(0)
		for _, m := range all {
			at := slices.Index(m.ranks, r)
			if at < 0 {
				continue
			}
			if _, has := numbers[m.of]; !has {
				numbers[m.of] = uint32(len(numbers))
			}
			cpu := uint16(m.of + 1)
			calc := b.Add(schedule.Op{Kind: schedule.Calc, Size: m.calcs[at], CPU: cpu})
			b.Requires(b.Add(schedule.Op{Kind: schedule.Joint, Peer: numbers[m.of], Size: m.takes,
				CPU: cpu, NIC: m.nic}), calc)
		}
	}
	s, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(all, func(a, b *meeting) int { return int(a.last) - int(b.last) })
	free, finish := make([]uint64, 2*ranks), make([]uint64, ranks)
	for _, m := range all {
		begin := m.last
		for _, r := range m.ranks {
			if m.takes > 0 {
				begin = max(begin, free[2*r+int(m.nic)])
			}
		}
		for _, r := range m.ranks {
			finish[r] = max(finish[r], 1000*(begin+m.takes))
			if m.takes > 0 {
				free[2*r+int(m.nic)] = begin + m.takes
			}
		}
	}
	return s, finish
}

// Joint operations on common links follow each other, in the order in which they are complete, and
// the path goes through those that were waited for. Instant ones keep no links.
func TestJointLinks(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 3))
	for range 500 {
		s, want := linksProgram(t, random)
		p, err := New(s)
		if err != nil {
			t.Fatal(err)
		}
		finishesAs(t, p, want)
		free, err := p.Run(context.Background(), Setup{LogGOPS: Defaults, Instant: true})
		if last := slices.Max(free.Ranks); err != nil || last > 1000*(16*9+7) {
			t.Fatalf("without their time: %d, %v", last, err)
		}
	}
}

// Nor does a message wait for the links of joint operations, or these for it.
func TestJointBesideMessage(t *testing.T) {
	build := func(joint, message bool) []uint64 {
		b := schedule.NewBuilder(2)
		for rank := range uint32(2) {
			b.NextRank()
			if joint {
				b.Add(schedule.Op{Kind: schedule.Joint, Size: 1 << 20, CPU: 1, NIC: 1})
			}
			switch {
			case !message:
				b.Calc(0)
			case rank == 0:
				b.Send(1<<16, 1, 0)
			default:
				b.Recv(1<<16, 0, 0)
			}
		}
		s, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		p, err := New(s)
		if err != nil {
			t.Fatal(err)
		}
		r, err := p.Run(context.Background(), Setup{LogGOPS: Defaults})
		if err != nil {
			t.Fatal(err)
		}
		return r.Ranks
	}
	both, message, joint := build(true, true), build(false, true), build(true, false)
	for rank := range both {
		if both[rank] != max(message[rank], joint[rank]) {
			t.Errorf("rank %d: %d together, alone %d and %d", rank, both[rank], message[rank],
				joint[rank])
		}
	}
}

// The links are quiet when a part ends: kept parts end as the whole program does, and a part with a
// joint operation that nothing waits for overlaps the next one.
func TestJointInParts(t *testing.T) {
	const ranks, streams, parts = 3, 2, 4
	build := func(times int, waits bool) *Program {
		b := schedule.NewBuilder(ranks)
		for rank := range ranks {
			b.NextRank()
			before := b.Calc(uint64(10 * rank))
			for part := range times {
				begin := b.Calc(uint64(1 + rank))
				b.Requires(begin, before)
				var ends []uint32
				for stream := range streams {
					joint := b.Add(schedule.Op{Kind: schedule.Joint, NIC: 1, CPU: uint16(1 + stream),
						Peer: uint32(part*streams + stream), Size: uint64(100 + stream)})
					b.Requires(joint, begin)
					ends = append(ends, joint)
				}
				if !waits {
					ends = ends[:1]
				}
				before = b.Calc(uint64(rank))
				for _, e := range ends {
					b.Requires(before, e)
				}
			}
		}
		s, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		p, err := New(s)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	run := func(waits bool) (*SequenceResult, error) {
		s := Sequence{Ranks: ranks, Parts: []*Program{build(1, waits)}, Order: make([]int32, parts)}
		return s.Run(context.Background(), Setup{LogGOPS: Defaults, Record: true},
			func(int32, uint64, *Result) {})
	}
	all, err := run(true)
	if err != nil {
		t.Fatal(err)
	}
	one, err := build(1, true).Run(context.Background(), Setup{LogGOPS: Defaults})
	if err != nil {
		t.Fatal(err)
	}
	if all.Simulated == parts || slices.Max(all.Ranks) <= parts*201_000 ||
		slices.Max(all.Ranks) > parts*slices.Max(one.Ranks) {
		t.Errorf("%d parts simulated, finish %v, of one part %v", all.Simulated, all.Ranks, one.Ranks)
	}
	if _, err := run(false); !errors.Is(err, ErrOverlap) {
		t.Errorf("a joint operation is left: %v", err)
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
