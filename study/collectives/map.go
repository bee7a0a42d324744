package collectives

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
)

// A Map has the best algorithm for each number of ranks and size.
type Map struct {
	Collective string
	On         string // the platform, and its layer
	Ranks      []int
	Sizes      []quantity.Bytes
	Algorithms []string // those that are the best somewhere, the most frequent first
	// Best is an index into Algorithms, by ranks and then by size; −1 where there is no time.
	Best [][]int
	// Loss is the extra time of the next algorithm that is not as good, in percent; NaN if there is
	// none.
	Loss [][]float64
	Left int // times that are left out, so that another algorithm may be the best there
}

// Map returns the map of times that were compared. Segments of any size are one algorithm.
func (t *Times) Map() Map {
	on, _, _ := strings.Cut(t.On, ". ") // the platform
	m := Map{Collective: t.Algorithms[0].Collective, On: on, Left: len(t.TooLarge)}
	cells, counts, loss := map[[2]int]string{}, map[string]int{}, map[[2]int]float64{}
	for _, c := range t.Times {
		if c.Best {
			cells[[2]int{c.Ranks, int(c.Call.Bytes)}] = c.Name
		}
	}
	for _, c := range t.Times {
		m.Ranks, m.Sizes = append(m.Ranks, c.Ranks), append(m.Sizes, quantity.Bytes(c.Call.Bytes))
		at := [2]int{c.Ranks, int(c.Call.Bytes)}
		if c.Best {
			counts[c.Name]++
		}
		if least, known := loss[at]; c.Slower > 0 && c.Name != cells[at] && (!known || c.Slower < least) {
			loss[at] = c.Slower
		}
	}
	m.Ranks, m.Sizes = stats.Ascending(m.Ranks), stats.Ascending(m.Sizes)
	for _, e := range t.Algorithms { // of equally many the first
		if counts[e.Name] > 0 && !slices.Contains(m.Algorithms, e.Name) {
			m.Algorithms = append(m.Algorithms, e.Name)
		}
	}
	slices.SortStableFunc(m.Algorithms, func(a, b string) int { return cmp.Compare(counts[b], counts[a]) })
	for _, ranks := range m.Ranks {
		best, lost := make([]int, len(m.Sizes)), make([]float64, len(m.Sizes))
		for i, size := range m.Sizes {
			at := [2]int{ranks, int(size)}
			best[i], lost[i] = slices.Index(m.Algorithms, cells[at]), math.NaN()
			if percent, known := loss[at]; known {
				lost[i] = percent
			}
		}
		m.Best, m.Loss = append(m.Best, best), append(m.Loss, lost)
	}
	return m
}

// Picture draws the map, with contours of the loss.
func (m Map) Picture() reports.RegionMap {
	p := reports.RegionMap{
		Title: m.Collective + ": the best algorithm on " + m.On,
		X:     reports.Axis{Label: "size", Scale: reports.Log, Bytes: true},
		Y:     reports.Axis{Label: "ranks", Scale: reports.Log, Twos: true},
		Names: m.Algorithms, At: m.Best, Z: m.Loss, Label: "the next one takes longer (%)",
		Notes: []string{"Lines: how much longer the next one takes that is not as good."},
	}
	for _, size := range m.Sizes {
		p.XS = append(p.XS, float64(size))
	}
	for _, ranks := range m.Ranks {
		p.YS = append(p.YS, float64(ranks))
	}
	if m.Left > 0 {
		p.Notes = append(p.Notes, fmt.Sprintf("%d times are left out, so another may be the best there; the table says which.", m.Left))
	}
	for _, percent := range []float64{5, 20, 100} {
		p.Contours = append(p.Contours, reports.Contour{Level: percent, Label: fmt.Sprintf("%.0f %% longer", percent)})
	}
	return p
}

// Picture draws the [Map] if there are several numbers of ranks, several sizes and a best
// algorithm, otherwise the [Times.Curves].
func (t *Times) Picture() reports.Picture {
	if m := t.Map(); len(m.Ranks) > 1 && len(m.Sizes) > 1 && len(m.Algorithms) > 0 {
		return m.Picture()
	}
	return t.Curves()
}

// Curves draws the times of each algorithm over the size, for each number of ranks; or over the
// ranks if there is one size.
func (t *Times) Curves() reports.Figure {
	m := t.Map()
	f := reports.Figure{
		Title: m.Collective + " on " + m.On,
		X:     reports.Axis{Label: "size", Scale: reports.Log, Bytes: true},
		Y:     reports.Axis{Label: "time (µs)", Scale: reports.Log},
	}
	overRanks := len(m.Sizes) == 1
	switch {
	case overRanks:
		f.X = reports.Axis{Label: "ranks", Scale: reports.Log, Twos: true}
		if m.Collective != "barrier" {
			f.Title += ", " + m.Sizes[0].String()
		}
	case len(m.Ranks) == 1:
		f.Title += fmt.Sprintf(", %d ranks", m.Ranks[0])
	}
	at := map[string]int{}
	for _, c := range t.Times {
		name, x := c.Name, float64(c.Call.Bytes)
		if c.Call.Segment > 0 {
			name += ", segments of " + quantity.Bytes(c.Call.Segment).String()
		}
		if overRanks {
			x = float64(c.Ranks)
		} else if len(m.Ranks) > 1 {
			name += fmt.Sprintf(", %d ranks", c.Ranks)
		}
		i, known := at[name]
		if !known {
			i = len(f.Series)
			at[name] = i
			f.Series = append(f.Series, reports.Series{Name: name, Kind: reports.Line})
		}
		f.Series[i].X, f.Series[i].Y = append(f.Series[i].X, x), append(f.Series[i].Y, float64(c.Time))
	}
	return f
}
