package halfpeak

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/ask/collectives"
	"github.com/halfpeak/halfpeak/ask/messages"
	"github.com/halfpeak/halfpeak/ask/programs"
	"github.com/halfpeak/halfpeak/ask/whatif"
	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// A Message is a message from one rank to another; its time is one way. On a machine of levels,
// either Level names the one that it crosses, or From and To are its ranks, one on each core.
type Message struct {
	Size     quantity.Bytes // at least 1
	Level    string
	From, To int
}

func (m Message) ask(_ context.Context, d Design) (e Estimate, err error) {
	if m.Size < 1 {
		return e, fmt.Errorf("a message of %s; it has at least 1 byte", m.Size)
	}
	of, err := m.layer(d)
	if err != nil {
		return e, err
	}
	p := messages.Costs([]quantity.Bytes{m.Size}, of).Costs[0]
	e = Estimate{Interval: p.Within(), Method: Model}
	switch {
	case p.Next == nil:
		e.NoInterval = "the layer was not fitted to measurements, or was changed"
	default:
		e.NoInterval, e.Method = p.Next.Unknown, Curve
	}
	if p.Beyond > 1 && of.Layer.Measured != nil {
		sizes := of.Layer.Measured.Sizes
		first, last := sizes[0], sizes[len(sizes)-1]
		e.Beyond = math.Max(float64(first/m.Size), float64(m.Size/last))
	}
	owners, err := whatif.Of(of).Owners(m.Size)
	most := quantity.Micros(0)
	for _, o := range owners {
		e.Parts = append(e.Parts, Part{o.Owner, o.OneWay})
		if o.OneWay > most {
			e.Limit, most = o.Owner, o.OneWay
		}
	}
	return e, err
}

// layer returns the layer of the design that the message crosses.
func (m Message) layer(d Design) (platforms.Design, error) {
	if d.Layer.Model == nil {
		return d.Design, fmt.Errorf("%s has measured collectives alone, and no messages", d.Asked())
	}
	if err := d.Layer.Messages(); err != nil {
		return d.Design, err
	}
	return messages.Way{Level: m.Level, From: m.From, To: m.To}.Of(d.Design)
}

// A Collective is a call of a collective by all ranks; its time is when the last rank is done. If
// the platform's file has measurements of the collective, they answer, else a simulation of all
// messages.
type Collective struct {
	Name string // "allreduce"
	// Algorithm is the name of one, or "best"; empty: the library's own, see [collective.Default].
	Algorithm string
	Ranks     int
	Size      quantity.Bytes // of the message, or of each rank's block
	Place     string         // see [machine.Machine.Place]; empty: one core after the other
}

// calls returns the call as package collectives asks it.
func (c Collective) calls() (collectives.Calls, error) {
	if c.Algorithm == "all" {
		return collectives.Calls{}, fmt.Errorf("%s by all algorithms has several times; name one, "+
			"or ask for the best", c.Name)
	}
	return collectives.Calls{
		Collective: c.Name,
		Algorithm:  c.Algorithm,
		Ranks:      []int{c.Ranks},
		Sizes:      []quantity.Bytes{c.Size},
		Map:        programs.Placement{By: c.Place},
	}, nil
}

func (c Collective) ask(ctx context.Context, d Design) (e Estimate, err error) {
	calls, err := c.calls()
	if err != nil {
		return e, err
	}
	q, err := collectives.Question{Calls: calls}.On(d.Design)
	if err != nil {
		return e, err
	}
	times, err := q.Compute(ctx)
	if err != nil {
		return e, err
	}
	at := max(0, slices.IndexFunc(times.Times, func(t collectives.Timing) bool { return t.Best }))
	t := times.Times[at]
	e = Estimate{Interval: t.Within, Method: Simulated,
		Notes: append(times.Notes, "algorithm: "+t.Name)}
	if times.Fitted {
		e.Method = Measured
	}
	if math.IsNaN(float64(t.Time)) {
		e.Interval = t.AverageWithin
		e.Notes = append(e.Notes, "the mean over ranks: the slowest was not measured")
	}
	if !e.Known() {
		e.NoInterval = "no interval follows from the measurements"
		if !times.Fitted {
			e.NoInterval = times.Within.String()
		}
	}
	return e, nil
}

// A Program is what the ranks of a parallel program do; its time is when the last rank is done.
type Program struct {
	Schedule *schedule.Schedule
	Place    string // of ranks; see [machine.Machine.Place]
}

var errNoSchedule = errors.New("a program without a schedule")

func (p Program) ask(ctx context.Context, d Design) (e Estimate, err error) {
	if p.Schedule == nil {
		return e, errNoSchedule
	}
	if d.Layer.Model == nil {
		return e, fmt.Errorf("%s has measured collectives alone, and no messages", d.Asked())
	}
	s, err := programs.Run(ctx, &programs.Input{Name: "program", Schedule: p.Schedule},
		programs.Question{
			Machines: []platforms.Design{d.Design},
			Eager:    simulate.NoLimit,
			Map:      programs.Placement{By: p.Place},
		})
	if err != nil {
		return e, err
	}
	t, _ := s.Runs[0].Result.Finish()
	return Estimate{Interval: quantity.Alone(t), Method: Simulated, Notes: s.Notes,
		NoInterval: "no program was measured on this machine"}, nil
}
