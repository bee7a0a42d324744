package draw

import (
	"image/color"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/reports/table"
)

// Colours of regions are apart for all kinds of colour vision. The matrices are of Machado, Oliveira
// and Fernandes, A Physiologically-based Model for Simulation of Color Vision Deficiency, 2009,
// severity 1. The distance is ΔE of CIE 1976, of which about 2.3 is just seen beside each other;
// names are looked up in a legend, which needs several times as much.
func TestRegionColors(t *testing.T) {
	visions := map[string][3][3]float64{
		"full":         {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
		"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
		"protanopia":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	}
	for vision, m := range visions {
		for i := range regionColors {
			for j := range i {
				a, b := labOf(regionColors[i], m), labOf(regionColors[j], m)
				d := math.Sqrt(math.Pow(a[0]-b[0], 2) + math.Pow(a[1]-b[1], 2) + math.Pow(a[2]-b[2], 2))
				if d < 20 {
					t.Errorf("%s: colours %d and %d are %.1f apart", vision, j, i, d)
				}
			}
		}
	}
}

// labOf returns L*, a* and b* of a colour as it is seen.
func labOf(c color.NRGBA, seen [3][3]float64) [3]float64 {
	var linear, mixed [3]float64
	for i, v := range []uint8{c.R, c.G, c.B} {
		if linear[i] = float64(v) / 255; linear[i] <= 0.04045 {
			linear[i] /= 12.92
		} else {
			linear[i] = math.Pow((linear[i]+0.055)/1.055, 2.4)
		}
	}
	for i := range mixed {
		for j := range linear {
			mixed[i] += seen[i][j] * linear[j]
		}
		mixed[i] = max(0, min(1, mixed[i]))
	}
	xyz := [3][3]float64{{0.4124564, 0.3575761, 0.1804375}, {0.2126729, 0.7151522, 0.0721750}, {0.0193339, 0.1191920, 0.9503041}}
	var f [3]float64
	for i, white := range []float64{0.95047, 1, 1.08883} {
		v := 0.0
		for j := range mixed {
			v += xyz[i][j] * mixed[j] / white
		}
		if f[i] = math.Cbrt(v); v <= 0.008856 {
			f[i] = 7.787*v + 16.0/116
		}
	}
	return [3]float64{116*f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])}
}

// Each row of a map has its number, also between powers of two.
func TestRowNumbers(t *testing.T) {
	m := table.RegionMap{X: table.Axis{Label: "size", Log: true, Bytes: true},
		Y: table.Axis{Label: "ranks", Log: true, Twos: true}, Names: []string{"ring"}, XS: []float64{8, 16}}
	for _, ranks := range []float64{2, 3, 4, 6, 8, 11, 16, 23, 32, 45, 64, 91} {
		m.YS, m.At = append(m.YS, ranks), append(m.At, []int{0, 0})
	}
	texts := record(t, m, 800, 500)
	for _, want := range []string{"2", "3", "11", "23", "91"} {
		if !slices.Contains(texts, want) {
			t.Errorf("no row %s in %q", want, texts)
		}
	}
}

// Each region that is wider and higher than its name has it: two of one name have two.
func TestRegionNames(t *testing.T) {
	m := table.RegionMap{Title: "two", X: table.Axis{Label: "x"}, Y: table.Axis{Label: "y"}, Names: []string{"ring", "tree"}}
	for i := range 12 {
		m.XS = append(m.XS, float64(i))
	}
	for j := range 9 {
		m.YS = append(m.YS, float64(j))
		row := make([]int, 12)
		for i := range row {
			if j/3 == 1 {
				row[i] = 1
			}
		}
		m.At = append(m.At, row)
	}
	texts := strings.Join(record(t, m, 800, 500), "\n")
	if rings, trees := strings.Count(texts, "ring"), strings.Count(texts, "tree"); rings != 3 || trees != 2 {
		t.Errorf("%d rings and %d trees; want 3 and 2, of which one each is in the legend", rings, trees)
	}
}
