package collective

import (
	"encoding/csv"
	"math"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/halfpeak/halfpeak/model/quantity"
)

func orfeo(t *testing.T) map[string]map[Statistic]Data {
	f, err := os.Open("/work/shared/data/collectives/orfeo-epyc/bcast_core_algorithms_2_5_6.csv")
	if err != nil {
		t.Skip()
	}
	rows, _ := csv.NewReader(f).ReadAll()
	all := map[string]map[Statistic]Data{}
	for _, r := range rows[1:] {
		v := func(i int) float64 { x, _ := strconv.ParseFloat(r[i], 64); return x }
		if all[r[0]] == nil {
			all[r[0]] = map[Statistic]Data{}
		}
		for s, i := range map[Statistic]int{Average: 4, Slowest: 6} {
			d := all[r[0]][s]
			d.Collective, d.Statistic = "bcast", s
			d.Points = append(d.Points, Point{Ranks: int(v(1)), Size: quantity.Bytes(v(3)), Time: quantity.Micros(v(i)), Count: 1})
			all[r[0]][s] = d
		}
	}
	return all
}

func TestTmpChoose(t *testing.T) {
	all := orfeo(t)
	names := map[string]string{"2": "chain", "5": "binary", "6": "binomial"}
	for _, searched := range []bool{false} {
		for _, s := range Statistics {
			for _, every := range []int{2, 3, 8} {
				type key struct {
					p int
					n quantity.Bytes
				}
				predicted := map[key]map[string]float64{}
				measured := map[key]map[string]float64{}
				hold, total := 0, 0
				var errs []float64
				for alg, name := range names {
					if searched {
						name = ""
					}
					d := all[alg][s]
					train := d
					train.Points = nil
					var held []Point
					for _, p := range d.Points {
						ri := (p.Ranks - 2) / 4
						si := int(math.Log2(float64(p.Size)))
						if ri%every == every/2 && every > 0 || si%3 == 1 {
							held = append(held, p)
						} else {
							train.Points = append(train.Points, p)
						}
					}
					if every == 8 { // train only on 8th
						train.Points, held = nil, nil
						for _, p := range d.Points {
							ri := (p.Ranks - 2) / 4
							si := int(math.Log2(float64(p.Size)))
							if ri%8 == 0 && si%2 == 0 || ri == 63 && si%2 == 0 {
								train.Points = append(train.Points, p)
							} else {
								held = append(held, p)
							}
						}
					}
					r, err := Fit(train, Options{Algorithm: name})
					if err != nil {
						t.Fatal(err)
					}
					for _, p := range held {
						q, err := r.Predict(p.Ranks, p.Size)
						if err != nil {
							t.Fatal(err)
						}
						k := key{p.Ranks, p.Size}
						if predicted[k] == nil {
							predicted[k], measured[k] = map[string]float64{}, map[string]float64{}
						}
						predicted[k][alg], measured[k][alg] = float64(q.Time), float64(p.Time)
						errs = append(errs, offBy(float64(q.Time), float64(p.Time)))
						total++
						if q.Low <= p.Time && p.Time <= q.High {
							hold++
						}
					}
					t.Log(alg, r.left.hyper, r.within, r.beyond, math.Sqrt(r.left.variance))
				}
				loss, worst, n := 0.0, 0.0, 0
				for k := range predicted {
					best, chosen := "2", "2"
					for a := range measured[k] {
						if measured[k][a] < measured[k][best] {
							best = a
						}
						if predicted[k][a] < predicted[k][chosen] {
							chosen = a
						}
					}
					l := measured[k][chosen]/measured[k][best] - 1
					loss += l
					if l > 0.4 && every == 2 && !searched {
						t.Log(k, measured[k], predicted[k])
					}
					worst = max(worst, l)
					n++
				}
				slices.Sort(errs)
				t.Log(searched, s, every, "mean loss %", 100*loss/float64(n), "worst", worst, "of", n, "coverage", float64(hold)/float64(total), "median err", errs[len(errs)/2], "p90", errs[len(errs)*9/10])
			}
		}
	}
}
