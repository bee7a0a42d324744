package halfpeak_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak"
	"github.com/halfpeak/halfpeak/internal/mpitrace"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/collective"
	theprogram "github.com/halfpeak/halfpeak/reports/program"
)

// A collective takes the same time by itself, as the one call of a program, and as that of a trace,
// also on a machine whose ranks take time to copy and to combine.
func TestOneCollectiveOneTime(t *testing.T) {
	const ranks, size = 4, 1 << 20
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const levels = `title = "A node"
level.node = { arity = "4", layer = "node", source = "x" }
level.cluster = { arity = "2", layer = "network", source = "x" }
layer.node = { model = "linear", beta = "0.6us", tau = "0.09us/KiB", source = "x" }
layer.network = { model = "loggp", o = "0.3us", L = "0.7us", g = "0.4us", G = "1/(12.5GB/s)", source = "x" }
`
	const work = `constant.copy = {value="1us/KiB", source="x"}
constant.combine = {value="1us/KiB", source="x"}
`
	plain, err := halfpeak.Open(write("plain.toml", levels))
	if err != nil {
		t.Fatal(err)
	}
	d, err := halfpeak.Open(write("work.toml", levels+work))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"allreduce", "allgather", "alltoall", "bcast", "reduce"} {
		call := fmt.Sprintf("mpi.%s(%d)", name, size)
		var traces []string
		for rank := range ranks {
			traces = append(traces, write(fmt.Sprintf("%s-%d", name, rank), fmt.Sprintf(
				"halfpeak-trace 2 rank %d of %d run 7\n%s 0 2000 %d 0 0\nFinalize 0 0\n", rank,
				ranks, strings.ToUpper(name[:1])+name[1:], size)))
		}
		finish := func(d halfpeak.Design, r theprogram.Reading, names ...string) quantity.Micros {
			t.Helper()
			p, err := halfpeak.Read(t.Context(), names, r, d)
			if err != nil {
				t.Fatal(name, err)
			}
			e, err := d.Ask(t.Context(), p)
			if err != nil {
				t.Fatal(name, err)
			}
			return e.Time()
		}
		star := write(name+".star", "def main(mpi):\n    "+call+"\n")
		reading := theprogram.Reading{Ranks: []int{ranks}, Trace: mpitrace.Defaults}
		for _, d := range []halfpeak.Design{plain, d} {
			answer, err := collective.Calls{Collective: name, Ranks: []int{ranks},
				Sizes: []quantity.Bytes{size}}.On(t.Context(), d.Design)
			if err != nil {
				t.Fatal(name, err)
			}
			want := answer.Times[0].Time.String()
			program, trace := finish(d, reading, star), finish(d, reading, traces...)
			if program.String() != want || trace.String() != want {
				t.Errorf("%s on %s: %s by itself, %s in a program, %s in a trace", name, d.Name(), want, program, trace)
			}
		}
		if name == "allreduce" && finish(d, reading, star) < 2*finish(plain, reading, star) {
			t.Errorf("%s: local work takes no time", name)
		}
	}
}
