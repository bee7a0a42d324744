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
		timeRank: rankNone,
		noUnit:   -1,
	}
	for i := range names {
		name := &names[i]
		isX, isY := isColumn(x, i, name), isColumn(y, i, name)
		if isX && xUnit != "" {
			name.unit, name.hasUnit = optionUnit(xUnit)
			name.decimal = 0
		}
		if isY && yUnit != "" {
			name.unit, name.hasUnit = optionUnit(yUnit)
		}
		switch {
		// The first column that can be a size is it: sizes come first in all tables that we know.
		case isX || x == "" && !h.has(colSize) && name.isSize():
			if name.hasUnit && name.unit.Dim != quantity.DimSize {
				return nil, fmt.Sprintf("column %q is not a size", name.full)
			}
			h.set(colSize, i, name.sizeUnit())
			h.decimal = name.decimal
			h.total = totalNames[name.base]
		case isY:
			// Nothing is preferred to the column that the user names.
			h.at[colTime], h.timeRank = i, -1
		case !h.assignSide(i, *name) && y == "":
			h.time(i, *name)
		}
	}
	h.setUnit(unit)
	if h.key() >= 0 {
		why = h.tied()
	}
	if why = cmp.Or(h.missing(), why); why != "" || !h.has(colTime) || h.key() < 0 {
		return nil, why
	}
	time := names[h.at[colTime]]
	if h.base = time.base; !h.setTime(h.at[colTime], time.unit) {
		return nil, fmt.Sprintf("column %q is neither a time nor a rate", time.full)
	}
	h.setOthers()
	return &h.columns, ""
}

// isColumn reports whether an option, a name or a number from 1, is that of column i.
func isColumn(option string, i int, name *columnName) bool {
	return option != "" && (name.full == option || strconv.Itoa(i+1) == option)
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
	// columns of times, and those that are as good as the chosen one
	times, ties []int
}

// assignSide assigns column i if it is read beside sizes and times or names its rows, and reports
// whether it did.
func (h *finder) assignSide(i int, name columnName) bool {
	isTime := name.hasUnit && name.unit.Dim == quantity.DimTime
	switch {
	case unitNames[name.base] && !name.hasUnit:
		h.at[colUnit] = i
	case validName().MatchString(name.base) && !name.hasUnit && !h.has(colValid):
		h.at[colValid] = i
	case groupNames[name.base] && !name.hasUnit:
		h.groups = append(h.groups, i)
		h.stage = h.stage || name.base == "stage"
	// M is the letter of HP-LAM's figure 4.1.
	case name.base == "burst" || name.base == "messages" && !name.hasUnit || name.full == "M":
		h.at[colBurst] = i
	default:
		for _, side := range sideTimes {
			if side.names[name.base] && (isTime || side.bare && !name.hasUnit) {
				h.set(side.column, i, name.unit.Num)
				return true
			}
		}
		return false
	}
	return true
}

// sideTimes are the times that are read beside those of messages. A bare name has no unit, and so
// that of the times.
var sideTimes = []struct {
	names  map[string]bool
	column colRole
	bare   bool
}{
	{map[string]bool{"delta": true, "δ": true}, colDelta, false},
	{minNames, colMin, true},
	{maxNames, colMax, true},
	{medianNames, colMedian, false},
}

// Places in the order of preference behind the names of times: times of other names, times without
// a name, statistics, rates that are bandwidths, other rates.
var (
	rankTime      = len(timeNames)
	rankUnit      = len(timeNames) + 1
	rankStatistic = len(timeNames) + 2
	rankBandwidth = len(timeNames) + 3
	rankRate      = len(timeNames) + 4
	rankNone      = len(timeNames) + 5
)

// time considers column i as the column of times. Times are preferred to rates, and among times the
// first name in timeNames.
func (h *finder) time(i int, name columnName) {
	rank := slices.Index(timeNames, name.base)
	switch {
	case name.hasUnit && name.unit.Dim == quantity.DimTime:
		switch {
		case rank >= 0:
		case name.isStatistic():
			rank = rankStatistic
		// A column that is only named by its unit ("us") comes after those with a name.
		case name.base == "":
			rank = rankUnit
		default:
			rank = rankTime
		}
	// A bus bandwidth is none of the message; see [series.fromBus].
	case name.hasUnit && name.unit.Dim == quantity.DimRate && strings.HasPrefix(name.base, "bus"):
		return
	case name.hasUnit && name.unit.Dim == quantity.DimRate:
		// Behind every time: a rate is rounded, and does not say whether it is of a stream.
		rank = rankRate
		if strings.Contains(name.base, "bandwidth") || name.base == "bw" {
			rank = rankBandwidth
			h.set(colCheck, i, name.unit.Num)
		}
	case rank >= 0 && !name.hasUnit && h.noUnit < 0:
		h.noUnit = i
		return
	default:
		return
	}
	switch {
	case rank < h.timeRank:
		h.at[colTime], h.timeRank, h.ties = i, rank, nil
	case rank == h.timeRank:
		h.ties = append(h.ties, i)
	}
	if rank <= rankUnit {
		h.times = append(h.times, i)
	}
}

// tied returns why the columns of times cannot be told apart; "" if one is preferred.
func (h *finder) tied() string {
	if len(h.ties) == 0 || h.timeRank < 0 {
		return ""
	}
	at := h.at[colTime]
	names := []string{strconv.Quote(lex.Short([]byte(h.names[at].full)))}
	same := false
	for _, i := range h.ties {
		names = append(names, strconv.Quote(lex.Short([]byte(h.names[i].full))))
		same = same || h.names[i].full == h.names[at].full
	}
	choice := lex.Quote(h.names[at].full)
	if same {
		choice = strconv.Itoa(at + 1)
	}
	return fmt.Sprintf("columns %s may each be the one that is meant; choose one with %s",
		strings.Join(names, ", "), h.spell("y", choice))
}

// setOthers records the columns of sizes and times that are not read.
func (h *finder) setOthers() {
	for _, i := range h.times {
		if i != h.at[colTime] && h.timeRank >= 0 {
			h.others = append(h.others, strconv.Quote(lex.Short([]byte(h.names[i].full))))
		}
	}
	for i, n := range h.names {
		isSize := n.isSize() && n.base != "" && (n.hasUnit || plainSizeNames[n.base])
		if isSize && i != h.at[colSize] && h.x == "" && h.has(colSize) && !totalNames[n.base] {
			h.others = append(h.others, strconv.Quote(lex.Short([]byte(n.full))))
		}
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
	// The bandwidths of nccl-tests and rccl-tests stand beside times in µs, in CSV and JSON without
	// a unit.
	isBandwidth := func(n columnName) bool { return n.base == "algbw" || n.base == "alg_bw" }
	if unit == "" && slices.ContainsFunc(h.names, isBandwidth) {
		unit = "us"
	}
	rate := h.has(colTime) && h.names[h.at[colTime]].unit.Dim == quantity.DimRate
	u, _, ok := unitNamed(unit)
	isTime := ok && u.Dim == quantity.DimTime
	// A column of times with a unit is preferred to one without.
	noTime := !h.has(colTime) || rate
	if h.noUnit >= 0 && isTime && noTime && h.y == "" {
		h.at[colTime], h.ties = h.noUnit, nil
		h.names[h.noUnit].unit, h.names[h.noUnit].hasUnit = u, true
		h.assumed = !h.has(colUnit) && !slices.ContainsFunc(h.names, isBandwidth)
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
