package quantity

import (
	"math"
	"strconv"
)

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
