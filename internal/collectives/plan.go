package collectives

import (
	"context"
	"fmt"
	"slices"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// NewPlan returns the plan of calls on a design. The errors are those of [Calls.Basis], an unknown
// algorithm or library, and a call that the algorithms do not take or that was not measured.
func NewPlan(ctx context.Context, c Calls, d platforms.Design) (*Plan, error) {
	b, err := c.Basis(d)
	if err != nil {
		return nil, err
	}
	return b.Plan(ctx, b.Calls)
}

// Plan returns the plan of calls of the collective of the basis, which measurements answer if it
// has some.
func (b Basis) Plan(ctx context.Context, c Calls) (*Plan, error) {
	if b.Calls = c.asMeasured(b.fits); len(b.fits) > 0 {
		return b.planMeasured(ctx)
	}
	return b.planDescribed(ctx)
}

// compares reports whether the times of a place are compared: a single algorithm with whole
// messages would be the best of itself, and of a library's choices one is made.
func (p *Plan) compares() bool {
	return len(p.Segments) > 0 || p.Algorithm != "" && len(p.Algorithms) > 1
}

// Times times the cells. The errors are a layer with invalid times, calls of which no schedule is
// small enough, and the context's error.
func (p *Plan) Times(ctx context.Context) (*Times, error) {
	estimates, err := p.source.estimates(ctx, p.Cells)
	if err != nil {
		return nil, err
	}
	t := &Times{Algorithms: p.Algorithms, Machine: p.design.Name(),
		BestOnly: p.Algorithm == "best", plan: p}
	timings := make([]Timing, len(p.Cells))
	left := map[Place]bool{} // with a call that has no time
	for i, c := range p.Cells {
		timings[i] = Timing{Cell: c, Estimate: estimates[i]}
		if timings[i].From == "" {
			t.TooLarge = append(t.TooLarge, c.tooLarge())
			left[c.Place()] = true
		}
	}
	timings = slices.DeleteFunc(timings, func(t Timing) bool { return t.From == "" })
	t.Times = timings
	for here := range places(timings) {
		switch {
		case p.compares() && left[here[0].Place()]:
			undecided(here)
		case p.compares():
			compare(here)
		}
	}
	switch {
	case len(timings) > 0:
		p.source.remark(t)
		return t, nil
	case len(t.TooLarge) > 0:
		return nil, noneSmallEnough(p.Collective, t.TooLarge)
	}
	return nil, p.noCalls()
}

// TimesOf times calls of the collective of the basis; see [Basis.Plan] and [Plan.Times].
func (b Basis) TimesOf(ctx context.Context, c Calls) (*Times, error) {
	p, err := b.Plan(ctx, c)
	if err != nil {
		return nil, err
	}
	return p.Times(ctx)
}

// On times calls on a design; see [Calls.Basis] and [Basis.TimesOf].
func (c Calls) On(ctx context.Context, d platforms.Design) (*Times, error) {
	b, err := c.Basis(d)
	if err != nil {
		return nil, err
	}
	return b.TimesOf(ctx, b.Calls)
}

// tooLarge describes a call without a time, for a note or an error.
func (c Cell) tooLarge() string {
	return fmt.Sprintf("%s on %d ranks with %s: its schedule has too many operations",
		c.Name, c.Ranks, c.Size())
}

func noneSmallEnough(name string, tooLarge []string) error {
	return fmt.Errorf("%s: %s; take fewer ranks, or a linear layer", name, tooLarge[0])
}

// noCalls returns the error of calls that no algorithm answers.
func (c Calls) noCalls() error {
	switch {
	case len(c.Ranks) == 0:
		return fmt.Errorf("%s: no number of ranks; give at least one", c.Collective)
	case len(c.sizes()) == 0:
		return fmt.Errorf("%s: no size; give at least one", c.Collective)
	}
	return fmt.Errorf("%s: none of the algorithms is for these numbers of ranks", c.Collective)
}

// at returns the calls at one place, without progress.
func (c Calls) at(p Place) Calls {
	c.Ranks, c.Sizes, c.Progress = []int{p.Ranks}, []quantity.Bytes{p.Size}, nil
	return c
}
