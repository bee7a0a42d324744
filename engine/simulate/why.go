package simulate

import "context"

// Why says what a finish time consists of, and what it depends on.
type Why struct {
	Result *Result
	Path   *Path

	// Growth has those of L, o, g, G and O, in this order, for each fraction that was asked for. It
	// is empty on a machine that is not LogGOPS.
	Growth [][]Growth
}

// Why runs the schedule by the default rules, records it, and looks how far each parameter may
// grow until the finish is later by each of the fractions. Errors are those of Run, Path and
// Growth.
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
		var list []Growth
		for _, fraction := range later {
			if w.Path.Slopes.By(param.letter) == 0 && len(list) > 0 && list[len(list)-1].Value > 1e12 {
				// It never is that late, so nor later.
				list = append(list, Growth{param.letter, fraction, list[len(list)-1].Value})
				continue
			}
			g, err := p.Growth(ctx, o, param.letter, fraction)
			if err != nil {
				return nil, err
			}
			list = append(list, g)
		}
		w.Growth = append(w.Growth, list)
	}
	return w, nil
}
