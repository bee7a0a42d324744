package program

import (
	"context"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// A Split is what a step of a program that counts units of work consists of, as means over ranks.
// The computation, Shown and Bubbles add up to the finish.
type Split struct {
	Unit    string  // that the program counts; "": it counts none
	Counted float64 // in all
	// Shown is how much shorter the step is if all communication takes no time, and Bubbles is what
	// ranks then still wait for each other. Hidden is the rest of the collectives' time.
	Shown, Hidden, Bubbles quantity.Micros
}

// Rate returns the units a second.
func (s Split) Rate(finish quantity.Micros) float64 { return s.Counted / float64(finish) * 1e6 }

// splitOf returns what a step of this finish and mean computation consists of, by another run in
// which communication takes no time.
func splitOf(ctx context.Context, in *Input, run simulate.Setup,
	finish, computing quantity.Micros) (s Split, err error) {
	if s.Unit, s.Counted = in.unit, in.counted; s.Unit == "" || finish == 0 ||
		run.Rules != simulate.Default {
		return s, nil
	}
	p, err := simulate.New(in.Schedule)
	if err != nil {
		return s, err
	}
	run.Machine, run.LogGOPS = nil, simulate.LogGOPS{EagerLimit: simulate.NoLimit}
	run.Instant, run.Record, run.Parts = true, false, false
	free, err := p.Run(ctx, run)
	if err != nil {
		return s, err
	}
	least, _ := free.Finish()
	s.Shown = max(finish-least, 0)
	if s.Bubbles = finish - s.Shown - computing; s.Bubbles < 1e-9*finish {
		s.Bubbles = 0 // rounding
	}
	all := 0.0
	for _, op := range in.Schedule.Ops() {
		if op.Kind == schedule.Joint {
			all += float64(op.Size)
		}
	}
	mean := quantity.Micros(all / 1e3 / float64(in.Schedule.Ranks()))
	s.Hidden = max(mean-s.Shown, 0)
	return s, nil
}

// fasterLink returns the design with the link of its outermost level twice as fast; ok is false of
// one without levels.
func fasterLink(d platforms.Design) (faster platforms.Design, link string, ok bool) {
	d.Ranks = true // its parameters are those of all levels
	m := d.Machine()
	if len(m.Levels) < 2 {
		return d, "", false
	}
	link = m.Levels[len(m.Levels)-1].Name + ".link"
	faster, err := d.Set(link + "*=2")
	return faster, link, err == nil
}
