package benchfile

import (
	"bytes"
	"slices"

	"github.com/halfpeak/halfpeak/internal/lex"
)

// A dress is what launchers, loggers and web pages have put around the lines of a file, as far as
// it has been seen. Labels are learned: a line is taken for labelled only after a format has
// accepted one without its label, since "0: 8 1.25" may be a row of a log, too.
//
// Hosts and files are sources: each of them has readers of its own, since pdsh and grep mix their
// lines. The ranks of one program, its streams and the levels of a logger share their readers.
type dress struct {
	depth  int    // number of labels before each line; 0 as long as none is known
	source string // of the lines that the reader's formats read; "" if no label names one
	label  []byte // the last label, and its source
	from   string
	others map[string][]openFormat // the readers of the other sources

	// Whether a number at the end of the rows has always had the same number of decimals: those
	// behind the last header, 0 if it has not or there is no number.
	decimals int
	rows     int
}

// maxDepth is the number of labels before a line that are taken off: a container's stream, a
// host, a level and a quotation.
const maxDepth = 4

// maxSources bounds the readers that a file can have. The lines of further sources are read as if
// they were of the last one.
const maxSources = 1 << 10

// all returns the given readers and those of the other sources, in the order of their names.
func (d *dress) all(formats []openFormat) []openFormat {
	var names []string
	for name := range d.others {
		names = append(names, name)
	}
	slices.Sort(names)
	all := slices.Clip(formats)
	for _, name := range names {
		all = append(all, d.others[name]...)
	}
	return all
}

// sourceOf returns the source that a label names.
func (d *dress) sourceOf(label []byte) string {
	// Nearly all lines have the label of the line before.
	if !bytes.Equal(label, d.label) {
		d.label, d.from = append(d.label[:0], label...), lex.Plain(lex.Source(label))
	}
	return d.from
}

// undress returns a line without the labels that the lines of the file have, and the source that
// they name; "" if they name none. Dashes that fill the field of a first number, "-----1024  1.85",
// go, too.
func (d *dress) undress(line []byte) (bare []byte, source string) {
	bare = line
	if n := leadingDashes(bare); n > 1 {
		bare = bare[n:]
	}
	for range d.depth {
		label, rest := lex.Labelled(bare)
		if rest == nil {
			break
		}
		bare = rest
		if from := d.sourceOf(label); from != "" {
			source = from
		}
	}
	return bare, source
}

// leadingDashes returns the number of dashes before a digit at the begin of a line.
func leadingDashes(line []byte) int {
	rest := bytes.TrimLeft(line, "-")
	if len(rest) == 0 || rest[0] < '0' || rest[0] > '9' {
		return 0
	}
	return len(line) - len(rest)
}

// ends records how a line that a format has taken ends.
func (d *dress) ends(line []byte) {
	n := trailingDecimals(line)
	switch {
	case n == 0: // of a header or a word, too: what follows may be another table
		d.decimals, d.rows = 0, 0
	case d.rows == 0:
		d.decimals, d.rows = n, 1
	case n != d.decimals:
		d.decimals = 0
	default:
		d.rows++
	}
}

// whole reports whether a line without a line end ends in a number with as many decimals as all the
// rows before it have.
func (d *dress) whole(line []byte) bool {
	return d.decimals > 0 && trailingDecimals(line) == d.decimals
}
