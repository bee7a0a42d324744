package check

import (
	"reflect"
	"testing"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// Each Δ has a series of its own.
func TestSignatureSeries(t *testing.T) {
	bursts := []benchfile.Burst{
		{Messages: 1, Interval: 3},
		{Messages: 8, Interval: 5},
		{Messages: 8, Delta: 10, Interval: 12},
	}
	got := signatureSeries(bursts, table.Line, func(d quantity.Micros) string { return d.String() })
	want := []table.Series{
		{Name: "0 µs", Kind: table.Line, X: []float64{1, 8}, Y: []float64{3, 5}},
		{Name: "10 µs", Kind: table.Line, X: []float64{8}, Y: []float64{12}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v; want %v", got, want)
	}
}
