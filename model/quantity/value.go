package quantity

import (
	"errors"
	"fmt"
	"math"
	"strconv"
)

// Dimension holds the exponents of time (µs), size (bytes) and operations (flop) of a value. Times
// and sizes are the only base dimensions of communication costs, and an inverse bandwidth is
// µs¹·B⁻¹; operations are what a rank computes.
type Dimension struct{ Time, Size, Ops int }

// The dimensions that have a name.
var (
	DimNone    = Dimension{}
	DimTime    = Dimension{Time: 1}
	DimSize    = Dimension{Size: 1}
	DimRate    = Dimension{Time: -1, Size: 1}
	DimInverse = Dimension{Time: 1, Size: -1}
	DimClock   = Dimension{Time: -1}
	DimFlops   = Dimension{Time: -1, Ops: 1}
)

// dimensionNames holds the names of dimensions and of their units.
var dimensionNames = map[Dimension]struct{ name, takes string }{
	DimNone:    {"a plain number", "no unit, or %"},
	DimTime:    {"a time", "ns, µs (us), ms or s"},
	DimSize:    {"a size", "B, KiB, MiB, GiB or TiB (KB, K, k, … are the same powers of two)"},
	DimRate:    {"a rate", "MB/s, GB/s, MiB/s, Mbit/s (Mbps) or Gbit/s"},
	DimInverse: {"an inverse bandwidth", "µs/KiB (us/KB), µs/B, ns/B or µs/MiB"},
	DimClock:   {"a clock rate", "kHz, MHz or GHz"},
	DimFlops:   {"a rate of operations", "Gflop/s, Tflop/s or Pflop/s"},
}

// String returns the name with its article, as error messages need it: "a time".
func (d Dimension) String() string {
	if n, ok := dimensionNames[d]; ok {
		return n.name
	}
	if d.Ops != 0 {
		return fmt.Sprintf("µs^%d·B^%d·flop^%d", d.Time, d.Size, d.Ops)
	}
	return fmt.Sprintf("µs^%d·B^%d", d.Time, d.Size)
}

// plus returns the dimension of a product.
func (d Dimension) plus(e Dimension) Dimension {
	return Dimension{d.Time + e.Time, d.Size + e.Size, d.Ops + e.Ops}
}

// minus returns the dimension of a quotient.
func (d Dimension) minus(e Dimension) Dimension {
	return Dimension{d.Time - e.Time, d.Size - e.Size, d.Ops - e.Ops}
}

// Value is a number with its dimension, in µs and bytes.
type Value struct {
	Num float64
	Dim Dimension
}

// Mul returns v·w.
func (v Value) Mul(w Value) Value { return Value{v.Num * w.Num, v.Dim.plus(w.Dim)} }

// Div returns v/w.
func (v Value) Div(w Value) Value { return Value{v.Num / w.Num, v.Dim.minus(w.Dim)} }

// Check returns the reason why v is not a finite value of the dimension, at least 0: no parameter
// of a model may be negative. A size must also be a whole number of bytes up to [MaxBytes].
func (v Value) Check(want Dimension) error {
	takes := dimensionNames[want].takes
	switch {
	case v.Dim == DimNone && want != DimNone:
		return fmt.Errorf("no unit; %s takes %s", want, takes)
	case v.Dim != want:
		return fmt.Errorf("must be %s with %s (got %s)", want, takes, v.Dim)
	case math.IsNaN(v.Num) || math.IsInf(v.Num, 0):
		return fmt.Errorf("%s must be finite", want)
	case v.Num < 0:
		return fmt.Errorf("%s cannot be negative", want)
	case want == DimSize && v.Num > float64(MaxBytes):
		return errors.New("a size must be at most 8192 TiB (2^53 bytes)")
	case want == DimSize && v.Num != math.Trunc(v.Num):
		return fmt.Errorf("%s B is not a whole number of bytes", trim(v.Num, 12))
	}
	return nil
}

// trim prints at most the given significant digits, without an exponent for common magnitudes and
// without trailing zeros. The first formatting rounds, the second one chooses the notation.
func trim(v float64, digits int) string {
	r, err := strconv.ParseFloat(strconv.FormatFloat(v+0, 'g', digits, 64), 64) // +0: -0 is 0
	if err != nil || math.IsInf(r, 0) || r != 0 && (math.Abs(r) < 1e-6 || math.Abs(r) >= 1e15) {
		return strconv.FormatFloat(v, 'g', digits, 64)
	}
	return strconv.FormatFloat(r, 'f', -1, 64)
}
