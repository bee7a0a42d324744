package benchfile

import (
	"cmp"
	"errors"
	"io"

	"github.com/halfpeak/halfpeak/fit/benchfile/internal/input"
)

// Outputs reads a file that may hold the outputs of many runs behind each other, as cat *.log writes
// them. It calls each with every output, or with the error of an output that cannot be read, in file
// order.
//
// A new output begins where a benchmark prints its first line, and where head and tail print the
// name of a file (==> a.log <==); such an output is named FILE!a.log. Any other file is one output.
//
// Outputs holds one output at a time in memory. It returns an error of opening the file, or the
// first error that each returns, which ends the reading.
func Outputs(name string, o Options, each func(*File, error) error) error {
	in, name, done, err := openInput(name, o.Context)
	if err != nil {
		return err
	}
	defer done()
	return outputs(in, name, o, each)
}

func outputs(r io.Reader, name string, o Options, each func(*File, error) error) error {
	text, done, failure := Text(r)
	if failure != nil {
		return each(nil, &Error{File: name, Msg: failure.Error()})
	}
	defer done()
	if head, _ := text.Peek(4096); input.NotText(head) != "" {
		return each(Read(text, name, o)) // reports the format and reads no further
	}
	var nothing error // the first error of an output without a table, if no output has one
	reported := false
	lines := input.NewLines(text, o.Progress)
	for before, title := 0, ""; ; {
		r := newReader(lines, name, o)
		r.divides, r.name, r.title = true, name, title
		if title != "" {
			r.file.Name += "!" + title
		}
		f, err := r.read()
		for i := range r.file.Tables { // lines count from the beginning of the file
			r.file.Tables[i].Line += before
		}
		if e := (*Error)(nil); errors.As(err, &e) && e.NoTable && !r.hasRows {
			nothing = cmp.Or(nothing, err) // text before or between outputs
		} else {
			reported = true
			if err := each(f, err); err != nil {
				return err
			}
		}
		if damaged := (*Damaged)(nil); errors.As(err, &damaged) || r.lines.Held == nil {
			break
		}
		lines, title, before = r.lines, r.title, before+r.file.Lines
		lines.Long = 0 // counted with the output that ended
	}
	if nothing != nil && !reported {
		return each(nil, nothing)
	}
	return nil
}
