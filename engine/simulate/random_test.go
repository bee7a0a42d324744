package simulate_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/sharedtest"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// ns are LogGOPS parameters L, o, g, G, O and S in ns and bytes.
type ns [6]uint64

var parameterSets = []ns{
	{2500, 1500, 1000, 6, 0, 65535},
	{1000, 200, 400, 1, 0, 4095},
	{50000, 100, 9000, 3, 2, 65535},
	{10, 5000, 10, 0, 1, 1000},
	{7000, 0, 20000, 12, 9, 100},
	{0, 0, 0, 1, 0, 0},
	{0, 0, 0, 0, 0, 1000},
	{100, 3, 2, 9, 7, 999}, // clocks wrap around with messages of 0 bytes
}

func (p ns) loggops() simulate.LogGOPS {
	t := func(i int) quantity.Micros { return quantity.Micros(p[i]) / 1000 }
	return simulate.LogGOPS{Latency: t(0), Overhead: t(1), GapTime: t(2),
		GapPerByte: quantity.MicrosPerByte(t(3)), OverheadPerByte: quantity.MicrosPerByte(t(4)), EagerLimit: quantity.Bytes(p[5])}
}

// programs returns the number of random programs of a test. A fault that one program in k has is
// missed by n of them with probability e^(−n/k): of 1,500, one in 500 with 5 %.
func programs(t *testing.T, n int) int {
	if testing.Short() {
		return n / 10
	}
	return n
}

// crowded tells whether more than 16 operations may become free together: LogGOPSim does not
// keep their order then, as the oracle does.
func crowded(s *schedule.Schedule) bool {
	for rank := range s.Ranks() {
		if lo, hi := s.Rank(rank); hi-lo > 16 {
			return true
		}
	}
	return false
}

func TestLogGOPSimAgainstOracle(t *testing.T) {
	ended := 0
	n := programs(t, 1500)
	for seed := range n {
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		s := wildProgram(uint64(seed), 1+seed%6, 2+seed%14)
		p := parameterSets[r.IntN(len(parameterSets))]
		if crowded(s) {
			continue
		}
		o := newOracle(s)
		want, events := o.peer(p[0], p[1], p[2], p[3], p[4], p[5])
		got, err := prepare(t, s).Run(context.Background(), simulate.Setup{Rules: simulate.LogGOPSim, LogGOPS: p.loggops()})
		var stuck *simulate.Deadlock
		if err != nil && !errors.As(err, &stuck) {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if o.leftOver() && stuck == nil {
			t.Errorf("seed %d: the oracle is stuck", seed)
		}
		if !slices.Equal(got.Ranks, want) || got.Events != events {
			t.Fatalf("seed %d, %v: got %v, %d events; want %v, %d", seed, p, got.Ranks, got.Events, want, events)
		}
		if stuck == nil {
			ended++
		}
	}
	if ended < n/3 {
		t.Errorf("only %d of %d programs end", ended, n)
	}
}

func TestDefaultRulesAgainstOracle(t *testing.T) {
	ended := 0
	n := programs(t, 1500)
	for seed := range n {
		r := rand.New(rand.NewPCG(uint64(seed), 2))
		s := roomyProgram(uint64(seed), 1+seed%6, 2+seed%14)
		p := parameterSets[r.IntN(len(parameterSets))]
		o := newOracle(s)
		want, events := o.plain(p[0]*1000, p[1]*1000, p[2]*1000, p[3]*1000, p[4]*1000, p[5])
		for _, record := range []bool{false, true} {
			got, err := prepare(t, s).Run(context.Background(), simulate.Setup{LogGOPS: p.loggops(), Record: record})
			var stuck *simulate.Deadlock
			if err != nil && !errors.As(err, &stuck) {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if fine := o.allEnded() && !o.leftOver(); fine != (stuck == nil) {
				t.Errorf("seed %d: %v; the oracle's ended: %v", seed, stuck, fine)
			}
			if !slices.Equal(got.Ranks, want) || got.Events != events {
				t.Fatalf("seed %d, %v: got %v, %d events; want %v, %d", seed, p, got.Ranks, got.Events, want, events)
			}
			if stuck == nil {
				ended++
			}
		}
	}
	if ended < n/3 {
		t.Errorf("only %d of %d programs end", ended, n)
	}
}

// All rules end or are stuck on what always ends, and is always stuck.
func TestTroubles(t *testing.T) {
	for seed := range uint64(200) {
		why := trouble(seed % uint64(troubles))
		s := stuckProgram(seed, 2+int(seed%5), 1+int(seed%20), why)
		for _, rules := range []simulate.Rules{simulate.Default, simulate.LogGOPSim} {
			o := simulate.Setup{Rules: rules, LogGOPS: simulate.Defaults}
			if _, err := prepare(t, randomProgram(seed, 2+int(seed%5), int(seed%30))).Run(context.Background(), o); err != nil {
				t.Errorf("seed %d, %v: %v", seed, rules, err)
			}
			r, err := prepare(t, s).Run(context.Background(), o)
			var stuck *simulate.Deadlock
			if !errors.As(err, &stuck) || r == nil || len(r.Ranks) != s.Ranks() {
				t.Fatalf("seed %d, %v: trouble %d: %v", seed, rules, why, err)
			}
			if text := err.Error(); len(text) > 2000 || !oneLine(err) {
				t.Errorf("not one short line: %s", text)
			}
			switch why {
			case circle:
				if len(stuck.Cycle) != 2 || !strings.Contains(stuck.Cycle[0].Text, "calc 1234567") {
					t.Errorf("seed %d, %v: the circle is %v", seed, rules, stuck.Cycle)
				}
			case noReceive:
				if len(stuck.Messages) != 1 || stuck.Messages[0].Tag != 1000000 || stuck.Unfinished != 0 {
					t.Errorf("seed %d, %v: %+v", seed, rules, stuck)
				}
			case noMessage:
				if len(stuck.Waits) != 1 || stuck.Waits[0].Rank != 1 || !strings.Contains(stuck.Waits[0].Text, "recv 8b from 0 tag 1000000") {
					t.Errorf("seed %d, %v: %+v", seed, rules, stuck)
				}
			case rendezvous:
				if len(stuck.Cycle) != 4 || len(stuck.Messages) != 1 || stuck.Messages[0].Count != 2 {
					t.Errorf("seed %d, %v: %+v", seed, rules, stuck)
				}
			}
		}
	}
}

// Whatever is done to a file, reading and running it end, with a result or an error of one line.
func TestTamperedFiles(t *testing.T) {
	goal := sharedtest.Goal(t)
	files, err := fs.Glob(goal, "random/*.goal")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 3))
	ran, wrong, stuck := 0, 0, 0
	for range programs(t, 3000) {
		text, err := fs.ReadFile(goal, files[r.IntN(len(files))])
		if err != nil {
			t.Fatal(err)
		}
		if r.IntN(3) == 0 {
			text = text[:r.IntN(len(text))]
		}
		for range r.IntN(4) {
			if len(text) > 0 {
				text[r.IntN(len(text))] = "0123456789 \n}{abrecv:-"[r.IntN(22)]
			}
		}
		s, err := schedule.Read(bytes.NewReader(text), "tampered.goal")
		if err != nil {
			wrong++
			continue
		}
		p, err := simulate.New(s)
		if err != nil {
			wrong++
			continue
		}
		for _, rules := range []simulate.Rules{simulate.Default, simulate.LogGOPSim} {
			ran++
			_, err := p.Run(context.Background(), simulate.Setup{Rules: rules, LogGOPS: simulate.Defaults})
			if err != nil && !oneLine(err) {
				t.Errorf("more than one line: %v", err)
			}
			if errors.As(err, new(*simulate.Deadlock)) {
				stuck++
			}
		}
	}
	t.Logf("%d runs, %d of them stuck; %d files could not be read", ran, stuck, wrong)
}

func TestCancel(t *testing.T) {
	p := prepare(t, randomProgram(1, 50, 20000))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := p.Run(ctx, simulate.Setup{LogGOPS: simulate.Defaults}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := p.Runs(ctx, simulate.Setup{LogGOPS: simulate.Defaults}, 10); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// A message that is larger than its receive is an error by the default rules, whoever comes first.
func TestNoRoom(t *testing.T) {
	for _, c := range []struct{ first, second string }{{"", "a: calc 9\n"}, {"a: calc 9999999\n", ""}} {
		wait := func(text, op string) string {
			if text == "" {
				return op
			}
			return text + "b: " + op + "b requires a\n"
		}
		goal := "num_ranks 2\nrank 0 {\n" + wait(c.second, "send 6b to 1\n") + "}\nrank 1 {\n" + wait(c.first, "recv %db from 0\n") + "}\n"
		for room, wrong := range map[int]bool{5: true, 6: false, 7: false} {
			p := prepare(t, parse(t, fmt.Sprintf(goal, room)))
			_, err := p.Run(context.Background(), simulate.Setup{LogGOPS: simulate.Defaults})
			if (err != nil) != wrong || wrong && !strings.Contains(err.Error(), "(recv 5b from 0 tag 0) has no room for the message of rank 0: ") {
				t.Errorf("%d bytes: %v", room, err)
			}
		}
	}
}

// oneLine reports whether an error has one line, but for the indented ones of a list.
func oneLine(err error) bool {
	return !strings.Contains(strings.ReplaceAll(err.Error(), "\n  ", " "), "\n")
}
