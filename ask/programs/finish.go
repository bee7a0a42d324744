package programs

import (
	"context"
	"fmt"
	"slices"

	"github.com/halfpeak/halfpeak/ask/whatif"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// Scheduled returns the design with one more quantity, [whatif.Finish]: the finish of a schedule
// whose messages cost what the design says. If the design is a whole platform with levels, ranks
// run on its machine. Each value is another simulation, and the limits of the finish are the parts
// of its critical path. The end of the context ends all simulations at once. Scheduled runs the
// schedule once, and fails if it cannot run. Without input it returns d. It calls watch, unless
// that is nil, after each simulation.
func Scheduled(ctx context.Context, d whatif.Design, in *Input, on Placement, watch func()) (
	whatif.Design, error) {
	if in == nil {
		return d, nil
	}
	// The program is made ready once, and run for every point of a sweep.
	p, err := simulate.New(in.Schedule)
	if err != nil {
		return d, fmt.Errorf("%s: %w", in.Name, err)
	}
	finish := Finish{Name: whatif.Finish, Of: in.Name, Notes: slices.Clone(in.Notes)}
	finish.Run = func(c platforms.Costs, record bool) (*Finished, error) {
		// Times of a platform include its rendezvous, so the simulation adds none.
		m, err := MachineOf(c.Machine, layerWith(d, c), on, in.Schedule.Ranks(), simulate.NoLimit)
		if err != nil {
			return nil, err
		}
		r, err := p.Run(ctx, simulate.Setup{Machine: m, Record: record})
		if err != nil {
			return nil, err
		}
		if watch != nil {
			watch()
		}
		t, _ := r.Finish()
		return &Finished{Result: r, Time: t}, nil
	}
	if m := d.Machine(); len(m.Levels) > 0 {
		finish.Notes = append(finish.Notes, d.Name()+": "+ShapeOf(m, on)+".")
	}
	if _, err := finish.Run(d.Costs(), false); err != nil {
		return d, fmt.Errorf("%s: %w", in.Name, err)
	}
	return finish.AddTo(d), nil
}

// layerWith returns the design's layer with other costs.
func layerWith(d whatif.Design, c platforms.Costs) platforms.Layer {
	layer := d.Layer
	layer.Model = c.Layer
	return layer
}

// A Finish is a quantity of a design: when programs of ranks are done.
type Finish struct {
	Name, Of string   // of the quantity, and of what finishes, for people
	Notes    []string // see [whatif.Measure]
	// Run runs the program. A recorded run has the critical path.
	Run func(c platforms.Costs, record bool) (*Finished, error)
	// Scale is the ratio of the quantity to the simulated time; 0: 1. It is not 1 if the program
	// was measured. Within is then the interval of a value at these costs.
	Scale  float64
	Within func(c platforms.Costs, v float64) quantity.Interval
}

// Finished is a program that has run.
type Finished struct {
	Result *simulate.Result
	Time   quantity.Micros // with the local copy before it
	Copy   quantity.Micros
}

// AddTo returns the design with the finish as one more quantity. The program must have run once:
// a point of a sweep has no way to report an error.
func (f Finish) AddTo(d whatif.Design) whatif.Design {
	run := func(c platforms.Costs, record bool) (*Finished, error) {
		r, err := f.Run(c, record)
		if err != nil {
			err = fmt.Errorf("%s: %w", f.Of, err)
		}
		return r, err
	}
	return d.Measured(whatif.Measure{
		Quantity: model.Quantity{Name: f.Name, Title: "finish of " + f.Of, Dim: quantity.DimTime},
		Value: func(c platforms.Costs) (float64, error) {
			r, err := run(c, false)
			if err != nil {
				return 0, err
			}
			return f.scaled(float64(r.Time)), nil
		},
		Limits: func(c platforms.Costs) ([]whatif.Share, error) {
			// Only a recorded run has a path, and recording costs memory, so that values do
			// without.
			r, err := run(c, true)
			if err != nil {
				return nil, err
			}
			path, err := r.Result.Path()
			if err != nil {
				return nil, err
			}
			shares := list.Map(path.Shares.Parts(), func(part simulate.Share) whatif.Share {
				return whatif.Share{Owner: part.Name, OneWay: r.Result.Micros(part.Ticks)}
			})
			if r.Copy > 0 {
				shares = append(shares, whatif.Share{Owner: "copy", OneWay: r.Copy})
			}
			for i := range shares {
				shares[i].OneWay = quantity.Micros(f.scaled(float64(shares[i].OneWay)))
			}
			return shares, nil
		},
		Notes:  f.Notes,
		Within: f.Within,
	})
}

// scaled returns the value of a simulated time.
func (f Finish) scaled(t float64) float64 {
	if f.Scale == 0 {
		return t
	}
	return t * f.Scale
}
