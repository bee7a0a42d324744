package formula

import (
	"math"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/model/quantity"
)

func FuzzEval(f *testing.F) {
	for _, text := range []string{"1+2*3", "28.1us/2 - o_s - o_r", "sqrt(64KiB * 1.3us / (27us/KB))", `len("a")`, "max(1us,2us)", "((((", "5%%", "1us//KB", "5us/KB/g", "\xff", "-", "1e400", "min()", "1/0", "µs/é"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := Eval(text, scope)
		if err != nil {
			if v != (quantity.Value{}) {
				t.Fatalf("%v beside an error", v)
			}
			return
		}
		// Parentheses and a plus 0 of the same dimension change nothing.
		again, err := Eval("("+text+") + 0*("+text+")", scope)
		if err != nil {
			if strings.Contains(err.Error(), "nested deeper") {
				return
			}
			t.Fatalf("in parentheses: %v", err)
		}
		if again.Dim != v.Dim || again.Num != v.Num && !math.IsNaN(again.Num) {
			t.Fatalf("%v, in parentheses %v", v, again)
		}
		if n := quantity.Bytes(v.Num); v.Check(quantity.DimSize) == nil {
			if again, err := quantity.ParseBytes(n.String()); err != nil || again != n {
				t.Fatalf("%v prints as %q, which reads as %v, %v", v.Num, n, float64(again), err)
			}
		}
	})
}
