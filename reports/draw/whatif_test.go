package draw

import (
	"math"

	"github.com/halfpeak/halfpeak/reports/table"
)

// field is a quantity over two others, with a corner that has no value.
func field(log bool) table.HeatMap {
	h := table.HeatMap{
		Title: "Bandwidth over two parameters",
		X:     table.Axis{Label: "host-dma.tau (µs/KiB)"},
		Y:     table.Axis{Label: "wire.tau (µs/KiB)"},
		Value: table.Axis{Label: "bandwidth of 64 KiB (MB/s)"},
		Marks: []table.Mark{{Kind: table.AtPoint, X: 7.6, Y: 7.5, Label: "as it is: 113 MB/s"}},
		Notes: []string{"A point of a sweep in each cell."},
	}
	if log {
		h.X = table.Axis{Label: "packet", Log: true, Bytes: true}
		h.Title = "One-way time over packet and time per byte"
		h.Value = table.Axis{Label: "one-way time (µs)"}
	}
	for i := range 48 {
		x := 1 + float64(i)/4
		if log {
			x = math.Exp2(6 + float64(i)/5)
		}
		h.XS = append(h.XS, x)
		h.YS = append(h.YS, 1+float64(i)/4)
	}
	if log {
		h.Marks[0].X = 872
	}
	line := table.Series{Name: "80 MB/s", Kind: table.Line}
	for _, y := range h.YS {
		var row []float64
		for _, x := range h.XS {
			z := 1024 / math.Max(x, y) / (1 + 0.3/math.Sqrt(x))
			if log {
				z = math.Exp2(y) * (1 + 500/x + x/2000)
			}
			if !log && x+y > 24 {
				z = math.NaN()
			}
			row = append(row, z)
		}
		h.Z = append(h.Z, row)
		if !log && y <= 11 {
			line.X, line.Y = append(line.X, 11), append(line.Y, y)
		}
	}
	if log { // a mark that has no place on the axis is not there
		h.Marks = append(h.Marks, table.Mark{Kind: table.AtPoint, X: 0, Y: 5, Label: "nowhere"})
	} else {
		h.Lines = []table.Series{line}
	}
	return h
}

func sampleTornado() table.Tornado {
	t := table.Tornado{Title: "clip/system-buffer: one-way time of 64 KiB",
		X: table.Axis{Label: "one-way time (µs)"}, Base: 580.18,
		Less: "10 % smaller", More: "10 % larger", BaseLabel: "580.18 µs"}
	for i, name := range []string{"wire.tau 7.5 µs/KiB", "host-dma.tau 7.6 µs/KiB",
		"host-dma-in.tau 7.6 µs/KiB", "copy-out.tau 5.9 µs/KiB", "wire.beta 1.3 µs",
		"copy-out.beta 3 µs", "up_to 256 B"} {
		w := 30 / float64(1+i*i)
		t.Bars = append(t.Bars, table.TornadoBar{Name: name, Less: t.Base - w, More: t.Base + 1.3*w})
	}
	t.Bars[1].Less, t.Bars[1].More = t.Bars[1].More, t.Bars[1].Less
	t.Bars[6].Less = math.NaN()
	return t
}

func sampleAreas() table.Areas {
	a := table.Areas{Title: "clip/system-buffer: where the one-way time goes",
		X:     table.Axis{Label: "message size", Log: true, Bytes: true},
		Y:     table.Axis{Label: "part of the one-way time (%)", Max: 100},
		Marks: []table.Mark{{Kind: table.AtX, X: 256, Label: "pio up to 256 B"}}}
	beta, tau := []float64{9.9, 3, 0.6, 1.3, 0.5}, []float64{0, 5.9, 7.6, 7.5, 7.6}
	for i, name := range []string{"pio", "copy-out", "host-dma", "wire", "host-dma-in"} {
		a.Parts = append(a.Parts, table.AreaPart{Name: name})
		for e := 0; e <= 160; e++ {
			n := math.Exp2(float64(e) / 8)
			if i == 0 {
				a.XS = append(a.XS, n)
			}
			total := 0.0
			cost := func(k int) float64 {
				if (n <= 256) != (k == 0) {
					return 0
				}
				weight := 1.0
				if k == 3 {
					weight = 1 + math.Floor(n/2048)
				}
				return weight * (beta[k] + tau[k]*math.Min(n, 2048)/1024)
			}
			for k := range beta {
				total += cost(k)
			}
			a.Parts[i].Y = append(a.Parts[i].Y, 100*cost(i)/total)
		}
	}
	return a
}
