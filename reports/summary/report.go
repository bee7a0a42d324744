// Package summary writes a page about platforms: their key numbers, curves, costs by
// stage, and their agreement with measurements.
//
// It computes nothing of its own. Every number is asked from the package of its
// question (predict, whatif, check), so that the page and the commands print the
// same. What is decided here is what a reader sees first: report.go orders the
// document, platform.go has the words and key numbers of one platform, curves.go its
// drawings with their tables. A block that has nothing to show is left out with its
// heading.
package summary

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak"
	"github.com/halfpeak/halfpeak/internal/curves"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/papers"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/message"
	thepapers "github.com/halfpeak/halfpeak/reports/papers"
	"github.com/halfpeak/halfpeak/reports/table"
	"github.com/halfpeak/halfpeak/reports/whatif"
)

// A Question asks for a page about layers of platforms.
type Question struct {
	Refs  []string         // the layers, as halfpeak.Open takes them; at least one
	Sizes []quantity.Bytes // of the curves, at least 1 each; nil: those of [curves.Sizes]
	Title string           // empty: made from the platforms' titles
}

// Ask returns a document about layers of platforms: key numbers in words, curves over
// the sizes with the measurements, the pipeline packet by packet, the costs by stage
// or parameter, the roof, the accuracy against the papers, and every parameter with
// its source.
//
// A page about one platform begins with its summary; the sections follow at the top
// level. With several platforms, a comparison comes first, and each platform is a
// section with subsections: the table of contents stays short.
func (q Question) Ask(ctx context.Context) (table.Document, error) {
	doc := table.Document{Title: q.Title}
	subjects, err := subjectsOf(ctx, q.Refs)
	if err != nil {
		return doc, err
	}
	sizes := q.Sizes
	if sizes == nil {
		sizes = curves.Sizes(list.Map(subjects, func(s subject) platforms.Layer {
			return s.Layer
		})...)
	}
	lo, hi := slices.Min(sizes), slices.Max(sizes)
	// One system has nothing to be compared with.
	if len(subjects) > 1 {
		if doc.Title == "" && len(q.Refs) == 1 { // a machine of levels
			p := subjects[0].Platform
			doc.Title = cmp.Or(p.Title, p.Name) + ": what a message costs on each level"
		}
		doc.Title = cmp.Or(doc.Title, fmt.Sprintf("What a message costs on %d systems",
			len(q.Refs)))
		doc.Lead = []string{leaders(ctx, subjects, lo)}
		overview, err := overview(ctx, subjects, sizes)
		if err != nil {
			return doc, err
		}
		doc.Sections = append(doc.Sections, overview)
	}
	for _, s := range subjects {
		sections, err := s.sections(ctx, sizes)
		if err != nil {
			return doc, err
		}
		summary, numbers := s.summary(hi), s.keyNumbers(lo, hi)
		if len(subjects) == 1 {
			doc.Title = cmp.Or(doc.Title, s.title())
			doc.Lead = []string{summary}
			key := table.Section{Title: "Key numbers", Blocks: numbers}
			doc.Sections = append(doc.Sections, key)
			doc.Sections = append(doc.Sections, sections...)
			continue
		}
		blocks := append([]table.Block{table.Paragraph(summary)}, numbers...)
		section := table.Section{Title: s.title(), Blocks: blocks, Sections: sections}
		doc.Sections = append(doc.Sections, section)
	}
	// A reader of fixed numbers next asks what a change would give; explore answers
	// that.
	doc.Lead = append(doc.Lead, fmt.Sprintf("To move these numbers: "+
		"halfpeak explore %s -o explorer.html makes a page with a slider for each of them.",
		strings.Join(q.Refs, " ")))
	return doc, nil
}

// subjectsOf finds the layers, and what the papers say of those that come with
// halfpeak. All numbers of the papers are computed once, and not for each layer.
func subjectsOf(ctx context.Context, refs []string) ([]subject, error) {
	all, err := thepapers.Question{}.Ask(ctx)
	if err != nil {
		return nil, err
	}
	var subjects []subject
	opened, err := halfpeak.OpenAll(refs...)
	if err != nil {
		return nil, err
	}
	for i, d := range opened {
		if d.Layer.Timed.Of != platforms.Stream {
			if err := d.Messages(); err != nil {
				return nil, err
			}
		}
		var accuracy thepapers.Reproduction
		// The papers speak of the platforms that come with halfpeak alone. A user's
		// file may have the same name, so it is the reference that decides, which for
		// a file is its path.
		if platforms.IsEmbedded(refs[i]) {
			for _, r := range all {
				of, _, _ := strings.Cut(r.Layer, "/")
				// An input made the model, so its agreement is no evidence.
				if of == d.Platform.Name && r.Role != papers.Input {
					accuracy = append(accuracy, r)
				}
			}
		}
		for _, d := range message.Levels(d.Design) {
			subjects = append(subjects, subject{d, accuracy, d.Forecastable()})
		}
	}
	return subjects, nil
}

func designs(subjects []subject) []platforms.Design {
	return list.Map(subjects, func(s subject) platforms.Design { return s.Design })
}

// messaging returns the designs whose times are those of messages: a stream shows no latency.
func messaging(subjects []subject) []platforms.Design {
	return slices.DeleteFunc(designs(subjects), func(d platforms.Design) bool {
		return d.Layer.Messages() != nil
	})
}

// leaders names the fastest system for a short message, and the one with the highest
// bandwidth: the two answers for which the page is opened.
func leaders(ctx context.Context, subjects []subject, lo quantity.Bytes) string {
	q := message.CompareQuestion{On: messaging(subjects), Sizes: []quantity.Bytes{lo}}
	compared, err := q.Ask(ctx)
	if err != nil || len(compared.Costs) == 0 { // subjects have layers
		return fmt.Sprintf("%d streams: their gaps show no latency of a message.", len(subjects))
	}
	costs := compared.Costs
	ref := func(c message.Compared) string { return c.Platform + "/" + c.Layer }
	small := slices.MinFunc(costs, func(a, b message.Compared) int {
		return cmp.Compare(a.OneWay, b.OneWay)
	})
	text := fmt.Sprintf("Of %d systems, %s is the fastest with a message of %s: %s one way.",
		len(subjects), ref(small), lo, small.OneWay)
	// Infinite without a cost per byte; Finite takes it out of the comparison.
	peak := func(c message.Compared) float64 {
		if !c.Peak.Known {
			return 0
		}
		return table.Finite(float64(c.Peak.Asymptote))
	}
	large := slices.MaxFunc(costs, func(a, b message.Compared) int {
		return cmp.Compare(peak(a), peak(b))
	})
	if peak(large) > 0 {
		text += fmt.Sprintf(" %s has the highest bandwidth for long messages: %s.",
			ref(large), large.Peak.Asymptote)
	}
	return text
}

// overview compares the platforms: figures of merit, their curves in one figure, and
// where one overtakes another. The crossings answer what a figure on logarithmic axes
// only suggests.
func overview(ctx context.Context, subjects []subject, sizes []quantity.Bytes) (
	table.Section, error) {
	s := table.Section{Title: "Side by side"}
	lo := slices.Min(sizes)
	// r∞ and n½ speak of long messages, so the size of the table is the smallest.
	q := message.CompareQuestion{On: designs(subjects), Sizes: []quantity.Bytes{lo}}
	merits, err := q.Ask(ctx)
	if err != nil {
		return s, err
	}
	s.Blocks = append(s.Blocks,
		table.Table{Title: "Figures of merit", Rows: merits.Rows()})
	for _, kind := range []curves.Kind{curves.Bandwidth, curves.Latency} {
		figure, err := curves.Figure(kind, sizes, designs(subjects)...)
		if err != nil {
			return s, err
		}
		// Where many curves meet, words would hide them: diamonds for n½, and nothing else.
		figure.Marks = slices.DeleteFunc(figure.Marks, func(m table.Mark) bool {
			return m.Kind != table.AtPoint
		})
		for i := range figure.Marks {
			figure.Marks[i].Label = ""
		}
		if len(figure.Marks) > 0 {
			figure.Notes = append(figure.Notes, "Diamonds: n½.")
		}
		numbers := sideBySide(kind, doublings(sizes), subjects)
		drawing := table.Drawing{Title: captions[kind], Picture: figure, Numbers: numbers}
		s.Blocks = append(s.Blocks, drawing)
	}
	of := messaging(subjects)
	if len(of) < 2 {
		return s, nil
	}
	leads, err := whatif.CrossoverQuestion{Designs: of}.Ask(ctx)
	if err != nil {
		return s, err
	}
	if len(leads.Overtakings) == 0 { // one is faster at all sizes
		s.Blocks = append(s.Blocks, table.Paragraph(leads.Sentences()[0]))
		return s, nil
	}
	s.Blocks = append(s.Blocks,
		table.Table{Title: "Which is faster one way", Rows: leads.Rows()})
	return s, nil
}

// sideBySide returns the numbers of a figure of several platforms, a column for each.
// Powers of two are enough beside a picture.
func sideBySide(kind curves.Kind, sizes []quantity.Bytes, subjects []subject) table.Rows {
	fields := []table.Field[int]{table.Col("size_bytes", "size", func(i int) any {
		return sizes[i]
	})}
	for _, s := range subjects {
		// Without a key: a page is for people, and the key would be a name of the user's.
		fields = append(fields, table.Col("", s.Layer.Ref(), func(i int) any {
			return message.CurveCell(kind, message.Cost(s.Design, sizes[i]))
		}))
	}
	// Rows are sizes: TableOf takes one value per row, here the index.
	var all []int
	for i := range sizes {
		all = append(all, i)
	}
	return table.TableOf(all, fields...)
}
