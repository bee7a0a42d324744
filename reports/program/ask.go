package program

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/halfpeak/halfpeak/internal/program"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// An Answer is what was asked of a program, of several schedules, or of a program on numbers of
// ranks.
type Answer struct {
	Simulations []*Simulation
	Scaling     *Scaling

	drawn table.Picture // the ranks
}

// Several reports whether each of the files is a program or a schedule of its own, and not the part
// of a trace.
func Several(files []string) bool {
	return len(files) > 1 && !slices.ContainsFunc(files, func(path string) bool {
		return !program.Is(path) && filepath.Ext(path) != ".goal"
	})
}

// Ask answers the question. Errors are those of [Read], of [simulate.Program.Run], and of wishes
// that contradict each other; one that ends many runs or numbers of ranks comes with those that are
// complete, see [Answer.Complete].
func (q Question) Ask(ctx context.Context) (a Answer, err error) {
	for _, d := range q.On {
		if d.Layer.Model == nil {
			continue // a program of measured collectives needs no messages
		}
		if err := d.Messages(); err != nil {
			return a, err
		}
	}
	if q.Table == Scales {
		a.Scaling, err = q.scale(ctx)
		return a, err
	}
	each := [][]string{q.Files}
	if Several(q.Files) {
		each = slices.Collect(slices.Chunk(q.Files, 1))
	}
	for _, files := range each {
		in := q.Input
		if in == nil {
			if in, err = Read(ctx, files, q.Reading, q.On...); err != nil {
				return a, err
			}
		}
		q.Run.Record = q.Run.Record || q.Drawn != nil
		s, err := q.run(ctx, in)
		if s != nil {
			a.Simulations = append(a.Simulations, s)
		}
		if err != nil {
			return a, fmt.Errorf("%s: %w", in.Name, err)
		}
		if q.Drawn != nil {
			if a.drawn, err = q.Drawn.figure(s); err != nil {
				return a, err
			}
		}
	}
	return a, nil
}

// Complete says what is complete of an answer that comes with an error; empty: nothing.
func (a Answer) Complete() string {
	switch {
	case a.Scaling != nil && len(a.Scaling.Rows) > 0:
		return quantity.Plural(len(a.Scaling.Rows), "row") + " complete"
	case len(a.Simulations) == 1 && len(a.Simulations[0].Times) > 0:
		s := a.Simulations[0]
		return fmt.Sprintf("%d of %d runs are complete", len(s.Times), s.asked)
	}
	return ""
}
