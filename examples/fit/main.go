// Fit reads the output of a benchmark, and predicts a size that was not measured.
package main

import (
	"fmt"
	"log"
	"strings"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/model/quantity"
)

const output = `# OSU MPI Latency Test
# Size          Latency (us)
64                      2.28
256                     2.66
1024                    4.25
4096                   10.41
16384                  34.90
65536                 133.20`

func main() {
	file, err := benchfile.Read(strings.NewReader(output), "latency.txt", benchfile.Options{})
	if err != nil {
		log.Fatal(err)
	}
	result, err := fit.Linear(&file.Tables[0], fit.Relative)
	if err != nil {
		log.Fatal(err)
	}
	line := result.Segments[0]
	fmt.Printf("β = %v, τ = %v\n", line.Beta.Value, line.Tau.Value)
	layer, err := result.Layer()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("32 KiB take", layer.OneWay(32*quantity.KiB))
}
