package table

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// A number is printed with the 12 digits to which strconv rounds it.
func TestAppendNumber(t *testing.T) {
	check := func(v float64) {
		t.Helper()
		got := bareFloat(v)
		read, err := strconv.ParseFloat(got, 64)
		want, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 12, 64), 64)
		if err != nil || read != want || len(strings.Trim(strings.Map(func(c rune) rune {
			if c < '0' || c > '9' {
				return -1
			}
			return c
		}, strings.Split(got, "e")[0]), "0")) > 12 {
			t.Errorf("%v: got %s, want %v", v, got, want)
		}
	}
	for _, v := range []float64{0, math.Copysign(0, -1), 1, -1, 0.5, 1e-6, 1e-7, 9.9999999999994e-7,
		9.9999999999996e-7, 123456789012, 1234567890123,
		0.1 + 0.2, 1e20, 1e21, 1.5e21, 999999999999.4, 99999999999.95, math.MaxFloat64} {
		check(v)
		check(-v)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		check(random.NormFloat64() * math.Pow(10, float64(random.IntN(50)-20)))
		check(random.NormFloat64() * math.Pow(10, float64(random.IntN(18)-6)))
		// few digits
		check(float64(random.IntN(1000000)) / 1000)
		// between two of 12 digits
		check(math.Round(random.Float64()*1e12)/1e12 + 0.5e-12*float64(random.IntN(3)))
	}
	for e := -8; e < 13; e++ { // about powers of ten
		v := math.Pow(10, float64(e))
		for range 40 {
			check(v)
			v = math.Nextafter(v, 0)
		}
		check(v * (1 - 4e-13))
		check(v * (1 - 6e-13))
	}
}

func TestRowEncoder(t *testing.T) {
	check := func(format, want string) {
		t.Helper()
		header, encode, err := NewRowEncoder(format, []string{"tau_us_per_kib", "one_way_us"})
		if err != nil {
			t.Fatal(err)
		}
		text := encode(encode(header, []float64{1.5, 300}), []float64{2, math.NaN()})
		if string(text) != want {
			t.Errorf("got\n%s\nwant\n%s", text, want)
		}
	}
	check("csv", "tau_us_per_kib,one_way_us\n1.5,300\n2,\n")
	check("jsonl",
		`{"tau_us_per_kib":1.5,"one_way_us":300}`+"\n"+`{"tau_us_per_kib":2,"one_way_us":null}`+"\n")
	if _, _, err := NewRowEncoder("xml", nil); err == nil ||
		err.Error() != `unknown format "xml" for writing row by row; choose one of csv, jsonl` {
		t.Error(err)
	}
}
