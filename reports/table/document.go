package table

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A Document is a report: text, key numbers, tables and pictures. It becomes one HTML file without
// references to other files, so that it can be mailed, or Markdown.
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

// A Block is a [Paragraph], [Facts], a [Table] or a [Drawing]. The set is closed, since every
// format has a case for each.
type Block interface{ block() }

// A Paragraph is running text.
type Paragraph string

// Facts are a few key numbers, which HTML prints large.
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

// A Drawing is a picture and its data. Markdown output shows only the data.
type Drawing struct {
	Title   string
	Picture Picture // HTML prints its title and notes as text around it
	Note    string  // a sentence beneath; the notes of the picture follow it
	Numbers Rows    // the table under the picture; without columns: all of Picture.Rows
}

func (Paragraph) block() {}
func (Facts) block()     {}
func (Table) block()     {}
func (Drawing) block()   {}

// Values returns the rows under the picture, and its notes apart from them: HTML
// prints the notes between the picture and the table.
func (b Drawing) Values() (rows Rows, notes []string) {
	rows = b.Numbers
	if b.Note != "" {
		notes = append(notes, b.Note)
	}
	all := b.Picture.Rows()
	notes = append(notes, all.Remarks()...)
	if len(rows.Columns) == 0 {
		rows = all
		rows.Notes = nil
	}
	return rows, notes
}

// WriteMarkdown prints the document as Markdown. It returns errors of w and of the tables (see
// Write).
func (d Document) WriteMarkdown(w io.Writer) error {
	// The text is complete before w gets any of it: an error leaves no half of a document.
	var m bytes.Buffer
	fmt.Fprintf(&m, "# %s\n\n", escapeMarkdown(d.Title))
	for _, p := range d.Lead {
		fmt.Fprintf(&m, "%s\n\n", escapeMarkdown(p))
	}
	for _, s := range d.Sections {
		if err := s.writeMarkdown(&m, 2); err != nil {
			return err
		}
	}
	_, err := w.Write(m.Bytes())
	return err
}

// writeMarkdown prints the section. Each block ends with an empty line.
func (s Section) writeMarkdown(m *bytes.Buffer, level int) error {
	// Markdown and HTML have six levels of headings.
	fmt.Fprintf(m, "%s %s\n\n", strings.Repeat("#", min(level, 6)), escapeMarkdown(s.Title))
	for _, b := range s.Blocks {
		switch b := b.(type) {
		case Paragraph:
			m.WriteString(escapeMarkdown(string(b)) + "\n") // names of files may have asterisks
		case Facts:
			for _, f := range b {
				fmt.Fprintf(m, "- %s: **%s**", escapeMarkdown(f.Name), escapeMarkdown(f.Value))
				if f.Note != "" {
					fmt.Fprintf(m, " (%s)", escapeMarkdown(f.Note))
				}
				m.WriteByte('\n')
			}
		case Table:
			if err := b.writeMarkdown(m); err != nil {
				return fmt.Errorf("%s: %w", s.Title, err)
			}
		case Drawing:
			rows, notes := b.Values()
			rows.Notes = slices.Concat(rows.Notes, captions(notes))
			if err := (Table{b.Title, rows}).writeMarkdown(m); err != nil {
				return fmt.Errorf("%s: %w", s.Title, err)
			}
		}
		m.WriteByte('\n')
	}
	for _, sub := range s.Sections {
		if err := sub.writeMarkdown(m, level+1); err != nil {
			return err
		}
	}
	return nil
}

func (b Table) writeMarkdown(m *bytes.Buffer) error {
	if b.Title != "" {
		fmt.Fprintf(m, "**%s**\n\n", escapeMarkdown(b.Title))
	}
	b.Rows.Verdict = Sentence{} // a document has many tables, and its key numbers first
	return writeTable(m, Markdown, b.Rows)
}
