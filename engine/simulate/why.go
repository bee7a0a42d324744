package simulate

import "context"

// Why holds the composition of a finish time and its dependence on each parameter.
type Why struct {
	Result *Result
	Path   *Path

	// Tolerances has those of L, o, g, G and O, in this order, for each fraction that was asked
	// for. It is empty on a machine that is not LogGOPS.
	Tolerances [][]Tolerance
}

// Why runs the schedule by the default rules, records it, and looks how far each parameter may
// grow until the finish is later by each of the fractions, which ascend. Errors are those of Run,
// Path and Tolerance.
func (p *Program) Why(ctx context.Context, o Options, later ...float64) (*Why, error) {
	o.Record = true
	r, err := p.Run(ctx, o)
	if err != nil {
		return nil, err
	}
	w := &Why{Result: r}
	if w.Path, err = r.Path(); err != nil {
		return nil, err
	}
	if o.Machine != nil {
		return w, nil
	}
	for _, param := range parameters[:5] {
		list, err := p.tolerances(ctx, o, param, r.Ranks[r.last()], w.Path.Slopes.By(param.letter), later...)
		if err != nil {
			return nil, err
		}
		w.Tolerances = append(w.Tolerances, list)
	}
	return w, nil
}
