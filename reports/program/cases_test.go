package program_test

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/sharedtest"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/program"
)

// Programs whose times were computed independently: by SMPI, on machines that calibrate measured
// there, by the recurrence of a ring in four channels, and by hand from LogGP.
func TestIndependentTimes(t *testing.T) {
	folder := sharedtest.Path(t, "cases/numbers")
	flat := simulate.LogGOPS{Latency: 1, Overhead: 0.3, GapTime: 0.3,
		GapPerByte: 8e-5, EagerLimit: simulate.Defaults.EagerLimit}
	for _, c := range []struct {
		file, machine string
		params        []string
		ranks         int
		want          quantity.Micros
	}{
		{"two.star", "fat.toml", nil, 2, 211},
		{"over2.star", "fat.toml", nil, 2, 6000},
		{"isend.star", "", nil, 2, 200},
		{"sc4.star", "", nil, 4, 585.5}, // in the order of Open MPI: 0, 1, 2, 3
		{"gr2.star", "rails.toml", []string{"layers=1", "compute=0"}, 64, 1395},
		{"gr2.star", "rails.toml", []string{"layers=1", "compute=0", "alg=ring"}, 64, 1395},
	} {
		q := program.Question{Files: []string{filepath.Join(folder, c.file)},
			Reading: program.Reading{Ranks: []int{c.ranks}, Params: c.params},
			Eager:   simulate.NoLimit, Table: program.Totals}
		if c.machine != "" {
			d, err := platforms.Open(filepath.Join(folder, c.machine))
			if err != nil {
				t.Fatal(err)
			}
			q.On = []platforms.Design{d}
		}
		q.Run.LogGOPS = flat
		a, err := q.Ask(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got, _ := a.Simulations[0].Runs[0].Result.Finish()
		// The hand's times leave out the handshake, 3.5 µs, and SMPI's have three digits.
		if math.Abs(float64(got/c.want)-1) > 0.01 {
			t.Errorf("%s %v: %v, independently %v", c.file, c.params, got, c.want)
		}
	}
}
