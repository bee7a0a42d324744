package program

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/platforms"
)

// scale runs the program for each combination of machine, parameters and ranks. A parameter
// "NAME=VALUE,VALUE…" has a row for each value. If it counts what it does, the last row is run on a
// faster network too.
func (q Question) scale(ctx context.Context) (*Scaling, error) {
	s, err := q.scaled(ctx)
	if err != nil || !s.counts() || len(q.On) != 1 {
		return s, err
	}
	faster, link, ok := fasterLink(q.On[0])
	// Measured collectives have the times of the link as it is.
	if last := s.Rows[len(s.Rows)-1]; ok && last.Shown > 0 && !s.measured {
		sets, err := combinations(q.Reading.Params)
		if err != nil {
			return s, err
		}
		q.On = []platforms.Design{faster}
		q.Reading.Ranks, q.Reading.Print = []int{last.Ranks}, nil
		q.Reading.Params = sets[len(sets)-1].all
		then, err := q.scaled(ctx)
		if err != nil {
			return s, err
		}
		s.faster, s.fasterLink = then.Rows[0].Finish, link
	}
	return s, nil
}

// scaled runs the program for each combination.
func (q Question) scaled(ctx context.Context) (*Scaling, error) {
	name := q.Files[0]
	r := q.Reading.on(q.Map, q.On)
	p, err := readProgram(ctx, name)
	if err != nil {
		return nil, err
	}
	s := &Scaling{Name: name}
	sets, err := combinations(r.Params)
	if err != nil {
		return nil, err
	}
	if err := fitAll(r.Ranks, q.Map, q.On); err != nil {
		return nil, err
	}
	defer s.compare() // also of complete rows before an error
	for _, set := range sets {
		for _, ranks := range r.Ranks {
			one := r
			one.Ranks, one.Params = []int{ranks}, set.all
			in, calls, err := called(ctx, p, name, one)
			if err != nil {
				return s, err
			}
			if done, err := s.inParts(ctx, in, calls, set.varied, q); err != nil || done {
				if err != nil {
					return s, err
				}
				continue
			}
			if err := in.schedule(ctx, calls); err != nil {
				return s, err
			}
			if err := s.run(ctx, in, set.varied, q); err != nil {
				return s, err
			}
		}
	}
	return s, nil
}

// fitAll returns an error if a machine has no places for some of the numbers of ranks: runs of
// smaller numbers may take minutes.
func fitAll(ranks []int, at machine.Placement, on []platforms.Design) error {
	for _, d := range on {
		m := d.Machine()
		if len(m.Levels) == 0 {
			continue
		}
		for _, n := range ranks {
			if _, err := m.Place(at, n); err != nil {
				return fmt.Errorf("%s: %w", d.Platform.Name, err)
			}
		}
	}
	return nil
}

// A paramSet is a value for each parameter; varied names those that have several.
type paramSet struct {
	all    []string
	varied string
}

// combinations returns all combinations of the values of parameters.
func combinations(params []string) ([]paramSet, error) {
	sets := []paramSet{{}}
	for _, text := range params {
		name, list, err := nameValue(text)
		if err != nil {
			return nil, err
		}
		values := strings.Split(list, ",")
		var next []paramSet
		for _, s := range sets {
			for _, v := range values {
				one := paramSet{append(slices.Clone(s.all), name+"="+v), s.varied}
				if len(values) > 1 {
					one.varied = strings.TrimSpace(one.varied + " " + name + "=" + v)
				}
				next = append(next, one)
			}
		}
		if sets = next; len(sets) > maxCases {
			return nil, fmt.Errorf("the parameters have more than %d combinations", maxCases)
		}
	}
	return sets, nil
}

const maxCases = 10000
