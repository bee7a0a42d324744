package benchfile

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

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
}

// findColumns finds the columns of a header, by the options if they name columns. unit is the
// unit of times whose column names none; "" if unknown. findColumns returns nil if the line
// is not a header, with the reason if it is nearly one. The reason tells a user what to
// write; for text that is no header at all it is empty, since most lines of a log are such
// text.
func (p *parser) findColumns(names []columnName, unit string) (c *columns, why string) {
	x, xUnit := columnAndUnit(p.opt.X)
	y, yUnit := columnAndUnit(p.opt.Y)
	h := finder{
		columns: noColumns(), spell: p.spell, names: names, x: x, y: y,
		timeRank: len(timeNames) + 2, // behind every name of a time or rate
		noUnit:   -1,
	}
	for i := range names {
		name, number := &names[i], strconv.Itoa(i+1)
		isX := x != "" && (name.full == x || number == x)
		isY := y != "" && (name.full == y || number == y)
		if isX && xUnit != "" {
			name.unit, name.hasUnit = quantity.Unit(xUnit)
		}
		if isY && yUnit != "" {
			name.unit, name.hasUnit = quantity.Unit(yUnit)
		}
		switch {
		// The first column that can be a size is it: sizes come first in all tables that we know.
		case isX || x == "" && !h.has(colSize) && name.isSize():
			if name.hasUnit && name.unit.Dim != quantity.DimSize {
				return nil, fmt.Sprintf("column %q is not a size", name.full)
			}
			h.set(colSize, i, name.sizeUnit())
			h.total = totalNames[name.base]
		case isY:
			// Nothing is preferred to the column that the user names.
			h.at[colTime], h.timeRank = i, -1
		case !h.assignSide(i, *name) && y == "":
			h.time(i, *name)
		}
	}
	h.setUnit(unit)
	if why := h.missing(); why != "" || !h.has(colTime) || h.key() < 0 {
		return nil, why
	}
	time := names[h.at[colTime]]
	if h.base = time.base; !h.setTime(h.at[colTime], time.unit) {
		return nil, fmt.Sprintf("column %q is neither a time nor a rate", time.full)
	}
	return &h.columns, ""
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
	size, _ := quantity.Unit(cmp.Or(xUnit, "B"))
	n.set(colSize, i-1, size.Num)
	if u, ok := quantity.Unit(yUnit); !ok || !n.setTime(j-1, u) {
		return nil, fmt.Sprintf("column %d has no unit; give it with %s", j, p.spell("y", y+":us"))
	}
	return &n, ""
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
		if _, ok := quantity.Unit(opt[i+1:]); ok {
			return opt[:i], opt[i+1:]
		}
	}
	return opt, ""
}

// A finder assigns the columns of a header to the values that are read.
type finder struct {
	columns
	spell func(option, value string) string
	names []columnName
	x, y  string // names or numbers given by options; "" if not given
	// place of the time's name in the order of preference; −1 if an option names it
	timeRank int
	noUnit   int // a column of times without a unit, −1 for none
}

// assignSide assigns column i if it is read beside sizes and times or names its rows, and reports
// whether it did.
func (h *finder) assignSide(i int, name columnName) bool {
	isTime := name.hasUnit && name.unit.Dim == quantity.DimTime
	switch {
	case unitNames[name.base] && !name.hasUnit:
		h.at[colUnit] = i
	case groupNames[name.base] && !name.hasUnit:
		h.groups = append(h.groups, i)
		h.stage = h.stage || name.base == "stage"
	// M is the letter of HP-LAM's figure 4.1.
	case name.base == "burst" || name.base == "messages" && !name.hasUnit || name.full == "M":
		h.at[colBurst] = i
	case (name.base == "delta" || name.base == "δ") && isTime:
		h.set(colDelta, i, name.unit.Num)
	case minNames[name.base] && (isTime || !name.hasUnit): // without a unit, that of the time
		h.set(colMin, i, name.unit.Num)
	case maxNames[name.base] && (isTime || !name.hasUnit):
		h.set(colMax, i, name.unit.Num)
	case medianNames[name.base] && isTime:
		h.set(colMedian, i, name.unit.Num)
	default:
		return false
	}
	return true
}

// time considers column i as the column of times. Times are preferred to rates, and among times the
// first name in timeNames.
func (h *finder) time(i int, name columnName) {
	rank := slices.Index(timeNames, name.base)
	switch {
	case name.hasUnit && name.unit.Dim == quantity.DimTime:
		if rank < 0 {
			rank = len(timeNames)
			// A column that is only named by its unit ("us") comes after those with a name.
			if name.base == "" {
				rank++
			}
		}
	case name.hasUnit && name.unit.Dim == quantity.DimRate:
		// Behind every time: a rate is rounded, and does not say whether it is of a stream.
		rank = len(timeNames) + 1
		if strings.Contains(name.base, "bandwidth") || name.base == "bw" {
			h.set(colCheck, i, name.unit.Num)
		}
	case rank >= 0 && !name.hasUnit && h.noUnit < 0:
		h.noUnit = i
		return
	default:
		return
	}
	if rank < h.timeRank {
		h.at[colTime], h.timeRank = i, rank
	}
}

// setUnit gives times without a unit the given one, and decides whether the table is a table of
// bursts.
func (h *finder) setUnit(unit string) {
	if h.has(colSize) || !h.has(colBurst) || !h.has(colDelta) {
		h.at[colBurst], h.at[colDelta] = -1, -1
	}
	if h.has(colUnit) && h.noUnit >= 0 {
		unit = "us" // until a row gives the unit
	}
	rate := h.has(colTime) && h.names[h.at[colTime]].unit.Dim == quantity.DimRate
	u, ok := unitNamed(unit)
	isTime := ok && u.Dim == quantity.DimTime
	// A column of times with a unit is preferred to one without.
	noTime := !h.has(colTime) || rate
	if h.noUnit >= 0 && isTime && noTime && h.y == "" {
		h.at[colTime] = h.noUnit
		h.names[h.noUnit].unit, h.names[h.noUnit].hasUnit = u, true
		h.assumed = !h.has(colUnit)
		return
	}
	h.at[colUnit] = -1
	if h.noUnit >= 0 && rate {
		h.unread = h.names[h.noUnit].full
	}
}

// missing returns what a line lacks that is nearly a header; "" if it is complete or not a
// header. The text names the column and the option, so that the command can be typed again.
func (h *finder) missing() string {
	switch at := h.at[colTime]; {
	case h.key() < 0 && h.x != "" && (at >= 0 || h.noUnit >= 0):
		return fmt.Sprintf("no column %q in this header", h.x)
	case h.y != "" && at < 0 && h.has(colSize):
		return fmt.Sprintf("no column %q in this header", h.y)
	// Without a size, a line with "time" in it is a sentence.
	case h.key() < 0:
	case at < 0 && h.noUnit >= 0:
		full := h.names[h.noUnit].full
		return fmt.Sprintf("column %q has no unit; write it as %q, or give the unit with %s",
			full, full+"_us", h.spell("y", lex.Quote(full)+":us"))
	case at >= 0 && !h.names[at].hasUnit:
		full := h.names[at].full
		return fmt.Sprintf("column %q has no unit; give it with %s",
			full, h.spell("y", lex.Quote(full)+":us"))
	}
	return ""
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

// number parses a number; with separator ';' it may have a decimal comma.
func number(text []byte, comma byte) (lex.Number, bool) {
	v, ok := lex.Parse(text)
	if !ok && comma == ';' {
		v, ok = lex.ParseDecimal(text)
	}
	return v, ok
}
