package halfpeak

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/internal/study"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/collective"
	"github.com/halfpeak/halfpeak/reports/message"
	"github.com/halfpeak/halfpeak/reports/whatif"
)

// A Message is a message from one rank to another; its time is one way. On a machine of levels,
// either Level names the one that it crosses, or From and To are its ranks, one on each core.
type Message struct {
	Size     quantity.Bytes // 1 to 2⁵³
	Level    string
	From, To int
}

func (m Message) ask(ctx context.Context, d Design) (e Estimate, err error) {
	of, err := m.layer(d)
	if err != nil {
		return e, err
	}
	costs, err := message.CostQuestion{On: []platforms.Design{of},
		Sizes: []quantity.Bytes{m.Size}}.Ask(ctx)
	if err != nil {
		return e, err
	}
	p := costs.Costs[0]
	e = Estimate{Interval: p.Within(), Method: Model}
	switch {
	case p.Next == nil:
		e.NoInterval = "the layer was not fitted to measurements, or was changed"
	default:
		e.NoInterval = p.Next.Unknown
		if model.LinesOf(of.Layer.Model) != of.Layer.Model {
			e.Method = Curve
		}
	}
	if p.Beyond > 1 {
		e.Beyond = p.Beyond
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

// layer returns the layer of the design that the message crosses, if it has a size.
func (m Message) layer(d Design) (platforms.Design, error) {
	if err := message.CheckSize(m.Size); err != nil {
		return d.Design, err
	}
	if err := d.Messages(); err != nil {
		return d.Design, err
	}
	return study.Way{Level: m.Level, From: m.From, To: m.To}.Of(d.Design)
}

// A Collective is a call of a collective by all ranks; its time is when the last rank is done. If
// the platform's file has measurements of the collective, they answer, else a simulation of all
// messages.
type Collective struct {
	Name string // "allreduce"
	// Algorithm is the name of one, or "best"; empty: the library's own, see
	// [collective.Library.Default].
	Algorithm string
	Ranks     int
	// PerNode are the ranks on each node, of measured collectives; 0: as they were measured. The
	// levels of a machine say it otherwise.
	PerNode int
	Size    quantity.Bytes // of the message, or of each rank's block
	Place   string         // see [machine.Placement]; empty: one core after the other
}

// Collectives are calls of a collective: by several algorithms, on numbers of ranks, with sizes.
type Collectives struct{ collective.Calls }

// calls returns the call as one of several.
func (c Collective) calls() (Collectives, error) {
	if c.Algorithm == "all" {
		return Collectives{}, fmt.Errorf("%s by all algorithms has several times; name one, "+
			"or ask for the best", c.Name)
	}
	return Collectives{collective.Calls{
		Collective: c.Name,
		Algorithm:  c.Algorithm,
		Ranks:      []int{c.Ranks},
		PerNode:    c.PerNode,
		Sizes:      []quantity.Bytes{c.Size},
		Map:        machine.Placement{By: c.Place},
	}}, nil
}

// Times returns the times of the calls on the design, the best of each number of ranks and size
// marked.
func (d Design) Times(ctx context.Context, c Collectives) (collective.Answer, error) {
	c.Fits = d.fits
	of := collective.Subject{Design: d.Design, Calls: c.Calls}
	return collective.Question{On: []collective.Subject{of}}.Ask(ctx)
}

func (c Collective) ask(ctx context.Context, d Design) (e Estimate, err error) {
	calls, err := c.calls()
	if err != nil {
		return e, err
	}
	return calls.ask(ctx, d)
}

// ask answers with the best of the calls; they are on one number of ranks and of one size.
func (c Collectives) ask(ctx context.Context, d Design) (e Estimate, err error) {
	a, err := d.Times(ctx, c)
	if err != nil {
		return e, err
	}
	times := a.Times[0]
	t := times.Best()
	if slices.ContainsFunc(times.Times, func(o collective.Timing) bool {
		return o.Place() != t.Place()
	}) {
		return e, fmt.Errorf("%s on several numbers of ranks or with several sizes has several "+
			"times", c.Collective)
	}
	if err := times.Undecided(); err != nil {
		return e, err
	}
	e = Estimate{Interval: t.Answer(), Method: Method(t.From), Beyond: t.Beyond,
		Notes: append(remark.Texts(times.Notes), "algorithm: "+t.Name)}
	if t.Call.Segment > 0 {
		e.Notes = append(e.Notes, "in segments of "+quantity.Bytes(t.Call.Segment).String())
	}
	if times.Off != "" {
		e.Notes = append(e.Notes, times.Within.Source)
	}
	if math.IsNaN(float64(t.Time)) {
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

func (m Message) prepare(_ context.Context, d Design) (platforms.Design, []study.Call, error) {
	layer, err := m.layer(d)
	return layer, nil, err
}

func (c Collective) prepare(ctx context.Context, d Design) (
	platforms.Design, []study.Call, error) {
	calls, err := c.calls()
	if err != nil {
		return d.Design, nil, err
	}
	return calls.prepare(ctx, d)
}

func (c Collectives) prepare(ctx context.Context, d Design) (
	platforms.Design, []study.Call, error) {
	on, err := d.OfRanks()
	if err != nil {
		return d.Design, nil, err
	}
	c.Fits = d.fits
	return c.Prepare(ctx, on)
}
