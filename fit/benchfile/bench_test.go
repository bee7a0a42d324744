package benchfile

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"
)

// csvFile is a CSV file of so many rows of 64 sizes, about 12.5 bytes a row.
func csvFile(rows int) []byte {
	random := rand.New(rand.NewPCG(1, 0))
	b := bytes.NewBuffer(make([]byte, 0, 16*rows))
	b.WriteString("size_bytes,time_us\n")
	for range rows {
		n := 1000 + 1000*random.IntN(64)
		fmt.Fprintf(b, "%d,%.3f\n", n, (5+float64(n)/2000)*(1+0.02*random.NormFloat64()))
	}
	return b.Bytes()
}

// BenchmarkCSV reads a CSV file of 1,000,000 rows. peers/duckdb.sh compares the time of ten times as
// many with that of DuckDB.
func BenchmarkCSV(b *testing.B) {
	file := csvFile(1_000_000)
	b.SetBytes(int64(len(file)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Read(bytes.NewReader(file), "x", Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkNoise reads a log in which no line belongs to a table but the last ones.
func BenchmarkNoise(b *testing.B) {
	noise := bytes.Repeat([]byte("[node-1:1234] some warning, of an MPI library: 12 34 56\n"), 100_000)
	b.SetBytes(int64(len(noise)))
	for b.Loop() {
		r := io.MultiReader(bytes.NewReader(noise), bytes.NewReader([]byte("size,time_us\n1,2\n2,3\n")))
		if _, err := Read(r, "x", Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
