package model

import (
	"errors"
	"fmt"
	"math"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Measure is the quantity that a parameter measures.
type Measure int

// The measures of parameters.
const (
	Plain    Measure = iota // any number: a constant of a platform
	Time                    // in µs, not negative
	PerByte                 // an inverse bandwidth in µs per byte, not negative
	Size                    // a whole number of bytes, ≥ 1
	Count                   // a whole number, ≥ 1
	Share                   // transfers that run at full speed at once, ≥ 1, not always whole
	Fraction                // 0 to 1
	Flops                   // operations a µs, above 0
	Rate                    // bytes a µs, above 0
)

// maxCount is the largest value of a field that counts something.
const maxCount = 1 << 30

// Whole reports whether only whole numbers are possible.
func (m Measure) Whole() bool { return m == Size || m == Count }

// Cost reports whether costs grow with the parameter: it is a time or an inverse bandwidth.
func (m Measure) Cost() bool { return m == Time || m == PerByte }

// Check returns the reason why v is not a valid value of a parameter, or nil.
func (m Measure) Check(v quantity.Value) error {
	switch m {
	case Time:
		return v.Check(quantity.DimTime)
	case PerByte:
		return v.Check(quantity.DimInverse)
	case Flops, Rate:
		want := quantity.DimRate
		if m == Flops {
			want = quantity.DimFlops
		}
		err := v.Check(want)
		if err == nil && v.Num == 0 {
			err = errors.New("must be above 0")
		}
		return err
	case Size:
		err := v.Check(quantity.DimSize)
		if err == nil && v.Num < 1 {
			err = errors.New("must be at least 1 byte")
		}
		return err
	case Count:
		n, err := v.Num, v.Check(quantity.DimNone)
		if err == nil && n > maxCount {
			err = fmt.Errorf("must be a whole number, at most %d", maxCount)
		} else if err == nil && (n < 1 || n != math.Trunc(n)) {
			err = errors.New("must be a whole number, at least 1")
		}
		return err
	}
	if m == Share || m == Fraction {
		return m.checkPlain(v)
	}
	if math.IsNaN(v.Num) || math.IsInf(v.Num, 0) {
		return fmt.Errorf("%s must be finite", v.Dim)
	}
	return nil
}

// checkPlain checks a number without a unit that need not be whole.
func (m Measure) checkPlain(v quantity.Value) error {
	if err := v.Check(quantity.DimNone); err != nil {
		return err
	}
	switch {
	case m == Share && !(v.Num >= 1 && v.Num <= maxCount):
		return errors.New("must be 1 to 2^30, since a single transfer runs at full speed; " +
			"omit it if nothing is shared")
	case m == Fraction && !(v.Num >= 0 && v.Num <= 1):
		return errors.New("must be 0 to 1")
	}
	return nil
}
