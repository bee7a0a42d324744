package draw

import (
	"crypto/sha256"
	_ "embed" // the page, its style and its script
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"strings"

	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/reports/table"
)

//go:embed html.tmpl
var htmlPage string

//go:embed html.css
var htmlStyle string

//go:embed html.js
var htmlScript string

var scriptHash = func() string {
	sum := sha256.Sum256([]byte(htmlScript))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}()

var htmlTemplate = template.Must(template.New("page").Parse(htmlPage))

// WriteHTML writes the document as one self-contained HTML file: light or dark as the reader's
// system or choice, for screens, telephones and paper, with sortable tables and pictures that show
// the values under the pointer. It returns errors of w, of the tables (see Write) and of the
// pictures.
func WriteHTML(w io.Writer, d table.Document) error {
	// One stylesheet for all pictures: most of their styles recur, which keeps the page small.
	h := &htmlWriter{sheet: newStylesheet()}
	page := htmlDocument{
		Title:  d.Title,
		Lead:   unbroken(d.Lead),
		Style:  template.CSS(htmlStyle),
		Script: template.JS(htmlScript),
		Hash:   scriptHash,
	}
	for i, s := range d.Sections {
		body, err := h.section(fmt.Sprintf("s%d", i+1), 2, s)
		if err != nil {
			return err
		}
		page.Sections = append(page.Sections, body)
	}
	// Only now are the rules of all pictures known.
	page.Drawings = template.CSS(h.sheet.rules.String())
	// A failing template has written half of a page by then, which w never sees.
	var b strings.Builder
	if err := htmlTemplate.Execute(&b, page); err != nil {
		return err
	}
	// Escapes of JSON: most values of a page are in its scripts' data.
	_, err := io.WriteString(w, table.Visible(b.String()))
	return err
}

// An htmlDocument is what the template prints. Types of html/template mark what it must not escape:
// our own style and script, and drawings that inlineSVG made. Everything from a user is a string.
type htmlDocument struct {
	Title    string
	Lead     []string
	Sections []htmlSection
	Style    template.CSS
	Script   template.JS
	Hash     string // of the script, as a Content-Security-Policy names it
	Drawings template.CSS
}

type htmlSection struct {
	ID, Title string
	Level     int
	Blocks    []htmlBlock
	Sections  []htmlSection
}

// htmlBlock is a paragraph, facts, a table, or a row of drawings.
type htmlBlock struct {
	Paragraph string
	Facts     table.Facts
	Table     *htmlTable
	Drawings  []htmlDrawing
}

type htmlTable struct {
	Title  string
	Heads  []htmlCell
	Rows   [][]htmlCell
	Notes  []string
	Folded bool // only its title is seen until it is opened
}

// foldAbove is the number of rows above which a table is folded: with its title it takes half of a
// screen of 900 pixels, so that the pictures of a report stay near each other.
const foldAbove = 12

// An htmlCell carries what the template cannot see in a text: whether to align, sort or wrap it.
type htmlCell struct {
	Text    string
	Value   string // the key for sorting, where it differs from Text
	Number  bool
	Long    bool // text that may be broken into lines
	Missing bool
}

type htmlDrawing struct {
	ID, Title string
	Images    []template.HTML
	Notes     []string
	Values    any // for the script; nil: none
	Table     *htmlTable
}

// htmlWriter converts sections for the template. It numbers figures through the whole
// page, since their identifiers are addresses in it.
type htmlWriter struct {
	sheet   *stylesheet
	figures int
}

// section converts a section and those below it. Identifiers are made of numbers:
// titles may repeat, and may have letters that an address cannot.
func (h *htmlWriter) section(id string, level int, s table.Section) (htmlSection, error) {
	out := htmlSection{ID: id, Title: s.Title, Level: min(level, 6)}
	for _, b := range s.Blocks {
		block, err := h.block(b)
		if err != nil {
			return out, fmt.Errorf("%s: %w", s.Title, err)
		}
		if n := len(out.Blocks); block.Drawings != nil && n > 0 && out.Blocks[n-1].Drawings != nil {
			row := &out.Blocks[n-1] // drawings that follow each other share a row of the page
			row.Drawings = append(row.Drawings, block.Drawings...)
		} else {
			out.Blocks = append(out.Blocks, block)
		}
	}
	for i, sub := range s.Sections {
		body, err := h.section(fmt.Sprintf("%s-%d", id, i+1), level+1, sub)
		if err != nil {
			return out, err
		}
		out.Sections = append(out.Sections, body)
	}
	return out, nil
}

// block converts one block. Each picture is drawn twice, for wide and narrow screens,
// since letters that shrink with the picture could not be read on a telephone.
func (h *htmlWriter) block(b table.Block) (block htmlBlock, err error) {
	switch b := b.(type) {
	case table.Paragraph:
		block.Paragraph = unbreak(string(b))
	case table.Facts:
		block.Facts = b
	case table.Table:
		if block.Table, err = newHTMLTable(b.Title, b.Rows); err == nil {
			block.Table.Folded = len(block.Table.Rows) > foldAbove
		}
	case table.Drawing:
		h.figures++
		d := htmlDrawing{ID: fmt.Sprintf("f%d", h.figures), Title: b.Title}
		picture, err := drawingOf(b.Picture)
		if err != nil {
			return block, err
		}
		picture = picture.in(nil) // so that drawings and values have the same units
		for _, size := range htmlSizes {
			svg, err := inlineSVG(picture, size.class, size.width, size.height, h.sheet)
			if err != nil {
				return block, fmt.Errorf("%s: %w", b.Title, err)
			}
			d.Images = append(d.Images, template.HTML(svg))
		}
		// Maps and timelines have no values of this kind; their pictures stand as they are.
		if l, ok := picture.(live); ok {
			d.Values = l.values()
		}
		rows, notes := b.Values()
		if d.Table, err = newHTMLTable("", rows); err != nil {
			return block, err
		}
		d.Notes = unbroken(notes)
		block.Drawings = []htmlDrawing{d}
	}
	return block, err
}

// longText is the number of letters beyond which a cell of text may be broken into
// lines. Shorter ones, such as names of algorithms, are read faster whole.
const longText = 32

// newHTMLTable prints cells as Markdown has them, and adds what a script needs to
// sort them.
func newHTMLTable(title string, r table.Rows) (*htmlTable, error) {
	// "900 ns" sorts before "1 µs" by its value, not by its letters.
	sheet, err := r.Printed()
	if err != nil {
		return nil, err
	}
	t := &htmlTable{Title: title, Notes: unbroken(r.Remarks()),
		Rows: make([][]htmlCell, len(r.Data))}
	for k := range sheet.Heads {
		number := sheet.Numbers[k]
		t.Heads = append(t.Heads, htmlCell{Text: sheet.Heads[k], Number: number})
		for i := range r.Data {
			cell := htmlCell{Text: sheet.Cells[i][k], Number: number,
				Missing: sheet.Missing[i][k], Value: sheet.Values[i][k]}
			cell.Long = !number && len([]rune(cell.Text)) > longText
			t.Rows[i] = append(t.Rows[i], cell)
		}
	}
	return t, nil
}

// numberAndUnit has the units that halfpeak prints. Any word after a number would join "3 of 4"
// too.
var numberAndUnit = regexp.MustCompile(`(\d) ([nµm]?s|[kKMGT]?i?B/s|[KMGT]?i?B|MHz|%)`)

// unbreak keeps numbers and their units on one line.
func unbreak(s string) string { return numberAndUnit.ReplaceAllString(s, "$1\u00a0$2") }

func unbroken(texts []string) []string { return list.Map(texts, unbreak) }
