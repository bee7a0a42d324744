package study

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/whatif"
)

// Finish is the name of the quantity that [Scheduled] adds.
const Finish = "finish"

// Scheduled is the design with one more quantity: when a schedule is finished if all messages cost
// what the layer says, each time by another simulation. What limits it are the parts of its
// critical path. The end of the context ends all of them at once. The schedule runs once here; it
// is an error if it cannot. Without input it is the design as it is.
func Scheduled(ctx context.Context, d whatif.Design, in *Input) (whatif.Design, error) {
	if in == nil {
		return d, nil
	}
	if d.Whole {
		return d, fmt.Errorf("%s has levels, and a changed design is one layer: name it, as in %s", d.Name(), d.Layer.Ref())
	}
	p, err := simulate.New(in.Schedule)
	if err != nil {
		return d, fmt.Errorf("%s: %w", in.Name, err)
	}
	run := func(l model.Layer, record bool) (*simulate.Result, error) {
		layer := d.Layer
		layer.Model = l
		m, err := simulate.FromLayer(layer, simulate.NoLimit)
		if err != nil {
			return nil, err
		}
		return p.Run(ctx, simulate.Options{Machine: m, Record: record})
	}
	if _, err := run(d.Layer.Model, false); err != nil {
		return d, fmt.Errorf("%s: %w", in.Name, err)
	}
	return d.Measured(whatif.Measure{
		Quantity: model.Quantity{Name: Finish, Title: "finish of " + in.Name, Dim: quantity.DimTime,
			Of: func(l model.Layer, _, _ quantity.Bytes) float64 {
				r, err := run(l, false)
				if err != nil {
					return math.NaN()
				}
				t, _ := r.Finish()
				return float64(t)
			}},
		Limits: func(l model.Layer) ([]whatif.Share, error) {
			r, err := run(l, true)
			if err != nil {
				return nil, err
			}
			path, err := r.Path()
			if err != nil {
				return nil, err
			}
			var shares []whatif.Share
			for _, part := range path.Shares.Parts() {
				shares = append(shares, whatif.Share{Owner: part.Name, OneWay: r.Micros(part.Ticks)})
			}
			return shares, nil
		},
	}), nil
}

// sized reports whether one of the quantities is of messages of some size.
func sized(d whatif.Design, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		q, err := d.Quantity(name, 1)
		return err != nil || q.Sized()
	})
}
