package fits_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/reports/fits"
)

// The times of a benchmark become a platform file.
func ExampleQuestion_Ask() {
	f, err := fits.Question{
		Text:    strings.NewReader("size,time_us\n1024,5\n2048,7\n4096,11\n8192,19\n"),
		Name:    "times.csv",
		Options: fit.Options{Model: "linear"},
	}.Ask(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range f.Curves()[0].Segments {
		fmt.Println(p.Line().Beta, p.Line().Tau)
	}
	// Output:
	// 3 µs 2 µs/KiB
}
