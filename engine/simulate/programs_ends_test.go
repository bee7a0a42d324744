package simulate_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule"
)

// ends runs a schedule without times: what can happen next happens in an order of chance. Messages
// of more than eager bytes hold their send up until they are taken. It returns how many operations
// are not done, and how many messages and receives are left over.
func ends(r *rand.Rand, s *schedule.Schedule, eager uint64) (undone, left int) {
	type message struct{ from, to, op uint32 }
	var can []uint32               // operations that can start
	var flying []message           // sent
	arrived := map[int][]message{} // not taken, in order
	posted := map[int][]uint32{}
	waits := s.Waits()
	ops := s.Ops()
	undone = len(ops)
	release := func(next []uint32) {
		for _, op := range next {
			if waits[op]--; waits[op] == 0 {
				can = append(can, op)
			}
		}
	}
	for op, n := range waits {
		if n == 0 {
			can = append(can, uint32(op))
		}
	}
	done := func(op uint32) { undone--; release(s.AfterDone(op)) }
	match := func(recv uint32, m message) bool {
		a, b := ops[recv], ops[m.op]
		return (a.Peer == m.from || a.Peer == schedule.Any) && (a.Tag == b.Tag || a.Tag == schedule.Any || b.Tag == schedule.Any)
	}
	meet := func(recv uint32, m message) {
		if ops[m.op].Size > eager {
			done(m.op)
		}
		done(recv)
	}
	for len(can)+len(flying) > 0 {
		k := r.IntN(len(can) + len(flying))
		if k < len(can) {
			op := can[k]
			can = append(can[:k], can[k+1:]...)
			release(s.AfterStarted(op))
			switch rank := s.RankOf(op); ops[op].Kind {
			case schedule.Calc:
				done(op)
			case schedule.Send:
				flying = append(flying, message{uint32(rank), ops[op].Peer, op})
				if ops[op].Size <= eager {
					done(op)
				}
			case schedule.Recv:
				found := false
				for i, m := range arrived[rank] {
					if found = match(op, m); found {
						arrived[rank] = append(arrived[rank][:i:i], arrived[rank][i+1:]...)
						meet(op, m)
						break
					}
				}
				if !found {
					posted[rank] = append(posted[rank], op)
				}
			}
			continue
		}
		k -= len(can)
		m := flying[k]
		flying = append(flying[:k], flying[k+1:]...)
		to, found := int(m.to), false
		for i, recv := range posted[to] {
			if found = match(recv, m); found {
				posted[to] = append(posted[to][:i:i], posted[to][i+1:]...)
				meet(recv, m)
				break
			}
		}
		if !found {
			arrived[to] = append(arrived[to], m)
		}
	}
	for rank := range s.Ranks() {
		left += len(arrived[rank]) + len(posted[rank])
	}
	return undone, left
}

func TestRandomEnds(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	seen := map[string]int{}
	for seed := range uint64(2000) {
		s := randomProgram(seed, 1+r.IntN(6), r.IntN(60))
		for _, eager := range []uint64{0, 1000, 65535} {
			if undone, left := ends(r, s, eager); undone+left > 0 {
				t.Fatalf("seed %d, eager up to %d: %d operations not done, %d messages or receives left", seed, eager, undone, left)
			}
		}
		for op, o := range s.Ops() {
			note := func(what string, is bool) {
				if is {
					seen[what]++
				}
			}
			note(o.Kind.String(), true)
			note("any source", o.Kind == schedule.Recv && o.Peer == schedule.Any)
			note("any tag", o.Kind == schedule.Recv && o.Tag == schedule.Any)
			note("send with any tag", o.Kind == schedule.Send && o.Tag == schedule.Any)
			note("0 bytes", o.Kind == schedule.Send && o.Size == 0)
			note("cpu", o.CPU > 0)
			note("nic", o.NIC > 0)
			note("to itself", o.Kind == schedule.Send && o.Peer == uint32(s.RankOf(uint32(op))))
			note("requires", len(s.AfterDone(uint32(op))) > 0)
			note("irequires", len(s.AfterStarted(uint32(op))) > 0)
			note("17 become free", len(s.AfterDone(uint32(op))) >= 17)
			note("send that holds up", o.Kind == schedule.Send && o.Size > 65535 && len(s.AfterDone(uint32(op))) > 0)
		}
		for rank := range s.Ranks() {
			if lo, hi := s.Rank(rank); lo == hi {
				seen["rank without operations"]++
			}
		}
	}
	for _, what := range []string{"send", "recv", "calc", "any source", "any tag", "send with any tag", "0 bytes", "cpu", "nic", "to itself",
		"requires", "irequires", "17 become free", "send that holds up", "rank without operations"} {
		if seen[what] < 20 {
			t.Errorf("%s: only %d of them", what, seen[what])
		}
	}
}

func TestWildDoesBoth(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	ended, stuck := 0, 0
	for seed := range uint64(300) {
		if undone, left := ends(r, wildProgram(seed, 1+r.IntN(6), r.IntN(60)), 65535); undone+left > 0 {
			stuck++
		} else {
			ended++
		}
	}
	if ended < 50 || stuck < 50 {
		t.Errorf("%d ended, %d did not", ended, stuck)
	}
}

func TestStuck(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for seed := range uint64(400) {
		for why := range troubles {
			undone, left := ends(r, stuckProgram(seed, 2+r.IntN(4), r.IntN(30), why), 65535)
			if want := [...][2]int{circle: {2, 0}, noReceive: {0, 1}, noMessage: {1, 1}, rendezvous: {4, 2}}[why]; want != [2]int{undone, left} {
				t.Fatalf("seed %d, trouble %d: %d operations not done and %d left, want %d", seed, why, undone, left, want)
			}
		}
	}
}

func TestSameSeedSameProgram(t *testing.T) {
	text := func(s *schedule.Schedule) string {
		var b bytes.Buffer
		if err := s.WriteText(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for seed := range uint64(20) {
		for _, make := range []func(uint64, int, int) *schedule.Schedule{randomProgram, wildProgram} {
			first := text(make(seed, 4, 30))
			if again := text(make(seed, 4, 30)); again != first {
				t.Errorf("seed %d: two programs", seed)
			}
		}
	}
	if text(randomProgram(1, 4, 30)) == text(randomProgram(2, 4, 30)) {
		t.Error("two seeds, one program")
	}
}
