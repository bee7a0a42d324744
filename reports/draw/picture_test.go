package draw

import (
	"bytes"
	"flag"
	"fmt"
	"image/color"
	"image/png"
	"math"
	"math/cmplx"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/plot/cmpimg"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

var update = flag.Bool("update", false,
	"write the golden files anew; look at the pictures before committing them")

// linear is a cost β + nτ with the digits of no system in particular.
type linear struct {
	name      string
	beta, tau float64 // µs, µs/B
	measured  bool
}

var systems = []linear{
	{"clip/system-buffer", 9.9, 0.0088, true},
	{"hp-lam", 14, 0.028, true},
	{"meiko-cs2", 17, 0.0256, true},
	{"paragon", 30, 0.0070, false},
	{"mpi over bip-ip", 120, 0.09, true},
	{"parnass/bullfrog", 5, 0.011, true},
	{"jam over arctic with a very long name indeed", 2, 0.02, true},
	{"tcp", 200, 0.08, true},
}

// curves is bandwidth or one-way time of the systems over 1 B to 1 MiB, with
// points off the lines by a few percent, by a fixed rule.
func curves(systems []linear, latency bool) table.Figure {
	f := table.Figure{
		Title: "Bandwidth against message size",
		X:     table.Axis{Label: "message size", Log: true, Bytes: true},
		Y:     table.Axis{Label: "bandwidth (MB/s)", Log: true},
		Notes: []string{"Lines: model. Points: measured, with the reading error of their source."},
	}
	if latency {
		f.Title, f.Y.Label = "One-way time against message size", "one-way time (µs)"
	}
	for k, s := range systems {
		line := table.Series{Name: s.name, Kind: table.Line}
		points := table.Series{Name: s.name, Kind: table.Points}
		for e := 0; e <= 40; e++ {
			n := math.Round(math.Exp2(float64(e) / 2))
			y := s.beta + n*s.tau
			if !latency {
				y = n / y
			}
			line.X, line.Y = append(line.X, n), append(line.Y, y)
			if s.measured && e%4 == 2*(k%2) {
				y *= 1 + 0.02*float64((e*7+k)%9-4)
				points.X, points.Y = append(points.X, n), append(points.Y, y)
				points.Low, points.High = append(points.Low, 0.9*y), append(points.High, 1.12*y)
			}
		}
		f.Series = append(f.Series, line, points)
		if half := s.beta / s.tau; !latency {
			f.Marks = append(f.Marks,
				table.Mark{Kind: table.AtPoint, X: half, Y: 1 / s.tau / 2,
					Label: fmt.Sprintf("n½ %.0f B", half), Series: s.name})
		}
	}
	f.Marks = append(f.Marks, table.Mark{Kind: table.AtX, X: 256, Label: "PIO | DMA", Series: systems[0].name})
	if !latency {
		f.Marks = append(f.Marks, table.Mark{Kind: table.AtY, Y: 160, Label: "Myrinet link 160 MB/s"},
			table.Mark{Kind: table.AtY, Y: 133, Label: "PCI 133 MB/s"})
	}
	return f
}

// signature has linear axes, bands, several lines without points.
func signature() table.Figure {
	f := table.Figure{
		Title: "Signature: interval against burst",
		X:     table.Axis{Label: "messages M"},
		Y:     table.Axis{Label: "interval per message (µs)"},
		Marks: []table.Mark{{Kind: table.AtY, Y: 5.8, Label: "g 5.8 µs"}, {Kind: table.AtX, X: 16, Label: "L/g"}},
	}
	for _, delta := range []float64{0, 4, 16} {
		s := table.Series{Name: fmt.Sprintf("Δ = %.0f µs", delta), Kind: table.Line}
		for m := 1.0; m <= 64; m++ {
			y := math.Min(2.2+delta+m/8, math.Max(5.8, 2.2+2.6+delta))
			s.X, s.Y = append(s.X, m), append(s.Y, y)
			s.Low, s.High = append(s.Low, y-0.5), append(s.High, y+0.5)
		}
		f.Series = append(f.Series, s)
	}
	return f
}

// pipeline is the recurrence over equal packets, the last one shorter.
func pipeline(size, packet float64) table.Timeline {
	beta := []float64{3.0, 0.6, 1.3, 0.5} // CLIP §4.2.2.2, µs
	tau := []float64{5.9, 7.6, 7.5, 7.6}  // µs/KiB
	t := table.Timeline{
		Title:  fmt.Sprintf("%.0f bytes through four stages in packets of %.0f", size, packet),
		Stages: []string{"host copy", "host DMA", "network", "receive DMA"},
		Notes: []string{"A packet enters a stage when it has left the one before and the " +
			"packet before it has left this one."},
	}
	left := make([]float64, len(beta)) // when the last packet left each stage
	for k := 1; size > 0; k++ {
		p := math.Min(packet, size)
		size -= p
		at := 0.0
		for i := range left {
			start := math.Max(at, left[i])
			at = start + beta[i] + p/1024*tau[i]
			left[i] = at
			t.Boxes = append(t.Boxes, table.TimelineBox{Stage: i, Packet: k, Start: start, End: at})
		}
	}
	return t
}

var pictures = []struct {
	name string
	table.Picture
	png bool // has a golden PNG, one per kind of drawing
}{
	{"bandwidth", curves(systems[:5], false), true},
	{"bandwidth_linear", linearY(curves(systems[:5], false)), false},
	{"bandwidth_model", curves([]linear{{name: "clip", beta: 9.9, tau: 0.0088}}, false), false},
	{"bandwidth_eight", curves(systems, false), false},
	{"latency", curves(systems[:5], true), false},
	{"bands", bands(), false},
	{"signature", signature(), false},
	{"timeline", pipeline(65536, 4096), true},
	{"timeline_64", pipeline(65536, 1024), false},
	{"heatmap", field(false), true},
	{"heatmap_log", field(true), false},
	{"tornado", sampleTornado(), true},
	{"areas", sampleAreas(), true},
	{"regions", regions(), true},
}

// regions are the best of ten that take a + bn, where the i-th has a = 2^i and b = 3^−i, and the
// second rises with the other axis; without a time in a corner.
func regions() table.RegionMap {
	m := table.RegionMap{Title: "the best of ten", X: table.Axis{Label: "size", Log: true, Bytes: true},
		Y:     table.Axis{Label: "ranks", Log: true, Twos: true},
		Label: "longer (%)"}
	for i := range 10 {
		m.Names = append(m.Names, fmt.Sprintf("number %d", i+1))
	}
	for i := range 40 {
		m.XS = append(m.XS, math.Round(8*math.Exp2(float64(i)/3)))
	}
	for j := 1; j <= 20; j++ {
		y := float64(2 * j)
		m.YS = append(m.YS, y)
		at, z := make([]int, len(m.XS)), make([]float64, len(m.XS))
		for i, x := range m.XS {
			best, second := math.Inf(1), math.Inf(1)
			for k := range m.Names {
				t := math.Exp2(float64(k)) + x*math.Pow(3, -float64(k))
				if k == 1 {
					t *= 0.5 + y/20
				}
				if t < best {
					best, second, at[i] = t, best, k
				} else {
					second = min(second, t)
				}
			}
			if z[i] = 100 * (second/best - 1); i < 2 && j > 18 {
				at[i], z[i] = -1, math.NaN()
			}
		}
		m.At, m.Z = append(m.At, at), append(m.Z, z)
	}
	return m
}

// bands are what is expected of two systems: between 64 B and 64 KiB with 10 %, and beyond them
// ever less surely.
func bands() table.Figure {
	f := curves(systems[:2], true)
	f.Marks = nil
	var all []table.Series
	for _, s := range f.Series {
		if s.Kind != table.Line {
			continue
		}
		for _, part := range []struct {
			kind     table.SeriesKind
			from, to float64
		}{{table.Beyond, 0, 64}, {table.Band, 64, 65536}, {table.Beyond, 65536, math.Inf(1)}} {
			band := table.Series{Name: s.Name, Kind: part.kind}
			for i, x := range s.X {
				if x < part.from || x > part.to {
					continue
				}
				by := 1.1 * max(1, x/65536, 64/x)
				band.X, band.Y = append(band.X, x), append(band.Y, s.Y[i])
				band.Low, band.High = append(band.Low, s.Y[i]/by), append(band.High, s.Y[i]*by)
			}
			all = append(all, band)
		}
		all = append(all, s)
	}
	f.Series = all
	return f
}

func linearY(f table.Figure) table.Figure {
	f.Y.Log = false
	return f
}

func drawn(t *testing.T, p table.Picture, ext string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := WriteImage(&b, p, ext, 800, 500, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestGolden(t *testing.T) {
	known := map[string]bool{".gitignore": true, "document.html": true, "document.md": true}
	for _, p := range pictures {
		t.Run(p.name, func(t *testing.T) {
			var numbers bytes.Buffer
			if err := (table.Printer{Format: table.CSV}).Write(&numbers, p.Rows()); err != nil {
				t.Fatal(err)
			}
			equal := func(got, want []byte) string { return cmp.Diff(string(want), string(got)) }
			known[p.name+".csv"], known[p.name+".svg"] = true, true
			golden(t, p.name+".csv", numbers.Bytes(), equal)
			golden(t, p.name+".svg", drawn(t, p.Picture, "svg"), equal)
			if p.png {
				known[p.name+".png"] = true
				golden(t, p.name+".png", drawn(t, p.Picture, "png"), samePicture)
			}
		})
	}
	files, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !known[f.Name()] && !strings.Contains(f.Name(), ".got.") {
			t.Errorf("no test reads testdata/%s", f.Name())
		}
	}
}

// golden compares got with testdata/name; diff returns what differs.
func golden(t *testing.T, name string, got []byte, diff func(got, want []byte) string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	ext := filepath.Ext(name)
	gotPath := strings.TrimSuffix(path, ext) + ".got" + ext
	if d := diff(got, want); d != "" {
		t.Errorf("%s and %s differ (-want +got):\n%.4000s", path, gotPath, d)
		if err := os.WriteFile(gotPath, got, 0o644); err != nil {
			t.Error(err)
		}
	}
}

// samePicture is wide enough for the rounding of other machines and narrow
// enough to see a curve move by one part in 10,000.
func samePicture(got, want []byte) string {
	g, err := png.Decode(bytes.NewReader(got))
	if err != nil {
		return err.Error()
	}
	w, err := png.Decode(bytes.NewReader(want))
	if err != nil {
		return err.Error()
	}
	if g.Bounds() != w.Bounds() {
		return fmt.Sprintf("sizes %v and %v", w.Bounds(), g.Bounds())
	}
	if ok, err := cmpimg.EqualApprox("png", got, want, 0.02); err != nil || !ok {
		return fmt.Sprintf("pixels (%v)", err)
	}
	return ""
}

// recorder is a canvas that remembers where letters and lines are.
type recorder struct {
	*pdfCanvas
	turns []complex128 // what Rotate and Push have made of the way to the right
	texts []inked
	out   []vg.Point // points of paths beyond the page
}

func newRecorder(width, height int) *recorder {
	return &recorder{pdfCanvas: newPDF(vg.Length(width)*pixel, vg.Length(height)*pixel),
		turns: []complex128{1}}
}

type inked struct {
	s   string
	box vg.Rectangle // of the letters, on the page
}

func (r *recorder) Push()              { r.turns = append(r.turns, r.turns[len(r.turns)-1]) }
func (r *recorder) Pop()               { r.turns = r.turns[:len(r.turns)-1] }
func (r *recorder) Rotate(rad float64) { r.turns[len(r.turns)-1] *= cmplx.Rect(1, rad) }
func (r *recorder) Translate(vg.Point) { panic("no picture moves its origin") }
func (r *recorder) Scale(x, y float64) { panic("no picture is stretched") }

// at is where the point is on the page, with y running down.
func (r *recorder) at(pt vg.Point) (x, y float64) {
	on := r.turns[len(r.turns)-1] * complex(pt.X.Points(), pt.Y.Points())
	_, height := r.Size()
	return real(on), height.Points() - imag(on)
}

func (r *recorder) FillString(face font.Face, pt vg.Point, s string) {
	const above, below = 0.72, 0.2 // what letters take of their size
	w, size := face.Width(s), face.Font.Size
	box := vg.Rectangle{Min: vg.Point{X: vg.Length(math.Inf(1)), Y: vg.Length(math.Inf(1))},
		Max: vg.Point{X: vg.Length(math.Inf(-1)), Y: vg.Length(math.Inf(-1))}}
	for _, corner := range []vg.Point{{X: pt.X, Y: pt.Y - size*below},
		{X: pt.X + w, Y: pt.Y + size*above}} {
		x, y := r.at(corner)
		box.Min = vg.Point{X: min(box.Min.X, vg.Length(x)), Y: min(box.Min.Y, vg.Length(y))}
		box.Max = vg.Point{X: max(box.Max.X, vg.Length(x)), Y: max(box.Max.Y, vg.Length(y))}
	}
	r.texts = append(r.texts, inked{s, box})
}

func (r *recorder) Stroke(path vg.Path) { r.Fill(path) }

func (r *recorder) Fill(path vg.Path) {
	width, height := r.Size()
	for _, c := range path {
		if c.Type != vg.MoveComp && c.Type != vg.LineComp {
			continue
		}
		x, y := r.at(c.Pos)
		if x < -0.01 || y < -0.01 || x > width.Points()+0.01 || y > height.Points()+0.01 {
			r.out = append(r.out, c.Pos)
		}
	}
}

// record draws p and checks what must hold for every picture: all is on the
// page and no two texts overlap. It returns the texts.
func record(t *testing.T, p table.Picture, width, height int) []string {
	t.Helper()
	paint, err := of(t, p).in(nil).painter()
	if err != nil {
		t.Fatal(err)
	}
	r := newRecorder(width, height)
	paint(draw.New(r))
	var all []string
	wd, ht := r.Size()
	page := vg.Rectangle{Max: vg.Point{X: wd, Y: ht}}
	for i, a := range r.texts {
		all = append(all, a.s)
		if a.box.Min.X < page.Min.X || a.box.Min.Y < page.Min.Y || a.box.Max.X > page.Max.X ||
			a.box.Max.Y > page.Max.Y {
			t.Errorf("%d×%d: %q leaves the page: %v", width, height, a.s, a.box)
		}
		for _, b := range r.texts[:i] {
			if overlap(a.box, b.box) {
				t.Errorf("%d×%d: %q and %q overlap", width, height, a.s, b.s)
			}
		}
		if a.s != printable(a.s) {
			t.Errorf("%q has letters without glyphs", a.s)
		}
	}
	if len(r.out) > 0 {
		t.Errorf("%d×%d: %d points beyond the page, such as %v", width, height, len(r.out),
			r.out[0])
	}
	return all
}

func TestTextsAreApart(t *testing.T) {
	for _, p := range pictures {
		t.Run(p.name, func(t *testing.T) {
			for _, size := range [][2]int{{800, 500}, {640, 400}, {400, 300}, {320, 240},
				{1600, 1000}} {
				record(t, p.Picture, size[0], size[1])
			}
		})
	}
}

// At the size that counts nothing is shortened or left out.
func TestTextsAreThere(t *testing.T) {
	for _, p := range pictures {
		t.Run(p.name, func(t *testing.T) {
			all := strings.Join(record(t, p.Picture, 800, 500), "\n") + "\n"
			want := func(s string) {
				t.Helper()
				if !strings.Contains(all, s+"\n") {
					t.Errorf("%q is not in\n%s", s, all)
				}
			}
			switch p := p.Picture.(type) {
			case table.Figure:
				want(p.Title)
				want(p.X.Label)
				want(p.Y.Label)
				for _, s := range p.Series {
					want(s.Name)
				}
				for _, m := range p.Marks {
					want(m.Label)
				}
				for _, n := range p.Notes {
					want(n)
				}
				if p.X.Bytes {
					for _, tick := range []string{"1 B", "64 B", "1 KiB", "64 KiB", "1 MiB"} {
						want(tick)
					}
				}
			case table.Timeline:
				want(p.Title)
				want("time (µs)")
				for _, s := range p.Stages {
					want(s)
				}
			case table.HeatMap:
				want(p.Title)
				want(p.X.Label)
				want(p.Y.Label)
				want(p.Value.Label)
				want(p.Marks[0].Label)
			case table.Tornado:
				want(p.Title)
				want(p.X.Label)
				for _, b := range p.Bars {
					want(b.Name)
				}
			case table.Areas:
				want(p.Title)
				want(p.X.Label)
				want(p.Y.Label)
				for _, part := range p.Parts {
					want(part.Name)
				}
			}
		})
	}
}

// PDF text is read back by the tables of the file itself, see readPDF.
func TestPDF(t *testing.T) {
	f := signature()
	f.Title = "µ ½ τ β ∞ ≤ Δ × ± · ² – … é"
	f.Series[0].Name = "naïve τ₀"
	data := drawn(t, f, "pdf")
	if !bytes.Equal(data, drawn(t, f, "pdf")) {
		t.Error("two drawings of one figure differ")
	}
	texts := readPDF(t, data)
	for _, want := range []string{f.Title, f.Series[0].Name, f.X.Label, f.Y.Label, "g 5.8 µs"} {
		found := false
		for _, s := range texts {
			found = found || s == want
		}
		if !found {
			t.Errorf("%q is not in %q", want, texts)
		}
	}
	if n := bytes.Count(data, []byte("/Type /Page\n")); n != 1 {
		t.Errorf("%d pages", n)
	}
}

func TestPNG(t *testing.T) {
	img, err := png.Decode(bytes.NewReader(drawn(t, signature(), "PNG")))
	if err != nil {
		t.Fatal(err)
	}
	if b := img.Bounds(); b.Dx() != 800 || b.Dy() != 500 {
		t.Errorf("got %v", b)
	}
}

func TestWriteImageErrors(t *testing.T) {
	line := func(kind table.SeriesKind, x, y []float64) table.Figure {
		return table.Figure{Series: []table.Series{{Name: "s", Kind: kind, X: x, Y: y}}}
	}
	nan := math.NaN()
	logs := line(table.Line, []float64{1, 2}, []float64{-1, 0})
	logs.Y.Log = true
	ends := line(table.Line, []float64{1}, []float64{1})
	ends.Y = table.Axis{Label: "y", Log: true, Min: -1, Max: 1}
	check := func(p table.Picture, ext string, width int, want string) {
		t.Helper()
		var b bytes.Buffer
		err := WriteImage(&b, p, ext, width, 500, nil)
		if err == nil || err.Error() != want {
			t.Errorf("got error %v, want %s", err, want)
		}
		if b.Len() > 0 {
			t.Errorf("wrote %d bytes", b.Len())
		}
	}
	check(table.Figure{}, "png", 800, "nothing to draw: no points")
	check(line(table.Line, []float64{nan}, []float64{1}), "png", 800,
		"nothing to draw: none of the 1 points is a number that its axis can show")
	check(logs, "svg", 800,
		"nothing to draw: none of the 2 points is a number that its axis can show")
	check(ends, "svg", 800, `the axis "y" cannot go from -1 to 1`)
	check(line(table.Line, []float64{1}, nil), "png", 800,
		`series "s": x, y, low and high differ in length`)
	check(line("pie", nil, nil), "png", 800, `series "s": unknown kind "pie"`)
	check(table.Figure{Marks: []table.Mark{{Kind: "blot", Label: "m"}}}, "png", 800,
		`mark "m": unknown kind "blot"`)
	check(signature(), "gif", 800,
		`cannot draw a picture of kind "gif"; choose one of png, svg, pdf`)
	check(signature(), "png", 10,
		"a picture of 10×500 pixels is not possible; choose from 320×240 to 10000×10000")
	check(table.Timeline{}, "png", 800, "nothing to draw: no packet spends time in a stage")
	check(table.Timeline{Stages: []string{"a"}, Boxes: []table.TimelineBox{{Stage: 1, Packet: 3}}}, "png", 800,
		"packet 3 is in stage 1 of 1")
	check(table.Timeline{Stages: []string{"a"}, Boxes: []table.TimelineBox{{Packet: 3, Start: 2, End: 1}}},
		"png", 800, "packet 3 is in a from 2 to 1 µs")
}

// Odd values make an odd picture, but a picture.
func TestOddFigures(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	long := strings.Repeat("a very long name ", 20) // several times as wide as the picture
	values := [][]float64{
		{0}, {5}, {0, 0, 0}, {-3, -1}, {-1, 0, 1}, {nan, 1, nan, 2, inf}, {1e-300, 1, 1e300},
		{1e99, -1e99},
		{1e9, 1e9 + 1}, {-1e9, -1e9 + 1e-6}, {1e-9, 2e-9}, {9, 9.5}, {0.5, 0.50001}, {1, 1e12},
		{1e-99, 1e99},
	}
	for j, x := range values {
		for k, y := range values {
			if j != k && j > 1 && k > 1 {
				continue
			}
			n := min(len(x), len(y))
			x, y := x[:n], y[:n]
			for i := range 8 {
				f := table.Figure{
					Title: long,
					X:     table.Axis{Label: "x \xff" + long, Log: i&1 != 0, Bytes: i&4 != 0},
					Y:     table.Axis{Label: "y", Log: i>>1&1 != 0},
					Series: []table.Series{
						{Name: "漢字 \xff\n" + long, Kind: table.Points, X: x, Y: y, Low: y, High: x},
						{Kind: table.Line, X: x, Y: y, Low: x, High: y},
					},
					Marks: []table.Mark{{Kind: table.AtPoint, X: x[0], Y: y[0], Label: long, Series: "none"},
						{Kind: table.AtX, X: nan, Label: "x"}, {Kind: table.AtY, Y: inf, Label: "y"},
						{Kind: table.AtPoint, X: 1, Y: 1, Label: "one\n\xff"}},
					Notes: []string{long, "", strings.Repeat("n", 1000)},
				}
				if _, _, _, err := figureOf(f).limits(); err != nil {
					continue // said, and tested elsewhere
				}
				record(t, f, 400, 300)
			}
		}
	}
	var many table.Figure
	for i := range 60 {
		many.Series = append(many.Series,
			table.Series{Name: fmt.Sprint("series ", i), Kind: table.Line, X: []float64{0, 1},
				Y: []float64{0, float64(i)}})
		many.Marks = append(many.Marks, table.Mark{Kind: table.AtPoint, X: 0.5, Y: 0.5, Label: "here"})
	}
	texts := record(t, many, 800, 500)
	if last := texts[len(texts)-1]; !strings.Contains(strings.Join(texts, "\n"), "more\n") {
		t.Errorf("60 series end with %q", last)
	}
	deep := table.Timeline{Title: "many stages"}
	for i := range 40 {
		deep.Stages = append(deep.Stages, "stage \xff "+long)
		deep.Boxes = append(deep.Boxes,
			table.TimelineBox{Stage: i, Packet: i, Start: float64(i), End: float64(i)},
			table.TimelineBox{Stage: i, Packet: -1e6, End: 1e99})
	}
	record(t, deep, 800, 500)
}

// Points are left out with a note, never in silence.
func TestLeftOut(t *testing.T) {
	f := table.Figure{X: table.Axis{Log: true},
		Series: []table.Series{{Kind: table.Points, X: []float64{0, 1, 2}, Y: []float64{1, math.NaN(), 3}}}}
	want := "Left out: 2 points that these axes cannot show."
	if texts := record(t, f, 800, 500); !strings.Contains(strings.Join(texts, "\n"), want) {
		t.Errorf("no note in %q", texts)
	}
}

// Every point lies between the ends of the axes, and the ticks do too.
func TestLimits(t *testing.T) {
	for _, p := range pictures {
		f, ok := p.Picture.(table.Figure)
		if !ok {
			continue
		}
		x, y, left, err := figureOf(f).limits()
		if err != nil || left > 0 {
			t.Fatalf("%s: %d left out, %v", p.name, left, err)
		}
		for _, s := range f.Series {
			for i := range s.X {
				if s.X[i] < x.min || s.X[i] > x.max || s.Y[i] < y.min || s.Y[i] > y.max {
					t.Errorf("%s: (%v, %v) is outside %v × %v", p.name, s.X[i], s.Y[i], x, y)
				}
			}
		}
	}
}

func TestTicks(t *testing.T) {
	check := func(of table.Axis, lo, hi float64, length vg.Length, dir direction, want string) {
		t.Helper()
		a := axis{Axis: of}
		l, err := a.limits([]float64{lo, hi})
		if err != nil {
			t.Fatal(err)
		}
		p := newPlot()
		axis := &p.X
		if dir == vertical {
			axis = &p.Y
		}
		l.apply(axis, a, length, dir)
		var labels []string
		for _, tick := range axis.Tick.Marker.Ticks(axis.Min, axis.Max) {
			if tick.Label != "" {
				labels = append(labels, tick.Label)
			}
		}
		if got := strings.Join(labels, ", "); got != want {
			t.Errorf("%v to %v:\ngot  %s\nwant %s", lo, hi, got, want)
		}
	}
	size := table.Axis{Log: true, Bytes: true}
	check(size, 1, 1<<20, 500, horizontal,
		"1 B, 4 B, 16 B, 64 B, 256 B, 1 KiB, 4 KiB, 16 KiB, 64 KiB, 256 KiB, 1 MiB")
	check(size, 1, 1<<30, 500, horizontal,
		"1 B, 8 B, 64 B, 512 B, 4 KiB, 32 KiB, 256 KiB, 2 MiB, 16 MiB, 128 MiB, 1 GiB")
	check(size, 1024, 8192, 500, horizontal, "1 KiB, 2 KiB, 4 KiB, 8 KiB")
	check(table.Axis{Bytes: true}, 0, 65536, 500, horizontal,
		"0 B, 8 KiB, 16 KiB, 24 KiB, 32 KiB, 40 KiB, 48 KiB, 56 KiB, 64 KiB")
	check(table.Axis{Log: true}, 0.1, 110, 250, vertical, "0.1, 1, 10, 100")
	check(table.Axis{Log: true}, 0.01, 1e5, 250, vertical, "0.01, 0.1, 1, 10, 100, 1000, 10000, 100000")
	check(table.Axis{}, 0, 111.2, 250, vertical, "0, 20, 40, 60, 80, 100, 120")
	check(table.Axis{}, 0, 0.25, 250, vertical, "0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3")
	check(table.Axis{}, -2, 3, 250, vertical, "−3, −2, −1, 0, 1, 2, 3, 4")
	check(table.Axis{Log: true}, 1.65, 1.72, 250, vertical,
		"1.64, 1.65, 1.66, 1.67, 1.68, 1.69, 1.7, 1.71, 1.72, 1.73, 1.74")
}

// The total of a timeline stands above its rows, however many there are.
func TestTimelineTotal(t *testing.T) {
	for _, n := range []int{2, 40, 400} {
		line := table.Timeline{}
		for i := range n {
			line.Stages = append(line.Stages, fmt.Sprint("rank ", i))
			line.Boxes = append(line.Boxes, table.TimelineBox{Stage: i, Start: 0, End: 100})
		}
		paint, err := of(t, line).painter()
		if err != nil {
			t.Fatal(err)
		}
		r := newRecorder(800, 500)
		at := paint(draw.New(r))
		// of the first row's box
		top := at.area.Min.Y + (at.area.Max.Y-at.area.Min.Y)*vg.Length((float64(n)-0.14)/at.y.max)
		for _, text := range r.texts {
			if foot := 500*pixel - text.box.Max.Y; text.s == "100.00 µs" && foot < top {
				t.Errorf("%d rows: the total stands at %v, the first box ends at %v", n, foot, top)
			}
		}
	}
}

// A roof's label that would hide a curve is shortened to what the colour leaves open; the owners of
// a common roof are written on two lines; and where there is room, nothing is shortened.
func TestRoofLabels(t *testing.T) {
	blue := newStyle(0).color
	for _, c := range []struct {
		name  string
		color color.NRGBA
		curve vg.Length // upright, at this x
		text  string
	}{
		{"mine: link 80 MB/s", blue, 190, "mine: link 80 MB/s"},
		{"the-longest-owner: link 80 MB/s", blue, 110, "link 80 MB/s"},
		{"an-owner, its-neighbour: link 80 MB/s", grey, 110,
			"an-owner, its-neighbour:\nlink 80 MB/s"},
	} {
		l := labeller{area: rect(0, 0, 200, 100)}
		l.avoidLine([]vg.Point{{X: c.curve, Y: 0}, {X: c.curve, Y: 100}}, curveWeight)
		line := []vg.Point{{X: 0, Y: 50}, {X: 200, Y: 50}}
		l.levels([]level{{c.name, c.color, line}})
		placed := l.place()
		if len(placed) != 1 || placed[0].text != c.text {
			t.Errorf("%s: %+v", c.name, placed)
			continue
		}
		for _, o := range l.obstacles {
			if hides(placed[0].place, o) {
				t.Errorf("%s: the label hides the curve", c.name)
				break
			}
		}
	}
}

// Letters touch no curve where there is a place beside all of them: the half sizes of the five
// platforms of docs/gam-bandwidth.png, whose curves run close together, at three sizes.
func TestLabelsTouchNoCurve(t *testing.T) {
	f := table.Figure{X: table.Axis{Label: "size", Log: true, Bytes: true},
		Y: table.Axis{Label: "bandwidth", Dim: quantity.DimRate, Log: true}}
	for _, l := range []struct{ peak, half float64 }{
		{24, 335}, {20, 315}, {38, 474}, {142, 1464}, {45, 485},
	} {
		s := table.Series{Name: fmt.Sprint(l.peak), Kind: table.Line}
		for n := 1.; n <= 1<<20; n *= 1.09 {
			s.X, s.Y = append(s.X, n), append(s.Y, l.peak*n/(n+l.half))
		}
		f.Series = append(f.Series, s)
		f.Marks = append(f.Marks, table.Mark{Kind: table.AtPoint, X: l.half, Y: l.peak / 2, Series: s.Name,
			Label: fmt.Sprintf("n½ %.0f B", l.half)})
	}
	for _, size := range [][2]int{{600, 400}, {800, 500}, {1200, 800}} {
		paint, err := figureOf(f).painter()
		if err != nil {
			t.Fatal(err)
		}
		r := newRecorder(size[0], size[1])
		at := paint(draw.New(r))
		height := vg.Length(size[1]) * pixel
		found := 0
		for _, text := range r.texts {
			if !strings.HasPrefix(text.s, "n½") {
				continue
			}
			found++
			for _, s := range f.Series {
				for i, n := range s.X {
					wide, high := at.area.Max.X-at.area.Min.X, at.area.Max.Y-at.area.Min.Y
					x := at.area.Min.X + vg.Length(at.x.part(n, true))*wide
					y := height - at.area.Min.Y - vg.Length(at.y.part(s.Y[i], true))*high
					if x > text.box.Min.X && x < text.box.Max.X && y > text.box.Min.Y &&
						y < text.box.Max.Y {
						t.Errorf("%v: %s is on the curve to %s MB/s at %.0f B", size, text.s, s.Name, n)
					}
				}
			}
		}
		if found != len(f.Marks) {
			t.Errorf("%v: %d labels of %d", size, found, len(f.Marks))
		}
	}
}

// of returns the drawing of a picture.
func of(t testing.TB, p table.Picture) drawing {
	t.Helper()
	d, err := drawingOf(p)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
