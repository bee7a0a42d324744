package contention

import (
	"context"
	"math"
	"reflect"

	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Fit is the factors that measured collectives ask for.
type Fit struct {
	Factors
	Points int       // that it was made from
	Before float64   // median of the relative errors of averages and slowest ranks, by the factors at the begin
	After  float64   // by those found
	Runs   int       // of the set
	errors []float64 // of the points by the factors found, in logarithms, without signs
}

// Search finds the factors by which the machine comes closest to the points: the least sum of
//
//	ρ(ln predicted/measured) + (ln factor)²/40
//
// over averages and slowest ranks and over the factors, where ρ is Huber's function, a square up to
// 0.3 and straight beyond. The second sum, a tenth of a point for a factor of 2, keeps what the
// points say nothing about where it was. The factors are tried one after the other, up and down by
// steps of 60 %, then half as much in logarithms, and so on down to 4 %, and stay between 1/16 and
// 16.
//
// The errors are those of [Set.Predict].
func (e *Estimate) Search(ctx context.Context, s *Set, from Factors) (Fit, error) {
	f := Fit{Factors: from, Points: len(s.Points)}
	cost := func(x Factors) (float64, []float64, error) {
		f.Runs++
		got, err := s.Predict(ctx, e.Machine(x))
		if err != nil {
			return 0, nil, err
		}
		logs := ratios(s.Points, got)
		sum := 0.0
		for _, d := range logs {
			sum += huber(d)
		}
		for _, factor := range x.all() {
			l := math.Log(*factor)
			sum += l * l / 40
		}
		return sum, logs, nil
	}
	least, logs, err := cost(from)
	if err != nil {
		return f, err
	}
	f.Before = typical(logs)
	step := math.Log(1.6)
	for step > 0.04 {
		better := false
		for i := range f.all() {
			for _, by := range []float64{math.Exp(step), math.Exp(-step)} {
				for {
					x := f.Factors
					*x.all()[i] *= by
					if *x.all()[i] > most || *x.all()[i] < 1/most {
						break
					}
					if reflect.DeepEqual(e.Machine(x), e.Machine(f.Factors)) {
						break // nothing of that kind is known here
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

// most is the greatest factor: what is shared is known to better than that.
const most = 16

func huber(x float64) float64 {
	const k = 0.3
	if x = math.Abs(x); x > k {
		return k * (2*x - k)
	}
	return x * x
}

// ratios are the logarithms of predicted over measured, of all averages and slowest ranks that were
// measured.
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

// typical is the median of the relative errors.
func typical(logs []float64) float64 {
	var errors []float64
	for _, l := range logs {
		errors = append(errors, math.Abs(math.Expm1(l)))
	}
	return stats.QuantileOf(errors, 0.5)
}
