// Package reports writes rows as tables (text, Markdown, CSV, JSON), values as pictures (PNG, SVG,
// PDF), and both as documents (HTML, Markdown). It does no modelling; it only formats and draws its
// input, and of the other packages it knows the units of model/quantity alone.
//
// # Tables
//
// A package that answers a question declares its columns once, with [Col] and [TableOf], and
// returns [Rows]; [Printer.Write] prints them. Keys and their order are an interface: scripts read
// CSV and JSON by them. Heads, units, widths and notes are for people and may change. Read
// rows.go (the table), cells.go and number.go (from values to texts), then text.go (fitting a
// terminal), formats.go (CSV, JSON) and stream.go (rows of a sweep, one by one).
//
// # Pictures
//
// A [Picture] is data: a [Figure], a [HeatMap] and so on, all declared in picture.go, so that the
// program of the interactive page can make them without the drawing code, whose files are left out
// of WebAssembly by their build tag. Each type has a method painter, which checks the data and
// returns a function that draws on a canvas of any size and kind: image.go calls it once for each
// file, html_picture.go twice for each picture of a page. On the way down, frame (theme.go) takes
// the title, the legend and the notes from the canvas, limits and apply (ticks.go) choose the axes
// for what is left, and labeller (labels.go) finds room for the labels inside.
//
// # Documents
//
// A [Document] holds paragraphs, facts, tables and drawings; document.go writes Markdown, html.go
// one HTML file without references to other files.
//
// # Invariants
//
// The same input gives the same bytes: no clock, no order of a map, and at most 12 significant
// digits, which agree between processors that fuse a product with a sum and those that do not.
// Texts from outside, such as names of files and nodes, pass [OneLine], escapeMarkdown, harmless or
// html/template before they are printed: a terminal, a page or a spreadsheet would obey them.
package reports
