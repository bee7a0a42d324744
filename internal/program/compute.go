package program

import (
	"errors"
	"fmt"
	"math"

	"go.starlark.net/starlark"
)

// doCompute keeps the rank's processor busy: for a time, or by what it computes.
func (c *comm) doCompute(a *arguments) (starlark.Value, error) {
	time, flops, bytes := a.values[0], a.values[2], a.values[3]
	counted := flops != nil || bytes != nil
	switch {
	case counted && time != nil:
		return nil, errors.New("compute takes a time, or flops and bytes, not both")
	case !counted && time == nil:
		return nil, errors.New(`compute needs a time, as in compute(5, "us"), or flops= and bytes=`)
	}
	switch e := time.(type) {
	case *each:
		return c.computeEach(len(e.n), func(i int) starlark.Value {
			return starlark.MakeInt64(e.n[i])
		}, a)
	case *eachFloat:
		return c.computeEach(len(e.x), func(i int) starlark.Value {
			return starlark.Float(e.x[i])
		}, a)
	}
	var ns uint64
	var err error
	if counted {
		ns, err = c.roofline(flops, bytes)
	} else {
		ns, err = timeOf(time, a.values[1])
	}
	if err != nil {
		return nil, err
	}
	if err := c.r.count(compute, a.line); err != nil {
		return nil, err
	}
	c.r.tape.number(ns)
	return starlark.None, nil
}

// roofline returns the time in ns of a computation by the rates of the machine:
//
//	T = max(F/f, B/m)
//
// Where: F = operations; B = bytes of memory; f, m = the rates of the machine. F/B is the
// arithmetic intensity, and f/m the ridge, above which operations bind. (Williams, Waterman,
// Patterson, Roofline, CACM 52(4), 2009, section 3.)
func (c *comm) roofline(flops, bytes starlark.Value) (uint64, error) {
	ns := 0.0
	for _, part := range []struct {
		name, example string
		amount        starlark.Value
		rate          float64
	}{
		{"flops", "250Tflop/s", flops, c.r.Collectives.Flops},
		{"memory", "1.4TB/s", bytes, c.r.Collectives.Memory},
	} {
		if part.amount == nil {
			continue
		}
		amount, err := c.amountOf(part.amount)
		if err != nil {
			return 0, err
		}
		if part.rate == 0 {
			lines := fmt.Sprintf("%s = %q", part.name, part.example)
			if c.r.Collectives.Flops+c.r.Collectives.Memory == 0 { // the other one is needed next
				lines = `flops = "250Tflop/s" and memory = "1.4TB/s"`
			}
			return 0, fmt.Errorf("the machine has no rate for this computation; write %s under "+
				"[compute] into its file, or fit it to a measured step: halfpeak fit steps.csv "+
				"--program %s --save me.toml", lines, c.r.program.name)
		}
		ns = max(ns, amount/part.rate)
	}
	if ns = math.Round(ns); !(ns <= maxTime) {
		return 0, fmt.Errorf("a computation must take 0 to %d ns (got %g)", maxTime, ns)
	}
	return uint64(ns), nil
}

// amountOf returns a number of operations, bytes or units of work.
func (c *comm) amountOf(v starlark.Value) (float64, error) {
	switch v.(type) {
	case *each, *eachFloat:
		return 0, c.r.single()
	}
	n, ok := starlark.AsFloat(v)
	if text, is := v.(starlark.String); is {
		size, err := sizeOf(text, "the amount")
		if err != nil {
			return 0, err
		}
		n, ok = float64(size), true
	}
	if !ok || !(n >= 0) || math.IsInf(n, 0) {
		return 0, fmt.Errorf("an amount must be a number of at least 0 (got %s)", shown(v))
	}
	return n, nil
}

// computeEach records a computation whose time is that of each rank.
func (c *comm) computeEach(ranks int, time func(i int) starlark.Value, a *arguments) (
	starlark.Value, error) {
	ns := make([]uint64, ranks)
	for i := range ns {
		var err error
		if ns[i], err = timeOf(time(i), a.values[1]); err != nil {
			return nil, err
		}
	}
	if err := c.r.count(computeEach, a.line); err != nil {
		return nil, err
	}
	c.r.tape.number(c.r.class.add(ns))
	return starlark.None, nil
}

// doCount counts units of work of the rank.
func (c *comm) doCount(a *arguments) (starlark.Value, error) {
	name, ok := a.values[0].(starlark.String)
	if !ok || name == "" {
		return nil, fmt.Errorf("the name of what is counted must be a text (got %s)",
			shown(a.values[0]))
	}
	n, err := c.amountOf(a.values[1])
	if err != nil {
		return nil, err
	}
	if c.r.class != nil {
		n *= float64(len(c.r.class.ranks))
	}
	for i := range c.r.counts {
		if c.r.counts[i].name == string(name) {
			c.r.counts[i].number += n
			return starlark.None, nil
		}
	}
	c.r.counts = append(c.r.counts, count{string(name), n})
	return starlark.None, nil
}

// Counted returns what the ranks have counted first, in all, and its name; "" if nothing.
func (x *Calls) Counted() (name string, number float64) {
	for _, r := range x.ranks {
		for _, one := range r.counts {
			if name == "" {
				name = one.name
			}
			if one.name == name {
				number += one.number
			}
		}
	}
	return name, number
}
