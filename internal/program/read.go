package program

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

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

// openBracket matches the parser's errors of a bracket that is not closed.
var openBracket = regexp.MustCompile(`^got (outdent, want|.*, want '?[,)\]}]'?$)`)

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
	if errors.As(err, &e) && openBracket.MatchString(e.Msg) {
		e.Msg += "; a bracket before it is not closed, or a comma is missing"
		return e
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
