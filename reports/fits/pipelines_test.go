package fits

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/internal/calibrate"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// A platform of stages predicts what the rows say: the request once, the first packet's send and
// the last one's receive alone, and else the busier stage. The table compares it with whole
// messages.
func TestFitPipelines(t *testing.T) {
	send := func(p float64) float64 { return 1 + p/100 }
	receive := func(p float64) float64 { return 2 + p/90 }
	const start, busy, handOver = 5, 1.25, 0.5
	var b strings.Builder
	b.WriteString(calibrate.PipelineHeader + "\n")
	whole := func(n, p float64) float64 {
		if k := n / p; k > 1 {
			return start + send(p) + handOver + busy*receive(p)*(k-1) + receive(p)
		}
		return start + send(p) + handOver + receive(p)
	}
	for _, n := range []float64{4096, 65536} {
		for p := 512.; p <= n; p *= 2 {
			row := func(stage string, t float64) {
				fmt.Fprintf(&b, "mpi,%s,%.0f,%.0f,%.6f\n", stage, n, p, t)
			}
			row("start", start)
			row("send", send(p))
			row("hand-over", handOver)
			row("receive", receive(p))
			row("send-busy", busy*send(p))
			row("receive-busy", busy*receive(p))
			row("whole", 1.1*whole(n, p))
		}
	}
	path := filepath.Join(t.TempDir(), "pipe.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := Question{Files: []string{path}}.Ask(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	text, err := f.TOML()
	if err != nil {
		t.Fatal(err)
	}
	made, err := platforms.Parse("pipe.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	layer, err := made.Layer("mpi")
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []float64{4096, 65536} {
		pipe := model.At(layer.Model, quantity.Bytes(n)).(*model.Pipeline)
		for p := 512.; p <= n; p *= 2 {
			got, want := float64(pipe.OneWayIn(quantity.Bytes(n), quantity.Bytes(p))), whole(n, p)
			if math.Abs(got/want-1) > 2e-3 { // times are written with four digits
				t.Errorf("%v bytes in packets of %v take %v µs, want %v", n, p, got, want)
			}
		}
	}
	for _, r := range f.Result.(*Pipelines).Tests {
		// Whole messages take 10 % longer than the stages say.
		if math.Abs(r.Median-(1-1/1.1)) > 2e-3 || r.Packet != r.Fastest {
			t.Errorf("%+v", r)
		}
	}
	if _, err := (Question{Files: []string{path}, Options: fit.Options{Model: "linear"}}).Ask(t.Context()); err == nil {
		t.Error("a model of curves is accepted")
	}
}
