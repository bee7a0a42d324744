package benchfile

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/lex"
)

// A grid is a table of white-space separated columns with a size first, as OSU, IMB and perftest
// print it. Its header names the columns.
type grid struct {
	b        *builder
	at       [gridColumns]int // −1 if the column is missing
	rateUnit float64          // bytes/µs, or messages/µs
	messages bool             // the rate counts messages
	share    float64          // of the rate that belongs to one stream
	ignore   bool             // the table has no sizes or no times: skip its rows
	last     []byte           // the last row, where repeated rows are dropped
	unique   bool
	rising   bool    // sizes increase within a run; a smaller size begins another run
	size     float64 // of the last row
	texts    [][]byte
}

type gridColumn int

const (
	gridTime gridColumn = iota
	gridMin
	gridMax
	gridMedian
	gridRate
	gridColumns
)

// A gridRule identifies a column by its name, without blanks. Of several rules for one column of
// the grid, the first that matches a name counts.
type gridRule struct {
	name     *regexp.Regexp
	is       gridColumn
	rateUnit float64 // bytes/µs, or messages/µs
	messages bool
}

// newGrid finds the columns of a header. Blanks inside of names do not count, as versions
// write them differently.
func newGrid(names []string, rules []gridRule) *grid {
	g := &grid{share: 1, texts: make([][]byte, len(names))}
	for i := range g.at {
		g.at[i] = -1
	}
	for _, r := range rules {
		at := slices.IndexFunc(names, func(name string) bool {
			return r.name.MatchString(strings.ReplaceAll(name, " ", ""))
		})
		// Rules are in the order of preference, so the first that finds a column keeps it.
		if at >= 0 && g.at[r.is] < 0 {
			g.at[r.is] = at
			if r.is == gridRate {
				g.rateUnit, g.messages = r.rateUnit, r.messages
			}
		}
	}
	return g
}

// take reads a row and reports whether the line is one. The size and the columns that are read must
// be numbers; other columns may hold any text ("Pass", "N/A").
func (g *grid) take(p *parser, line []byte) bool {
	// A table that is skipped may have names in its first column; all others begin with a size.
	if c := line[0]; (c < '0' || c > '9') && !g.ignore {
		return false
	}
	n := lex.Fields(line, g.texts)
	size, ok := lex.Parse(g.texts[0])
	switch {
	// Rows of a skipped table belong to the format: no other reader may take them for its own.
	case !ok || g.ignore:
		return ok && n == len(g.texts)
	case n > len(g.texts):
		return false
	case n < len(g.texts):
		// A row that was cut off has fewer columns, all of them numbers; other text is no row.
		cut := lex.ParseAll(g.texts[:n], make([]lex.Number, n))
		if cut {
			g.b.count(cutOff)
		}
		return cut
	}
	if g.rising && size.Value < g.size {
		p.note("the sizes of %s begin again in line %d: what follows is a table of its own",
			g.b.table.Name(), p.file.Lines)
		t := *g.b.table
		t.Rows, t.Quantum, t.Warnings = 0, 0, slices.Clone(t.Warnings)
		g.b = p.begin(t)
	}
	g.size = size.Value
	if g.unique {
		if bytes.Equal(line, g.last) {
			g.b.count(printedTwice)
			return true
		}
		g.last = append(g.last[:0], line...)
	}
	return g.row(size.Value)
}

// row reads the fields of a row. It returns false if the time or rate is a word.
func (g *grid) row(size float64) bool {
	at := g.at[gridTime]
	if at < 0 {
		at = g.at[gridRate]
	}
	v, ok := lex.Parse(g.texts[at])
	if !ok {
		text := string(bytes.ToLower(g.texts[at]))
		// A word is another line, such as a remark that begins with a number. These three are
		// results of runs that failed.
		if !strings.Contains(text, "nan") && !strings.Contains(text, "inf") && text != "n/a" {
			return false
		}
		g.b.row(row{}) // dropped and counted
		return true
	}
	r := row{size: size, min: g.optional(gridMin), max: g.optional(gridMax),
		median: g.optional(gridMedian)}
	switch {
	case g.at[gridTime] >= 0:
		r.time = v.Value
		g.b.resolution(v.Quantum())
	case g.messages:
		r.time = 1 / (v.Value * g.rateUnit * g.share)
	case size == 0: // the rate of an empty message in bytes has no time
		return true
	default:
		r.time = size / (v.Value * g.rateUnit * g.share)
		// With fewer than three digits, rounding alone changes the rate by more than 0.5 %.
		if v.Value < 100*v.Quantum() {
			g.b.count(coarse)
		}
	}
	g.b.row(r)
	return true
}

func (g *grid) optional(c gridColumn) float64 {
	if g.at[c] < 0 {
		return 0
	}
	v, _ := lex.Parse(g.texts[g.at[c]])
	// 0 stands for a value that is not printed.
	return max(0, v.Value)
}

func (g *grid) hasTimes() bool { return g.at[gridTime] >= 0 }

// bidirectional matches the titles of tests whose rates add up both directions.
var bidirectional = regexp.MustCompile(`(?i)\bbi-?(directional|band)\b`)

// streams makes t a table of gaps, whose rates add up the given number of pairs, 0 if unknown.
func (g *grid) streams(t *Table, title string, pairs int) {
	directions := 1
	if bidirectional.MatchString(title) {
		directions = 2
	}
	t.Kind = Gap
	g.share = t.divide(directions, pairs)
}

// usable reports whether the header has columns of sizes and of times or rates. If not, it warns,
// and the rows are skipped.
func (g *grid) usable(p *parser, title string, hasSize bool) bool {
	switch {
	case !hasSize:
		p.warn("line %d: %s has no column of sizes, and is left out", p.file.Lines, title)
	case !g.hasTimes() && g.at[gridRate] < 0:
		p.warn("line %d: %s has neither times nor rates, and is left out", p.file.Lines, title)
	default:
		return true
	}
	g.ignore = true
	return false
}

// wide splits a header at two or more blanks, or a tab.
var wide = regexp.MustCompile(`\s{2,}|\t`)
