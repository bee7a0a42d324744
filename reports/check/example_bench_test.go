package check_test

import (
	"fmt"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/reports/check"
)

// The intervals of a LogP signature as the series of a figure, one for each Δ.
func ExampleSignatureSeries() {
	bursts := []benchfile.Burst{{Messages: 1, Interval: 3}, {Messages: 8, Delta: 0, Interval: 5}, {Messages: 8, Delta: 10, Interval: 12}}
	for _, s := range check.SignatureSeries(bursts, reports.Line, func(d quantity.Micros) string { return "Δ = " + d.String() }) {
		fmt.Println(s.Name, s.X, s.Y)
	}
	// Output:
	// Δ = 0.00 µs [1 8] [3 5]
	// Δ = 10.00 µs [8] [12]
}
