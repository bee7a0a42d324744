package simulate_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/halfpeak/halfpeak/engine/simulate"
)

// changed returns the parameters with so many ps (or ps per byte) added to one of them.
func changed(m simulate.LogGOPS, letter string, ps float64) simulate.LogGOPS {
	switch letter {
	case "L":
		m.Latency += quantityOf(ps)
	case "o":
		m.Overhead += quantityOf(ps)
	case "g":
		m.GapTime += quantityOf(ps)
	case "G":
		m.GapPerByte += perByteOf(ps)
	case "O":
		m.OverheadPerByte += perByteOf(ps)
	}
	return m
}

func last(r *simulate.Result) uint64 { return slices.Max(r.Ranks) }

// The finish time is the sum of its shares; each segment begins where the one before ends; and
// a slope is what the finish changes by when a parameter grows by 1 ps, unless the path is
// another then.
func TestPathAgainstFiniteDifferences(t *testing.T) {
	compared, kept := 0, 0
	for seed := range uint64(240) {
		s := randomProgram(seed, 2+int(seed%7), 3+int(seed%40))
		p := prepare(t, s)
		m := parameterSets[seed%5].loggops()
		for i, letter := range []string{"L", "o", "g", "G", "O"} { // so that there are few ties
			m = changed(m, letter, float64([]int{317, 211, 103, 1, 2}[i]))
		}
		o := simulate.Setup{LogGOPS: m, Record: true}
		r, err := p.Run(context.Background(), o)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		path, err := r.Path()
		if err != nil {
			t.Fatal(err)
		}
		at := uint64(0)
		for _, g := range path.Segments {
			if g.From != at || g.Shares.Sum() != g.To-g.From {
				t.Fatalf("seed %d: segment %+v after %d ps", seed, g, at)
			}
			at = g.To
		}
		simulate.ComputedAsRecorded(t, p, o, path)
		if at != last(r) || path.Shares.Sum() != at || path.Shares.Waiting != 0 {
			t.Fatalf("seed %d: the path has %d ps, its shares %d; the finish is at %d", seed, at, path.Shares.Sum(), last(r))
		}
		for _, letter := range []string{"L", "o", "g", "G", "O"} {
			o.LogGOPS = changed(m, letter, 1)
			more, err := p.Run(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			compared++
			if !samePath(t, path, more) {
				continue
			}
			kept++
			if up, want := last(more)-last(r), path.Slopes.By(letter); up != want {
				t.Errorf("seed %d: ∂T/∂%s from the path is %d, from another run %d", seed, letter, want, up)
			}
		}
	}
	if kept < compared*9/10 {
		t.Errorf("the path stays the same in only %d of %d cases", kept, compared)
	}
	t.Logf("the path stays the same in %d of %d cases", kept, compared)
}

func samePath(t *testing.T, a *simulate.Path, r *simulate.Result) bool {
	t.Helper()
	b, err := r.Path()
	if err != nil {
		t.Fatal(err)
	}
	return slices.EqualFunc(a.Segments, b.Segments, func(x, y simulate.Segment) bool {
		return x.Op == y.Op && x.What == y.What && x.Until == y.Until
	})
}

// A chain of messages without contention: the finish is linear in L, so the growth is known.
func TestGrowth(t *testing.T) {
	p := prepare(t, parse(t, "num_ranks 2\nrank 0 {\na: send 1b to 1\nb: recv 1b from 1\nb requires a\n}\nrank 1 {\na: recv 1b from 0\nb: send 1b to 0\nb requires a\n}\n"))
	o := simulate.Setup{LogGOPS: simulate.Defaults} // finish 11 µs, ∂T/∂L = 2
	w, err := p.Why(context.Background(), o, 0.01, 0.10)
	if err != nil {
		t.Fatal(err)
	}
	if g, want := w.Tolerances[0][1], 2.5+11*0.10/2; g.Parameter != "L" || math.Abs(g.Value-want) > 1e-4 {
		t.Errorf("%+v; want %v", g, want)
	}
	if g := w.Tolerances[3][0]; g.Parameter != "G" || !math.IsInf(g.Value, 1) {
		t.Errorf("G with messages of 1 byte: %+v", g)
	}
	if _, err = p.Why(context.Background(), o, 0); err == nil {
		t.Error("later by nothing")
	}
}

func TestTrace(t *testing.T) {
	p := prepare(t, randomProgram(3, 5, 20))
	r, err := p.Run(context.Background(), simulate.Setup{LogGOPS: simulate.Defaults, Record: true})
	if err != nil {
		t.Fatal(err)
	}
	line, err := r.Timeline()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := line.WriteTrace(&b); err != nil {
		t.Fatal(err)
	}
	var trace struct {
		TraceEvents []struct {
			Ph      string
			Ts, Dur float64
		}
	}
	if err := json.Unmarshal(b.Bytes(), &trace); err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	end := 0.0
	for _, e := range trace.TraceEvents {
		count[e.Ph]++
		end = max(end, e.Ts+e.Dur)
	}
	spans := slices.Collect(line.Spans)
	if count["X"] != len(spans) || count["s"] != 20 || count["f"] != 20 || end > float64(line.Finish)+1e-9 {
		t.Errorf("%v events for %d spans, until %v of %v", count, len(spans), end, line.Finish)
	}
	// Spans and waits cover each processor from the start to its last span.
	covered, until := map[[2]int]float64{}, map[[2]int]float64{}
	for _, s := range slices.AppendSeq(spans, line.Waits()) {
		at := [2]int{s.Rank, s.CPU}
		covered[at] += float64(s.End - s.Start)
		until[at] = max(until[at], float64(s.End))
	}
	for at, end := range until {
		if math.Abs(covered[at]-end) > 1e-6 {
			t.Errorf("rank %d CPU %d: %v µs of %v", at[0], at[1], covered[at], end)
		}
	}
	critical := 0
	for s := range line.Spans {
		if s.Critical {
			critical++
		}
	}
	if critical == 0 {
		t.Error("no span is on the path")
	}
	if _, err := (&simulate.Result{Ranks: []uint64{0}}).Timeline(); err == nil {
		t.Error("a timeline of a run that was not recorded")
	}
	if _, err := p.Run(context.Background(), simulate.Setup{Rules: simulate.LogGOPSim, Record: true}); err == nil || errors.As(err, new(*simulate.Deadlock)) {
		t.Errorf("recording LogGOPSim's rules: %v", err)
	}
}
