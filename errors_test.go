package halfpeak_test

import (
	"compress/gzip"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak"
	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/reports/whatif"
)

// The errors of the package comment keep their types on the way up, also of what has no file.
func TestTypedErrors(t *testing.T) {
	read := func(text string) (halfpeak.Design, error) {
		return halfpeak.FitReader(strings.NewReader(text), "a.csv", fit.Options{})
	}
	clip, err := halfpeak.Open("clip")
	if err != nil {
		t.Fatal(err)
	}
	both, err := schedule.Read(strings.NewReader("num_ranks 2\nrank 0 {\nrecv 1b from 1\n}\n"+
		"rank 1 {\nrecv 1b from 0\n}\n"), "a.goal")
	if err != nil {
		t.Fatal(err)
	}
	study, err := clip.Study(t.Context(), halfpeak.Message{Size: 1024})
	if err != nil {
		t.Fatal(err)
	}
	_, noTable := read("nothing\n")
	_, wrong := read("size,time_us\n1024,5\n2048,x\n")
	var packed strings.Builder
	z := gzip.NewWriter(&packed)
	fmt.Fprint(z, "size,time_us\n1024,5\n2048,7\n4096,11\n8192,19\n")
	z.Close()
	whole, broken := read(packed.String()[:packed.Len()-4]) // without its length
	_, few := halfpeak.FitReader(strings.NewReader("size,time_us\n1024,5\n"), "a.csv",
		fit.Options{Model: "linear"})
	_, stuck := clip.Ask(t.Context(), halfpeak.Program{Schedule: both})
	_, exact := study.Uncertainty(whatif.Sampling{Samples: 10})
	for _, c := range []struct {
		err error
		is  bool
	}{
		{noTable, errors.As(noTable, new(*benchfile.Error))},
		{broken, errors.As(broken, new(*benchfile.Damaged))},
		{wrong, errors.As(wrong, new(*benchfile.Error))},
		{few, errors.Is(few, fit.ErrNoData)},
		{stuck, errors.As(stuck, new(*simulate.Deadlock))},
		{exact, errors.Is(exact, whatif.ErrExact)},
	} {
		if !c.is {
			t.Errorf("%T: %v", c.err, c.err)
		}
	}
	if e, err := whole.Ask(t.Context(), halfpeak.Message{Size: 4096}); err != nil ||
		math.Abs(e.Value-11) > 1e-9 {
		t.Errorf("before the break: %v, %v", e, err)
	}
}
