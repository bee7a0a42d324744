package collective

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"sync"

	engine "github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// A Statistic is how a measurement combines the times of the ranks. These differ within a call: the
// root of a broadcast is done long before the last rank.
type Statistic string

// The statistics over ranks.
const (
	Average Statistic = "average" // the mean over ranks of the time in the call: OSU's main column
	Slowest Statistic = "slowest" // the time of the slowest rank: OSU's max column
)

// Statistics lists them.
var Statistics = []Statistic{Average, Slowest}

// A shape is what an algorithm does on a number of ranks, along the path that decides the time:
// T = steps·α + n·volume·β for calls of n bytes, where a message of m bytes takes α + mβ and
// holds its sender's way out and its receiver's way in (Hockney, one port).
type shape struct {
	steps, volume float64
}

// maxOperations bounds the schedules that are simulated for a shape: some 0.3 s.
const maxOperations = 1 << 20

type shapeKey struct {
	collective, name string
	ranks            int
	of               Statistic
}

// shapes remembers them: they depend on nothing else.
var shapes sync.Map

// shapeOf returns the shape of an algorithm on a number of ranks, from its schedule: its times if
// messages cost α alone and if they cost β alone. The sum of both is the time of the schedule if
// the same path is the longest by each, and otherwise a little more. What combining costs is left
// out: within one algorithm it is proportional to the bytes, so β has it.
func shapeOf(e engine.Entry, ranks int, of Statistic) (s shape, err error) {
	key := shapeKey{e.Collective, e.Name, ranks, of}
	if known, ok := shapes.Load(key); ok {
		return known.(shape), nil
	}
	// A size that all algorithms can cut into equal parts.
	c := engine.Call{Bytes: uint64(ranks) << (bits.Len(uint(ranks)) + 3)}
	perStep := model.Linear{Beta: 1}
	steps, err := timeOf(e, ranks, c, perStep, of)
	if err != nil {
		return s, err
	}
	const long = 1e4 // µs that all bytes take: long enough for small parts, in ticks of 1 ps
	perByte := model.Linear{Tau: quantity.MicrosPerByte(long / float64(c.Bytes))}
	bytes, err := timeOf(e, ranks, c, perByte, of)
	if err != nil {
		return s, err
	}
	s = shape{steps: float64(steps), volume: float64(bytes) / long}
	shapes.Store(key, s)
	return s, nil
}

// timeOf simulates a call on the layer: one rank if all are alike, else all ranks.
func timeOf(e engine.Entry, ranks int, c engine.Call, l model.Linear, of Statistic) (
	quantity.Micros, error) {
	schedule, err := e.SymmetricSchedule(ranks, c)
	if schedule == nil && err == nil {
		schedule, err = e.ScheduleLimit(context.Background(), maxOperations, ranks, c)
	}
	if errors.As(err, new(engine.TooLarge)) {
		return 0, fmt.Errorf("%s %s on %d ranks has too many operations",
			e.Collective, e.Name, ranks)
	}
	if err != nil {
		return 0, err
	}
	p, err := simulate.New(schedule)
	if err != nil {
		return 0, err
	}
	layer := platforms.Layer{Platform: "shape", Name: e.Name, Model: &l}
	machine, err := simulate.FromLayer(layer, simulate.NoLimit)
	if err != nil {
		return 0, err
	}
	r, err := p.Run(context.Background(), simulate.Setup{Machine: machine})
	if err != nil {
		return 0, err
	}
	if of == Slowest {
		t, _ := r.Finish()
		return t, nil
	}
	var sum quantity.Micros
	for _, ticks := range r.Ranks {
		sum += r.Micros(ticks)
	}
	return sum / quantity.Micros(len(r.Ranks)), nil
}
