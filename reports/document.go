package reports

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/halfpeak/halfpeak/internal/atomicfile"
)

// A Document is a report to be sent: text, key numbers, tables and pictures.
// It becomes one HTML file that needs nothing else, or Markdown.
type Document struct {
	Title    string
	Lead     []string // paragraphs under the title
	Sections []Section
}

// A Section is a part of a document under a title of its own.
type Section struct {
	Title    string
	Blocks   []Block
	Sections []Section
}

// A Block is a Paragraph, Facts, a Table or a Drawing.
type Block interface {
	block(v visitor) error
}

// A visitor prints the blocks of a document.
type visitor interface {
	paragraph(Paragraph) error
	facts(Facts) error
	table(Table) error
	drawing(Drawing) error
}

// A Paragraph is running text.
type Paragraph string

// Facts are a few key numbers.
type Facts []Fact

// A Fact is a key number.
type Fact struct {
	Name  string // "half-peak size n½"
	Value string // "1.9 KiB"
	Note  string // remark, if any
}

// A Table is rows with the notes beneath them.
type Table struct {
	Title string // empty: none
	Rows  Rows
}

// A Drawing is a picture with the numbers that it shows. Markdown, which is
// one file without pictures, has the numbers alone.
type Drawing struct {
	Title   string
	Picture Picture // its own title and notes are drawn outside of it
	Note    string  // a sentence beneath; the notes of the picture follow it
	Numbers Rows    // what a reader wants of the numbers; without columns: all of Picture.Rows
}

func (b Paragraph) block(v visitor) error { return v.paragraph(b) }
func (b Facts) block(v visitor) error     { return v.facts(b) }
func (b Table) block(v visitor) error     { return v.table(b) }
func (b Drawing) block(v visitor) error   { return v.drawing(b) }

// numbers are the rows under the picture, and its notes without them.
func (b Drawing) numbers() (rows Rows, notes []string) {
	rows = b.Numbers
	if b.Note != "" {
		notes = append(notes, b.Note)
	}
	all := b.Picture.Rows()
	notes = append(notes, all.Notes...)
	if len(rows.Columns) == 0 {
		rows = all
		rows.Notes = nil
	}
	return rows, notes
}

// WriteMarkdown prints the document as Markdown. The errors are those of w,
// and of the tables (see Write).
func (d Document) WriteMarkdown(w io.Writer) error {
	m := &markdown{}
	m.heading(1, d.Title)
	for _, p := range d.Lead {
		fmt.Fprintf(m, "%s\n\n", escapeMarkdown(p))
	}
	for _, s := range d.Sections {
		if err := m.section(2, s); err != nil {
			return err
		}
	}
	fmt.Fprintf(m, "<!-- %s -->\n", atomicfile.Imprint)
	_, err := w.Write(m.Bytes())
	return err
}

// markdown is the document as far as it is printed. Each block ends with an empty line.
type markdown struct{ bytes.Buffer }

func (m *markdown) section(level int, s Section) error {
	m.heading(level, s.Title)
	for _, b := range s.Blocks {
		if err := b.block(m); err != nil {
			return fmt.Errorf("%s: %w", s.Title, err)
		}
	}
	for _, sub := range s.Sections {
		if err := m.section(level+1, sub); err != nil {
			return err
		}
	}
	return nil
}

func (m *markdown) heading(level int, s string) {
	fmt.Fprintf(m, "%s %s\n\n", strings.Repeat("#", min(level, 6)), escapeMarkdown(s))
}

func (m *markdown) paragraph(b Paragraph) error {
	fmt.Fprintf(m, "%s\n\n", escapeMarkdown(string(b)))
	return nil
}

func (m *markdown) facts(b Facts) error {
	for _, f := range b {
		fmt.Fprintf(m, "- %s: **%s**", escapeMarkdown(f.Name), escapeMarkdown(f.Value))
		if f.Note != "" {
			fmt.Fprintf(m, " (%s)", escapeMarkdown(f.Note))
		}
		m.WriteByte('\n')
	}
	m.WriteByte('\n')
	return nil
}

func (m *markdown) table(b Table) error {
	if b.Title != "" {
		fmt.Fprintf(m, "**%s**\n\n", escapeMarkdown(b.Title))
	}
	if err := Write(m, Markdown, b.Rows); err != nil {
		return err
	}
	m.WriteByte('\n')
	return nil
}

func (m *markdown) drawing(b Drawing) error {
	rows, notes := b.numbers()
	rows.Notes = append(rows.Notes[:len(rows.Notes):len(rows.Notes)], notes...)
	return m.table(Table{b.Title, rows})
}
