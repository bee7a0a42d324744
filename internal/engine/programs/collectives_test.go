package programs_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/engine"
	"github.com/halfpeak/halfpeak/internal/engine/programs"
	"github.com/halfpeak/halfpeak/internal/engine/virtual"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// executed is when the last node is done with a collective on the virtual engine.
func executed(t *testing.T, c programs.Collective, l model.Layer, nodes, root, n int) quantity.Micros {
	t.Helper()
	s := virtual.Build("test", l)
	// A node that sends to several looks for messages when it is through, as the simulation does.
	s.Options.PollEvery = 1 << 16
	done := make([]quantity.Micros, nodes)
	_, err := virtual.Run(s, virtual.Config{Nodes: nodes}, func(ep *engine.Endpoint) error {
		err := c.Run(ep, root, n)
		done[ep.Node()] = ep.Now()
		return err
	})
	if err != nil {
		t.Fatalf("%s %s, %d nodes, root %d, %d B: %v", c.Collective, c.Name, nodes, root, n, err)
	}
	return slices.Max(done)
}

// simulated is when the last rank is done with the schedule of that name.
func simulated(t *testing.T, c programs.Collective, l model.Layer, nodes, root, n int) quantity.Micros {
	t.Helper()
	e, err := collective.Find(c.Collective, c.Name)
	if err != nil {
		t.Fatal(err)
	}
	call := collective.Call{Root: root, Bytes: uint64(n)}
	if c.Collective == "barrier" {
		call.Bytes = 0
	}
	s, err := e.Algorithm.Schedule(nodes, call)
	if err != nil {
		t.Fatal(err)
	}
	p, err := simulate.New(s)
	if err != nil {
		t.Fatal(err)
	}
	m, err := simulate.FromLayer(platforms.Layer{Model: l}, simulate.NoLimit)
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Run(context.Background(), simulate.Setup{Machine: m})
	if err != nil {
		t.Fatal(err)
	}
	end, _ := r.Finish()
	return end
}

// The programs of active messages, which move real data, end when the simulated schedules do: two
// implementations that share nothing but the names.
func TestCollectivesEndWithTheirSchedules(t *testing.T) {
	for _, l := range []*model.LogGP{
		{LogP: model.LogP{Latency: 6, SendOverhead: 2, ReceiveOverhead: 2, GapTime: 4}, GapPerByte: 0.01},
		{LogP: model.LogP{Latency: 1.5, SendOverhead: 0.25, ReceiveOverhead: 0.75, GapTime: 0.5}, GapPerByte: 0.0002},
		{LogP: model.LogP{Latency: 30, SendOverhead: 1, ReceiveOverhead: 3, GapTime: 9}},
	} {
		for _, c := range programs.Collectives {
			for _, nodes := range []int{2, 3, 4, 5, 8, 13, 16} {
				for _, root := range []int{0, nodes - 1} {
					if !c.Takes(nodes) {
						continue
					}
					n := 4 * nodes * 16
					ran, said := executed(t, c, l, nodes, root, n), simulated(t, c, l, nodes, root, n)
					within := 1e-6 * float64(nodes) // the simulation counts in ps
					if c.Collective == "alltoall" && c.Name == "linear" {
						// The program sends all its blocks before it looks for those of others; the
						// schedule takes in what has come between two sends, where the gap leaves
						// the processor time for it.
						within = 0.15 * float64(said)
					}
					if c.Name == "scatter-ring" && l.ReceiveOverhead > l.GapTime {
						// Messages come faster than the processor takes them. The program takes in
						// all that are there before it sends on; the schedule sends between them.
						within = float64(l.ReceiveOverhead) * float64(nodes)
					}
					if c.Collective == "reduce" && c.Name == "binomial" {
						// The schedule receives by blocking calls, so that the message of a child
						// that is early is taken in after that of the child before. The program
						// takes in what comes while it waits: it saves one receive, and its gap.
						within += float64(l.GapTime + l.ReceiveOverhead)
					}
					if math.Abs(float64(ran-said)) > within {
						t.Errorf("%s %s, %d nodes, root %d: the engine takes %v, the schedule %v, with %+v", c.Collective, c.Name, nodes, root, ran, said, l)
					}
				}
			}
		}
	}
}

// All other numbers of nodes and all roots move the data that they promise.
func TestCollectivesMoveTheirData(t *testing.T) {
	l := &model.LogP{Latency: 1}
	for _, c := range programs.Collectives {
		for nodes := 2; nodes <= 17; nodes++ {
			for root := 0; root < nodes && c.Takes(nodes); root++ {
				executed(t, c, l, nodes, root, 4*nodes)
			}
		}
	}
}

// A collective that nobody can do says so, and does not wait for ever.
func TestCollectivesRefuse(t *testing.T) {
	s := virtual.Build("test", &model.LogP{Latency: 1})
	binary := programs.Collectives[slices.IndexFunc(programs.Collectives, func(c programs.Collective) bool {
		return c.Collective == "allreduce" && c.Name == "recursive-doubling"
	})]
	for _, c := range []struct{ nodes, root, n int }{{3, 0, 12}, {4, 0, 6}, {4, 0, 4}, {4, 4, 16}, {4, -1, 16}} {
		refused := make([]error, c.nodes)
		virtual.Run(s, virtual.Config{Nodes: c.nodes}, func(ep *engine.Endpoint) error {
			refused[ep.Node()] = binary.Run(ep, c.root, c.n)
			return nil
		})
		if slices.Contains(refused, nil) {
			t.Errorf("%+v: %v", c, errors.Join(refused...))
		}
	}
}
