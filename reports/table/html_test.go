package table

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
)

// brochure has a block of every kind.
func brochure() Document {
	figure := Figure{
		X: Axis{Label: "message size", Log: true, Bytes: true},
		Y: Axis{Label: "one-way time (µs)", Log: true},
		Series: []Series{{Name: "a", Kind: Line, X: []float64{1, 1024}, Y: []float64{10, 20}},
			{Name: "a", Kind: Points, X: []float64{1024}, Y: []float64{21}, Low: []float64{18},
				High: []float64{24}}},
		Notes: []string{"Lines: model."},
	}
	numbers := Rows{
		Columns: []Column{{Key: "name", Head: "name"}, {Key: "time_us", Head: "time"},
			{Key: "hidden"}},
		Data:  [][]any{{"a", 9.5, 1}, {"b | c", math.NaN(), 2}},
		Notes: []string{"a took 9.5 µs"},
	}
	return Document{
		Title: "Two systems",
		Lead:  []string{"The first takes 9.5 µs for 64 KiB."},
		Sections: []Section{
			{Title: "Numbers", Blocks: []Block{
				Facts{{Name: "one way", Value: "9.5 µs", Note: "RTT 19 µs"},
					{Name: "n½", Value: "1 KiB"}},
				Table{Title: "All", Rows: numbers},
			}},
			{Title: "Pictures", Sections: []Section{{Title: "Time", Blocks: []Block{
				Drawing{Title: "Time against size", Picture: figure, Note: "Measured in May."},
				Drawing{Title: "Packets", Picture: pipeline(8192, 4096), Numbers: numbers},
				Paragraph("That is all."),
			}}}},
		},
	}
}

func htmlOf(t *testing.T, d Document) string {
	t.Helper()
	var b bytes.Buffer
	if err := d.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func markdownOf(t *testing.T, d Document) string {
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
	if err := (Document{Title: "T\x1b\u009b\u202e"}).WriteHTML(&b); err != nil {
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
	rows := Rows{Columns: []Column{{Key: "k", Head: evil}}, Data: [][]any{{evil}},
		Notes: []string{evil}}
	figure := curves([]linear{{name: evil, beta: 9.9, tau: 0.0088, measured: true}}, false)
	figure.Title, figure.X.Label, figure.Notes = evil, evil, []string{evil}
	figure.Marks = append(figure.Marks, Mark{Kind: AtX, X: 1000, Label: evil})
	line := pipeline(8192, 4096)
	line.Stages[0] = evil
	page := htmlOf(t,
		Document{Title: evil, Lead: []string{evil},
			Sections: []Section{{Title: evil, Blocks: []Block{
				Paragraph(evil), Facts{{evil, evil, evil}}, Table{evil, rows},
				Drawing{evil, figure, evil, Rows{}}, Drawing{evil, line, evil, rows},
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
	for _, p := range []Picture{field(false), regions()} {
		page := htmlOf(t,
			Document{Title: "d",
				Sections: []Section{{Title: "s",
					Blocks: []Block{Drawing{Title: "outside", Picture: p}}}}})
		if strings.Contains(page, p.title()) {
			t.Errorf("the picture of a page has the title %q", p.title())
		}
	}
}

func TestDocumentErrors(t *testing.T) {
	check := func(b Block, want string) {
		t.Helper()
		d := Document{Title: "x", Sections: []Section{{Title: "Times", Blocks: []Block{b}}}}
		if err := d.WriteHTML(new(bytes.Buffer)); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	check(Drawing{Title: "Empty", Picture: Figure{}}, "Times: Empty: nothing to draw: no points")
	check(Table{Rows: Rows{Columns: []Column{{Key: "a"}}, Data: [][]any{{1, 2}}}},
		"Times: row 1 has 2 cells; the table has 1 columns")
	full := errors.New("disk full")
	if err := brochure().WriteHTML(failing{full}); !errors.Is(err, full) {
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
	f := Figure{X: Axis{Min: 0, Max: 10}, Y: Axis{Min: 0, Max: 10},
		Series: []Series{{Name: "a", Kind: Points, X: []float64{5}, Y: []float64{2.5}}}}
	svg, err := inlineSVG(f, "wide", 560, 380, newStylesheet())
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
