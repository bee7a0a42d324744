// Lines plants lines with noise, fits them by each method, and writes as CSV how often the 95 %
// intervals of β and τ hold the planted values, and how wide those of τ are:
//
//	go run ./lines [-tables N] > ../../docs/tables/lines.csv
//
// Width is the median over the width that Student's interval has if the form of the noise is known,
// and its outliers are left out.
package main

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// The planted line, in µs and µs/B.
const beta, tau = 5.0, 0.002

// A noise is a form of noise: how a true time is measured, and the deviation of a time that is not
// disturbed.
type noise struct {
	name      string
	measure   func(v float64, r *rand.Rand) float64
	deviation func(v float64) float64
}

func proportional(share float64) func(v float64) float64 {
	return func(v float64) float64 { return share * v }
}

// normal returns noise of a deviation, of which a share of the times is disturbed.
func normal(name string, deviation func(v float64) float64, disturbed float64) noise {
	return noise{name, func(v float64, r *rand.Rand) float64 {
		t := v + deviation(v)*r.NormFloat64()
		if r.Float64() < disturbed {
			t *= 1.5 + r.Float64()
		}
		return t
	}, deviation}
}

var noises = []noise{
	normal("0.5 µs", func(float64) float64 { return 0.5 }, 0),
	normal("0.5 µs and 1 %", func(v float64) float64 { return math.Hypot(0.5, 0.01*v) }, 0),
	normal("3 %", proportional(0.03), 0),
	{"lognormal, 10 %", func(v float64, r *rand.Rand) float64 {
		return v * math.Exp(0.1*r.NormFloat64()-0.005)
	}, proportional(0.1)},
	{"t of 3 degrees, 3 %", func(v float64, r *rand.Rand) float64 {
		chi := 0.0
		for range 3 {
			chi += math.Pow(r.NormFloat64(), 2)
		}
		return v * (1 + 0.03*r.NormFloat64()/math.Sqrt(chi))
	}, proportional(0.03)},
	normal("3 %, 1 in 20 disturbed", proportional(0.03), 0.05),
}

// sizes returns n sizes from 1 B to 4 MiB, a factor apart.
func sizes(n int) (all []float64) {
	for i := range n {
		v := math.Round(math.Exp2(22 * float64(i) / float64(n-1)))
		if i == 0 || v > all[len(all)-1] {
			all = append(all, v)
		}
	}
	return all
}

// ideal returns the width of the interval of τ if the form of the noise is known.
func ideal(ns []float64, n noise) float64 {
	var m stats.Moments
	for _, v := range ns {
		d := n.deviation(beta + tau*v)
		m.Add(v, 0, 1/(d*d))
	}
	return 2 * stats.T95(float64(len(ns)-2)) / math.Sqrt(m.XX)
}

func main() {
	tables := flag.Int("tables", 400, "planted tables of each row")
	flag.Parse()
	if err := write(*tables); err != nil {
		fmt.Fprintln(os.Stderr, "lines:", err)
		os.Exit(1)
	}
}

func write(tables int) error {
	methods := []struct {
		name string
		fit  func(*benchfile.Table) (*fit.Result, error)
	}{{"auto", fit.Auto}}
	for _, m := range fit.Methods {
		methods = append(methods, struct {
			name string
			fit  func(*benchfile.Table) (*fit.Result, error)
		}{string(m), func(t *benchfile.Table) (*fit.Result, error) { return fit.Linear(t, m) }})
	}
	fmt.Println("noise,sizes,method,lines,beta_right,tau_right,width_of_tau_over_ideal")
	for _, n := range noises {
		for _, count := range []int{5, 8, 20, 40} {
			ns := sizes(count)
			for _, m := range methods {
				var lines, betas, taus float64
				var widths []float64
				random := rand.New(rand.NewPCG(96, uint64(count)))
				for range tables {
					t := &benchfile.Table{Title: "planted"}
					for _, v := range ns {
						time := quantity.Micros(math.Max(0.01, n.measure(beta+tau*v, random)))
						t.Samples = append(t.Samples, benchfile.Sample{Size: quantity.Bytes(v),
							Count: 1, Mean: time, Min: time, Max: time})
					}
					r, err := m.fit(t)
					if err != nil {
						return err
					}
					if len(r.Segments) > 1 {
						continue
					}
					s := &r.Segments[0]
					lines++
					betas += holds(s.Beta.Low <= beta && beta <= s.Beta.High)
					taus += holds(s.Tau.Low <= tau && tau <= s.Tau.High)
					widths = append(widths, float64(s.Tau.High-s.Tau.Low)/ideal(ns, n))
				}
				fmt.Printf("%q,%d,%s,%v,%.3f,%.3f,%.2f\n", n.name, count, m.name, lines,
					betas/lines, taus/lines, stats.Median(widths))
			}
		}
	}
	return nil
}

func holds(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
