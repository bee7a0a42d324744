package programs_test

import (
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/internal/engine/programs"
	"github.com/halfpeak/halfpeak/internal/engine/virtual"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// Every registered program is described, and every simulated one runs and fills the shape that it
// says its result has.
func TestRegistry(t *testing.T) {
	d, err := platforms.Open("hp-lam/bulk")
	if err != nil {
		t.Fatal(err)
	}
	p, l := d.Platform, d.Layer
	seen := map[string]bool{}
	for _, program := range programs.All {
		name := program.Name
		if seen[name] || name == "" || program.Help == "" || len(program.Help) > 67 || strings.HasSuffix(program.Help, ".") || program.On == 0 || program.Measures == "" || program.Run == nil {
			t.Errorf("%q: %+v is not a whole entry, or not the only one of its name", name, program)
		}
		if seen[name] = true; program.Sizes == programs.Own && program.Bytes < 1 {
			t.Errorf("%s has a size of its own, and does not say which", name)
		}
		s := virtual.Of(p, l)
		a := programs.Args{Size: 1000, Count: 4, Warm: 1, Each: program.Timed, Deltas: []quantity.Micros{0, 5}}
		r, _, err := virtual.Measure(s, virtual.Config{Nodes: 3}, program, a)
		if program.On&programs.Simulated == 0 {
			if err == nil || !strings.Contains(err.Error(), name+" needs a real transport") {
				t.Errorf("%s on simulated nodes: %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if (program.Shape == programs.BySignature) != (len(r.Bursts) == 2*3) || program.Shape == programs.OneTime && r.Time <= 0 {
			t.Errorf("%s: shape %d, result %+v", name, program.Shape, r)
		}
		if program.Timed && len(r.Each) != a.Count {
			t.Errorf("%s: %d of %d round trips have a time", name, len(r.Each), a.Count)
		}
	}
	if _, err := programs.Find("ping_bluk", programs.Real); err == nil || !strings.Contains(err.Error(), "; choose from hand_over, ping_pong, ping_bulk, ") {
		t.Errorf("a name that is nearly right: %v", err)
	}
	if _, err := programs.Find("latency", programs.Real); err == nil {
		t.Error("latency is simulated alone, and was found among real ones")
	}
}
