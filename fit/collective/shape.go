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
// T = steps·α + n·volume·β + n·combined·γ for calls of n bytes, where a message of m bytes takes
// α + mβ and holds its sender's way out and its receiver's way in (Hockney, one port).
type shape struct {
	steps, volume, combined float64
}

// maxOperations bounds the schedules that are simulated for a shape: some 30 ms.
const maxOperations = 1 << 16

// errNoShape reports a shape without a closed form whose schedule is too large to simulate.
var errNoShape = errors.New("has too many operations, and no closed form that holds")

type shapeKey struct {
	collective, name string
	ranks            int
	of               Statistic
}

// shapes remembers them: they depend on nothing else.
var shapes sync.Map

// shapeOf returns the shape of an algorithm on a number of ranks, from its schedule: its times if
// messages cost α alone, β alone and combinations alone. The sum of the three is the time of the
// schedule if one path is the longest by each, and otherwise a little more. A schedule too large to
// simulate takes its closed form, if one holds. The form is of the slowest rank; the average is the
// same part of it as on half of the ranks, or a quarter and so on.
func shapeOf(e engine.Entry, ranks int, of Statistic) (shape, error) {
	key := shapeKey{e.Collective, e.Name, ranks, of}
	if s, ok := shapes.Load(key); ok {
		return s.(shape), nil
	}
	// A size that all algorithms can cut into equal parts.
	whole := uint64(ranks) << (bits.Len(uint(ranks)) + 3)
	const long = 1e4 // µs that all of it takes: long enough for small parts, in ticks of 1 ps
	var s shape
	for _, part := range []struct {
		into *float64
		engine.Model
		per float64
	}{
		{&s.steps, engine.Model{Alpha: 1}, 1},
		{&s.volume, engine.Model{Beta: long / float64(whole)}, long},
		{&s.combined, engine.Model{Gamma: long / float64(whole)}, long},
	} {
		if part.Gamma > 0 && e.Params&engine.Gamma == 0 {
			continue
		}
		t, err := timeOf(e, ranks, engine.Call{Bytes: whole, Gamma: 1e3 * part.Gamma}, part.Model, of)
		if err != nil {
			return shape{}, err
		}
		*part.into = t / part.per
	}
	shapes.Store(key, s)
	return s, nil
}

// timeOf is the time of a call in the model's unit.
func timeOf(e engine.Entry, ranks int, c engine.Call, m engine.Model, of Statistic) (float64, error) {
	if err := e.Check(ranks, c); err != nil {
		return 0, err
	}
	if of == Slowest {
		if t, holds := e.Time(m, ranks, c); holds {
			return t, nil
		}
	}
	schedule, err := e.ScheduleLimit(context.Background(), maxOperations, ranks, c)
	if errors.As(err, new(engine.TooLarge)) {
		if ranks >= 4 {
			if slowest, holds := e.Time(m, ranks, c); holds {
				part, err := averagePart(e, ranks/2, c, m)
				return part * slowest, err
			}
		}
		return 0, fmt.Errorf("%s %s on %d ranks %w", e.Collective, e.Name, ranks, errNoShape)
	}
	if err != nil {
		return 0, err
	}
	p, err := simulate.New(schedule)
	if err != nil {
		return 0, err
	}
	machine, err := simulate.FromLayer(platforms.Layer{Platform: "shape", Name: e.Name, Model: &model.Linear{Beta: quantity.Micros(m.Alpha), Tau: quantity.MicrosPerByte(m.Beta)}}, simulate.NoLimit)
	if err != nil {
		return 0, err
	}
	r, err := p.Run(context.Background(), simulate.Options{Machine: machine})
	if err != nil {
		return 0, err
	}
	if of == Slowest {
		t, _ := r.Finish()
		return float64(t), nil
	}
	sum := 0.0
	for _, ticks := range r.Ranks {
		sum += float64(r.Micros(ticks))
	}
	return sum / float64(ranks), nil
}

// averagePart is the average over ranks as a part of the time of the slowest.
func averagePart(e engine.Entry, ranks int, c engine.Call, m engine.Model) (float64, error) {
	slowest, err := timeOf(e, ranks, c, m, Slowest)
	if err != nil || slowest == 0 {
		return 0, err
	}
	average, err := timeOf(e, ranks, c, m, Average)
	return average / slowest, err
}
