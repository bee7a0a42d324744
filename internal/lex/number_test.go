package lex

import "testing"

// Numbers are strconv's to the last bit.
func TestParse(t *testing.T) {
	check := func(text string, want float64, exp int) {
		t.Helper()
		if got, ok := Parse([]byte(text)); !ok || got.Value != want || got.Exp != exp {
			t.Errorf("parse(%q) = %v %v, want %v·10^%d", text, got, ok, want, exp)
		}
	}
	check("0", 0, 0)
	check("1048576", 1048576, 0)
	check("0.00000030", 3e-7, -8)
	check("-12.5", -12.5, -1)
	check("123456789.123456789", 123456789.123456789, -9)
	check("4.5e-07", 4.5e-7, -8)
	check("1E3", 1000, 3)
	check("9007199254740993", 9007199254740992, 0) // 2⁵³+1 rounds to even
	for _, text := range []string{"", ".", "-", "NaN", "inf", "0x10", "1_000", "1e", "1.2.3", "12us", "1e999"} {
		if got, ok := Parse([]byte(text)); ok {
			t.Errorf("parse(%q) = %v, want no number", text, got)
		}
	}
}
