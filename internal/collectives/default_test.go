package collectives_test

import (
	"testing"

	"github.com/halfpeak/halfpeak/internal/collectives"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/whatif"
)

// An algorithm that nobody names is the library's choice for the call, or else the usual one; a
// collective and the finish of a what-if question take the same.
func TestDefault(t *testing.T) {
	d, err := platforms.Open("hp-lam")
	if err != nil {
		t.Fatal(err)
	}
	time := func(d platforms.Design, algorithm string, size quantity.Bytes) (name string, v float64) {
		calls := collectives.Calls{Collective: "allreduce", Algorithm: algorithm, Ranks: []int{16},
			Sizes: []quantity.Bytes{size, 4}}
		times, err := calls.On(t.Context(), d)
		if err != nil || len(times.Times) != 2 {
			t.Fatalf("%+v, %v", times, err)
		}
		calls.Sizes = calls.Sizes[:1]
		_, prepared, err := calls.Prepare(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		with := whatif.Of(d, prepared...)
		all, err := with.Quantities()
		if err != nil {
			t.Fatal(err)
		}
		last := times.Times[1]
		if f, err := with.ValueOf(all[0]); err != nil || f != float64(last.Time) {
			t.Errorf("%v, %v; a collective takes %v", f, err, last.Time)
		}
		return last.Name, float64(last.Time)
	}
	openmpi := d
	openmpi.Platform.Library.Name = "openmpi"
	for _, c := range []struct {
		d    platforms.Design
		size quantity.Bytes
		want string
	}{
		{d, 64, "recursive-doubling"},
		{d, 1 << 20, "rabenseifner-mpich"},
		{openmpi, 2048, "recursive-doubling"}, // choices.txt
		{openmpi, 1 << 20, "rabenseifner"},
	} {
		name, v := time(c.d, "", c.size)
		if _, want := time(c.d, c.want, c.size); name != c.want || v != want {
			t.Errorf("%v by %q: %s takes %v, want %s, %v", c.size, c.d.Platform.Library, name, v,
				c.want, want)
		}
	}
}
