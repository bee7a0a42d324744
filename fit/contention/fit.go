package contention

import (
	"context"
	"math"
	"reflect"

	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Fit holds the factors that were fitted to measured collectives.
type Fit struct {
	Factors
	Points int       // number of fitted points
	Before float64   // median relative error of averages and slowest ranks with factors of 1
	After  float64   // median relative error with the fitted factors
	errors []float64 // |ln predicted/measured| of the points with the fitted factors
}

// Search returns the factors that bring the machine closest to the points. They minimise the sum of
//
//	ρ(ln predicted/measured) + (ln factor)²/40
//
// over averages and slowest ranks and over the factors, where ρ is Huber's function, a square up to
// 0.3 and linear beyond. The second sum penalises a factor of 2 as much as a tenth of a point, and
// so keeps factors near 1 that the points do not determine. Search varies one factor after another,
// up and down by steps of 60 %, and halves the logarithm of the step until it is below 4 %. Factors
// stay between 1/16 and 16.
//
// It returns an error if an algorithm does not support a point's call, the machine is invalid or
// has too few cores, or ctx ends.
func (e *Estimate) Search(ctx context.Context, points []Point) (Fit, error) {
	f := Fit{Factors: Plain(), Points: len(points)}
	loops, err := loopsOf(points)
	if err != nil {
		return f, err
	}
	cost := func(x Factors) (float64, []float64, error) {
		got, err := predict(ctx, points, loops, e.Machine(x))
		if err != nil {
			return 0, nil, err
		}
		logs := ratios(points, got)
		sum := 0.0
		for _, d := range logs {
			sum += huber(d)
		}
		for _, factor := range x.pointers() {
			l := math.Log(*factor)
			sum += l * l / 40
		}
		return sum, logs, nil
	}
	least, logs, err := cost(f.Factors)
	if err != nil {
		return f, err
	}
	f.Before = typical(logs)
	step := math.Log(1.6)
	for step > 0.04 {
		better := false
		for i := range f.pointers() {
			for _, by := range []float64{math.Exp(step), math.Exp(-step)} {
				for {
					x := f.Factors
					*x.pointers()[i] *= by
					if *x.pointers()[i] > maxFactor || *x.pointers()[i] < 1/maxFactor {
						break
					}
					if reflect.DeepEqual(e.Machine(x), e.Machine(f.Factors)) {
						break // the factor has no effect on this machine
					}
					c, l, err := cost(x)
					if err != nil {
						return f, err
					}
					if c >= least {
						break
					}
					f.Factors, least, logs, better = x, c, l, true
				}
			}
		}
		if !better {
			step /= 2
		}
	}
	f.After = typical(logs)
	for _, l := range logs {
		f.errors = append(f.errors, math.Abs(l))
	}
	return f, nil
}

// maxFactor is the largest factor that Search tries; 1/maxFactor is the smallest.
const maxFactor = 16

func huber(x float64) float64 {
	const k = 0.3
	if x = math.Abs(x); x > k {
		return k * (2*x - k)
	}
	return x * x
}

// ratios returns ln(predicted/measured) for each measured average and maximum.
func ratios(points []Point, got []Times) (logs []float64) {
	for i, p := range points {
		for _, pair := range [][2]quantity.Micros{{got[i].Average, p.Average}, {got[i].Max, p.Max}} {
			if pair[1] > 0 {
				logs = append(logs, math.Log(float64(max(pair[0], 1e-6)/pair[1])))
			}
		}
	}
	return logs
}

// typical returns the median relative error.
func typical(logs []float64) float64 {
	var errors []float64
	for _, l := range logs {
		errors = append(errors, math.Abs(math.Expm1(l)))
	}
	return stats.QuantileOf(errors, 0.5)
}
