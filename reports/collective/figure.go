package collective

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// regions draws the best algorithm for each number of ranks and size, of times that were compared,
// with the extra time of the next algorithm that is not as good in its table. Segments of any size
// are one algorithm. The most frequent algorithms are the first.
func regions(t *Times) table.RegionMap {
	ranks, sizes := t.Axes()
	best, counts := map[Place]string{}, map[string]int{}
	loss := map[Place]float64{} // in percent, of the best of the slower algorithms
	for _, c := range t.Times {
		if c.Best {
			best[c.Place()] = c.Name
			counts[c.Name]++
		}
	}
	for _, c := range t.Times {
		// The negated comparison also leaves out NaN, the loss of an unknown time.
		if !(c.Slower > 0) || c.Name == best[c.Place()] {
			continue
		}
		if least, known := loss[c.Place()]; !known || c.Slower < least {
			loss[c.Place()] = c.Slower
		}
	}
	p := table.RegionMap{
		Title: title(t, ": the best algorithm on "),
		X:     table.Axis{Label: "size", Log: true, Bytes: true},
		Y:     table.Axis{Label: "ranks", Log: true, Twos: true},
		Label: "the next one takes longer (%)",
		Notes: []string{
			"The numbers (-o FILE) say how much longer the next slower algorithm takes.",
		},
	}
	for _, e := range t.Algorithms { // of equally many the first
		if counts[e.Name] > 0 && !slices.Contains(p.Names, e.Name) {
			p.Names = append(p.Names, e.Name)
		}
	}
	byCount := func(a, b string) int { return cmp.Compare(counts[b], counts[a]) }
	slices.SortStableFunc(p.Names, byCount)
	for _, size := range sizes {
		p.XS = append(p.XS, float64(size))
	}
	for _, n := range ranks {
		at, lost := make([]int, len(sizes)), make([]float64, len(sizes))
		for i, size := range sizes {
			here := Place{Ranks: n, Size: size}
			at[i], lost[i] = slices.Index(p.Names, best[here]), math.NaN()
			if percent, known := loss[here]; known {
				lost[i] = percent
			}
		}
		p.YS, p.At, p.Z = append(p.YS, float64(n)), append(p.At, at), append(p.Z, lost)
	}
	if left := len(t.TooLarge); left > 0 {
		p.Notes = append(p.Notes, fmt.Sprintf("%d times are left out, "+
			"so another may be the best there; the table says which.", left))
	}
	return p
}

// Figure draws a map of the best algorithms if there are several numbers of ranks, several sizes
// and a best algorithm, otherwise the curves. Times of one number of ranks and one size are an
// error: they are one point, and so is a call of one rank, which takes no time.
func (a Answer) Figure() (table.Picture, error) {
	t := a.Times[0]
	if err := curveError(t); err != nil {
		return nil, err
	}
	// A map of one row or one column would be a bar; curves show more.
	if m := regions(t); len(m.YS) > 1 && len(m.XS) > 1 && len(m.Names) > 0 {
		return m, nil
	}
	return curves(t), nil
}

// curves draws the times of each algorithm over the size, for each number of ranks;
// or over the ranks if there is one size. Where an algorithm runs another one, its
// line has a gap. Both axes are logarithmic: times span
// decades, and the slope shows whether latency or bytes cost. Measurements of nccl-tests are drawn
// by their bus bandwidth, as their users read them, from 0 on a linear axis: its plateau is read.
func curves(t *Times) table.Figure {
	ranks, sizes := t.Axes()
	f := table.Figure{
		Title: title(t, " on "),
		X:     table.Axis{Label: "size", Log: true, Bytes: true},
		Y:     table.Axis{Label: "time", Dim: quantity.DimTime, Log: true},
	}
	d := drawing{figure: &f, ranks: ranks, size: sizes[0], overRanks: len(sizes) == 1,
		at: map[string]int{}}
	switch {
	case d.overRanks:
		f.X = table.Axis{Label: "ranks", Log: true, Twos: true}
		if t.Algorithms[0].Collective != "barrier" {
			f.Title += ", " + sizes[0].String()
		}
	case len(ranks) == 1:
		f.Title += fmt.Sprintf(", %d ranks", ranks[0])
	}
	other := func(c Timing) bool { return c.Name != t.Times[0].Name }
	if !d.overRanks && len(ranks) > 1 && !slices.ContainsFunc(t.Times, other) {
		d.only = t.Times[0].Name
		if t.Times[0].Algorithm != nil { // else it is the library's own choice
			f.Title += ", " + d.only
		}
	}
	// Where the slowest rank was not measured, the average is what is known.
	unknown := func(c Timing) bool { return math.IsNaN(float64(c.Time)) }
	d.averages = len(t.Times) > 0 && !slices.ContainsFunc(t.Times,
		func(c Timing) bool { return !unknown(c) })
	if d.averages {
		f.Y.Label = "average time over ranks"
	}
	if _, bus := t.Times[0].Bandwidths(); t.ByBusbw && bus > 0 && !d.overRanks {
		d.busbw = true
		f.Y = table.Axis{Label: "busbw", Dim: quantity.DimRate}
	}
	// Under some conditions an algorithm runs another one: a line to its own times would be a slope
	// that no size has. If none runs as itself, each has a line with the name of the other one.
	d.renamed = !slices.ContainsFunc(t.Times,
		func(c Timing) bool { return c.RanAs == "" })
	for _, c := range t.Times {
		d.add(c)
	}
	d.finish(t.Measured)
	return f
}

// A drawing adds times to a figure: a line for each algorithm and number of ranks, or over ranks.
type drawing struct {
	figure                     *table.Figure
	ranks                      []int
	size                       quantity.Bytes // of a drawing over ranks
	overRanks, averages, busbw bool
	renamed                    bool           // all algorithms run as others
	only                       string         // the algorithm, if there is one: the title has it
	at                         map[string]int // of the lines, by name
	bands                      []table.Series // beside the lines, of fitted times
}

// place returns the name of a call's line, where the call is on the line, and whether it is there.
func (d *drawing) place(c Timing) (name string, x, y float64,
	within quantity.Interval) {
	t := c.Time
	if within = c.Within; d.averages {
		t, within = c.Average, c.AverageWithin
	}
	x, y = float64(c.Call.Bytes), float64(t)
	parts := []string{c.Name}
	if c.IsLibraryChoice() {
		parts[0] += " choice"
	}
	if d.renamed {
		parts[0] += " (" + c.RanAs + ")"
	}
	if c.Call.Segment > 0 {
		parts = append(parts, "segments of "+quantity.Bytes(c.Call.Segment).String())
	}
	if d.overRanks {
		x = float64(c.Ranks)
	} else if len(d.ranks) > 1 {
		parts = append(parts, fmt.Sprintf("%d ranks", c.Ranks))
		if c.Name == d.only && !d.renamed { // the title has it
			parts = parts[1:]
		}
	}
	name = strings.Join(parts, ", ")
	if d.busbw {
		_, bus := c.Bandwidths()
		bytes := float64(bus) * y // that busbw counts
		y = float64(bus)
		within = quantity.Interval{Value: y, Low: bytes / within.High, High: bytes / within.Low}
	}
	return name, x, y, within
}

func (d *drawing) add(c Timing) {
	name, x, y, within := d.place(c)
	if c.RanAs != "" && !d.renamed {
		delete(d.at, name)
		return
	}
	i, known := d.at[name]
	if !known {
		i = len(d.figure.Series)
		d.at[name] = i
		d.figure.Series = append(d.figure.Series, table.Series{Name: name, Kind: table.Line})
		d.bands = append(d.bands, table.Series{Name: name, Kind: table.Band})
	}
	line, band := &d.figure.Series[i], &d.bands[i]
	line.X, line.Y = append(line.X, x), append(line.Y, y)
	if within.Known() {
		band.X, band.Y = append(band.X, x), append(band.Y, y)
		band.Low, band.High = append(band.Low, within.Low), append(band.High, within.High)
	}
}

// finish adds the measured calls as points, and the bands: of the only line, or of those without a
// point. Of many, which would hide each other, only the last has one.
func (d *drawing) finish(measured []Timing) {
	f := d.figure
	points := map[string]*table.Series{}
	var names []string
	most := f.Series[0].X[len(f.Series[0].X)-1]
	for _, c := range measured {
		name, x, y, _ := d.place(c)
		_, drawn := d.at[name]
		if drawn = drawn && (!d.overRanks || c.Size() == d.size); !drawn ||
			x < f.Series[0].X[0] || x > most {
			continue
		}
		if points[name] == nil {
			points[name] = &table.Series{Name: name, Kind: table.Points}
			names = append(names, name)
		}
		points[name].X, points[name].Y = append(points[name].X, x), append(points[name].Y, y)
	}
	var bands []table.Series
	for _, b := range d.bands {
		if len(b.X) > 1 && (len(d.bands) == 1 || len(points) > 0 && points[b.Name] == nil) {
			bands = append(bands, b)
		}
	}
	note := "Band"
	if last := len(bands) - 1; len(bands) > maxBands {
		bands, note = bands[last:], "Band of "+bands[last].Name
	}
	var slow []string
	if f.Series = joined(f.Series); d.only == "" {
		f.Series, slow = fastest(f.Series)
	}
	if d.overRanks && len(names) == 0 {
		// Between the computed numbers of ranks the line is a guess.
		for _, line := range slices.Clone(f.Series) {
			line.Kind = table.Points
			f.Series = append(f.Series, line)
		}
		f.Notes = append(f.Notes, "Points: computed.")
	}
	f.Series = append(f.Series, bands...)
	for _, name := range names {
		f.Series = append(f.Series, *points[name])
	}
	if len(names) > 0 {
		f.Notes = append(f.Notes, "Points: measured. Lines: predicted.")
	}
	if len(bands) > 0 {
		f.Notes = append(f.Notes, note+": one more measurement, in 95 of 100 cases.")
	}
	if len(slow) > 0 {
		left := strings.Join(slow, ", ")
		f.Notes = append(f.Notes, "Not drawn, since others are faster: "+left+".")
	}
}

// maxBands is how many bands can be told apart where they overlap, and maxLines how many lines: as
// many as the palette of pictures has colours.
const (
	maxBands = 2
	maxLines = 8
)

// fastest returns at most maxLines of the lines, in their order, and the names of the others: those
// that are farthest from the fastest line even where they come closest to it.
func fastest(lines []table.Series) (kept []table.Series, slow []string) {
	if len(lines) <= maxLines {
		return lines, nil
	}
	least := map[float64]float64{}
	for _, s := range lines {
		for i, x := range s.X {
			if t, known := least[x]; !known || s.Y[i] < t {
				least[x] = s.Y[i]
			}
		}
	}
	closest := make([]float64, len(lines))
	for k, s := range lines {
		closest[k] = math.Inf(1)
		for i, x := range s.X {
			closest[k] = min(closest[k], s.Y[i]/least[x])
		}
	}
	far := slices.Sorted(slices.Values(closest))[maxLines-1]
	for k, s := range lines {
		if closest[k] <= far && len(kept) < maxLines {
			kept = append(kept, s)
		} else {
			slow = append(slow, s.Name)
		}
	}
	return kept, slow
}

// joined returns the lines, of which equal ones are one with all of their names: of several in one
// place only the last would be seen.
func joined(lines []table.Series) []table.Series {
	var all []table.Series
	for _, s := range lines {
		i := slices.IndexFunc(all, func(o table.Series) bool {
			return slices.Equal(o.X, s.X) && slices.Equal(o.Y, s.Y)
		})
		if i < 0 {
			all = append(all, s)
			continue
		}
		all[i].Name += ", " + s.Name
	}
	return all
}
