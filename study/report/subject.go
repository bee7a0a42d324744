package report

import (
	"math"

	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/study/judge"
	"github.com/halfpeak/halfpeak/study/predict"
	"github.com/halfpeak/halfpeak/whatif"
)

// A subject is a layer that a report is about.
type subject struct {
	whatif.Design
	accuracy judge.Reproduction // what the papers say of the platform, inputs apart
	fitted   bool               // the next measurement can be predicted
}

// longMessage is the size of the message whose best packet a report gives.
const longMessage = 64 * quantity.KiB

var captions = map[predict.CurveKind]string{predict.Bandwidth: "Bandwidth against message size", predict.Latency: "One-way time against message size"}

// doublings are the powers of two among the sizes, or the sizes if there are none.
func doublings(sizes []quantity.Bytes) []quantity.Bytes {
	var some []quantity.Bytes
	for _, n := range sizes {
		if e := math.Log2(float64(n)); e == math.Trunc(e) {
			some = append(some, n)
		}
	}
	if len(some) == 0 {
		some = sizes
	}
	return stats.Ascending(some)
}

// thinned returns at most the given number of sizes, evenly apart, with both ends.
func thinned(sizes []quantity.Bytes, most int) []quantity.Bytes {
	sizes = stats.Ascending(sizes)
	if len(sizes) <= most {
		return sizes
	}
	some := make([]quantity.Bytes, most)
	for i := range some {
		some[i] = sizes[i*(len(sizes)-1)/(most-1)]
	}
	return some
}
