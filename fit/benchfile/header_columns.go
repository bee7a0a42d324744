package benchfile

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/internal/formula"
	"github.com/halfpeak/halfpeak/internal/lex"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A colRole is a value that is read from a column.
type colRole int

const (
	colSize colRole = iota
	colTime
	colMin
	colMax
	colMedian
	colBurst
	colDelta
	colCheck // a rate beside the time
	colUnit  // the unit of the time
	colValid // whether the results were right
	colRoles
)

// columns are the columns of a header by their roles.
type columns struct {
	at      [colRoles]int     // index of the column; −1 if it is missing
	scale   [colRoles]float64 // units in bytes, µs, bytes/µs
	groups  []int             // columns whose names describe a table
	base    string            // the name of the column of times, without its unit
	stage   bool              // one of groups names stages
	assumed bool              // the unit of the time is not in the header, nor in the rows
	unread  string            // a column of times without a unit, beside a rate
	rate    bool              // the time is size over a rate
	total   bool              // sizes add up all ranks' blocks
	decimal float64           // the decimal value of a size's unit that may be binary: 1e6 for MB
	others  []string          // columns of times, rates or sizes that are not read
}

// numberedColumns returns the columns of rows of the given width without a header, if both options
// are numbers of columns. If only the unit of the times is missing, it returns the reason.
func (p *parser) numberedColumns(width int) (c *columns, why string) {
	x, xUnit := columnAndUnit(p.opt.X)
	y, yUnit := columnAndUnit(p.opt.Y)
	i, errX := strconv.Atoi(x)
	j, errY := strconv.Atoi(y)
	if errX != nil || errY != nil || i < 1 || j < 1 || i > width || j > width {
		return nil, ""
	}
	n := noColumns()
	// Sizes are in bytes unless the user says so; for times there is no such habit.
	size, _ := optionUnit(cmp.Or(xUnit, "B"))
	n.set(colSize, i-1, size.Num)
	if u, ok := optionUnit(yUnit); !ok || !n.setTime(j-1, u) {
		return nil, fmt.Sprintf("column %d has no unit; give it with %s", j, p.spell("y", y+":us"))
	}
	return &n, ""
}

// isNumbered reports whether options give the columns of sizes and times by number, and a line has
// numbers there. Its other values may be anything.
func (p *parser) isNumbered(values [][]byte, comma byte) bool {
	for _, option := range []string{p.opt.X, p.opt.Y} {
		name, _ := columnAndUnit(option)
		at, err := strconv.Atoi(name)
		if err != nil || at < 1 || at > len(values) {
			return false
		}
		if _, ok := number(values[at-1], comma); !ok {
			if _, _, ok := withUnit(values[at-1]); !ok {
				return false
			}
		}
	}
	return true
}

func noColumns() (c columns) {
	for i := range c.at {
		c.at[i] = -1
	}
	return c
}

// has reports whether the header has a column of the role.
func (c *columns) has(r colRole) bool { return c.at[r] >= 0 }

// key returns the index of the column that every row must have: the size or the burst. A
// burst has no size of its own: its messages have the size of the whole signature.
func (c *columns) key() int {
	if c.has(colBurst) {
		return c.at[colBurst]
	}
	return c.at[colSize]
}

// setBounds gives the columns of minimum and maximum times the unit of the time if they have none.
// It drops those without a unit if the times are not one-way times, or if the rows have units of
// their own.
func (c *columns) setBounds(oneWay bool) {
	for _, bound := range []colRole{colMin, colMax} {
		switch {
		case !c.has(bound) || c.scale[bound] > 0:
		// Bounds of rates are rates, and bounds beside a round trip may be of one way.
		case c.rate || !oneWay || c.has(colUnit):
			c.at[bound] = -1
		default:
			c.scale[bound] = c.scale[colTime]
		}
	}
}

func (c *columns) set(r colRole, at int, scale float64) { c.at[r], c.scale[r] = at, scale }

// setTime sets the column of times, and reports whether its unit is one of times or rates.
func (c *columns) setTime(at int, u quantity.Value) bool {
	c.set(colTime, at, u.Num)
	c.rate = u.Dim == quantity.DimRate
	return c.rate || u.Dim == quantity.DimTime
}

// columnAndUnit splits "time:ms" into the column and its unit.
func columnAndUnit(opt string) (column, unit string) {
	// The last colon: a header may have one, such as "lat:avg". What follows must be a unit.
	if i := strings.LastIndexByte(opt, ':'); i >= 0 {
		if _, ok := optionUnit(opt[i+1:]); ok {
			return opt[:i], opt[i+1:]
		}
	}
	return opt, ""
}

// optionUnit returns the unit that an option gives: a name, or a quantity such as 1e6B for
// megabytes of 10⁶ bytes.
func optionUnit(text string) (quantity.Value, bool) {
	if u, ok := quantity.Unit(text); ok {
		return u, true
	}
	if text == "" || text[0] < '0' || text[0] > '9' {
		return quantity.Value{}, false
	}
	u, err := formula.Eval(text, nil)
	return u, err == nil && u.Dim != quantity.DimNone && u.Num > 0
}

// A sheetRow holds the values of one line under a header.
type sheetRow struct {
	fields [][]byte
	comma  byte // the separator of the values
	*columns
}

// number parses the value of a column that the row has.
func (r *sheetRow) number(at int) (lex.Number, bool) { return number(r.fields[at], r.comma) }

// value returns the value of an optional column in µs, bytes or bytes/µs; 0 if it is missing or
// not above 0.
func (r *sheetRow) value(role colRole) float64 {
	at := r.at[role]
	if at < 0 || at >= len(r.fields) {
		return 0
	}
	v, _ := r.number(at)
	return max(0, v.Value) * r.scale[role]
}

// text returns a value as [lex.Bounded] does; nil if the row is too short.
func (r *sheetRow) text(at int) []byte {
	if at >= len(r.fields) {
		return nil
	}
	return lex.Bounded(r.fields[at])
}

// isRow reports whether a line has at least two numbers. If blanks separate the values, as in
// prose, all values must be numbers. One number is not enough: names of columns may be
// numbers, such as ranks.
func isRow(values [][]byte, comma byte) bool {
	n := 0
	for _, v := range values {
		if _, ok := number(v, comma); ok {
			n++
		}
	}
	return n >= 2 && (comma != ' ' || n == len(values))
}

// withUnit parses a number with its unit, such as "4KiB", "64 KB" or "2.5us".
func withUnit(text []byte) (v lex.Number, u quantity.Value, ok bool) {
	end := len(text)
	for end > 0 && (text[end-1] < '0' || text[end-1] > '9') {
		end--
	}
	if v, ok = lex.Parse(text[:end]); ok {
		u, _, ok = unitNamed(string(bytes.TrimSpace(text[end:])))
	}
	return v, u, ok
}

// number parses a number; with separator ';' it may have a decimal comma. Separators of thousands
// are those of a quoted value or of a table between bars.
func number(text []byte, comma byte) (lex.Number, bool) {
	v, ok := lex.Parse(text)
	switch {
	case ok || len(text) == 0:
	case comma == ';' && bytes.IndexByte(text, ',') >= 0:
		v, ok = lex.ParseDecimal(text)
	// In CSV, 1,600 may as well be 1.6.
	case thousandsCell().Match(text) && (bytes.IndexByte(text, ',') < 0 ||
		comma == '|' || comma == '\t' || bytes.IndexByte(text, '.') > 0):
		return lex.Parse(thousandsGap().ReplaceAll(text, nil))
	default:
		v.Value, ok = wholeNumber(string(text))
	}
	return v, ok
}

var (
	thousandsCell = lex.NewPattern(`^\d{1,3}(?:,\d{3}|[ '\x{2019}]\d{3})+(\.\d+)?$`)
	thousandsGap  = lex.NewPattern(`[, '\x{2019}]`)
)

// kindOf returns the kind of times by the name of their column. A bandwidth is taken as size
// over a one-way time, which is what most people plot; other rates, such as throughput, are
// of streams.
func kindOf(name string, rate bool) Kind {
	switch {
	case strings.HasSuffix(name, "_2"): // RTT/2
		return OneWay
	case strings.HasPrefix(name, "rtt"), strings.HasPrefix(name, "round"),
		name == "prtt", name == "ping":
		return RoundTrip
	case strings.Contains(name, "gap") || strings.Contains(name, "throughput"):
		return Gap
	// LogP's names, as halfpeak writes them.
	case name == "o_s" || name == "os" || strings.HasPrefix(name, "send_overhead"):
		return SendOverhead
	case name == "o_r" || name == "or" || strings.HasPrefix(name, "receive_overhead"):
		return ReceiveOverhead
	case rate && !strings.Contains(name, "bandwidth") && name != "bw":
		return Gap
	}
	return OneWay
}

// thousands returns a hint if the text would be a number without its commas, else "".
func thousands(text []byte) string {
	if i := bytes.IndexByte(text, ','); i > 0 {
		if _, ok := lex.Parse(bytes.ReplaceAll(text, []byte(","), nil)); ok {
			return " (write numbers without thousands commas)"
		}
	}
	return ""
}

func isNaN(b []byte) bool {
	s := strings.TrimLeft(strings.ToLower(lex.Short(b)), "+-")
	return s == "nan" || strings.HasPrefix(s, "inf")
}

// isSign reports whether a remark begins with the character: a comment, an arrow, a parenthesis.
func isSign(c byte) bool { return bytes.IndexByte([]byte("#<(!*-=/[{~^←"), c) >= 0 }

// isWholeNumber reports whether a size is a whole number of bytes, but for the rounding of its
// product.
func isWholeNumber(n float64) bool { return math.Abs(n-math.Round(n)) <= 1e-9*math.Abs(n) }
