package forecast_test

import (
	"fmt"

	"github.com/halfpeak/halfpeak/internal/forecast"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// Between measured sizes the interval is narrow, and beyond them it widens.
func Example() {
	curve, err := forecast.Latencies().New([]forecast.Point{
		{Size: 64, Time: 2.28}, {Size: 256, Time: 2.66}, {Size: 1024, Time: 4.25},
		{Size: 4096, Time: 10.41}, {Size: 16384, Time: 34.90}, {Size: 65536, Time: 133.20},
	}, 0.01)
	if err != nil {
		fmt.Println(err)
		return
	}
	inside, beyond := curve.At(8*quantity.KiB), curve.At(1024*quantity.KiB)
	fmt.Println(inside.Beyond(), beyond.Beyond())
	fmt.Println(inside.High/inside.Low < beyond.High/beyond.Low)
	// Output:
	// false true
	// true
}
