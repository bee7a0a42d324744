package program

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/halfpeak/halfpeak/internal/stats"
)

// The errors that answers state are those of the table of measured programs, with two digits. The
// ratio of a program's times on two networks is predicted from either trace.
func TestStatedErrors(t *testing.T) {
	f, err := os.Open("../../docs/tables/programs.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	value := func(row []string, key string) float64 {
		v, err := strconv.ParseFloat(row[slices.Index(rows[0], key)], 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	var ratios []float64
	// The logarithms of measured over predicted times, of runs with the recorder and without.
	traced, programs := map[string][]float64{}, map[string][]float64{}
	for i := 1; i+1 < len(rows); i += 2 { // shared memory, then TCP
		a, b := rows[i], rows[i+1]
		for _, row := range [][]string{a, b} {
			for key, of := range map[string]map[string][]float64{
				"error_traced_percent": traced, "error_percent": programs} {
				of[row[0]] = append(of[row[0]], -math.Log1p(value(row, key)/100))
			}
		}
		if math.IsNaN(value(a, "error_from_other_percent")) {
			continue // it does other work on the other network
		}
		measured := value(b, "measured_s") / value(a, "measured_s")
		for _, predicted := range []float64{
			value(b, "predicted_from_other_s") / value(a, "predicted_s"),
			value(b, "predicted_s") / value(a, "predicted_from_other_s"),
		} {
			ratios = append(ratios, math.Abs(predicted/measured-1))
		}
	}
	low, high := ofPrograms(programs, "")
	lowTraced, highTraced := ofPrograms(traced, "")
	for _, c := range []struct {
		name, format string
		got, state   float64
	}{
		{"low end", "%.2f", math.Exp(low), lowRatio},
		{"high end", "%.2f", math.Exp(high), highRatio},
		{"low end of traced runs, docs/measure.md", "%.2f", math.Exp(lowTraced), 0.96},
		{"high end of traced runs, docs/measure.md", "%.2f", math.Exp(highTraced), 1.15},
		{"times of programs left out that are inside", "%.0f", insideLeftOut(programs), 18},
		{"those of traced runs", "%.0f", insideLeftOut(traced), 18},
		{"programs", "%.0f", float64(len(programs)), 10},
		{"median of ratios", "%.2g", stats.QuantileOf(ratios, 0.5), MedianRatioError},
		{"worst ratio", "%.2g", slices.Max(ratios), WorstRatioError},
	} {
		if got := fmt.Sprintf(c.format, c.got); got != fmt.Sprintf(c.format, c.state) {
			t.Errorf("%s: %s, stated %g", c.name, got, c.state)
		}
	}
}

// insideLeftOut returns how many values are inside of the interval of the other programs.
func insideLeftOut(programs map[string][]float64) (inside float64) {
	for name, own := range programs {
		low, high := ofPrograms(programs, name)
		for _, v := range own {
			if low <= v && v <= high {
				inside++
			}
		}
	}
	return inside
}

// ofPrograms returns the ends of the 90 % interval of the value of another program, by Student's t:
// each program counts as one value, whose variance has that between a program's own.
func ofPrograms(programs map[string][]float64, without string) (low, high float64) {
	var means []float64
	for name, own := range programs {
		if name != without {
			means = append(means, stats.Mean(own))
		}
	}
	mean, n := stats.Mean(means), float64(len(means))
	variance := 0.
	for name, own := range programs {
		for _, v := range own {
			if name != without {
				variance += (v - mean) * (v - mean) / float64(len(own)) / (n - 1)
			}
		}
	}
	half := stats.StudentQuantile(0.05, n-1) * math.Sqrt(variance*(1+1/n))
	return mean - half, mean + half
}
