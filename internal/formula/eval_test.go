package formula

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// scope has a few parameters of a platform file, and the function len of a quoted text.
func scope(name string, args []any) (quantity.Value, error) {
	switch {
	case name == "len" && len(args) == 1:
		s, ok := args[0].(string)
		if !ok {
			return quantity.Value{}, errors.New("len takes a text")
		}
		return quantity.Value{Num: float64(len(s)), Dim: quantity.DimNone}, nil
	case args != nil:
		return quantity.Value{}, fmt.Errorf("no function %q", name)
	case name == "o_s":
		return quantity.Value{Num: 2.9, Dim: quantity.DimTime}, nil
	case name == "o_r":
		return quantity.Value{Num: 5.8, Dim: quantity.DimTime}, nil
	case name == "g", name == "logp.g":
		return quantity.Value{Num: 8.7, Dim: quantity.DimTime}, nil
	case name == "τ":
		return quantity.Value{Num: 7.6 / 1024, Dim: quantity.DimInverse}, nil
	}
	return quantity.Value{}, fmt.Errorf("no parameter %q", name)
}

func TestEval(t *testing.T) {
	check := func(text string, num float64, dim quantity.Dimension) {
		t.Helper()
		v, err := Eval(text, scope)
		if err != nil {
			t.Errorf("%q: %v", text, err)
		} else if math.Abs(v.Num-num) > 1e-14*math.Abs(num) || v.Dim != dim {
			t.Errorf("%q = %v, %s; want %v, %s", text, v.Num, v.Dim, num, dim)
		}
	}
	// Arithmetic: * and / before + and -, all from the left.
	check("1+2*3", 7, quantity.DimNone)
	check("(1+2)*3", 9, quantity.DimNone)
	check("8-4-2", 2, quantity.DimNone)
	check("8/4/2", 1, quantity.DimNone)
	check("8/(4/2)", 4, quantity.DimNone)
	check("2*-3", -6, quantity.DimNone)
	check("--5", 5, quantity.DimNone)
	check("-(1+2)", -3, quantity.DimNone)
	check("1us - -1us", 2, quantity.DimTime)
	check(" 1\t+ 2 ", 3, quantity.DimNone)
	check("1e3+1E-1", 1000.1, quantity.DimNone)
	// The longest unit is taken, not more.
	check("5.9us/KB", 5.9/1024, quantity.DimInverse)
	check("28.1us/2", 14.05, quantity.DimTime)
	check("28.1us/o_s", 28.1/2.9, quantity.DimNone)
	check("1us/KB/2", 1./2048, quantity.DimInverse)
	check("24MB/s/2", 12, quantity.DimRate)
	check("2MB/2", 1<<20, quantity.DimSize)
	check("64KiB/1us", 65536, quantity.DimRate)
	check("5 us", 5, quantity.DimTime)
	check("5%*200us", 10, quantity.DimTime)
	// A name is not taken for a unit, whether or not white space parts them.
	check("87us/g", 10, quantity.DimNone)
	check("87us/ g", 10, quantity.DimNone)
	check("87us / logp.g", 10, quantity.DimNone)
	// Dimensions: the formulas of the papers.
	check("28.1us/2 - o_s - o_r", 5.35, quantity.DimTime) // L of HP-LAM, table 4.2: printed 5.3
	check("1/(24MB/s)", 1./24, quantity.DimInverse)
	check("33MHz * 32bit", 132, quantity.DimRate) // PCI
	check("sqrt(64KiB * 1.3us / (27us/KB))", 1797.5448606157026, quantity.DimSize)
	check("τ * 4KiB", 30.4, quantity.DimTime)
	check("1us*1us/1us", 1, quantity.DimTime)
	// Functions.
	check("sqrt(4)", 2, quantity.DimNone)
	check("ceil(65536/4000)", 17, quantity.DimNone)
	check("ceil(2.1us)", 3, quantity.DimTime)
	check("min(3us, 1us, 2us)", 1, quantity.DimTime)
	check("max(o_s,o_r)", 5.8, quantity.DimTime)
	check("max(1)", 1, quantity.DimNone)
	check(`len("4-KiB, pages")*2`, 24, quantity.DimNone)
	check(`len("")`, 0, quantity.DimNone)
	// Not finite is for the conversions to refuse.
	check("1/0", math.Inf(1), quantity.DimNone)
	// Nesting and many factors.
	check(strings.Repeat("(", 99)+"1"+strings.Repeat(")", 99), 1, quantity.DimNone)
	check("1us"+strings.Repeat("*1us", 299), 1, quantity.Dimension{Time: 300})
}

func TestEvalErrors(t *testing.T) {
	check := func(text string, column int, parts ...string) {
		t.Helper()
		v, err := Eval(text, scope)
		if err == nil {
			t.Errorf("%.40q: no error but %v", text, v)
			return
		}
		if v != (quantity.Value{}) {
			t.Errorf("%.40q: %v beside an error", text, v)
		}
		for _, part := range append(parts, fmt.Sprintf("%q, column %d: ", text, column)) {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%.40q: error %q lacks %q", text, err, part)
			}
		}
	}
	// Where it stops making sense. Columns count characters, not bytes.
	check("", 1, "a number or a name is missing at the end")
	check("1us+", 5, "is missing at the end")
	check("(1us", 5, "missing )")
	check("1us)", 4, `unexpected ")"`)
	check("2 3", 3, `unexpected "3"`)
	check("2^63", 2, `unexpected "^"`)
	check("1 + * 2", 5, `unexpected "*"`)
	check("µ+§", 1, `no parameter "µ"`)
	check("τ+§", 3, `unexpected "§"`)
	check("\xff", 1, `unexpected "\xff"`)
	// Names, units, numbers.
	check("1 + nosuch", 5, `no parameter "nosuch"`)
	check("nosuch(1)", 1, `no function "nosuch"`)
	check("NaN", 1, `no parameter "NaN"`)
	check("1e400", 1, "too large")
	check("1.2.3", 1, "no number")
	check("5 furlongs", 3, `unknown unit "furlongs"`, "us/KiB")
	check("5us/furlong", 5, `no parameter "furlong"`)
	// Dimensions: the column is the operator's.
	check("2us+3KB", 4, "cannot add a time and a size")
	check("2us - 3", 5, "cannot add a time and a plain number")
	check("1us*1us+1us", 8, "cannot add µs^2·B^0 and a time")
	check("1+min(1us,2KB)", 3, "min of a time and a size")
	check("sqrt(2us)", 1, "sqrt of a time has no unit")
	// Arguments.
	check("ceil()", 1, "ceil takes one argument")
	check("ceil", 1, "ceil takes one argument")
	check("sqrt(1,2)", 1, "sqrt takes one argument")
	check("min", 1, "min takes arguments")
	check(`min("a")`, 1, `min takes numbers, not "a"`)
	check("max(1 2)", 7, "missing , or )")
	check("max(1,)", 7, `unexpected ")"`)
	check(`len("abc)`, 6, `missing closing "`)
	check("len(1)", 1, "len takes a text")
	// Nobody nests like this.
	check(strings.Repeat("(", 1000), 101, "nested deeper than 100")
	check(strings.Repeat("-", 1000)+"1", 101, "nested deeper than 100")
	check(strings.Repeat("max(", 1000), 401, "nested deeper than 100")

	if _, err := Eval("1+x", nil); err == nil || !strings.Contains(err.Error(), `column 3: no such name "x"`) {
		t.Errorf("without a scope: %v", err)
	}
}

func TestValueCheck(t *testing.T) {
	check := func(text string, want quantity.Dimension, wrong string) {
		t.Helper()
		v, err := Eval(text, scope)
		if err != nil {
			t.Fatal(err)
		}
		err = v.Check(want)
		if wrong == "" && err != nil || wrong != "" && (err == nil || !strings.Contains(err.Error(), wrong)) {
			t.Errorf("%q: error %v, want %q", text, err, wrong)
		}
	}
	check("2*2KiB", quantity.DimSize, "")
	check("2KiB/3", quantity.DimSize, "not a whole number")
	check("2", quantity.DimSize, "no unit; a size takes B, KiB")
	check("1us", quantity.DimSize, "must be a size with B")
	check("16384TiB", quantity.DimSize, "at most 8192 TiB")
	check("o_s", quantity.DimTime, "")
	check("o_s-o_r", quantity.DimTime, "cannot be negative")
	check("o_s/0", quantity.DimTime, "must be finite")
	check("0us/0", quantity.DimTime, "must be finite")
	check("1B/1us", quantity.DimRate, "")
	check("1us/1B", quantity.DimRate, "must be a rate")
	check("τ", quantity.DimInverse, "")
	check("5%", quantity.DimNone, "")
	check("5us", quantity.DimNone, "must be a plain number")
}

// Formulas read every name of a unit, with and without white space.
func TestUnits(t *testing.T) {
	for _, e := range quantity.Vocabulary() {
		for _, name := range append(strings.Split(e.Aliases, ", "), e.Name) {
			want, known := quantity.Unit(name)
			if name == "" || !known {
				continue
			}
			for _, text := range []string{"8" + name, "8 " + name} {
				if v, err := Eval(text, nil); err != nil || v.Num != 8*want.Num || v.Dim != want.Dim {
					t.Errorf("%q = %v, %v; want 8 × %v", text, v, err, want)
				}
			}
		}
	}
}
