package fits_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/reports/fits"
)

// The times of a benchmark become a platform file.
func ExampleRead() {
	f, err := fits.Read(strings.NewReader("size,time_us\n1024,5\n2048,7\n4096,11\n8192,19\n"), "times.csv", fit.Options{Model: "linear"})
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range f.Curves[0].Segments {
		fmt.Println(p.Line().Beta, p.Line().Tau)
	}
	// Output:
	// 3 µs 2 µs/KiB
}
