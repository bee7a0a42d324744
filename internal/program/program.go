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
// Files: program.go reads a program and its parameters; run.go runs the ranks, which take turns
// where communicators are split; share.go runs a program once for ranks that take the same way;
// methods.go lists what a program can call, and comm.go, cart.go, messages.go and collectives.go do
// it; record.go keeps the calls of a rank in few bytes; emit.go turns them into a schedule.
package program

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/halfpeak/halfpeak/internal/beforestarlark"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
)

func init() { beforestarlark.Restore() }

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

// dialect is what the language allows beyond its specification.
var dialect = &syntax.FileOptions{Set: true, TopLevelControl: true}

// Read reads a program; name is that of its file, for errors. The file must define a function main
// whose first parameter is the communicator of all ranks. All other parameters need defaults. What
// stands outside of functions runs here, until the end of the context.
func Read(ctx context.Context, name string, text []byte) (*Program, error) {
	globals, err := execute(ctx, name, text, false)
	if err != nil {
		return nil, located(err)
	}
	main, ok := globals["main"].(*starlark.Function)
	if !ok {
		return nil, fmt.Errorf("%s: no function main; a program begins with \"def main(mpi):\"",
			name)
	}
	if err := shallow(globals); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	globals.Freeze()
	p := &Program{name: name, main: main}
	if globals, err := execute(ctx, name, text, true); err == nil {
		p.shared, _ = globals["main"].(*starlark.Function)
		globals.Freeze()
	}
	fail := func(format string, args ...any) (*Program, error) {
		return nil, fmt.Errorf("%s: "+format, append([]any{main.Position()}, args...)...)
	}
	if main.NumParams() == 0 || main.HasVarargs() || main.HasKwargs() {
		return fail("main must have a parameter for the communicator, and no * or **")
	}
	for i := 1; i < main.NumParams(); i++ {
		name, _ := main.Param(i)
		value := main.ParamDefault(i)
		switch value.(type) {
		case nil:
			return fail("the parameter %s of main needs a default", name)
		case starlark.Int, starlark.Float, starlark.String, starlark.Bool:
		default:
			return fail("the default of %s must be a number, a text, True or False (got %s)", name,
				value.Type())
		}
		p.params = append(p.params, param{name, value})
	}
	return p, nil
}

// pythonWord matches the parser's error of a word that Starlark only reserves.
var pythonWord = regexp.MustCompile(`^got (as|assert|async|await|class|del|except|finally|from|` +
	`global|import|is|nonlocal|raise|try|with|yield)\b`)

// formatted matches the beginning of a formatted text of Python.
var formatted = regexp.MustCompile(`\bf["']`)

// python returns the error of a text that does not parse, in the words of those who know Python.
func python(err error, text []byte) error {
	var e syntax.Error
	if errors.As(err, &e) {
		lines := bytes.Split(text, []byte("\n"))
		if line := int(e.Pos.Line); strings.HasPrefix(e.Msg, "got string literal") &&
			line <= len(lines) && formatted.Match(lines[line-1]) {
			e.Msg = `text such as f"{n}" is of Python and not of Starlark; write "%d" % n`
			return e
		}
		if word := pythonWord.FindStringSubmatch(e.Msg); word != nil {
			e.Msg = fmt.Sprintf("%q is of Python and not of Starlark, which has no "+
				"modules, classes or exceptions; math is there, and docs/programs.md has the "+
				"rest", word[1])
			return e
		}
	}
	if strings.Contains(err.Error(), "while loops") {
		return fmt.Errorf("%w; write for i in range(N)", err)
	}
	return err
}

// execute runs the text of a file, outside of main, and returns its functions and variables: those
// for classes of ranks, or an error if they cannot share a run.
func execute(ctx context.Context, name string, text []byte, shared bool) (
	starlark.StringDict, error) {
	// An editor of Windows may begin a file with a byte-order mark.
	text = bytes.TrimPrefix(text, []byte("\uFEFF"))
	f, err := dialect.Parse(name, text, 0)
	if err != nil {
		return nil, python(err, text)
	}
	if err := bound(f); err != nil {
		return nil, err
	}
	names := predeclared
	if shared {
		if names = comparing; !sharable(f) {
			return nil, errWay
		}
	}
	compiled, err := starlark.FileProgram(f, names.Has)
	if err != nil {
		return nil, python(err, text)
	}
	var globals starlark.StringDict
	var g guard
	err = g.run(ctx, name, func() (err error) {
		globals, err = compiled.Init(g.newThread(name, func(string) {}), names)
		return err
	})
	return globals, err
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
