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
	var times, ratios []float64
	for i := 1; i+1 < len(rows); i += 2 { // shared memory, then TCP
		a, b := rows[i], rows[i+1]
		for _, row := range [][]string{a, b} {
			times = append(times, math.Abs(value(row, "error_percent"))/100)
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
	for _, c := range []struct {
		name       string
		got, state float64
	}{
		{"median of times", stats.QuantileOf(times, 0.5), medianError},
		{"worst time", slices.Max(times), worstError},
		{"median of ratios", stats.QuantileOf(ratios, 0.5), MedianRatioError},
		{"worst ratio", slices.Max(ratios), WorstRatioError},
	} {
		if fmt.Sprintf("%.2g", c.got) != fmt.Sprintf("%.2g", c.state) {
			t.Errorf("%s: %.3g, stated %.2g", c.name, c.got, c.state)
		}
	}
}
