package quantity

import "strings"

// A Column is how numbers of a dimension stand in tables for programs and on axes: always in one
// unit, so that a script need not read it.
type Column struct {
	Unit   string  // on an axis: "µs"; empty for plain numbers
	Suffix string  // of a key: "_us"
	Scale  float64 // of a number in µs and bytes
}

// Scripts find the numbers of JSON and CSV by these suffixes.
var columns = map[Dimension]Column{
	DimTime:    {"µs", "_us", 1},
	DimSize:    {"bytes", "_bytes", 1},
	DimRate:    {"MB/s", "_mb_s", 1},
	DimInverse: {"µs/KiB", "_us_per_kib", float64(KiB)},
	DimClock:   {"MHz", "_mhz", 1},
	DimFlops:   {"Tflop/s", "_tflop_s", 1e-6},
}

// Column returns the unit of the dimension in tables and on axes.
func (d Dimension) Column() Column {
	// A dimension without a name, such as µs², is printed as it is computed, in µs and bytes.
	c, ok := columns[d]
	if !ok {
		c.Scale = 1
	}
	return c
}

// Input returns the unit as formulas read it: "us" and "B" where axes have "µs" and "bytes".
func (c Column) Input() string {
	return strings.NewReplacer("µ", "u", "bytes", "B").Replace(c.Unit)
}
