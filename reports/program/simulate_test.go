package program_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/mpitrace"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/program"
)

// Sweep3D, with schedgen's collectives, of the trace that LogGOPSim publishes: the real run took
// 42.539 s, LogGOPSim says 42.44152775 s (README of the data). The same rules say the same; the
// default ones, by which bytes come in while a processor computes, are within 1.5 % of the run,
// which is what the page says.
func TestSweep3D(t *testing.T) {
	in, err := program.Read(t.Context(), []string{"testdata/sweep3d.bin.gz"}, program.Reading{})
	if err != nil {
		t.Fatal(err)
	}
	in.Trace = true // so that a run has its path
	if in.Schedule.Ranks() != 4 {
		t.Fatalf("%d ranks", in.Schedule.Ranks())
	}
	finish := func(q program.Question) (float64, program.MachineRun) {
		t.Helper()
		q.Input, q.Run.LogGOPS = in, simulate.Defaults
		a, err := q.Ask(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		s := a.Simulations[0]
		at, _ := s.Runs[0].Result.Finish()
		return float64(at), s.Runs[0]
	}
	byLogGOPSim := program.Question{Run: simulate.Setup{Rules: simulate.LogGOPSim}}
	if got, _ := finish(byLogGOPSim); got != 42441527.748 {
		t.Errorf("by LogGOPSim's rules %v µs", got)
	}
	got, run := finish(program.Question{})
	if math.Abs(got/42.539e6-1) > 0.015 {
		t.Errorf("%v µs; the real run took 42.539 s", got)
	}
	if p := run.OnPath; p.Computing == 0 || p.Messages == 0 || p.Noise > 0 ||
		p.Computing+p.Messages != run.Result.Ranks[0] {
		t.Errorf("%+v do not add up to %d", p, run.Result.Ranks[0])
	}
	slow, err := platforms.Open("hp-lam")
	if err != nil {
		t.Fatal(err)
	}
	other, otherRun := finish(program.Question{Eager: simulate.NoLimit,
		On: []platforms.Design{slow}})
	if !(other > got && otherRun.OnPath.Messages > run.OnPath.Messages) {
		t.Errorf("on HP-LAM %v µs, %d of it communication; with LogGOPSim's parameters %v and %d",
			other, otherRun.OnPath.Messages, got, run.OnPath.Messages)
	}
}

// A reading that is interrupted ends, whatever the file.
func TestReadInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := program.Read(ctx, []string{"../../engine/simulate/testdata/stuck.goal"},
		program.Reading{}); err == nil {
		t.Error("it was read")
	}
}

// GOAL says how long each computation takes: a factor for those of traces is refused.
func TestScaleOfGOAL(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.goal")
	if err := os.WriteFile(name, []byte("num_ranks 1\nrank 0 {\nl1: calc 1000\n}\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	reading := mpitrace.Defaults
	if _, err := program.Read(t.Context(), []string{name}, program.Reading{Trace: reading}); err != nil {
		t.Error(err)
	}
	reading.Scale = 0.5
	if _, err := program.Read(t.Context(), []string{name}, program.Reading{Trace: reading}); err == nil ||
		!strings.Contains(err.Error(), "only the computations of traces are scaled") {
		t.Errorf("error %v", err)
	}
}
