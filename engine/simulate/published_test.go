package simulate_test

import (
	"context"
	"encoding/csv"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/sharedtest"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A published run is a row of the tables of what LogGOPSim printed.
type published struct {
	file   string
	m      simulate.LogGOPS
	events uint64
	finish string
}

func publishedRuns(t *testing.T) []published {
	t.Helper()
	files := sharedtest.Goal(t)
	var runs []published
	for _, table := range []string{"random", "patterns"} {
		f, err := files.Open(table + ".csv")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		rows, err := csv.NewReader(f).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows[1:] {
			at := map[string]string{}
			for i, key := range rows[0] {
				at[key] = row[i]
			}
			n := func(key string) float64 {
				v, err := strconv.ParseFloat(at[key], 64)
				if err != nil {
					t.Fatal(err)
				}
				return v
			}
			micros := func(key string) quantity.Micros { return quantity.Micros(n(key) / 1000) }
			perByte := func(key string) quantity.MicrosPerByte { return quantity.MicrosPerByte(n(key) / 1000) }
			runs = append(runs, published{
				file:   table + "/" + at["file"],
				m:      simulate.LogGOPS{Latency: micros("L_ns"), Overhead: micros("o_ns"), GapTime: micros("g_ns"), GapPerByte: perByte("G_ns_per_byte"), OverheadPerByte: perByte("O_ns_per_byte"), EagerLimit: quantity.Bytes(n("S_bytes"))},
				events: uint64(n("events")),
				finish: at["finish_ns"],
			})
		}
	}
	return runs
}

func load(t testing.TB, file string) *schedule.Schedule {
	t.Helper()
	f, err := sharedtest.Goal(t).Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s, err := schedule.Read(f, file)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func prepare(t testing.TB, s *schedule.Schedule) *simulate.Program {
	t.Helper()
	p, err := simulate.New(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// LogGOPSim's own times and numbers of events, of every run that was kept of it.
func TestPublishedRuns(t *testing.T) {
	runs := publishedRuns(t)
	stuck := 0
	for _, run := range runs {
		p := prepare(t, load(t, run.file))
		r, err := p.Run(context.Background(), simulate.Setup{Rules: simulate.LogGOPSim, LogGOPS: run.m})
		var why *simulate.Deadlock
		if run.finish == "stuck" {
			stuck++
			if !errors.As(err, &why) {
				t.Errorf("%s %v: %v; LogGOPSim is stuck", run.file, run.m, err)
			}
			continue
		}
		if err != nil && !errors.As(err, &why) {
			t.Errorf("%s %v: %v", run.file, run.m, err)
			continue
		}
		var times []string
		for _, ns := range r.Ranks {
			times = append(times, strconv.FormatUint(ns, 10))
		}
		if got := strings.Join(times, " "); got != run.finish || r.Events != run.events {
			t.Errorf("%s %v:\n got %s, %d events\nwant %s, %d", run.file, run.m, got, r.Events, run.finish, run.events)
		}
	}
	if len(runs) != 537 || stuck != 12 {
		t.Errorf("%d runs, %d of them stuck; the tables have 537 and 12", len(runs), stuck)
	}
}
