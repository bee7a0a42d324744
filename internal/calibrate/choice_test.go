package calibrate

import (
	"math"
	"strings"
	"testing"
)

// With a library whose algorithms are known, the time of a call is what a barrier takes longer than
// its message of 2 µs, or of reductions a reduce and of others a scatter, if that is less.
func TestTimeOfCall(t *testing.T) {
	for _, test := range []struct {
		library         string
		rows            string // collectives of 8 B and their times
		checked         int
		bcast, reducing float64 // calls
	}{
		{"Open MPI v4.1.4", "barrier 5, bcast 5", 2, 3, 3},
		{"some MPI", "barrier 5, bcast 5", 3, 0, 0},
		{"MPICH Version:	4.0.2", "barrier 5, scatter 2.5, reduce 4, bcast 5", 2, 0.5, 2},
		{"MPICH Version:	4.0.2", "barrier 5, reduce 900, bcast 5", 2, 3, 3},
		{"MPICH Version:	4.0.2", "bcast 5", 2, 0, 0},
	} {
		text := strings.NewReplacer("some MPI", test.library, "node holds 4", "node holds 1", "cluster holds 4", "cluster holds 2", ",2,3,4,5,6,7,8,9,10,11,12,13,14,15", "",
			"allreduce,,in,16", "allreduce,,in,2").Replace(planted())
		for row := range strings.SplitSeq(test.rows, ", ") {
			measure, time, _ := strings.Cut(row, " ")
			text += measure + ",,in,2,8,0,1,9" + strings.Repeat(","+time, 6) + ",0\n"
		}
		c := calibration(t, text)
		checks, err := c.Check(t.Context(), machineOf(t, c))
		if err != nil {
			t.Fatal(err)
		}
		checked := 0
		for _, k := range checks {
			if !k.IsCollective() {
				continue
			}
			checked++
			want := test.bcast
			if isReduction(k.Measure) {
				want = test.reducing
			}
			if math.Abs(float64(k.Call)-want) > 0.1 {
				t.Errorf("%s, %s: a call of %s takes %v, want %v", test.library, test.rows, k.Measure, k.Call, want)
			}
		}
		if checked != test.checked {
			t.Errorf("%s, %s: %d collectives are checked, want %d", test.library, test.rows, checked, test.checked)
		}
	}
}
