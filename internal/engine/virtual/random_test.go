package virtual_test

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/internal/engine"
	"github.com/halfpeak/halfpeak/internal/engine/programs"
	"github.com/halfpeak/halfpeak/internal/engine/virtual"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A world is a random platform, its faults, and a program.
type world struct {
	system   *virtual.System
	config   virtual.Config
	program  programs.Program
	traffic  programs.Traffic
	size     int
	reliable bool // what is lost is sent again
	lossy    bool // something may be lost
	mortal   bool // a node stops
}

func (w world) String() string {
	return fmt.Sprintf("%s %s of %d bytes, %+v, %+v", w.program.Name, w.traffic, w.size, w.system.Options, w.config.Faults)
}

// exchanges are the programs that check all data between all nodes.
var exchanges = slices.DeleteFunc(programs.List(programs.Simulated), func(p programs.Program) bool { return p.Measures != programs.Exchange })

// random draws a world.
func random(r *rand.Rand) world {
	some := func(limit float64) float64 { return []float64{0, 1, r.Float64() * limit}[r.IntN(3)] }
	cost := func() virtual.Cost {
		return virtual.Cost{Beta: quantity.Micros(some(10)), Tau: quantity.MicrosPerByte(some(0.1))}
	}
	w := world{
		config:  virtual.Config{Nodes: 2 + r.IntN(3), Trace: &virtual.Trace{}},
		program: exchanges[r.IntN(len(exchanges))],
		traffic: []programs.Traffic{programs.OneToOne, programs.AllToOne, programs.AllToAll}[r.IntN(3)],
		size:    1 + r.IntN(200),
	}
	route := virtual.Route{Send: cost(), Receive: cost()}
	var around quantity.Micros
	drops := false
	for i := range 1 + r.IntN(5) {
		st := virtual.Stage{Resource: string(rune('a' + r.IntN(i+1))), Side: virtual.Side(r.IntN(3)), Delay: cost()}
		st.Busy = st.Delay
		if r.IntN(3) == 0 {
			st.Busy = cost()
		}
		if r.IntN(4) == 0 {
			st.Queue, st.Drop = 1+r.IntN(20), r.IntN(3) == 0
			drops = drops || st.Drop
		}
		if st.Queue > 0 && !st.Drop { // of two stages on one resource, each may wait for the other for ever
			st.Resource = string(rune('A' + i))
		}
		around += st.Delay.Beta + st.Delay.Tau.Times(200) + st.Busy.Beta + st.Busy.Tau.Times(200)
		route.Stages = append(route.Stages, st)
	}
	if size := 8 + r.IntN(100); r.IntN(2) == 0 {
		route.Cut = func(n int) int { return min(n, size) }
	}
	w.system = virtual.NewSystem("random", route, []int{0, 16 + r.IntN(200)}[r.IntN(2)])
	w.system.Options = engine.Options{Checksums: true, Credits: r.IntN(5), EagerThreshold: r.IntN(2) * r.IntN(100)}
	if r.IntN(3) == 0 {
		w.system.Interrupt = quantity.Micros(some(5))
	} else {
		w.system.Poll = quantity.Micros(some(0.5))
	}
	if r.IntN(4) == 0 {
		w.system.Inbox, w.system.Drop = 1+r.IntN(20), r.IntN(2) == 0
		drops = drops || w.system.Drop
	}
	f := &w.config.Faults
	f.Seed, f.Late = r.Uint64(), 5*around
	if r.IntN(2) == 0 {
		f.Duplicate, f.Reorder, f.Delay = some(0.1)/3, some(0.2)/3, some(0.05)/3
	}
	if r.IntN(2) == 0 {
		f.Drop, f.Corrupt = some(0.2)/4, some(0.1)/4
	}
	w.lossy = drops || f.Drop+f.Corrupt > 0
	if r.IntN(2) == 0 {
		w.reliable = true
		w.system.Options.Retry, w.system.Options.Attempts, w.system.Options.Rounds = 20*around+10, 40, r.IntN(2) == 0
	}
	if r.IntN(20) == 0 {
		w.mortal = true
		when := map[int]quantity.Micros{r.IntN(w.config.Nodes): quantity.Micros(some(1000))}
		if r.IntN(2) == 0 {
			f.Stop = when
		} else {
			f.Die = when
		}
	}
	return w
}

// run runs the world's program, and checks that nothing is outstanding at its end.
func (w world) run() (virtual.Report, error) {
	return virtual.Run(w.system, w.config, func(ep *engine.Endpoint) error {
		if _, err := w.program.Run(ep, programs.Args{Traffic: w.traffic, Size: w.size, Count: 1}); err != nil {
			return err
		}
		if err := ep.Flush(); err != nil {
			return err
		}
		for dst := range ep.Nodes() {
			if n := ep.Outstanding(dst); n != 0 {
				return fmt.Errorf("%d credits of node %d are gone", n, dst)
			}
		}
		return nil
	})
}

// checkTrace checks that no resource serves two packets at once.
func checkTrace(t *virtual.Trace) error {
	type place struct {
		node     int
		resource string
	}
	spans := map[place][]virtual.Span{}
	for _, s := range t.Spans {
		if s.End < s.Start {
			return fmt.Errorf("%+v ends before it starts", s)
		}
		at := place{s.Node, s.Resource}
		spans[at] = append(spans[at], s)
	}
	for at, all := range spans {
		if !slices.IsSortedFunc(all, func(a, b virtual.Span) int { return cmp.Compare(a.Start, b.Start) }) {
			return fmt.Errorf("time goes back at %v", at)
		}
		for i := range all[1:] {
			if all[i].End > all[i+1].Start {
				return fmt.Errorf("%v serves two at once: %+v, %+v", at, all[i], all[i+1])
			}
		}
	}
	return nil
}

// Random platforms run without a hang, a lost byte or a broken invariant.
func TestRandomPlatforms(t *testing.T) {
	count := 10_000
	if testing.Short() || raceEnabled {
		count = 1000
	}
	r := rand.New(rand.NewPCG(1996, 4))
	ended := map[string]int{}
	recorded := &virtual.Trace{}
	for i := range count {
		w := random(r)
		w.config.Trace = recorded
		report, err := w.run()
		var sent, received, other int64
		for _, s := range report.Nodes {
			sent += s.Sent
			received += s.Received
			other += s.Corrupt + s.Duplicate + s.Malformed
		}
		deadlock := err != nil && strings.Contains(err.Error(), "deadlock at")
		switch {
		case w.mortal:
			ended["with a node that stops"]++
		case w.reliable && err != nil:
			t.Errorf("%d: %v: %v", i, w, err)
		case w.reliable && received != sent:
			t.Errorf("%d: %v: %d packets sent, %d received", i, w, sent, received)
		case !w.lossy && err != nil:
			t.Errorf("%d: %v: nothing was lost: %v", i, w, err)
		case !w.reliable && !deadlock && err != nil:
			t.Errorf("%d: %v: %v", i, w, err)
		case !w.reliable && sent+report.Faults.Duplicated != received+other+report.Faults.Lost:
			t.Errorf("%d: %v: of %d packets %d came, %d were thrown away and %v", i, w, sent, received, other, report.Faults)
		case deadlock:
			ended["with a report of what is lost"]++
		default:
			ended["well"]++
		}
		if err := checkTrace(w.config.Trace); err != nil {
			t.Errorf("%d: %v: %v", i, w, err)
		}
		if t.Failed() {
			return
		}
	}
	t.Log(ended)
}

// The same seed gives the same trace, byte for byte, and the same report.
func TestSameSeedSameTrace(t *testing.T) {
	for seed := range uint64(200) {
		run := func() (text []byte, result string) {
			w := random(rand.New(rand.NewPCG(seed, 0)))
			report, err := w.run()
			var b bytes.Buffer
			if err := w.config.Trace.Write(&b); err != nil {
				t.Fatal(err)
			}
			return b.Bytes(), fmt.Sprintf("%+v %v", report, errors.Join(err))
		}
		a, resultA := run()
		b, resultB := run()
		if !bytes.Equal(a, b) || resultA != resultB {
			t.Fatalf("seed %d: two runs differ:\n%s\n%s", seed, resultA, resultB)
		}
	}
}
