package quantity

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/internal/lex"
)

// ParseBytes parses a size such as "64KiB", "3490" or "0.5K": a whole number of bytes from 0 to
// [MaxBytes]. A number without a unit is bytes. Any other text is an error that quotes it, here and
// in the functions below.
func ParseBytes(text string) (Bytes, error) { return parseAs[Bytes](text, DimSize) }

// ParseMicros parses a time such as "9.9us", "183 nsec" or "1ms", which must not be negative.
func ParseMicros(text string) (Micros, error) { return parseAs[Micros](text, DimTime) }

// ParseMegahertz parses a clock rate such as "3GHz", in cycles per µs.
func ParseMegahertz(text string) (float64, error) { return parseAs[float64](text, DimClock) }

// ParseMicrosPerByte parses an inverse bandwidth such as "7.6us/KB", which must not be negative.
func ParseMicrosPerByte(text string) (MicrosPerByte, error) {
	return parseAs[MicrosPerByte](text, DimInverse)
}

// ParseMBps parses a rate such as "1.5TB/s" or "200Gbit/s", which must not be negative.
func ParseMBps(text string) (MBps, error) { return parseAs[MBps](text, DimRate) }

func parseAs[T ~float64](text string, dim Dimension) (T, error) {
	v, err := literal(text, dim)
	if err != nil {
		return 0, err
	}
	if err := v.Check(dim); err != nil {
		return 0, fmt.Errorf("%q: %w", text, err)
	}
	return T(v.Num), nil
}

// MaxSizes is the maximum number of sizes that [ParseSizes] returns: a range over all sizes in the
// smallest steps, 1..8192TiB/1000, has 53,001.
const MaxSizes = 1 << 16

// ParseSizes parses a list of message sizes: single sizes and ranges, separated by commas. A range
// a..b doubles from a and ends with b; a..b/16 has 16 points per doubling. Each size is at least 1
// byte, and the list has at most [MaxSizes].
//
//	1,64,4KiB      1..1MiB      1..64KiB/16
func ParseSizes(text string) ([]Bytes, error) {
	var sizes []Bytes
	for item := range strings.SplitSeq(text, ",") {
		from, to, isRange := strings.Cut(item, "..")
		perDoubling := 1
		if isRange {
			end, per, stepped := strings.Cut(to, "/")
			if to = end; stepped {
				var err error
				perDoubling, err = strconv.Atoi(strings.TrimSpace(per))
				if err != nil || perDoubling < 1 || perDoubling > 1000 {
					return nil, fmt.Errorf("range %q: %q points per doubling; "+
						"want a whole number from 1 to 1000", item, per)
				}
			}
		} else {
			to = from
		}
		lo, err := parseSize(from)
		if err != nil {
			return nil, fmt.Errorf("sizes %q: %w", text, err)
		}
		hi, err := parseSize(to)
		if err != nil {
			return nil, fmt.Errorf("sizes %q: %w", text, err)
		}
		if hi < lo {
			return nil, fmt.Errorf("range %q runs backwards; write %s..%s",
				item, strings.TrimSpace(to), strings.TrimSpace(from))
		}
		last := Bytes(0)
		for k := 0; last < hi; k++ {
			// Each size follows from the first, not from the size before it, so that rounding
			// errors do not add up.
			n := min(hi, Bytes(math.Round(float64(lo)*math.Exp2(float64(k)/float64(perDoubling)))))
			if n == last {
				continue // steps of less than a byte
			}
			if len(sizes) == MaxSizes {
				return nil, fmt.Errorf("sizes %.40q are more than %d; "+
					"take fewer points per doubling", text, MaxSizes)
			}
			sizes = append(sizes, n)
			last = n
		}
	}
	return sizes, nil
}

func parseSize(text string) (Bytes, error) {
	n, err := ParseBytes(text)
	if err == nil && n < 1 {
		err = fmt.Errorf("%q: sizes begin at 1 B, since an empty message has no rate", text)
		if strings.HasPrefix(text, "00") {
			err = fmt.Errorf("%q: a comma separates sizes; write thousands without one, as in "+
				"64000", text)
		}
	}
	return n, err
}

// literal parses a number with a unit of the given dimension. A size may lack the unit: a plain
// number of bytes is unambiguous.
func literal(text string, want Dimension) (Value, error) {
	takes := dimensionNames[want].takes
	trimmed := strings.TrimSpace(text)
	if trimmed == "" {
		return Value{}, fmt.Errorf("%q: empty; %s is a number with %s", text, want, takes)
	}
	num, rest, err := lex.LeadingNumber(trimmed)
	if err != nil {
		return Value{}, fmt.Errorf("%q: %w; %s is a number with %s", text, err, want, takes)
	}
	name := strings.TrimSpace(rest)
	if name == "" {
		if want == DimSize {
			return Value{num, DimSize}, nil
		}
		return Value{}, fmt.Errorf("%q: no unit; %s takes %s", text, want, takes)
	}
	unit, ok := Unit(name)
	if after, comma := strings.CutPrefix(name, ","); comma &&
		lex.IsExponent(after) {
		return Value{}, fmt.Errorf("%q: a decimal point and not a comma, as in %s.%s", text,
			strings.TrimSuffix(trimmed, rest), after)
	}
	if !ok {
		return Value{}, fmt.Errorf("%q: unknown unit %q; %s takes %s", text, name, want, takes)
	}
	if unit.Dim != want {
		return Value{}, fmt.Errorf("%q: %q is the unit of %s; %s takes %s",
			text, name, unit.Dim, want, takes)
	}
	return Value{num * unit.Num, unit.Dim}, nil
}
