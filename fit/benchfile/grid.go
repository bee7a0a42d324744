package benchfile

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

// A grid is a table of white-space separated columns with a size first, as OSU, IMB and perftest
// print it. Its header names the columns.
type grid struct {
	b *builder
	// columns is the number of columns in a row. The indices below are −1 if the column is missing.
	columns                      int
	time, min, max, median, rate int
	overlap                      int
	rateUnit                     float64 // bytes/µs, or messages/µs
	messages                     bool    // the rate counts messages
	share                        float64 // of the rate that belongs to one stream
	ignore                       bool    // the table has no sizes or no times: skip its rows
	last                         []byte  // the last row, where repeated rows are dropped
	unique                       bool
	rising                       bool    // sizes increase within a run; a smaller size begins another run
	size                         float64 // of the last row
	texts                        [][]byte
}

func newGrid(columns int) *grid {
	return &grid{columns: columns, time: -1, min: -1, max: -1, median: -1, rate: -1, overlap: -1, share: 1, texts: make([][]byte, columns)}
}

// take reads a row and reports whether the line is one. The size and the columns that are read must
// be numbers; other columns may hold any text ("Pass", "N/A").
func (g *grid) take(p *parser, line []byte) bool {
	if c := line[0]; (c < '0' || c > '9') && !g.ignore {
		return false
	}
	n := fields(line, g.texts)
	if g.ignore {
		_, ok := parse(g.texts[0])
		return ok && n == g.columns
	}
	size, ok := parse(g.texts[0])
	if !ok {
		return false
	}
	if n < g.columns {
		for _, text := range g.texts[1:n] {
			if _, ok := parse(text); !ok {
				return false
			}
		}
		g.b.cut()
		return true
	}
	if n > g.columns {
		return false
	}
	if g.rising && size.value < g.size {
		p.note("the sizes of %s begin again in line %d: what follows is a table of its own", g.b.table.Name(), p.file.Lines)
		t := *g.b.table
		t.Rows, t.Quantum, t.Warnings = 0, 0, slices.Clone(t.Warnings)
		g.b = p.begin(t)
	}
	g.size = size.value
	if g.unique {
		if bytes.Equal(line, g.last) {
			g.b.repeated()
			return true
		}
		g.last = append(g.last[:0], line...)
	}
	r := row{size: size.value, min: g.optional(g.min), max: g.optional(g.max), median: g.optional(g.median)}
	if g.overlap >= 0 {
		if v, ok := parse(g.texts[g.overlap]); ok {
			r.overlap = &v.value
		}
	}
	at := g.time
	if at < 0 {
		at = g.rate
	}
	v, ok := parse(g.texts[at])
	if !ok {
		if text := string(bytes.ToLower(g.texts[at])); !strings.Contains(text, "nan") && !strings.Contains(text, "inf") && text != "n/a" {
			return false
		}
		g.b.row(row{}) // dropped and counted
		return true
	}
	switch {
	case g.time >= 0:
		r.time = v.value
		g.b.resolution(v.quantum())
	case g.messages:
		r.time = 1 / (v.value * g.rateUnit * g.share)
	case size.value == 0: // the rate of an empty message in bytes has no time
		return true
	default:
		r.time = size.value / (v.value * g.rateUnit * g.share)
		g.b.coarse(v)
	}
	g.b.row(r)
	return true
}

func (g *grid) optional(at int) float64 {
	if at < 0 {
		return 0
	}
	v, _ := parse(g.texts[at])
	return max(0, v.value)
}

// usable reports whether the header has columns of sizes and of times or rates. If not, it warns,
// and the rows are skipped.
func (g *grid) usable(p *parser, title string, hasSize bool) bool {
	switch {
	case !hasSize:
		p.warn("line %d: %s has no column of sizes: it is no curve, and left out", p.file.Lines, title)
	case g.time < 0 && g.rate < 0:
		p.warn("line %d: %s has neither times nor rates: it is no curve, and left out", p.file.Lines, title)
	default:
		return true
	}
	g.ignore = true
	return false
}

// wide splits a header at two or more blanks, or a tab.
var wide = regexp.MustCompile(`\s{2,}|\t`)
