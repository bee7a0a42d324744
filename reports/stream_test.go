package reports

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/internal/atomicfile"
	"github.com/parquet-go/parquet-go"
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
	for _, v := range []float64{0, math.Copysign(0, -1), 1, -1, 0.5, 1e-6, 1e-7, 9.9999999999994e-7, 9.9999999999996e-7, 123456789012, 1234567890123,
		0.1 + 0.2, 1e20, 1e21, 1.5e21, 999999999999.4, 99999999999.95, math.MaxFloat64} {
		check(v)
		check(-v)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		check(random.NormFloat64() * math.Pow(10, float64(random.IntN(50)-20)))
		check(random.NormFloat64() * math.Pow(10, float64(random.IntN(18)-6)))
		check(float64(random.IntN(1000000)) / 1000)                                     // few digits
		check(math.Round(random.Float64()*1e12)/1e12 + 0.5e-12*float64(random.IntN(3))) // between two of 12 digits
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
	check("jsonl", `{"tau_us_per_kib":1.5,"one_way_us":300}`+"\n"+`{"tau_us_per_kib":2,"one_way_us":null}`+"\n")
	if _, _, err := NewRowEncoder("xml", nil); err == nil || err.Error() != `unknown format "xml" for writing row by row; choose one of csv, jsonl, parquet` {
		t.Error(err)
	}
}

// Another program's reader finds what was written: columns by name, absent values, and more rows
// than a group holds.
func TestParquet(t *testing.T) {
	type row struct {
		Z float64  `parquet:"z,optional"`
		A *float64 `parquet:"a,optional"`
	}
	for _, n := range []int{0, 1, 2, groupRows - 1, groupRows, groupRows + 1} {
		var b bytes.Buffer
		p := NewParquet(&b, []string{"z", "a"})
		for i := range n {
			a := float64(-i)
			if i%7 > 4 {
				a = math.NaN()
			}
			if err := p.Write([]float64{float64(i) + 0.1, a}); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		file, err := parquet.OpenFile(bytes.NewReader(b.Bytes()), int64(b.Len()))
		if err != nil {
			t.Fatal(err)
		}
		if writer, _ := file.Lookup("writer"); writer != atomicfile.Imprint {
			t.Errorf("written by %q", writer)
		}
		rows, err := parquet.Read[row](bytes.NewReader(b.Bytes()), int64(b.Len()))
		if err != nil {
			t.Fatal(err)
		}
		if len(rows) != n || file.NumRows() != int64(n) {
			t.Fatalf("%d rows, want %d", len(rows), n)
		}
		for i, r := range rows {
			absent := i%7 > 4
			if r.Z != float64(i)+0.1 || (r.A == nil) != absent || !absent && *r.A != float64(-i) {
				t.Fatalf("row %d: %v", i, r)
			}
		}
	}
}

// A list of fifteen or more elements has another head.
func TestParquetOfManyColumns(t *testing.T) {
	var keys []string
	var values []float64
	for i := range 40 {
		keys = append(keys, fmt.Sprintf("k%02d", 39-i))
		values = append(values, float64(39-i))
	}
	var b bytes.Buffer
	p := NewParquet(&b, keys)
	if err := errors.Join(p.Write(values), p.Write(values), p.Close()); err != nil {
		t.Fatal(err)
	}
	rows := parquet.NewReader(bytes.NewReader(b.Bytes()))
	defer rows.Close()
	for range 2 {
		got := map[string]float64{}
		if err := rows.Read(&got); err != nil {
			t.Fatal(err)
		}
		for i, k := range keys {
			if got[k] != values[i] {
				t.Errorf("%s is %v, want %v", k, got[k], values[i])
			}
		}
	}
}

// full takes a number of bytes and then fails.
type full int

func (f *full) Write(b []byte) (int, error) {
	if *f -= full(len(b)); *f < 0 {
		return 0, io.ErrShortWrite
	}
	return len(b), nil
}

// Columns stand in the order of their keys, sizes are integers, and each row group has the least
// and greatest value of its columns and how many are absent, as its readers look for them.
func TestParquetStatistics(t *testing.T) {
	var b bytes.Buffer
	p := NewParquet(&b, []string{"z_us", "size_bytes", "a_us"}, "size_bytes")
	for i := range groupRows + 2 {
		if err := p.Write([]float64{float64(i) / 4, float64(i + 8), math.NaN()}); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := parquet.OpenFile(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range file.Schema().Columns() {
		got = append(got, c[0])
	}
	got = append(got, fmt.Sprint(len(file.Metadata().ColumnOrders), " orders"))
	for _, group := range file.Metadata().RowGroups {
		for _, c := range group.Columns {
			s := c.MetaData.Statistics
			value := func(text []byte) any {
				switch {
				case len(text) == 0:
					return nil
				case c.MetaData.Type.String() == "INT64":
					return int64(binary.LittleEndian.Uint64(text))
				}
				return math.Float64frombits(binary.LittleEndian.Uint64(text))
			}
			got = append(got, fmt.Sprint(c.MetaData.Type, " ", value(s.MinValue), " ", value(s.MaxValue), " ", s.NullCount))
		}
	}
	want := []string{"z_us", "size_bytes", "a_us", "3 orders",
		"DOUBLE 0 32767.75 0", "INT64 8 131079 0", "DOUBLE <nil> <nil> 131072",
		"DOUBLE 32768 32768.25 0", "INT64 131080 131081 0", "DOUBLE <nil> <nil> 2"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestParquetOnAFullDisk(t *testing.T) {
	for space := range full(150) {
		p := NewParquet(&space, []string{"a"})
		if err := errors.Join(p.Write([]float64{1}), p.Close()); !errors.Is(err, io.ErrShortWrite) {
			t.Fatalf("error %v, want %v", err, io.ErrShortWrite)
		}
	}
}
