package program_test

import (
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/internal/program"
)

// A computation takes the larger of its two times: 4e9 operations at 2 a ns are 2 s, and 3e9 bytes
// at 1 a ns are 3 s.
func TestRoofline(t *testing.T) {
	for call, want := range map[string]float64{
		"flops = 4e9":                    2e9,
		"bytes = 3e9":                    3e9,
		"flops = 4e9, bytes = 3e9":       3e9,
		"flops = 4e9, bytes = 1000":      2e9,
		`flops = 4e9, bytes = "1KiB"`:    2e9,
		`"3s"`:                           3e9,
		"flops = 4e9 * (1 + mpi.size)":   10e9,
		"flops = 0, bytes = 0":           0,
		"flops = mpi.rank, bytes = 3e9":  3e9,
		"bytes = 10 * (mpi.rank - 0)":    15, // the mean of four ranks
		"flops = 4e9 if mpi.rank else 0": 1.5e9,
	} {
		text := "def main(mpi):\n    mpi.compute(" + call + ")\n"
		p, err := program.Read(t.Context(), "a.star", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		_, marks, err := p.Schedule(t.Context(), program.Options{Ranks: 4,
			Collectives: collective.Choices{Flops: 2, Memory: 1}})
		if err != nil || marks.Computed != 4*want {
			t.Errorf("%s: %g ns, %v, want %g", call, marks.Computed/4, err, want)
		}
	}
}

func TestComputeErrors(t *testing.T) {
	for call, want := range map[string]string{
		"mpi.compute()":                          "compute needs a time",
		"mpi.compute('3ms', flops = 1)":          "not both",
		"mpi.compute(flops = 1)":                 "write flops = \"250Tflop/s\" and memory = \"1.4TB/s\" under [compute]",
		"mpi.compute(bytes = 1)":                 "memory = \"1.4TB/s\" under [compute]",
		"mpi.compute(flops = -1)":                "must be a number of at least 0 (got -1)",
		"mpi.mesh()":                             "a mesh names its axes",
		"mpi.mesh(data = 3)":                     "4 ranks have no mesh of data = 3",
		"mpi.mesh(data = None, tensor = 8)":      "4 ranks have no mesh of tensor = 8",
		"mpi.mesh(a = 2, b = 3)":                 "4 ranks have no mesh of a = 2, b = 3",
		"mpi.count(1, 2)":                        "must be a text",
		"mpi.mesh(a = 4).a.barrier(times = 0)":   "times must be 1 to",
		"mpi.mesh(a = 2, b = None).b.compute(1)": "a method of the communicator of all ranks",
	} {
		text := "def main(mpi):\n    " + call + "\n"
		p, err := program.Read(t.Context(), "a.star", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = p.Schedule(t.Context(), program.Options{Ranks: 4})
		if err == nil || !strings.HasPrefix(err.Error(), "a.star:2:") ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", call, err, want)
		}
	}
}

// The axes of a mesh are those of a grid: the last one has neighbours, and all groups of an axis
// call at once.
func TestMesh(t *testing.T) {
	const text = `def main(mpi):
    mesh = mpi.mesh(data = None, pipeline = 2, tensor = 2)
    mesh.data.allreduce(8)
    mesh.tensor.allreduce(16, times = 3)
    before, behind = mesh.pipeline.shift(0)
    mesh.pipeline.sendrecv(4, dest = behind, source = before)
    mpi.count("tokens", 10 * (1 + mesh.tensor.rank))
`
	p, err := program.Read(t.Context(), "a.star", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	groups := map[string][][]uint32{}
	calls, err := p.Calls(t.Context(), program.Options{Ranks: 8, PerNode: 2,
		Mesh: func(c program.Collective) (uint64, error) {
			groups[c.Name] = c.Groups
			return 100 * c.Bytes, nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	if name, n := calls.Counted(); name != "tokens" || n != 120 {
		t.Errorf("%g %s, want 120 tokens", n, name)
	}
	s, _, err := calls.Schedule(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	sums := map[schedule.Kind]uint64{}
	for _, op := range s.Ops() {
		sums[op.Kind] += op.Size
		if op.Kind == schedule.Joint && (op.Size == 800) != (op.NIC > 0) {
			t.Errorf("%v: of two axes, one is within nodes, and data between them", op)
		}
	}
	// Eight ranks in 800 ns and three times 1600 ns; a message of each of four first stages.
	if sums[schedule.Joint] != 8*(800+3*1600) || sums[schedule.Send] != 4*4 {
		t.Errorf("%v", sums)
	}
	if all := groups["allreduce"]; len(all) != 4 || len(all[0]) != 2 || all[1][0] != 2 {
		t.Errorf("groups %v", all)
	}
}
