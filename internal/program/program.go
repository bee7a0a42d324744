// Package program makes schedules of programs in Starlark, the dialect of Python that Bazel uses: a
// function main(mpi) that each rank runs, whose calls are those of MPI.
//
//	def main(mpi, n = 4096, steps = 100):
//	    grid = mpi.cart(2)
//	    for step in range(steps):
//	        mpi.compute(n * n / mpi.size, "ns")
//	        low, high = grid.shift(0)
//	        grid.sendrecv(8 * n, dest = high, source = low)
//	        mpi.allreduce(8)
//
// A program is deterministic, and what it does cannot depend on times: it says what each rank
// does, and the machine says when. Sets are on; while and recursion are off; math and ANY are
// predeclared.
//
// Files: read.go reads a program, and program.go its parameters; run.go runs the ranks, which take
// turns where communicators are split, and class.go and share.go let those share a run that take
// the same way;
// methods.go lists what a program can call, and comm.go, cart.go, messages.go and collectives.go do
// it; record.go keeps the calls of a rank in few bytes; emit.go turns them into a schedule.
package program

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"go.starlark.net/starlark"

	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Program is a program that was read. It is immutable, but for Set, and can be run on any number
// of ranks.
type Program struct {
	name   string
	main   *starlark.Function
	shared *starlark.Function // main for classes of ranks; nil if they cannot share it
	params []param
}

// A param is a parameter of main with its default, or the value that was set.
type param struct {
	name  string
	value starlark.Value
}

// Params lists the parameters with their values, as "name=value".
func (p *Program) Params() []string {
	return list.Map(p.params, func(x param) string { return x.name + "=" + x.value.String() })
}

// Set returns the program with another value of a parameter. The default's type decides how the
// text is read: a number with or without a unit, in bytes or µs; a text; True or False.
func (p *Program) Set(name, text string) (*Program, error) {
	q := *p
	q.params = append([]param(nil), p.params...)
	for i := range q.params {
		if x := &q.params[i]; x.name == name {
			value, err := parse(text, x.value)
			if err != nil {
				return nil, fmt.Errorf("%s: parameter %s: %w", p.name, name, err)
			}
			x.value = value
			return &q, nil
		}
	}
	names := list.Map(p.params, func(x param) string { return x.name })
	if len(names) == 0 {
		return nil, fmt.Errorf("%s: main has no parameter %q, and no other", p.name, name)
	}
	return nil, fmt.Errorf("%s: main has no parameter %q%s", p.name, name, usage.Hint(name, names))
}

// parse reads a text as a value of the type of another.
func parse(text string, like starlark.Value) (starlark.Value, error) {
	switch like.(type) {
	case starlark.String:
		return starlark.String(text), nil
	case starlark.Bool:
		switch strings.ToLower(text) {
		case "true":
			return starlark.True, nil
		case "false":
			return starlark.False, nil
		}
		return nil, fmt.Errorf("must be True or False (got %q)", text)
	}
	number, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err == nil && (math.IsNaN(number) || math.IsInf(number, 0)) {
		return nil, fmt.Errorf("must be a finite number (got %q)", text)
	}
	if err == nil {
		// a plain number has no unit, and may be negative or a fraction
	} else if bytes, err := quantity.ParseBytes(text); err == nil {
		number = float64(bytes)
	} else if time, timeErr := quantity.ParseMicros(text); timeErr == nil {
		number = float64(time)
	} else {
		return nil, err
	}
	if _, whole := like.(starlark.Int); whole && number == math.Trunc(number) &&
		math.Abs(number) < 1<<62 {
		return starlark.MakeInt64(int64(number)), nil
	}
	return starlark.Float(number), nil
}
