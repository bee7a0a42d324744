package fit

import (
	"math"
	"testing"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// checkInvariants fails if a result breaks what the doc comments promise.
func checkInvariants(t *testing.T, r *Result) {
	t.Helper()
	at := 0
	for i, s := range r.Segments {
		finite := !math.IsNaN(float64(s.Beta.Value)+float64(s.Tau.Value)) && !math.IsInf(float64(s.Beta.Value)+float64(s.Tau.Value), 0)
		if !finite || r.Model != "table" && (s.Beta.Value < 0 || s.Tau.Value < 0) || s.Points < 1 || s.From > s.To {
			t.Errorf("%s: segment %+v", r.Model, s)
		}
		if !(s.Beta.Low <= s.Beta.Value && s.Beta.Value <= s.Beta.High && s.Tau.Low <= s.Tau.Value && s.Tau.Value <= s.Tau.High) {
			t.Errorf("%s: intervals of %+v", r.Model, s)
		}
		for range s.Points {
			if p := r.Points[at]; p.Segment != i || math.IsNaN(p.Error()) || p.Fitted != s.Time(p.Size) {
				t.Errorf("%s: point %+v of segment %d", r.Model, p, i)
			}
			at++
		}
	}
	if at != len(r.Points) || r.Model == "piecewise" && len(r.Breaks) != len(r.Segments)-1 {
		t.Errorf("%s: %d points in segments, %d in all, %d breaks", r.Model, at, len(r.Points), len(r.Breaks))
	}
	if !(0 <= r.Median && r.Median <= r.P95 && r.P95 <= r.Worst) || math.IsNaN(r.R2) {
		t.Errorf("%s: errors %+v", r.Model, r.Errors)
	}
	for _, b := range r.Breaks {
		if !(b.Within.Low <= float64(b.At) && float64(b.At) <= b.Within.High && b.At < b.Next) || !(b.Jump.Low <= b.Jump.Value && b.Jump.Value <= b.Jump.High) {
			t.Errorf("%s: break %+v", r.Model, b)
		}
	}
}

// FuzzFit fits every model to points of any kind: two bytes of size step and two of time each.
func FuzzFit(f *testing.F) {
	f.Add([]byte{0, 1, 0, 10, 0, 1, 0, 20, 0, 1, 0, 30, 0, 1, 0, 40, 0, 1, 0, 50})
	f.Add([]byte{255, 255, 255, 255, 0, 1, 0, 1, 255, 255, 0, 1, 0, 1, 255, 255, 9, 9, 9, 9, 0, 1, 0, 1, 0, 1, 0, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		tab := &benchfile.Table{Format: "csv", Quantum: 0.01}
		size := 0.0
		for i := 0; i+4 <= len(data) && i < 200; i += 4 {
			size += math.Pow(1.3, float64(data[i])/10) + float64(data[i+1])
			size = math.Floor(size)
			v := quantity.Micros(math.Exp(float64(int(data[i+2])*256+int(data[i+3]))/4000 - 4))
			tab.Samples = append(tab.Samples, benchfile.Sample{Size: quantity.Bytes(size), Count: 1 + int64(data[i]%3), Mean: v, Min: v, Max: v, Line: i + 1})
		}
		var results []*Result
		take := func(r *Result, err error) {
			if err == nil {
				results = append(results, r)
			} else if len(tab.Samples) >= 4 {
				t.Errorf("%v", err)
			}
		}
		for _, m := range Methods {
			take(Linear(tab, m))
		}
		take(Piecewise(tab, 0))
		take(Piecewise(tab, 2))
		take(PerSize(tab))
		if len(tab.Samples) < 20 {
			take(Auto(tab))
		}
		for _, r := range results {
			checkInvariants(t, r)
		}
		if len(results) > 0 {
			if _, err := Compare(results[0], results[len(results)-1], Fabric); err != nil {
				t.Error(err)
			}
		}
	})
}
