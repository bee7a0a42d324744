package whatif_test

import (
	"context"
	"math"
	"testing"

	"github.com/halfpeak/halfpeak/internal/study"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/whatif"
)

// A search takes few values of a call, since each may be a simulation of a second: none beyond the
// first if the target is met, and some dozens for a parameter, of which one is at the solution.
func TestSearchTakesFewSimulations(t *testing.T) {
	d, err := platforms.Open("hp-lam")
	if err != nil {
		t.Fatal(err)
	}
	runs, latest := 0, 0.
	call := study.Call{Name: study.Finish, Of: "a ring",
		Run: func(c platforms.Costs, parts bool) (f study.Finished, err error) {
			runs++
			// Convex and with a kink, as a finish is.
			f.Time = 10*c.Layer.OneWay(1) + max(0, 3*c.Layer.Gap(1)-20)
			latest = float64(f.Time)
			f.Parts = []study.Share{{Owner: "wire", OneWay: f.Time}}
			return f, nil
		}}
	of := whatif.Of(d, call)
	met, err := of.ParseTarget("finish <= 1s")
	if err != nil {
		t.Fatal(err)
	}
	runs = 0
	s, err := whatif.TargetQuestion{Case: whatif.Case{After: of}, Target: met}.Ask(context.Background())
	if err != nil || !s.Met || len(s.Found) > 0 || runs != 1 {
		t.Errorf("a target that is met: %+v after %d simulations, error %v", s, runs, err)
	}
	target, err := of.ParseTarget("finish <= 0.9*finish")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"L", "o_r"} {
		by, err := of.Searched(name)
		if err != nil {
			t.Fatal(err)
		}
		runs = 0
		begun, found := 0, 0
		q := whatif.TargetQuestion{Case: whatif.Case{After: of}, Target: target, By: []whatif.Range{by}}
		q.Watch = func(_ string, solved bool) {
			if solved {
				found++
			} else {
				begun++
			}
		}
		s, err := q.Ask(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		f := s.Found[0]
		if !f.Reached || f.At > target.Value || f.At < target.Value*(1-1e-8) {
			t.Errorf("%s at %v: %v µs, want %v", name, f.Value, f.At, target.Value)
		}
		if runs > 40 || begun != 1 || found != 1 {
			t.Errorf("%s takes %d simulations; %d begun, %d found", name, runs, begun, found)
		}
		changed, err := of.Set(name + "=" + quantity.Micros(f.Value).String())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := changed.ValueOf(target.Quantity); err != nil || math.Abs(latest/f.At-1) > 1e-3 {
			t.Errorf("%s at %v gives %v µs, want %v", name, f.Value, latest, f.At)
		}
	}
}
