package fit_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// Fit a file, and predict the next measurement of a size that nobody measured.
func Example() {
	file, err := benchfile.Open("testdata/osu_latency.txt", benchfile.Options{})
	if err != nil {
		log.Fatal(err)
	}
	result, err := fit.Piecewise(&file.Tables[0], 0)
	if err != nil {
		log.Fatal(err)
	}
	layer, err := result.Layer()
	if err != nil {
		log.Fatal(err)
	}
	next, err := layer.Next(8 * quantity.MiB)
	if err != nil {
		log.Fatal(err)
	}
	low, high := quantity.Micros(next.Low), quantity.Micros(next.High)
	fmt.Println(layer.OneWay(8*quantity.MiB), "between", low, "and", high)
	// Output: 16.8 ms between 6.65 ms and 25.2 ms
}

// From the output of a benchmark to the parameters behind it.
func ExampleLinear() {
	const out = `
# OSU MPI Latency Test
# Size          Latency (us)
64                      2.28
256                     2.66
1024                    4.25
4096                   10.41
16384                  34.90
65536                 133.20
`
	file, err := benchfile.Read(strings.NewReader(out), "latency.txt", benchfile.Options{})
	if err != nil {
		log.Fatal(err)
	}
	result, err := fit.Linear(&file.Tables[0], fit.Relative)
	if err != nil {
		log.Fatal(err)
	}
	line := result.Segments[0]
	fmt.Printf("β = %s (%.3g to %.3g µs)\n", line.Line().Beta, line.Beta.Low, line.Beta.High)
	fmt.Printf("τ = %s (%.3g to %.3g µs/B)\n", line.Line().Tau, line.Tau.Low, line.Tau.High)
	fmt.Printf("median error %.1f %%\n", 100*result.Median)

	lines, err := result.Lines()
	if err != nil {
		log.Fatal(err)
	}
	half, _ := model.HalfPeak(lines)
	fmt.Println("32 KiB take", lines.OneWay(32*quantity.KiB), "and n½ is", half)
	// Output:
	// β = 2.16 µs (2.13 to 2.21 µs)
	// τ = 2.0542 µs/KiB (0.00199 to 0.00202 µs/B)
	// median error 0.4 %
	// 32 KiB take 67.9 µs and n½ is 1076 B
}
