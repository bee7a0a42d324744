package calibrate

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"

	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// offsets is the table of machines whose collectives were predicted from their latencies alone, and
// measured. Its first lines describe it.
//
//go:embed latencies.csv
var offsets string

// An offsetRange is the range of measured over predicted times of machines known from latencies,
// the number of those machines, and the largest number of ranks.
type offsetRange struct {
	ratio           quantity.Interval
	machines, ranks int
}

// fromLatencies is the range of a machine that is known from latencies alone. The mean of
// log(measured/predicted) differs between machines, and the calls of a machine differ from its
// mean. The range has the prediction interval of the mean of one more machine, and 1.96 standard
// deviations of calls, added as squares:
//
//	m ± √(t² s² (1 + 1/k) + 1.96² v)
//
// Where: m, s = mean and standard deviation of the k machines' means; t = the 97.5 % quantile of
// Student's distribution with k − 1 degrees of freedom; v = the mean variance of the calls of a
// machine. Machines with many calls count as much as machines with few.
var fromLatencies = sync.OnceValue(func() offsetRange {
	r := csv.NewReader(strings.NewReader(offsets))
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		panic(err) // embedded
	}
	var means, variances []float64
	most := 0
	for _, row := range rows[1:] {
		number := func(i int) float64 { v, _ := strconv.ParseFloat(row[i], 64); return v }
		most = max(most, int(number(2)))
		means, variances = append(means, number(3)), append(variances, number(4)*number(4))
	}
	k, m, between := float64(len(means)), stats.Mean(means), 0.0
	for _, v := range means {
		between += (v - m) * (v - m) / (k - 1)
	}
	t := stats.StudentQuantile(0.975, k-1)
	half := math.Sqrt(t*t*between*(1+1/k) + 1.96*1.96*stats.Mean(variances))
	ratio := quantity.Interval{Value: 1, Low: math.Exp(m - half), High: math.Exp(m + half)}
	return offsetRange{ratio, len(means), most}
})

// OfSimulations states how far real times of collectives are at least from simulations of their
// messages; what names those times in the sentence: "collectives took". Those of a machine that is
// not described as these were, such as one without levels, may be farther.
func OfSimulations(what string) string {
	r := fromLatencies()
	return fmt.Sprintf("on %d measured machines, %s %.2g to %.2g × such predictions", r.machines,
		what, r.ratio.Low, r.ratio.High)
}

// knownFromLatencies reports whether a platform describes a machine as docs/machines.md does: each
// level has the latencies of a benchmark, and the cores of a node share something.
func knownFromLatencies(p platforms.Platform) bool {
	shares := len(p.Levels) == 1 // nodes that are cores share nothing
	for _, level := range p.Levels {
		l, err := p.Layer(level.LayerName("layer"))
		if err != nil || l.Messages() != nil || l.Measured == nil || l.Measured.Operation {
			return false
		}
		shares = shares || level.Lanes > 0 || level.Shared != nil
	}
	return shares && len(p.Levels) > 0
}
