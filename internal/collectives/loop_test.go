package collectives

import (
	"math"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/simulate"
)

// Two ranks in a loop, by hand, with L = 2, o = 0.5 and no bytes that count, in µs. Both leave the
// exchange of the barrier 3 after the later one has entered it. The root hands its message over in
// 0.5 and enters. The receiver has it 3 after the root left the barrier, finds the root's barrier
// message there, has sent its own after 0.5 and received the root's after another 0.5: it leaves 4
// after the root left. The root has its message after 3 + 0.5 + 2 + 0.5 = 6. So the receiver waits
// 2 for the root to leave, and 3 for the message: 5 for the receiver, 0.5 for the root.
func TestLoopOfTwo(t *testing.T) {
	m := simulate.LogGOPS{Latency: 2, Overhead: 0.5, EagerLimit: simulate.NoLimit}
	binomial, err := collective.Find("bcast", "binomial")
	if err != nil {
		t.Fatal(err)
	}
	got, err := newCell(binomial, 2, collective.Call{Bytes: 8}).loop(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	off := math.Abs(float64(got.Time-5)) + math.Abs(float64(got.Average-2.75))
	if off > 1e-6 {
		t.Errorf("%v and %v in the mean, want 5 and 2.75 µs", got.Time, got.Average)
	}
}

// A call that the algorithm does not support has no loop.
func TestLoopOfWrongCall(t *testing.T) {
	binomial, err := collective.Find("bcast", "binomial")
	if err != nil {
		t.Fatal(err)
	}
	c := newCell(binomial, 4, collective.Call{Bytes: 8, Root: 99})
	if _, err := c.loop(t.Context(), simulate.LogGOPS{}); err == nil {
		t.Error("a root beyond the ranks")
	}
}
