package column

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/fit/benchfile/internal/lex"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Role is a value that is read from a column.
type Role int

const (
	Size Role = iota
	Time
	Min
	Max
	Median
	Packet
	Burst
	Delta
	Check // a rate beside the time
	Unit  // the unit of the time
	roles
)

// Columns are the columns of a header by their roles.
type Columns struct {
	At      [roles]int     // index of the column; −1 if it is missing
	Scale   [roles]float64 // units in bytes, µs, bytes/µs
	Groups  []int          // columns whose names describe a table
	Base    string         // the name of the column of times, without its unit
	Stage   bool           // one of Groups names stages
	Assumed bool           // the unit of the time is not in the header, nor in the rows
	Unread  string         // a column of times without a unit, beside a rate
	Rate    bool           // the time is size over a rate
	Total   bool           // sizes add up all ranks' blocks
}

// Options choose columns.
type Options struct {
	// X and Y name the columns of sizes and times, by header or by number from 1, with or without a
	// unit ("time:ms"); they are empty if the header decides.
	X, Y string
	// Spell returns how a user gives an option a value, for messages.
	Spell func(option, value string) string
}

// Find finds the columns of a header. unit is the unit of times whose column names none; "" if
// unknown. Find returns nil if the line is not a header, with the reason if it is nearly one.
func Find(names []Name, o Options, unit string) (c *Columns, why string) {
	x, xUnit := option(o.X)
	y, yUnit := option(o.Y)
	h := finder{Columns: none(), spell: o.Spell, names: names, x: x, y: y, timeRank: len(timeNames) + 2, noUnit: -1}
	for i := range names {
		name, number := &names[i], strconv.Itoa(i+1)
		isX := x != "" && (name.Full == x || number == x)
		isY := y != "" && (name.Full == y || number == y)
		if isX && xUnit != "" {
			name.Unit, name.HasUnit = quantity.Unit(xUnit)
		}
		if isY && yUnit != "" {
			name.Unit, name.HasUnit = quantity.Unit(yUnit)
		}
		switch {
		case isX || x == "" && !h.Has(Size) && name.isSize():
			if name.HasUnit && name.Unit.Dim != quantity.DimSize {
				return nil, "column " + strconv.Quote(name.Full) + " is not a size"
			}
			h.set(Size, i, name.sizeUnit())
			h.Total = totalNames[name.Base]
		case isY:
			h.At[Time], h.timeRank = i, -1
		case !h.assignSide(i, *name) && y == "":
			h.time(i, *name)
		}
	}
	h.setUnit(unit)
	if why := h.missing(); why != "" || !h.Has(Time) || h.Key() < 0 {
		return nil, why
	}
	time := names[h.At[Time]]
	if h.Base = time.Base; !h.setTime(h.At[Time], time.Unit) {
		return nil, "column " + strconv.Quote(time.Full) + " is neither a time nor a rate"
	}
	return &h.Columns, ""
}

// ByNumber returns the columns of rows of the given width without a header, if both options are
// numbers of columns. If only the unit of the times is missing, it returns the reason.
func ByNumber(o Options, width int) (c *Columns, why string) {
	x, xUnit := option(o.X)
	y, yUnit := option(o.Y)
	i, errX := strconv.Atoi(x)
	j, errY := strconv.Atoi(y)
	if errX != nil || errY != nil || i < 1 || j < 1 || i > width || j > width {
		return nil, ""
	}
	n := none()
	size, _ := quantity.Unit(cmp.Or(xUnit, "B"))
	n.set(Size, i-1, size.Num)
	if u, ok := quantity.Unit(yUnit); !ok || !n.setTime(j-1, u) {
		return nil, "column " + strconv.Itoa(j) + " has no unit; give it with " + o.Spell("y", strconv.Itoa(j)+":us")
	}
	return &n, ""
}

func none() (c Columns) {
	for i := range c.At {
		c.At[i] = -1
	}
	return c
}

// Has reports whether the header has a column of the role.
func (c *Columns) Has(r Role) bool { return c.At[r] >= 0 }

// Key returns the index of the column that every row must have: the size or the burst.
func (c *Columns) Key() int {
	if c.Has(Burst) {
		return c.At[Burst]
	}
	return c.At[Size]
}

// SetBounds gives the columns of minimum and maximum times the unit of the time if they have none.
// It drops those without a unit if the times are not one-way times, or if the rows have units of
// their own.
func (c *Columns) SetBounds(oneWay bool) {
	for _, bound := range []Role{Min, Max} {
		switch {
		case !c.Has(bound) || c.Scale[bound] > 0:
		case c.Rate || !oneWay || c.Has(Unit):
			c.At[bound] = -1
		default:
			c.Scale[bound] = c.Scale[Time]
		}
	}
}

func (c *Columns) set(r Role, at int, scale float64) { c.At[r], c.Scale[r] = at, scale }

// setTime sets the column of times, and reports whether its unit is one of times or rates.
func (c *Columns) setTime(at int, u quantity.Value) bool {
	c.set(Time, at, u.Num)
	c.Rate = u.Dim == quantity.DimRate
	return c.Rate || u.Dim == quantity.DimTime
}

// option splits "time:ms" into the column and its unit.
func option(opt string) (column, unit string) {
	if i := strings.LastIndexByte(opt, ':'); i >= 0 {
		if _, ok := quantity.Unit(opt[i+1:]); ok {
			return opt[:i], opt[i+1:]
		}
	}
	return opt, ""
}

// A finder assigns the columns of a header to the values that are read.
type finder struct {
	Columns
	spell    func(option, value string) string
	names    []Name
	x, y     string // names or numbers given by options; "" if not given
	timeRank int    // place of the time's name in the order of preference; −1 if an option names it
	noUnit   int    // a column of times without a unit, −1 for none
}

// assignSide assigns column i if it is read beside sizes and times or names its rows, and reports
// whether it did.
func (h *finder) assignSide(i int, name Name) bool {
	isTime := name.HasUnit && name.Unit.Dim == quantity.DimTime
	switch {
	case unitNames[name.Base] && !name.HasUnit:
		h.At[Unit] = i
	case (name.Base == "packet" || name.Base == "packet_size") && (!name.HasUnit || name.Unit.Dim == quantity.DimSize):
		h.set(Packet, i, name.sizeUnit())
	case groupNames[name.Base] && !name.HasUnit:
		h.Groups = append(h.Groups, i)
		h.Stage = h.Stage || name.Base == "stage"
	case name.Base == "burst" || name.Base == "messages" && !name.HasUnit || name.Full == "M":
		h.At[Burst] = i
	case (name.Base == "delta" || name.Base == "δ") && isTime:
		h.set(Delta, i, name.Unit.Num)
	case minNames[name.Base] && (isTime || !name.HasUnit): // without a unit, that of the time
		h.set(Min, i, name.Unit.Num)
	case maxNames[name.Base] && (isTime || !name.HasUnit):
		h.set(Max, i, name.Unit.Num)
	case medianNames[name.Base] && isTime:
		h.set(Median, i, name.Unit.Num)
	default:
		return false
	}
	return true
}

// time considers column i as the column of times. Times are preferred to rates, and among times the
// first name in timeNames.
func (h *finder) time(i int, name Name) {
	rank := slices.Index(timeNames, name.Base)
	switch {
	case name.HasUnit && name.Unit.Dim == quantity.DimTime:
		if rank < 0 {
			rank = len(timeNames)
			if name.Base == "" {
				rank++
			}
		}
	case name.HasUnit && name.Unit.Dim == quantity.DimRate:
		rank = len(timeNames) + 1
		if strings.Contains(name.Base, "bandwidth") || name.Base == "bw" {
			h.set(Check, i, name.Unit.Num)
		}
	case rank >= 0 && !name.HasUnit && h.noUnit < 0:
		h.noUnit = i
		return
	default:
		return
	}
	if rank < h.timeRank {
		h.At[Time], h.timeRank = i, rank
	}
}

// setUnit gives times without a unit the given one, and decides whether the table is a table of
// bursts.
func (h *finder) setUnit(unit string) {
	if h.Has(Size) || !h.Has(Burst) || !h.Has(Delta) {
		h.At[Burst], h.At[Delta] = -1, -1
	}
	if h.Has(Unit) && h.noUnit >= 0 {
		unit = "us" // until a row gives the unit
	}
	rate := h.Has(Time) && h.names[h.At[Time]].Unit.Dim == quantity.DimRate
	if u, ok := UnitNamed(unit); ok && h.noUnit >= 0 && u.Dim == quantity.DimTime && (!h.Has(Time) || rate) && h.y == "" {
		h.At[Time] = h.noUnit
		h.names[h.noUnit].Unit, h.names[h.noUnit].HasUnit = u, true
		h.Assumed = !h.Has(Unit)
		return
	}
	h.At[Unit] = -1
	if h.noUnit >= 0 && rate {
		h.Unread = h.names[h.noUnit].Full
	}
}

// missing returns what a line lacks that is nearly a header; "" if it is complete or not a header.
func (h *finder) missing() string {
	switch at := h.At[Time]; {
	case h.Key() < 0 && h.x != "" && (at >= 0 || h.noUnit >= 0):
		return "no column " + strconv.Quote(h.x) + " in this header"
	case h.y != "" && at < 0 && h.Has(Size):
		return "no column " + strconv.Quote(h.y) + " in this header"
	case h.Key() < 0:
	case at < 0 && h.noUnit >= 0:
		full := h.names[h.noUnit].Full
		return "column " + strconv.Quote(full) + " has no unit; write it as " + strconv.Quote(full+"_us") + ", or give the unit with " + h.spell("y", lex.Quote(full)+":us")
	case at >= 0 && !h.names[at].HasUnit:
		full := h.names[at].Full
		return "column " + strconv.Quote(full) + " has no unit; give it with " + h.spell("y", lex.Quote(full)+":us")
	}
	return ""
}

// A Row holds the values of one line under a header.
type Row struct {
	Fields [][]byte
	Comma  byte // the separator of the values
	*Columns
}

// Number parses the value of a column that the row has.
func (r *Row) Number(at int) (lex.Number, bool) { return number(r.Fields[at], r.Comma) }

// Value returns the value of an optional column in µs, bytes or bytes/µs; 0 if it is missing or not
// above 0.
func (r *Row) Value(role Role) float64 {
	at := r.At[role]
	if at < 0 || at >= len(r.Fields) {
		return 0
	}
	v, _ := r.Number(at)
	return max(0, v.Value) * r.Scale[role]
}

// Text returns a value as [lex.Bounded] does; nil if the row is too short.
func (r *Row) Text(at int) []byte {
	if at >= len(r.Fields) {
		return nil
	}
	return lex.Bounded(r.Fields[at])
}

// IsRow reports whether a line has at least two numbers. If blanks separate the values, as in
// prose, all values must be numbers.
func IsRow(values [][]byte, comma byte) bool {
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
