package tune

import (
	"context"
	"slices"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/internal/collectives"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/tune/tuner"
)

// A Place is an algorithm, numbers of ranks and bytes, and a segment.
type Place struct {
	Algorithm     string
	Ranks         int
	Size, Segment quantity.Bytes
}

// perSum is the time of sums on the nominal network in ns/B; package tuner has the other costs.
const perSum = 0.1

// PartsOf returns the parts of the schedules' times on the nominal network. If the design has a
// layer or a machine, the parts are scaled to the schedule's time there. Schedules that are too
// large are left out.
func PartsOf(ctx context.Context, d platforms.Design, c collectives.Calls) (
	map[Place]tuner.Parts, error) {
	const none = 1e-6
	c.Simulated = true
	of, err := collectives.AlgorithmsOf(c.Collective)
	if err != nil {
		return nil, err
	}
	reads := func(p collective.ParamSet) bool {
		has := func(e collective.Entry) bool { return e.Params&p != 0 }
		return slices.ContainsFunc(of, has)
	}
	if !reads(collective.Segment) {
		c.Segments = nil
	}
	nominal := func(o, g, sums float64) (map[Place]float64, error) {
		each := quantity.Micros(o)
		short := model.LogP{Latency: tuner.Latency,
			SendOverhead: each, ReceiveOverhead: each, GapTime: each}
		network := &model.LogGP{LogP: short, GapPerByte: quantity.MicrosPerByte(g)}
		c := c
		if reads(collective.Gamma) {
			c.Call.Gamma = sums
		}
		return timesOf(ctx, platforms.Design{Layer: platforms.Layer{Platform: "nominal",
			Name: "network", Model: network}}, c)
	}
	// Each network adds one part to the one before, so that differences are the parts.
	networks := [...]struct{ overhead, perByte, sums float64 }{
		{none, none, 0},
		{tuner.Overhead, none, 0},
		{tuner.Overhead, tuner.PerByte, 0},
		{tuner.Overhead, tuner.PerByte, perSum},
	}
	var times [len(networks)]map[Place]float64
	for i, n := range networks {
		var err error
		if times[i], err = nominal(n.overhead, n.perByte, n.sums); err != nil {
			return nil, err
		}
	}
	all := map[Place]tuner.Parts{}
	for at, t := range times[0] {
		p := tuner.Parts{t}
		for i := 1; i < len(times); i++ {
			p[i] = max(0, times[i][at]-times[i-1][at])
		}
		all[at] = p
	}
	if d.Layer.Model == nil {
		return all, nil
	}
	own, err := timesOf(ctx, d, c)
	for at, p := range all {
		t, known := own[at]
		for i := range p {
			// The split into parts stays that of the nominal network.
			p[i] *= t / all[at].Sum()
		}
		if all[at] = p; !known {
			delete(all, at)
		}
	}
	return all, err
}

// timesOf returns the times of calls by place, so that those on several networks can be subtracted.
func timesOf(ctx context.Context, d platforms.Design, c collectives.Calls) (
	map[Place]float64, error) {
	found, err := c.On(ctx, d)
	if err != nil {
		return nil, err
	}
	all := map[Place]float64{}
	for _, t := range found.Times {
		size, segment := quantity.Bytes(t.Call.Bytes), quantity.Bytes(t.Call.Segment)
		all[Place{t.Name, t.Ranks, size, segment}] = float64(t.Time)
	}
	return all, nil
}
