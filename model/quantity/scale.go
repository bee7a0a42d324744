package quantity

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/internal/usage"
)

// A Scale is the unit and the number of decimals for the values of a column, so that users compare
// digits and not prefixes.
type Scale struct {
	Unit     string  // "µs"; empty for a plain number
	one      float64 // of the unit, in µs and bytes
	decimals int
}

// NewScale chooses the unit and the decimals for values of one dimension, in µs and bytes; values
// that are not finite are ignored. The unit is that of asked for the dimension, if it has one.
// Otherwise it is µs, MB/s or µs/KiB, unless the largest value would print below 0.01 or at or
// above 100,000. In that case it is the nearest of ns, µs, ms and s, or of kB/s, MB/s, GB/s and
// TB/s, without this problem. So values from 9.9 µs to 1.25 s are in ms.
//
// There are two decimals, and more if the value nearest to zero needs them to show digits
// significant digits, or one digit less if the largest value would be long. There are at most 12:
// [Scale.Number] prints smaller values with an exponent.
func NewScale(dim Dimension, asked UnitChoice, digits int, values ...float64) Scale {
	least, most := math.Inf(1), 0.0
	for _, v := range values {
		if abs := math.Abs(v); abs > 0 && !math.IsInf(abs, 0) {
			least, most = min(least, abs), max(most, abs)
		}
	}
	unit := choose(dim, asked, most)
	s := Scale{Unit: unit.Name, one: unit.Value.Num, decimals: 2}
	if most == 0 {
		return s
	}
	s.decimals = min(12, max(2, decimalsFor(least/s.one, digits)))
	whole := exponentOf(most/s.one, digits) + 1 // digits before the point
	if s.decimals > 2 && whole+s.decimals > digits+longest {
		s.decimals = max(2, min(6, decimalsFor(least/s.one, digits-1)))
	}
	return s
}

// choose returns the unit of a column whose largest value is most.
func choose(dim Dimension, asked UnitChoice, most float64) UnitInfo {
	if u, ok := asked[dim]; ok {
		return u
	}
	if dim == DimInverse {
		return named(printedInverse)
	}
	var scaled []UnitInfo // candidates, the smallest first
	for _, u := range unitTable {
		if u.scaled && u.Value.Dim == dim {
			scaled = append(scaled, u)
		}
	}
	at := slices.IndexFunc(scaled, func(u UnitInfo) bool { return u.Name == baseNames[dim] })
	// Sizes and plain numbers have no scaled units.
	if most == 0 || at < 0 {
		return UnitInfo{Name: baseNames[dim], Value: Value{1, dim}}
	}
	// Neighbouring units differ by a factor of 1,000, and the values that print well span 10⁷: no
	// unit is both too small and too large.
	for at < len(scaled)-1 && printed(most/scaled[at].Value.Num) >= enough {
		at++
	}
	for at > 0 && printed(most/scaled[at].Value.Num) < tooSmall {
		at--
	}
	return scaled[at]
}

// A unit is large enough if the largest value prints below enough, and small enough if that does
// not print below tooSmall.
const (
	tooSmall = 0.01
	enough   = 1e5
)

// longest is the maximum number of digits of the largest value beyond the digits asked for. If it
// would have more, the value nearest to zero gets one digit less.
const longest = 3

// printed returns v rounded for printing: to two decimals, or to three digits below 1. The choice
// of a unit looks at the rounded value: 99,999.999 would print as 100000.00.
func printed(v float64) float64 {
	text := strconv.FormatFloat(v, 'f', max(2, decimalsFor(v, 3)), 64)
	r, _ := strconv.ParseFloat(text, 64)
	return r
}

// decimalsFor returns the number of decimals that shows v with the given significant digits.
func decimalsFor(v float64, digits int) int { return max(0, digits-1-exponentOf(v, digits)) }

// exponentOf returns the power of ten of v's first digit after rounding v to the given digits, so
// that 0.9999 counts as 1.00.
func exponentOf(v float64, digits int) int {
	_, e, _ := strings.Cut(strconv.FormatFloat(v, 'e', digits-1, 64), "e")
	exponent, _ := strconv.Atoi(e) // "" if v is not finite: 0
	return exponent
}

// Number prints v, in µs and bytes, without the unit; "–" stands for a value that is not finite.
func (s Scale) Number(v float64) string {
	x := v/s.one + 0 // -0 is 0
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "–"
	}
	text := strconv.FormatFloat(x, 'f', s.decimals, 64)
	whole, _, _ := strings.Cut(strings.TrimPrefix(text, "-"), ".")
	if len(whole) > 9 { // 1e9 or more: nobody counts the digits
		return strconv.FormatFloat(x, 'g', 3, 64)
	}
	if x != 0 && strings.Trim(text, "-0.") == "" { // too small for the column
		return strconv.FormatFloat(x, 'g', 2, 64)
	}
	return text
}

// Format prints v, in µs and bytes, with the unit.
func (s Scale) Format(v float64) string {
	text := s.Number(v)
	if s.Unit == "" || text == "–" {
		return text
	}
	return text + " " + s.Unit
}

// Significant prints v like Format, with the given significant digits in place of the scale's
// decimals; it prints no fewer digits than the whole part has.
func (s Scale) Significant(v float64, digits int) string {
	s.decimals = min(6, decimalsFor(v/s.one, digits))
	return s.Format(v)
}

// A UnitChoice holds the units that a user has chosen for times, rates and inverse bandwidths.
// Units of other dimensions are chosen for each column; see [NewScale].
type UnitChoice map[Dimension]UnitInfo

// ParseUnits parses units, separated by commas, at most one of each dimension: "GB/s,ms". Sizes
// have no choice: they print in the largest unit that leaves a whole number.
func ParseUnits(text string) (UnitChoice, error) {
	units := UnitChoice{}
	for name := range strings.SplitSeq(text, ",") {
		name = strings.TrimSpace(name)
		v, ok := Unit(name)
		if !ok {
			return nil, fmt.Errorf("unknown unit %q%s", name, usage.Hint(name, ChoosableUnits()))
		}
		if v.Dim != DimTime && v.Dim != DimRate && v.Dim != DimInverse {
			return nil, fmt.Errorf("%q is the unit of %s; "+
				"choose units of times, rates or inverse bandwidths", name, v.Dim)
		}
		if before, twice := units[v.Dim]; twice {
			return nil, fmt.Errorf("%s and %s are both units of %s; choose one",
				before.Name, name, v.Dim)
		}
		units[v.Dim] = named(name)
	}
	return units, nil
}

// ChoosableUnits lists the units of times and rates that [ParseUnits] reads.
func ChoosableUnits() []string {
	var names []string
	for _, u := range slices.Concat(timeUnits, rateUnits) {
		names = append(names, u.Name)
	}
	return names
}

// String prints 65536 as "64 KiB", 3490 as "3490 B" and 245.27 as "245.3 B".
func (n Bytes) String() string {
	v := float64(n) + 0 // -0 is 0
	if v != math.Trunc(v) || math.Abs(v) > float64(MaxBytes) {
		return trim(v, 4) + " B"
	}
	for i := len(sizeUnits) - 1; i > 1; i-- { // from TiB down to KiB
		u := sizeUnits[i]
		if q := v / u.Value.Num; q != 0 && q == math.Trunc(q) {
			return strconv.FormatFloat(q, 'f', -1, 64) + " " + u.Name
		}
	}
	return strconv.FormatFloat(v, 'f', -1, 64) + " B"
}

// String prints the time in the unit and decimals of a [Scale] for it: "589.30 µs", "0.183 µs",
// "1.25 s".
func (t Micros) String() string { return format(DimTime, float64(t)) }

// String prints the rate in the unit and decimals of a [Scale] for it: "111.21 MB/s", "131.16
// GB/s".
func (r MBps) String() string { return format(DimRate, float64(r)) }

// String prints the time per 1,024 bytes with up to five significant digits ("7.6 µs/KiB").
func (tau MicrosPerByte) String() string {
	return trim(PerKiB(tau), 5) + " " + printedInverse
}

func format(dim Dimension, v float64) string {
	s := NewScale(dim, nil, 3, v)
	if math.IsInf(v, 0) || math.IsNaN(v) { // messages distinguish infinite values from NaN
		return trim(v, 3) + " " + s.Unit
	}
	return s.Format(v)
}

// String prints the value for people, in the unit of its dimension.
func (v Value) String() string { return UnitChoice(nil).Print(v) }

// Print prints a single value in the chosen unit.
func (u UnitChoice) Print(v Value) string {
	switch _, asked := u[v.Dim]; {
	case v.Dim == DimSize:
		return Bytes(v.Num).String()
	case v.Dim == DimInverse && !asked:
		return MicrosPerByte(v.Num).String()
	case v.Dim == DimNone:
		return trim(v.Num, 6)
	case v.Dim == DimClock:
		return trim(v.Num, 6) + " MHz"
	}
	return NewScale(v.Dim, u, 3, v.Num).Format(v.Num)
}
