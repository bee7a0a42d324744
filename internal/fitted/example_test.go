package fitted_test

import (
	"fmt"

	schedules "github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/internal/fitted"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// Barriers that were measured with 2 to 32 ranks, and one with 64.
func Example() {
	barrier, err := schedules.Find("barrier", "") // by the library's own choice
	if err != nil {
		fmt.Println(err)
		return
	}
	data := fitted.Data{Of: barrier, Statistic: fitted.Average}
	for _, m := range []struct {
		ranks int
		time  quantity.Micros
	}{{2, 3.1}, {4, 6.0}, {8, 9.1}, {16, 11.9}, {32, 15.0}} {
		data.Points = append(data.Points, fitted.Point{Ranks: m.ranks, Time: m.time, Count: 1})
	}
	result, err := fitted.Fit(data)
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := result.PredictAt(result.PlacementOf(64), 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("64 ranks meet within 16 to 20 µs:", 16 < p.Value && p.Value < 20)
	// Output:
	// 64 ranks meet within 16 to 20 µs: true
}
