package draw

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"html"
	"image/color"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/halfpeak/halfpeak/reports/table"
)

// brochure has a block of every kind.
func brochure() table.Document {
	figure := table.Figure{
		X: table.Axis{Label: "message size", Log: true, Bytes: true},
		Y: table.Axis{Label: "one-way time (µs)", Log: true},
		Series: []table.Series{{Name: "a", Kind: table.Line, X: []float64{1, 1024}, Y: []float64{10, 20}},
			{Name: "a", Kind: table.Points, X: []float64{1024}, Y: []float64{21}, Low: []float64{18},
				High: []float64{24}}},
		Notes: []string{"Lines: model."},
	}
	numbers := table.Rows{
		Columns: []table.Column{{Key: "name", Head: "name"}, {Key: "time_us", Head: "time"},
			{Key: "hidden"}},
		Data:  [][]any{{"a", 9.5, 1}, {"b | c", math.NaN(), 2}},
		Notes: []table.Note{{Text: "a took 9.5 µs"}},
	}
	return table.Document{
		Title: "Two systems",
		Lead:  []string{"The first takes 9.5 µs for 64 KiB."},
		Sections: []table.Section{
			{Title: "Numbers", Blocks: []table.Block{
				table.Facts{{Name: "one way", Value: "9.5 µs", Note: "RTT 19 µs"},
					{Name: "n½", Value: "1 KiB"}},
				table.Table{Title: "All", Rows: numbers},
			}},
			{Title: "Pictures", Sections: []table.Section{{Title: "Time", Blocks: []table.Block{
				table.Drawing{Title: "Time against size", Picture: figure, Note: "Measured in May."},
				table.Drawing{Title: "Packets", Picture: pipeline(8192, 4096), Numbers: numbers},
				table.Paragraph("That is all."),
			}}}},
		},
	}
}

func htmlOf(t *testing.T, d table.Document) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteHTML(&b, d); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func markdownOf(t *testing.T, d table.Document) string {
	t.Helper()
	var b bytes.Buffer
	if err := d.WriteMarkdown(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestDocumentGolden(t *testing.T) {
	equal := func(got, want []byte) string { return cmp.Diff(string(want), string(got)) }
	page := strings.NewReplacer(htmlStyle, "/* html.css */\n", htmlScript,
		"/* html.js */").Replace(htmlOf(t, brochure()))
	if len(page) > 60000 {
		t.Errorf("without style and script the page has %d bytes: they are not in it as they are",
			len(page))
	}
	golden(t, "document.html", []byte(page), equal)
	golden(t, "document.md", []byte(markdownOf(t, brochure())), equal)
}

// What a platform's file holds is text, wherever it comes to stand.
// The policy of a page admits its own script and no other.
func TestScriptHash(t *testing.T) {
	var b strings.Builder
	if err := WriteHTML(&b, table.Document{Title: "T\x1b\u009b\u202e"}); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	_, script, _ := strings.Cut(page, "<script>")
	script, _, _ = strings.Cut(script, "</script>")
	sum := sha256.Sum256([]byte(script))
	want := "script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "';"
	if !strings.Contains(html.UnescapeString(page), want) || strings.Count(page, "<script>") != 1 {
		t.Errorf("the policy does not have %q", want)
	}
	if want := `<title>T\u001b\u009b\u202e</title>`; !strings.Contains(page, want) {
		t.Errorf("the page does not have %q", want)
	}
}

func TestHTMLEscapes(t *testing.T) {
	const evil = `</script></title><script>alert("x&y")</script><img src=x onerror='alert(1)'>`
	rows := table.Rows{Columns: []table.Column{{Key: "k", Head: evil}}, Data: [][]any{{evil}},
		Notes: []table.Note{{Text: evil}}}
	figure := curves([]linear{{name: evil, beta: 9.9, tau: 0.0088, measured: true}}, false)
	figure.Title, figure.X.Label, figure.Notes = evil, evil, []string{evil}
	figure.Marks = append(figure.Marks, table.Mark{Kind: table.AtX, X: 1000, Label: evil})
	line := pipeline(8192, 4096)
	line.Stages[0] = evil
	page := htmlOf(t,
		table.Document{Title: evil, Lead: []string{evil},
			Sections: []table.Section{{Title: evil, Blocks: []table.Block{
				table.Paragraph(evil), table.Facts{{Name: evil, Value: evil, Note: evil}},
				table.Table{Title: evil, Rows: rows},
				table.Drawing{Title: evil, Picture: figure, Note: evil},
				table.Drawing{Title: evil, Picture: line, Note: evil, Numbers: rows},
			}}}})
	if n := strings.Count(page, "<script"); n != 3 { // two of the figures, one of the page
		t.Errorf("the page has %d scripts, want 3", n)
	}
	if strings.Contains(page, "<img") || strings.Contains(page, "<title></script>") {
		t.Error("text became an element")
	}
	if n := strings.Count(html.UnescapeString(page), evil); n < 15 {
		t.Errorf("the text is there %d times, want 15 or more: some was lost", n)
	}
}

// A page prints the title of a drawing of any kind once, outside of the picture.
func TestTitleOutsidePicture(t *testing.T) {
	for _, p := range []table.Picture{field(false), regions()} {
		page := htmlOf(t,
			table.Document{Title: "d",
				Sections: []table.Section{{Title: "s",
					Blocks: []table.Block{table.Drawing{Title: "outside", Picture: p}}}}})
		if strings.Contains(page, of(t, p).title()) {
			t.Errorf("the picture of a page has the title %q", of(t, p).title())
		}
	}
}

func TestDocumentErrors(t *testing.T) {
	check := func(b table.Block, want string) {
		t.Helper()
		d := table.Document{Title: "x", Sections: []table.Section{{Title: "Times", Blocks: []table.Block{b}}}}
		if err := WriteHTML(new(bytes.Buffer), d); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	check(table.Drawing{Title: "Empty", Picture: table.Figure{}}, "Times: Empty: nothing to draw: no points")
	check(table.Table{Rows: table.Rows{Columns: []table.Column{{Key: "a"}}, Data: [][]any{{1, 2}}}},
		"Times: row 1 has 2 cells; the table has 1 columns")
	full := errors.New("disk full")
	if err := WriteHTML(failing{full}, brochure()); !errors.Is(err, full) {
		t.Errorf("got %v, want %v", err, full)
	}
	if err := brochure().WriteMarkdown(failing{full}); !errors.Is(err, full) {
		t.Errorf("got %v, want %v", err, full)
	}
}

// Every colour can be seen on the white ground of a drawing.
func TestContrast(t *testing.T) {
	// WCAG 2.2, success criterion 1.4.11: graphics have a contrast of 3 to 1, and 1.4.3: text has
	// 4.5 to 1.
	for i := range palette {
		// orange, which has a dash and a glyph besides, has 2.97
		if c := contrast(palette[i], white); c < 2.9 {
			t.Errorf("colour %d on white: contrast %.2f", i, c)
		}
	}
	for name, c := range map[string]float64{
		"ink": contrast(ink, white), "grey": contrast(grey, white),
		"accent": contrast(palette[0], white),
	} {
		if c < 4.5 {
			t.Errorf("%s: contrast %.2f", name, c)
		}
	}
}

// contrast is that of WCAG 2.2: (L1 + 0.05)/(L2 + 0.05) of the relative luminances.
func contrast(a, b color.NRGBA) float64 {
	luminance := func(c color.NRGBA) float64 {
		linear := func(v uint8) float64 {
			s := float64(v) / 255
			if s <= 0.04045 {
				return s / 12.92
			}
			return math.Pow((s+0.055)/1.055, 2.4)
		}
		return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
	}
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// The script finds a value where the drawing has it: the axes of the data
// attributes lead to the centre of a glyph.
func TestLiveAxes(t *testing.T) {
	f := table.Figure{X: table.Axis{Min: 0, Max: 10}, Y: table.Axis{Min: 0, Max: 10},
		Series: []table.Series{{Name: "a", Kind: table.Points, X: []float64{5}, Y: []float64{2.5}}}}
	svg, err := inlineSVG(figureOf(f), "wide", 560, 380, newStylesheet())
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`data-area="(\S+) (\S+) (\S+) (\S+)"`).FindStringSubmatch(svg)
	if m == nil {
		t.Fatal("no data-area")
	}
	at := make([]float64, 4)
	for i := range at {
		at[i] = number(t, m[i+1])
	}
	left, top, right, bottom := at[0], at[1], at[2], at[3]
	// The last glyph is the point (that before is in the legend): M x+r,y A r,r …
	glyphs := regexp.MustCompile(`M(\S+?),(\S+?)A(\S+?),`).FindAllStringSubmatch(svg, -1)
	g := glyphs[len(glyphs)-1]
	x, y := number(t, g[1])-number(t, g[3]), 380*0.75-number(t, g[2])
	if wantX, wantY := (left+right)/2, bottom+(top-bottom)/4; math.Abs(x-wantX) > 0.1 ||
		math.Abs(y-wantY) > 0.1 {
		t.Errorf("the point is drawn at %.2f, %.2f; the axes have it at %.2f, %.2f", x, y, wantX,
			wantY)
	}
}

func number(t *testing.T, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// failing is a writer that fails with an error.
type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
