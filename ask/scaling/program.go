// Package scaling runs programs in Starlark on numbers of ranks.
//
// [Read] returns the schedule of a program on one number of ranks, as package ask/programs takes
// it, and [Scale] compares numbers of ranks, parameters and machines.
package scaling

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/halfpeak/halfpeak/ask/programs"
	"github.com/halfpeak/halfpeak/engine/schedule/calls"
	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/schedule/program"
	"github.com/halfpeak/halfpeak/internal/atomicfile"
)

// maxProgram is the largest file of a program, in bytes. The longest one that people write is far
// below it; what is larger is another file.
const maxProgram = 4 << 20

// IsProgram reports whether a name is that of a program in Starlark.
func IsProgram(name string) bool { return strings.HasSuffix(name, program.Suffix) }

// readProgram reads a program from its file. If there is no file of that name, it may be that of a
// program that the binary carries, see [program.Examples].
func readProgram(name string) (*program.Program, error) {
	f, err := atomicfile.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		if p, exampleErr := program.FindExample(name); exampleErr == nil {
			return p, nil
		}
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxProgram+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	case len(text) > maxProgram:
		return nil, fmt.Errorf("%s: larger than %d bytes, which no program is", name, maxProgram)
	}
	return program.Read(name, text)
}

// nameValue divides a parameter as "NAME=VALUE".
func nameValue(text string) (name, value string, err error) {
	name, value, found := strings.Cut(text, "=")
	if !found {
		err = fmt.Errorf("parameter %q: write NAME=VALUE", text)
	}
	return name, value, err
}

// withParams returns the program with parameters as "NAME=VALUE".
func withParams(p *program.Program, params []string) (*program.Program, error) {
	for _, text := range params {
		name, value, err := nameValue(text)
		if err != nil {
			return nil, err
		}
		if p, err = p.Set(strings.TrimSpace(name), strings.TrimSpace(value)); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// A Reading says how a program is run: its parameters as "NAME=VALUE", and its ranks.
type Reading struct {
	Ranks   []int // one number, or for [Scale] several
	Params  []string
	Print   func(rank int, text string) // see [program.Options]
	Library collective.Library          // of collectives, see [calls.Choices]
	// Time is that of collectives that were measured, see [program.Options]; nil: none.
	Time func(program.Collective) (ns uint64, joint bool, err error)
}

// Read returns the schedule of the program of that name, from its file or, if there is no such
// file, from the binary. The end of the context ends it at once.
func Read(ctx context.Context, name string, o Reading) (*programs.Input, error) {
	if len(o.Ranks) != 1 {
		return nil, fmt.Errorf("%s: a program runs on one number of ranks", name)
	}
	p, err := readProgram(name)
	if err != nil {
		return nil, err
	}
	return input(ctx, p, name, o)
}

// input returns the schedule of a program.
func input(ctx context.Context, p *program.Program, name string, o Reading) (*programs.Input,
	error) {
	p, err := withParams(p, o.Params)
	if err != nil {
		return nil, err
	}
	in := &programs.Input{Name: name}
	in.Schedule, in.Marks, err = p.Schedule(ctx, program.Options{Ranks: o.Ranks[0],
		Print: o.Print, Collectives: calls.Choices{Library: o.Library}, Time: o.Time})
	return in, err
}
