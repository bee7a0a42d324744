package quantity

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/usage"
)

// A Scale is the unit and the number of digits for the values of a column, so that users compare
// digits and not prefixes.
type Scale struct {
	Unit   string  // "µs"; empty for a plain number
	one    float64 // of the unit, in µs and bytes
	digits int
	floor  bool // values below columnFloor print as "<0.001"
}

// columnFloor is the value, in the unit of a column, below which digits tell nothing beside the
// largest value: 0.0000250 ms.
const columnFloor = 0.001

// NewScale chooses the unit for values of one dimension, in µs and bytes; values that are not
// finite are ignored. The unit is that of asked for the dimension, if it has one. Otherwise it is
// µs, MB/s or µs/KiB, if the largest value prints from 0.1 to below 1,000 in it, or else the
// nearest of ns, µs, ms and s, or of kB/s, MB/s, GB/s and TB/s, in which it does. If the value
// nearest to zero would print below 1, the largest may be up to 9,999 of the next smaller unit:
// 16.4 µs and 1250 µs; or up to 99,999 if that value would print below 0.001. Values are printed
// with these significant digits, or those before the point if they are more; in a unit that was not
// asked for, beside larger ones, "<0.001" stands for those below.
func NewScale(dim Dimension, asked UnitChoice, digits int, values ...float64) Scale {
	least, most := math.Inf(1), 0.0
	for _, v := range values {
		if abs := math.Abs(v); abs > 0 && !math.IsInf(abs, 0) {
			least, most = min(least, abs), max(most, abs)
		}
	}
	unit := choose(dim, asked, least, most)
	_, given := asked[dim]
	return Scale{Unit: unit.Name, one: unit.Value.Num, digits: digits,
		floor: unit.scaled && !given && least < most}
}

// choose returns the unit of a column whose values, without their signs, are least to most.
func choose(dim Dimension, asked UnitChoice, least, most float64) unitInfo {
	if u, ok := asked[dim]; ok {
		return u
	}
	if dim == DimInverse {
		return named(inverseUnit(most))
	}
	unit := fitting(dim, most, tooSmall, enough, printed)
	switch beside := printed(least / unit.Value.Num); {
	case beside < columnFloor:
		return fitting(dim, most, tooSmall, 100*enough, printed)
	case beside < 1:
		return fitting(dim, most, tooSmall, 10*enough, printed)
	}
	return unit
}

// fitting returns the unit in which a value is printed as at least low and less than high, or the
// nearest.
func fitting(dim Dimension, most, low, high float64, printed func(float64) float64) unitInfo {
	var scaled []unitInfo // candidates, the smallest first
	for _, u := range unitTable {
		if u.scaled && u.Value.Dim == dim {
			scaled = append(scaled, u)
		}
	}
	at := slices.IndexFunc(scaled, func(u unitInfo) bool { return u.Name == baseNames[dim] })
	// Sizes and plain numbers have no scaled units.
	if most == 0 || at < 0 {
		return unitInfo{Name: baseNames[dim], Value: Value{1, dim}}
	}
	// Neighbouring units differ by a factor of 1,000, and high is more than that above low: no unit
	// is both too small and too large.
	for at < len(scaled)-1 && printed(most/scaled[at].Value.Num) >= high {
		at++
	}
	for at > 0 && printed(most/scaled[at].Value.Num) < low {
		at--
	}
	return scaled[at]
}

// A unit fits if the largest value prints from tooSmall to below enough: people say 23.3 GB/s and
// 45.8 ms.
const (
	tooSmall = 0.1
	enough   = 1e3
)

// printed returns v rounded to three digits, or to a whole number. The choice of a unit looks at
// the rounded value: 999.9 would print as 1000.
func printed(v float64) float64 {
	r, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'f', decimalsFor(v, 3), 64), 64)
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

// maxDecimals is the number of decimals beyond which a number has an exponent.
const maxDecimals = 12

// Number prints v, in µs and bytes, without the unit; "–" stands for a value that is not finite.
func (s Scale) Number(v float64) string {
	x := v/s.one + 0 // -0 is 0
	switch decimals := decimalsFor(x, s.digits); {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return "–"
	case x == 0:
		return "0"
	case s.floor && math.Abs(x) < columnFloor:
		return fmt.Sprintf("<%v", columnFloor)
	case math.Abs(x) >= 1e9-0.5: // nobody counts the digits
		return strconv.FormatFloat(x, 'g', 3, 64)
	case decimals > maxDecimals:
		return strconv.FormatFloat(x, 'g', 2, 64)
	default:
		return strconv.FormatFloat(x, 'f', decimals, 64)
	}
}

// Format prints v, in µs and bytes, with the unit.
func (s Scale) Format(v float64) string {
	text := s.Number(v)
	if s.Unit == "" || text == "–" {
		return text
	}
	return text + " " + s.Unit
}

// A UnitChoice holds the units that a user has chosen for times, rates and inverse bandwidths.
// Units of other dimensions are chosen for each column; see [NewScale].
type UnitChoice map[Dimension]unitInfo

// ParseUnits parses units, separated by commas, at most one of each dimension: "GB/s,ms". Sizes
// have no choice: they print in the largest unit that leaves a whole number.
func ParseUnits(text string) (UnitChoice, error) {
	units := UnitChoice{}
	for name := range strings.SplitSeq(text, ",") {
		name = strings.TrimSpace(name)
		v, ok := Unit(name)
		if !ok {
			return nil, fmt.Errorf("unknown unit %q%s", name, usage.Hint(name, ChoosableUnits))
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
var ChoosableUnits = list.Map(slices.Concat(timeUnits, rateUnits),
	func(u unitInfo) string { return u.Name })

// String prints a whole number of bytes exactly, 65536 as "64 KiB" and 3490 as "3490 B", and a
// derived size with three digits, 245.27 as "245 B" and 58554.3 as "57.2 KiB".
func (n Bytes) String() string {
	v := float64(n) + 0 // -0 is 0
	if math.Abs(v) > float64(MaxBytes) {
		return trim(v, 4) + " B"
	}
	whole := v == math.Trunc(v)
	for i := len(sizeUnits) - 1; i > 1; i-- { // from TiB down to KiB
		u := sizeUnits[i]
		switch q := v / u.Value.Num; {
		case whole && q != 0 && q == math.Trunc(q):
			return strconv.FormatFloat(q, 'f', -1, 64) + " " + u.Name
		case !whole && math.Abs(q) >= 1:
			return strconv.FormatFloat(q, 'f', decimalsFor(q, 3), 64) + " " + u.Name
		}
	}
	if whole {
		return strconv.FormatFloat(v, 'f', -1, 64) + " B"
	}
	return strconv.FormatFloat(v, 'f', decimalsFor(v, 3), 64) + " B"
}

// String prints the time in the unit of a [Scale] for it, with three digits, or as it is if it
// has at most four: "45.8 ms", "589.3 µs", "5 µs".
func (t Micros) String() string { return format(DimTime, nil, float64(t), 4) }

// String prints the rate like a time: "111 MB/s", "132.5 MB/s", "23.3 GB/s".
func (r MBps) String() string { return format(DimRate, nil, float64(r), 4) }

// String prints the time per 1,024 bytes, or per GiB if it is short, with up to five
// significant digits ("7.6 µs/KiB").
func (tau MicrosPerByte) String() string {
	unit := inverseUnit(math.Abs(float64(tau)))
	return trim(float64(tau)/named(unit).Value.Num, 5) + " " + unit
}

// inverseUnit returns the unit for the print of inverse bandwidths up to most, in µs a byte.
func inverseUnit(most float64) string {
	if perKiB := most * float64(KiB); perKiB > 0 && perKiB < 1e-4 {
		return "µs/GiB"
	}
	return printedInverse
}

// format prints v with three digits, or as it is if it has at most most digits.
func format(dim Dimension, asked UnitChoice, v float64, most int) string {
	s := NewScale(dim, asked, 3, v)
	if math.IsInf(v, 0) || math.IsNaN(v) { // messages distinguish infinite values from NaN
		return trim(v, 3) + " " + s.Unit
	}
	// Parameters have few digits, and are shown as they are. A result has 16.
	exact := trim(v/s.one, 12)
	if digits := strings.Trim(strings.Replace(exact, ".", "", 1), "-0"); len(digits) <= most &&
		!strings.Contains(exact, "e") {
		return exact + " " + s.Unit
	}
	return s.Format(v)
}

// String prints the value for people, in the unit of its dimension.
func (v Value) String() string { return UnitChoice(nil).Print(v) }

// Fixed prints a time or rate of a text in CSV or JSON, which does not change with the printing for
// people: with two decimals, or three digits below 1, in µs or MB/s unless that is below 0.01 or at
// least 100,000.
func (v Value) Fixed() string {
	if v.Dim != DimTime && v.Dim != DimRate {
		return v.String()
	}
	decimals := func(x float64) int { return min(maxDecimals, max(2, decimalsFor(x, 3))) }
	unit := fitting(v.Dim, math.Abs(v.Num), 0.01, 1e5, func(x float64) float64 {
		r, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'f', decimals(x), 64), 64)
		return r
	})
	x := v.Num/unit.Value.Num + 0
	return strconv.FormatFloat(x, 'f', decimals(x), 64) + " " + unit.Name
}

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
	return format(v.Dim, u, v.Num, 5)
}
