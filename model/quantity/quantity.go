package quantity

import (
	"math"
	"strconv"
)

// Bytes is a size in bytes. Message sizes are whole numbers from 1 to
// [MaxBytes]; n½ and other derived sizes need not be whole.
type Bytes float64

// Micros is a time in microseconds.
type Micros float64

// MBps is a rate in MB/s, 10⁶ bytes per second, which is bytes per microsecond.
type MBps float64

// MicrosPerByte is a time per byte, the inverse of a bandwidth: τ of a linear stage, G of LogGP.
type MicrosPerByte float64

// KiB is 1,024 bytes.
const KiB Bytes = 1 << 10

// MaxBytes is the largest size that is read: up to 2⁵³ bytes (8 PiB) a float64
// distinguishes every byte from the next.
const MaxBytes Bytes = 1 << 53

// Unknown stands for an unknown time.
var Unknown = Micros(math.NaN())

// PerKiB returns the inverse bandwidth in µs/KiB.
func PerKiB(t MicrosPerByte) float64 { return float64(t) * float64(KiB) }

// Times returns the time that n bytes take at tau.
func (tau MicrosPerByte) Times(n Bytes) Micros { return Micros(float64(tau) * float64(n)) }

// Rate returns the bandwidth 1/τ, +Inf for τ = 0.
func (tau MicrosPerByte) Rate() MBps { return MBps(1 / float64(tau)) }

// Inverse returns the time per byte 1/r, +Inf for r = 0.
func (r MBps) Inverse() MicrosPerByte { return MicrosPerByte(1 / float64(r)) }

// Over returns the rate of n bytes in t, +Inf for t = 0 and n > 0.
func (n Bytes) Over(t Micros) MBps { return MBps(float64(n) / float64(t)) }

// Over returns the size whose transfer at tau takes t: n½ = β/τ of a linear cost; +Inf for τ = 0
// and t > 0.
func (t Micros) Over(tau MicrosPerByte) Bytes { return Bytes(float64(t) / float64(tau)) }

// Per returns the time per byte of t spent on n bytes.
func (t Micros) Per(n Bytes) MicrosPerByte { return MicrosPerByte(float64(t) / float64(n)) }

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

// trim prints at most the given significant digits, without an exponent for common magnitudes.
func trim(v float64, digits int) string {
	r, err := strconv.ParseFloat(strconv.FormatFloat(v+0, 'g', digits, 64), 64) // +0: -0 is 0
	if err != nil || math.IsInf(r, 0) || r != 0 && (math.Abs(r) < 1e-6 || math.Abs(r) >= 1e15) {
		return strconv.FormatFloat(v, 'g', digits, 64)
	}
	return strconv.FormatFloat(r, 'f', -1, 64)
}
