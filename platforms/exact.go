package platforms

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// exactly prints a number of a dimension so that reading it gives the same number.
func exactly(v float64, d quantity.Dimension) string {
	// -1: the shortest decimal that reads back as the same float64.
	num := strconv.FormatFloat(v, 'g', -1, 64)
	if tera := v / 1e6; d == quantity.DimFlops && tera*1e6 == v {
		return strconv.FormatFloat(tera, 'g', -1, 64) + "Tflop/s"
	}
	if unit, known := exactUnits[d]; known {
		return num + unit
	}
	// A constant may have any dimension, and no unit has a name for µs². A product has:
	// 1*1us*1us.
	unit := func(name string, power int) string {
		if power < 0 {
			return strings.Repeat("/1"+name, -power)
		}
		return strings.Repeat("*1"+name, power)
	}
	text := num + unit("us", d.Time+d.Ops) + unit("B", d.Size)
	if d.Ops != 0 { // flop has no unit of its own, flop/µs has
		return text + strings.Repeat("*1Mflop/s", max(0, d.Ops)) +
			strings.Repeat("/1Mflop/s", max(0, -d.Ops))
	}
	return text
}

// exactUnits are the units that print numbers exactly.
var exactUnits = map[quantity.Dimension]string{
	quantity.DimNone:    "",
	quantity.DimTime:    "us",
	quantity.DimSize:    "B",
	quantity.DimInverse: "us/B",
	quantity.DimRate:    "MB/s",
	quantity.DimClock:   "MHz",
	quantity.DimFlops:   "Mflop/s",
}

// Exact prints a value for a file, with 12 significant digits as everything that programs read; a
// time per byte per KiB, the unit of the papers.
func Exact[T quantity.Micros | quantity.Bytes | quantity.MicrosPerByte](v T) string {
	switch v := any(v).(type) {
	case quantity.Bytes:
		return fmt.Sprintf("%.12gB", float64(v))
	case quantity.MicrosPerByte:
		return fmt.Sprintf("%.12gus/KiB", quantity.PerKiB(v))
	}
	return fmt.Sprintf("%.12gus", float64(v))
}
