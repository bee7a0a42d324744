package program

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/internal/atomicfile"
	"github.com/halfpeak/halfpeak/internal/mpitrace"
	"github.com/halfpeak/halfpeak/internal/program"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/platforms"
)

// maxProgram is the largest file of a program, in bytes. The longest one that people write is far
// below it; what is larger is another file.
const maxProgram = 4 << 20

// readProgram reads a program from its file. If there is no file of that name, it may be that of a
// program that the binary carries, see [program.Examples].
func readProgram(ctx context.Context, name string) (*program.Program, error) {
	f, err := atomicfile.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		if p, exampleErr := program.FindExample(name); exampleErr == nil {
			return p, nil
		}
		return nil, noFile(name)
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
	return program.Read(ctx, name, text)
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
		name = strings.TrimSpace(name)
		next, err := p.Set(name, strings.TrimSpace(value))
		if first, _, several := strings.Cut(value, ","); err != nil && several {
			if _, one := p.Set(name, strings.TrimSpace(first)); one == nil {
				return nil, fmt.Errorf("parameter %s has several values, %s; give one here: only "+
					"the table of one program over ranks has a row for each", name, value)
			}
		}
		if err != nil {
			return nil, err
		}
		p = next
	}
	return p, nil
}

// A Reading says how a program is read: one in Starlark by its ranks and parameters, and a trace by
// its region and scale.
type Reading struct {
	Ranks  []int                       // one number, or for [Scales] several
	Params []string                    // "NAME=VALUE" of parameters of main
	Print  func(rank int, text string) // what the program prints; nil: nothing
	Trace  mpitrace.Translation        // the zero value is [mpitrace.Defaults]
	// Collectives are those of programs and traces, but for what a design says of them. A schedule
	// in GOAL has its own.
	Collectives collective.Choices

	at where // the machine that times collectives; none without a design
}

// on returns how files are read for machines: by the first.
func (r Reading) on(at machine.Placement, on []platforms.Design) Reading {
	if len(on) > 0 {
		r.Collectives = choicesOn(on[0], at, r.Collectives)
		r.at = whereOn(on[0], at)
	}
	return r
}

// Read reads a program in Starlark, from its file or, if there is no such file, from the binary;
// else a schedule in GOAL's text or binary form, or the files of an MPI trace. The contents of
// these distinguish them, and any may be compressed by gzip. A folder stands for its files, or for
// those of trace.c (trace.000000 …) if it has some. A name with a "*", a "?" or a "[" that is not a
// file stands for the files that it matches. The end of the context ends the reading at once.
// Without names, Read returns nil. Collectives are those of the first design; [Question.Ask] reads
// a program again for a machine with another library or other times to copy and to combine.
func Read(ctx context.Context, names []string, r Reading, on ...platforms.Design) (*Input, error) {
	return read(ctx, names, r.on(machine.Placement{}, on))
}

func read(ctx context.Context, names []string, r Reading) (*Input, error) {
	if len(names) != 1 || !program.Is(names[0]) {
		r.Trace = r.Trace.OrDefaults()
		r.Trace.Collectives = r.Collectives
		in, err := readInput(ctx, r.Trace, names)
		if in != nil && in.Trace {
			in.readAgain(r, func(ctx context.Context, r Reading) (*Input, error) {
				return read(ctx, names, r)
			})
		}
		return in, err
	}
	if len(r.Ranks) != 1 {
		return nil, fmt.Errorf("%s: a program runs on one number of ranks", names[0])
	}
	p, err := readProgram(ctx, names[0])
	if err != nil {
		return nil, err
	}
	return input(ctx, p, names[0], r)
}

// input returns the schedule of a program.
func input(ctx context.Context, p *program.Program, name string, o Reading) (*Input,
	error) {
	in, calls, err := called(ctx, p, name, o)
	if err != nil {
		return nil, err
	}
	return in, in.schedule(ctx, calls)
}

// called returns the calls of a program, of which its schedule is made.
func called(ctx context.Context, p *program.Program, name string, o Reading) (*Input,
	*program.Calls, error) {
	p, err := withParams(p, o.Params)
	if err != nil {
		return nil, nil, err
	}
	in := &Input{Name: name, joint: o.at.joint.Under(o.at.costs)}
	in.readAgain(o, func(ctx context.Context, o Reading) (*Input, error) {
		return input(ctx, p, name, o)
	})
	mesh, err := o.at.mesh(ctx, o.Ranks[0], o.Collectives, &in.meshed)
	if err != nil {
		return nil, nil, err
	}
	of := program.Options{Ranks: o.Ranks[0], Print: o.Print, Collectives: o.Collectives, Mesh: mesh,
		PerNode: o.Collectives.PerNode}
	if in.joint != nil {
		of.PerNode = cmp.Or(in.joint.PerNode(), of.PerNode)
		of.Time = func(c program.Collective) (uint64, bool, error) {
			return in.joint.Time(ctx, c, o.at.end)
		}
	}
	calls, err := p.Calls(ctx, of)
	if err == nil {
		in.unit, in.counted = calls.Counted()
	}
	return in, calls, err
}

// schedule sets the schedule of the calls.
func (in *Input) schedule(ctx context.Context, calls *program.Calls) (err error) {
	in.Schedule, in.Marks, err = calls.Schedule(ctx)
	if in.joint != nil {
		in.Uncertain = in.joint.Notes()
	}
	return err
}

// readAgain sets how the input is read with other collectives.
func (in *Input) readAgain(r Reading, read func(context.Context, Reading) (*Input, error)) {
	in.choices, in.at = r.Collectives, r.at
	in.again = func(ctx context.Context, c collective.Choices, at where) (*Input, error) {
		again := r
		again.Collectives, again.at, again.Print = c, at, nil // it was printed the first time
		return read(ctx, again)
	}
}
