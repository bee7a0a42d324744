package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/data"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/whatif"
)

type reportOptions struct {
	sizes sizesFlag
	title string
}

func newReport() *cobra.Command {
	o := reportOptions{sizes: newSizes("1..1MiB/16")}
	var format choice
	var path string
	cmd := &cobra.Command{
		Use:   "report PLATFORM… -o FILE.html",
		Short: "One file to send: curves, numbers, sources, what matters",
		Long: `Report writes one file about platforms that a person can send: key numbers in words,
curves with measured points, the pipeline packet by packet, where the time goes, the
roof, what was measured beside what the model says, and every parameter with its
source. An HTML file needs no other and no network; its figures tell the values under
the pointer, its tables sort, and it prints. Markdown has tables for the figures.`,
		Example: `  halfpeak report clip -o clip.html
  halfpeak report clip hp-lam mpc my.toml -o report.html
  halfpeak report clip -o clip.md`,
		Args:              wantArgs(1, -1, `at least one platform, as in "halfpeak report clip -o clip.html"`),
		ValidArgsFunction: completePlatforms,
		RunE: func(cmd *cobra.Command, args []string) error {
			write, err := documentWriter(format.value, path)
			if err != nil {
				return err
			}
			doc, err := report(args, o)
			if err != nil {
				return err
			}
			if path == "" {
				return write(doc, cmd.OutOrStdout())
			}
			return reports.WriteFile(path, func(w io.Writer) error { return write(doc, w) })
		},
	}
	enum(cmd, &format, "format", "the kind of file; without it as the name of the -o file says", "html", "markdown")
	format.value, cmd.Flags().Lookup("format").DefValue = "", ""
	cmd.Flags().StringVarP(&path, "output", "o", "", "write to this `file`, whole or not at all; without it Markdown is printed")
	cmd.Flags().Var(&o.sizes, "size", "message sizes of the curves")
	cmd.Flags().StringVar(&o.title, "title", "", "title of the report")
	return cmd
}

// documentWriter chooses how a report is written.
func documentWriter(format, path string) (func(reports.Document, io.Writer) error, error) {
	if format == "" {
		switch ext := strings.ToLower(filepath.Ext(path)); {
		case ext == ".html" || ext == ".htm":
			format = "html"
		case ext == ".md" || ext == ".markdown" || path == "":
			format = "markdown"
		default:
			return nil, usagef("-o %s: no kind of report %q; use .html or .md, or say --format html or markdown", path, ext)
		}
	}
	if format == "html" {
		return reports.Document.WriteHTML, nil
	}
	return reports.Document.WriteMarkdown, nil
}

// subject is a layer that a report is about.
type subject struct {
	ref      string
	platform platforms.Platform
	layer    platforms.Layer
	results  []data.Result // what the papers say of the platform, inputs apart
}

func report(refs []string, o reportOptions) (reports.Document, error) {
	sizes := o.sizes.sizes
	lo, hi := slices.Min(sizes), slices.Max(sizes)
	results, err := data.Reproduce()
	if err != nil {
		return reports.Document{}, err
	}
	var subjects []subject
	for _, ref := range refs {
		p, l, err := platforms.Find(ref)
		if err != nil {
			return reports.Document{}, err
		}
		s := subject{ref: ref, platform: p, layer: l}
		if name, _, _ := strings.Cut(ref, "/"); slices.Contains(platforms.Names(), name) {
			for _, r := range results {
				if of, _, _ := strings.Cut(r.Layer, "/"); of == p.Name && r.Role != data.Input {
					s.results = append(s.results, r)
				}
			}
		}
		subjects = append(subjects, s)
	}
	doc := reports.Document{Title: o.title}
	if len(subjects) == 1 {
		s := subjects[0]
		if doc.Title == "" {
			doc.Title = s.title()
		}
		doc.Lead = []string{s.summary(hi)}
	} else {
		if doc.Title == "" {
			doc.Title = fmt.Sprintf("What a message costs on %d systems", len(refs))
		}
		doc.Lead = []string{leaders(subjects, lo)}
		overview, err := overview(subjects, lo, hi, o)
		if err != nil {
			return doc, err
		}
		doc.Sections = append(doc.Sections, overview)
	}
	for _, s := range subjects {
		sections, err := s.sections(lo, hi, o)
		if err != nil {
			return doc, err
		}
		if len(subjects) == 1 {
			doc.Sections = append(doc.Sections, reports.Section{Title: "Key numbers", Blocks: s.keyNumbers(lo, hi)})
			doc.Sections = append(doc.Sections, sections...)
			continue
		}
		blocks := append([]reports.Block{reports.Paragraph(s.summary(hi))}, s.keyNumbers(lo, hi)...)
		doc.Sections = append(doc.Sections, reports.Section{Title: s.title(), Blocks: blocks, Sections: sections})
	}
	return doc, nil
}

// leaders says which of the platforms is ahead.
func leaders(subjects []subject, lo quantity.Bytes) string {
	best := func(value func(subject) float64) subject {
		return slices.MinFunc(subjects, func(a, b subject) int { return cmp.Compare(value(a), value(b)) })
	}
	small := best(func(s subject) float64 { return float64(s.layer.Model.OneWay(lo)) })
	text := fmt.Sprintf("Of %d systems, %s is the fastest with a message of %s: %s one way.",
		len(subjects), small.layer.Ref(), lo, small.layer.Model.OneWay(lo))
	peak := func(s subject) float64 { return -finite(float64(model.Asymptote(s.layer.Model))) }
	if large := best(peak); peak(large) < 0 {
		text += fmt.Sprintf(" %s has the highest bandwidth for long messages: %s.", large.layer.Ref(), model.Asymptote(large.layer.Model))
	}
	return text
}

// finite is v, or 0 where it is no number.
func finite(v float64) float64 {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return 0
	}
	return v
}

// overview puts the platforms side by side.
func overview(subjects []subject, lo, hi quantity.Bytes, o reportOptions) (reports.Section, error) {
	s := reports.Section{Title: "Side by side"}
	refs := make([]string, len(subjects))
	for i := range subjects {
		refs[i] = subjects[i].ref
	}
	rows, err := compare(refs, compareOptions{sizes: sizesFlag{sizes: []quantity.Bytes{lo}}})
	if err != nil {
		return s, err
	}
	n := min(longMessage, hi)
	for j, c := range rows.Columns {
		switch c.Key {
		case "one_way_us":
			rows.Columns[j].Head = "one way, " + lo.String()
		case "best_packet_bytes":
			rows.Columns[j].Head = "best packet, " + n.String()
			for i, of := range subjects {
				if pipe, ok := model.At(of.layer.Model, n).(*model.Pipeline); ok {
					size, _ := pipe.BestPacket(n)
					rows.Data[i][j] = size
				}
			}
		}
	}
	s.Blocks = append(s.Blocks, reports.Table{Title: "Figures of merit", Rows: withoutEmpty(without(rows, "size_bytes", "rtt_us", "bandwidth_mb_s"))})
	for _, kind := range []string{"bandwidth", "latency"} {
		figure, err := figureOf(refs, kind, o)
		if err != nil {
			return s, err
		}
		// Where many curves meet, words would hide them: diamonds for n½, and nothing else.
		figure.Marks = slices.DeleteFunc(figure.Marks, func(m reports.Mark) bool { return m.Kind != reports.AtPoint })
		for i := range figure.Marks {
			figure.Marks[i].Label = ""
		}
		if len(figure.Marks) > 0 {
			figure.Notes = append(figure.Notes, "Diamonds: n½.")
		}
		numbers := reports.Rows{Columns: []reports.Column{{Key: "size_bytes", Head: "size"}}}
		for _, n := range doublings(o.sizes.sizes) {
			row := []any{n}
			for _, of := range subjects {
				if kind == "latency" {
					row = append(row, of.layer.Model.OneWay(n))
				} else {
					row = append(row, model.Bandwidth(of.layer.Model, n))
				}
			}
			numbers.Data = append(numbers.Data, row)
		}
		for _, of := range subjects {
			numbers.Columns = append(numbers.Columns, reports.Column{Key: of.layer.Ref(), Head: of.layer.Ref()})
		}
		s.Blocks = append(s.Blocks, reports.Drawing{Title: captions[kind], Picture: figure, Numbers: numbers})
	}
	s.Blocks = append(s.Blocks, reports.Table{Title: "Which is faster one way", Rows: overtakings(subjects, lo, hi)})
	return s, nil
}

// overtakings tells of each two which one is faster for which messages.
func overtakings(subjects []subject, lo, hi quantity.Bytes) reports.Rows {
	rows := reports.Rows{Columns: []reports.Column{{Key: "faster", Head: "faster"}, {Key: "slower", Head: "slower"}, {Key: "messages", Head: "for messages"},
		{Key: "close", Head: fmt.Sprintf("less than %.0f %% apart", 100*whatif.Close)}}}
	for i, a := range subjects {
		for _, b := range subjects[i+1:] {
			add := func(aFirst bool, messages string, near any) {
				pair := [2]string{a.layer.Ref(), b.layer.Ref()}
				if !aFirst {
					pair[0], pair[1] = pair[1], pair[0]
				}
				rows.Data = append(rows.Data, []any{pair[0], pair[1], messages, near})
			}
			crossings := whatif.Crossings(a.layer.Model, b.layer.Model, lo, hi)
			for k, c := range crossings {
				messages := "up to " + c.Size.String()
				if k > 0 {
					messages = fmt.Sprintf("from %s to %s", crossings[k-1].Size, c.Size)
				}
				add(c.Beyond, messages, fmt.Sprintf("from %s to %s", c.Low, c.High))
				if k == len(crossings)-1 {
					add(!c.Beyond, "beyond "+c.Size.String(), nil)
				}
			}
			if t, u := a.layer.Model.OneWay(lo), b.layer.Model.OneWay(lo); len(crossings) == 0 && t != u {
				add(t < u, "of all sizes", nil)
			}
		}
	}
	return withoutEmpty(rows)
}

// figureOf is the figure that plot draws.
func figureOf(refs []string, kind string, o reportOptions) (reports.Figure, error) {
	picture, err := curves(refs, plotOptions{sizes: o.sizes, kind: choice{value: kind}})
	if err != nil {
		return reports.Figure{}, err
	}
	return picture.(reports.Figure), nil
}

var captions = map[string]string{"bandwidth": "Bandwidth against message size", "latency": "One-way time against message size"}

// doublings are the powers of two among the sizes, or the sizes if there are none.
func doublings(sizes []quantity.Bytes) []quantity.Bytes {
	var some []quantity.Bytes
	for _, n := range sizes {
		if e := math.Log2(float64(n)); e == math.Trunc(e) {
			some = append(some, n)
		}
	}
	if len(some) == 0 {
		some = slices.Clone(sizes)
	}
	slices.Sort(some)
	return slices.Compact(some)
}

// title names the platform, and the layer where it is not the default.
func (s subject) title() string {
	title := s.platform.Title
	if title == "" {
		title = s.platform.Name
	}
	if s.layer.Name != s.platform.Default {
		title += ": " + s.layer.Name
	}
	return title
}

// longMessage is the message for which a report gives the best packet.
const longMessage = 64 * quantity.KiB

// summary tells the key numbers in words.
func (s subject) summary(hi quantity.Bytes) string {
	m := s.layer.Model
	text := fmt.Sprintf("%s sends a short message in %s one way", s.layer.Ref(), m.OneWay(1))
	if gap := m.Gap(1); gap > 0 && gap != m.OneWay(1) {
		text += fmt.Sprintf(", and another every %s", gap)
	}
	text += "."
	if half, ok := model.HalfPeak(m); ok {
		text += fmt.Sprintf(" Long messages approach %s (r∞), and half of that is reached at %s (n½).", model.Asymptote(m), half)
	} else {
		text += " No cost of it is per byte, so bandwidth has no peak."
	}
	if share, roof, ok := roofShare(s.layer); ok && finite(share) > 0 {
		text += fmt.Sprintf(" The peak is %.0f %% of what the hardware can carry: %s, the roof %s.", 100*share, roof.Rate, roof.Name)
		if share > 1 {
			text += " It cannot be more, so some parameter is a little too good."
		}
	}
	n := min(longMessage, hi)
	if pipe, ok := model.At(m, n).(*model.Pipeline); ok {
		size, t := pipe.BestPacket(n)
		now := m.OneWay(n)
		text += fmt.Sprintf(" %s take %s in packets of %s; the best equal packets, of %s, take %s.", n, now, model.PacketSize(m, n), size, t)
	}
	if of := errorsOf(s.results); len(of) > 0 {
		text += fmt.Sprintf(" Of %d numbers that were measured the model is %.1f %% off in the median.", len(of), 100*median(of))
	}
	return text
}

// errorsOf are the relative errors of the measured numbers, without sign.
func errorsOf(results []data.Result) []float64 {
	var errors []float64
	for _, r := range results {
		if r.Role == data.Measured && !math.IsNaN(r.Error) {
			errors = append(errors, math.Abs(r.Error))
		}
	}
	return errors
}

// keyNumbers are the figures of merit, and what a reader of them should know.
func (s subject) keyNumbers(lo, hi quantity.Bytes) []reports.Block {
	m := s.layer.Model
	facts := reports.Facts{
		{Name: fmt.Sprintf("one way, %s", lo), Value: m.OneWay(lo).String(), Note: "RTT " + model.RTT(m, lo).String()},
	}
	if send, receive := m.Overheads(lo); send+receive > 0 {
		facts = append(facts, reports.Fact{Name: "overheads o_s + o_r", Value: (send + receive).String(), Note: fmt.Sprintf("%s + %s", send, receive)})
	}
	if half, ok := model.HalfPeak(m); ok {
		facts = append(facts,
			reports.Fact{Name: "peak bandwidth r∞", Value: model.Asymptote(m).String()},
			reports.Fact{Name: "half-peak size n½", Value: half.String()})
	}
	n := min(longMessage, hi)
	if pipe, ok := model.At(m, n).(*model.Pipeline); ok {
		size, t := pipe.BestPacket(n)
		facts = append(facts, reports.Fact{Name: "best packet for " + n.String(), Value: size.String(), Note: fmt.Sprintf("%s, %s", t, n.Over(t))})
	} else {
		facts = append(facts, reports.Fact{Name: "bandwidth, " + n.String(), Value: model.Bandwidth(m, n).String()})
	}
	if share, roof, ok := roofShare(s.layer); ok && finite(share) > 0 {
		facts = append(facts, reports.Fact{Name: "share of the roof", Value: fmt.Sprintf("%.0f %%", 100*share), Note: fmt.Sprintf("%s, %s", roof.Name, roof.Rate)})
	}
	blocks := []reports.Block{facts}
	for _, note := range []string{s.platform.Note, s.layer.Note} {
		if note = strings.TrimSpace(note); note != "" {
			blocks = append(blocks, reports.Paragraph(note))
		}
	}
	return blocks
}

// sections tell the rest of a platform.
func (s subject) sections(lo, hi quantity.Bytes, o reportOptions) ([]reports.Section, error) {
	var sections []reports.Section
	add := func(title string, blocks ...reports.Block) {
		if len(blocks) > 0 {
			sections = append(sections, reports.Section{Title: title, Blocks: blocks})
		}
	}
	drawn, err := s.curves(o)
	if err != nil {
		return nil, err
	}
	add("Curves", append(drawn, s.switches()...)...)
	pipeline, err := s.pipeline(hi)
	if err != nil {
		return nil, err
	}
	add("Pipeline", pipeline...)
	time, err := s.time(o)
	if err != nil {
		return nil, err
	}
	add("Where the time goes", time...)
	add("Roof", s.roof()...)
	add("Papers and model", s.reproduced()...)
	params, err := showPlatform(s.ref)
	if err != nil {
		return nil, err
	}
	params.Notes = nil
	add("Layers", s.layers())
	add("Parameters and their sources", reports.Table{Rows: params})
	return sections, nil
}

// switches compares the sizes at which protocols switch with those at which
// their costs cross.
func (s subject) switches() []reports.Block {
	rows := reports.Rows{Columns: []reports.Column{{Key: "below", Head: "up to it"}, {Key: "above", Head: "beyond it"}, {Key: "in_use_bytes", Head: "in use"}, {Key: "suggested", Head: "costs cross at"}, {Key: "parameter", Head: "parameter"}}}
	for _, t := range (whatif.Design{Platform: s.platform, Layer: s.layer}).Thresholds() {
		var in any = t.InUse
		suggested := "nowhere: " + t.Better + " is faster at all sizes"
		if t.Crosses {
			suggested = t.Suggested.Size.String()
		}
		rows.Data = append(rows.Data, []any{t.Below, t.Above, in, suggested, t.Path})
	}
	if len(rows.Data) == 0 {
		return nil
	}
	return []reports.Block{reports.Table{Title: "Where the protocol switches", Rows: rows}}
}

// curves draws bandwidth and latency with what was measured of them.
func (s subject) curves(o reportOptions) ([]reports.Block, error) {
	var blocks []reports.Block
	for _, kind := range []string{"bandwidth", "latency"} {
		numbers, err := s.numbers(kind, o.sizes.sizes)
		if err != nil {
			return nil, err
		}
		figure, err := figureOf([]string{s.ref}, kind, o)
		if err != nil {
			return nil, err
		}
		blocks = append(blocks, reports.Drawing{Title: captions[kind], Picture: figure, Numbers: numbers})
	}
	return blocks, nil
}

// numbers are those behind a curve: at powers of two, and where a measurement is.
func (s subject) numbers(kind string, sizes []quantity.Bytes) (reports.Rows, error) {
	m := s.layer.Model
	columns := []reports.Column{{Key: "size_bytes", Head: "size"}, {Key: "one_way_us", Head: "one way"}, {Key: "gap_us", Head: "gap"}, {Key: "regime", Head: "regime"}}
	predicted := func(n quantity.Bytes) []any { return []any{n, m.OneWay(n), m.Gap(n), model.Regime(m, n)} }
	measured := func(_ quantity.Bytes, t quantity.Micros) fmt.Stringer { return t }
	if kind == "bandwidth" {
		columns = []reports.Column{{Key: "size_bytes", Head: "size"}, {Key: "bandwidth_mb_s", Head: "bandwidth"}, {Key: "throughput_mb_s", Head: "of a stream"}, {Key: "packet_bytes", Head: "packet"}}
		predicted = func(n quantity.Bytes) []any {
			return []any{n, model.Bandwidth(m, n), model.Throughput(m, n), model.PacketSize(m, n)}
		}
		measured = func(n quantity.Bytes, t quantity.Micros) fmt.Stringer { return n.Over(t) }
	}
	rows := reports.Rows{Columns: append(columns, reports.Column{Key: "measured", Head: "measured"},
		reports.Column{Key: "interval", Head: "error bar"}, reports.Column{Key: "error_percent", Head: "model off by", Text: signedPercent})}
	points, err := data.Points(s.layer.Ref())
	if err != nil {
		return rows, err
	}
	at := map[quantity.Bytes][]data.Point{}
	all := doublings(sizes)
	for _, p := range points {
		if p.Size >= slices.Min(sizes) && p.Size <= slices.Max(sizes) {
			at[p.Size] = append(at[p.Size], p)
			all = append(all, p.Size)
		}
	}
	slices.Sort(all)
	for _, n := range slices.Compact(all) {
		row := slices.Clip(predicted(n))
		if len(at[n]) == 0 {
			rows.Data = append(rows.Data, append(row, nil, nil, nil))
		}
		for _, p := range at[n] {
			off := float64(m.OneWay(n)/p.OneWay - 1)
			low, high := measured(n, max(0, p.Low)).String(), measured(n, p.High).String()
			if kind == "bandwidth" {
				off = float64(p.OneWay/m.OneWay(n) - 1)
				low, high = high, low
				if p.Low <= 0 {
					high = "∞"
				}
			}
			rows.Data = append(rows.Data, append(row, measured(n, p.OneWay), low+" – "+high, 100*off))
		}
	}
	return withoutEmpty(rows), nil
}

func signedPercent(v any) string { return strings.Replace(fmt.Sprintf("%+.1f %%", v), "-", "−", 1) }

// pipeline draws a message of moderate size packet by packet, and tells the
// ways to cut messages.
func (s subject) pipeline(hi quantity.Bytes) ([]reports.Block, error) {
	var blocks []reports.Block
	for _, n := range []quantity.Bytes{16 * quantity.KiB, 64 * quantity.KiB, 4 * quantity.KiB, quantity.KiB} {
		pipe, ok := model.At(s.layer.Model, n).(*model.Pipeline)
		if !ok || n > hi {
			continue
		}
		plan := model.EqualPlan(n, pipe.PacketSize(n))
		if plan.Packets()*len(pipe.Stages) > 200 {
			continue
		}
		slowest := pipe.Stages[pipe.Bottleneck(plan.Largest())].Name
		blocks = append(blocks, reports.Drawing{Title: fmt.Sprintf("%s in packets of %s: %s", n, plan.Largest(), pipe.OneWayAs(plan)),
			Picture: newTimeline(s.layer, n, pipe, plan, ""),
			Note:    fmt.Sprintf("Each box is a packet in a stage. The slowest stage for these packets is %s.", slowest)})
		if best, t := pipe.BestPlan(n); float64(t) < 0.995*float64(pipe.OneWayAs(plan)) {
			blocks = append(blocks, reports.Drawing{Title: fmt.Sprintf("%s in the best packets: %s", n, t),
				Picture: newTimeline(s.layer, n, pipe, best, ""), Note: "Packets in bytes: " + planText(best) + "."})
		}
		break
	}
	sizes := slices.DeleteFunc([]quantity.Bytes{4 * quantity.KiB, 16 * quantity.KiB, 64 * quantity.KiB}, func(n quantity.Bytes) bool {
		_, ok := model.At(s.layer.Model, n).(*model.Pipeline)
		return !ok || n > hi
	})
	if len(sizes) == 0 {
		return blocks, nil
	}
	rows, err := packet([]string{s.ref}, sizes, false)
	if err != nil {
		return nil, err
	}
	return append(blocks, reports.Table{Title: "Ways to cut a message", Rows: without(rows, "platform", "layer")}), nil
}

// without hides columns from people.
func without(rows reports.Rows, keys ...string) reports.Rows {
	rows.Columns = slices.Clone(rows.Columns)
	for i, c := range rows.Columns {
		if slices.Contains(keys, c.Key) {
			rows.Columns[i].Head = ""
		}
	}
	return rows
}

// withoutEmpty hides columns that hold nothing.
func withoutEmpty(rows reports.Rows) reports.Rows {
	var keys []string
	for j, c := range rows.Columns {
		if !slices.ContainsFunc(rows.Data, func(row []any) bool { return row[j] != nil && row[j] != "" }) {
			keys = append(keys, c.Key)
		}
	}
	return without(rows, keys...)
}

// time tells which stage or parameter owns how much of the one-way time and of
// the gap, and how much each parameter matters.
func (s subject) time(o reportOptions) ([]reports.Block, error) {
	design := whatif.Design{Platform: s.platform, Layer: s.layer}
	doubled := doublings(o.sizes.sizes)
	sizes := slices.Compact(slices.Sorted(slices.Values(append(thinned(o.sizes.sizes, 81), doubled...))))
	oneWay, gap := ownership{sizes: sizes}, ownership{sizes: sizes}
	for i, n := range sizes {
		owners, err := design.Owners(n)
		if err != nil {
			return nil, err
		}
		for _, owner := range owners {
			oneWay.set(owner.Owner, i, float64(owner.OneWay/s.layer.Model.OneWay(n)))
			gap.set(owner.Owner, i, float64(owner.Gap/s.layer.Model.Gap(n)))
		}
	}
	var blocks []reports.Block
	if d, ok := oneWay.drawing("Who owns the one-way time", doubled); ok {
		blocks = append(blocks, d)
	}
	if d, ok := gap.drawing("Who owns the gap between messages", doubled); ok && !reflect.DeepEqual(oneWay.parts, gap.parts) {
		blocks = append(blocks, d)
	}
	if len(blocks) == 0 {
		return nil, nil
	}
	rows, err := sensitivityTable(design, thinned(doubled, 5))
	if err != nil {
		return nil, err
	}
	blocks = append(blocks, reports.Table{Title: "By how many percent the one-way time changes for each percent of a parameter", Rows: rows})
	for _, n := range []quantity.Bytes{quantity.KiB, longMessage} {
		if n < sizes[0] || n > sizes[len(sizes)-1] {
			continue
		}
		d, ok, err := tornadoOf(design, n)
		if err != nil {
			return nil, err
		}
		if ok {
			blocks = append(blocks, d)
		}
	}
	return blocks, nil
}

// ownership is the parts that owners have in a cost, over sizes.
type ownership struct {
	sizes []quantity.Bytes
	parts []reports.Part
}

func (o *ownership) set(owner string, i int, part float64) {
	k := slices.IndexFunc(o.parts, func(p reports.Part) bool { return p.Name == owner })
	if k < 0 {
		k = len(o.parts)
		o.parts = append(o.parts, reports.Part{Name: owner, Y: make([]float64, len(o.sizes))})
	}
	o.parts[k].Y[i] = max(0, 100*finite(part))
}

// drawing shows the owners that own anything; none is no drawing.
func (o ownership) drawing(title string, shown []quantity.Bytes) (d reports.Drawing, ok bool) {
	parts := slices.DeleteFunc(slices.Clone(o.parts), func(p reports.Part) bool { return slices.Max(p.Y) < 0.05 })
	if len(parts) == 0 || len(o.sizes) < 2 {
		return d, false
	}
	picture := reports.Areas{X: reports.Axis{Label: "message size", Scale: reports.Log, Bytes: true}, Y: reports.Axis{Label: "share (%)", Max: 100.01}, Parts: parts}
	numbers := reports.Rows{Columns: []reports.Column{{Key: "size_bytes", Head: "size"}}}
	for _, p := range parts {
		numbers.Columns = append(numbers.Columns, reports.Column{Key: p.Name, Head: p.Name, Text: shareText})
	}
	for i, n := range o.sizes {
		picture.XS = append(picture.XS, float64(n))
		if !slices.Contains(shown, n) {
			continue
		}
		row := []any{n}
		for _, p := range parts {
			row = append(row, p.Y[i])
		}
		numbers.Data = append(numbers.Data, row)
	}
	return reports.Drawing{Title: title, Picture: picture, Numbers: numbers}, true
}

func shareText(v any) string { return fmt.Sprintf("%.1f %%", v) }

// thinned are at most so many of the sizes, evenly apart, with both ends.
func thinned(sizes []quantity.Bytes, most int) []quantity.Bytes {
	sizes = slices.Compact(slices.Sorted(slices.Values(sizes)))
	if len(sizes) <= most {
		return sizes
	}
	some := make([]quantity.Bytes, most)
	for i := range some {
		some[i] = sizes[i*(len(sizes)-1)/(most-1)]
	}
	return some
}

// oneWayOf is the quantity that the sensitivities of a report are about.
func oneWayOf(n quantity.Bytes) (whatif.Quantity, error) { return whatif.NewQuantity("one_way", n) }

// sensitivityTable lists the parameters, the most important first.
func sensitivityTable(design whatif.Design, sizes []quantity.Bytes) (reports.Rows, error) {
	rows := reports.Rows{Columns: []reports.Column{{Key: "parameter", Head: "parameter"}, {Key: "value", Head: "value"}}}
	type line struct {
		row     []any
		largest float64
	}
	lines := map[string]*line{}
	var order []*line
	for k, n := range sizes {
		rows.Columns = append(rows.Columns, reports.Column{Key: fmt.Sprintf("per_percent_%.0f", n), Head: n.String(),
			Text: func(v any) string { return signedNumber(v.(float64), 2) }})
		q, err := oneWayOf(n)
		if err != nil {
			return rows, err
		}
		all, err := design.Sensitivities(q, 0.1)
		if err != nil {
			return rows, err
		}
		for _, of := range all {
			l := lines[of.Param.Path]
			if l == nil {
				l = &line{row: []any{of.Param.Path, whatif.Format(of.Param.Value)}}
				for range sizes {
					l.row = append(l.row, nil)
				}
				lines[of.Param.Path] = l
				order = append(order, l)
			}
			l.row[2+k] = of.PerPercent
			l.largest = max(l.largest, math.Abs(finite(of.PerPercent)))
		}
	}
	slices.SortStableFunc(order, func(a, b *line) int { return cmp.Compare(b.largest, a.largest) })
	for _, l := range order {
		if l.largest >= 0.005 {
			rows.Data = append(rows.Data, l.row)
		}
	}
	return rows, nil
}

// signedNumber prints v with that many decimals and a minus sign that is one.
func signedNumber(v float64, decimals int) string {
	text := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Trim(text, "-0.") == "" {
		return "0"
	}
	return strings.Replace(text, "-", "−", 1)
}

// tornadoOf draws what a message takes with each parameter 10 % smaller and larger.
func tornadoOf(design whatif.Design, n quantity.Bytes) (d reports.Drawing, ok bool, err error) {
	q, err := oneWayOf(n)
	if err != nil {
		return d, false, err
	}
	all, err := design.Sensitivities(q, 0.1)
	if err != nil {
		return d, false, err
	}
	base := q.Of(design.Layer.Model)
	t := reports.Tornado{X: reports.Axis{Label: "one-way time (µs)"}, Base: base, Less: "10 % smaller", More: "10 % larger"}
	for _, of := range all {
		if math.Abs(of.Low-base) > 1e-4*base || math.Abs(of.High-base) > 1e-4*base {
			t.Bars = append(t.Bars, reports.Bar{Name: of.Param.Path, Low: of.Low, High: of.High})
		}
	}
	numbers := t.Rows()
	return reports.Drawing{Title: fmt.Sprintf("What 10 %% of a parameter does to %s", n), Picture: t, Numbers: numbers}, len(t.Bars) > 0, nil
}

// roof tells what the hardware could carry.
func (s subject) roof() []reports.Block {
	if len(s.layer.Roofs) == 0 {
		return nil
	}
	peak := float64(model.Asymptote(s.layer.Model))
	rows := reports.Rows{Columns: []reports.Column{
		{Key: "roof", Head: "roof"}, {Key: "rate_mb_s", Head: "carries at most"}, {Key: "percent_of_roof", Head: "r∞ is", Text: func(v any) string { return fmt.Sprintf("%.0f %% of it", v) }},
		{Key: "text", Head: "as stated"}, {Key: "source", Head: "source"},
	}}
	for _, r := range s.layer.Roofs {
		rows.Data = append(rows.Data, []any{r.Name, r.Rate, 100 * peak / float64(r.Rate), r.Text, r.Source})
	}
	return []reports.Block{reports.Table{Rows: rows}}
}

// reproduced puts what the papers stated and measured beside what the model says.
func (s subject) reproduced() []reports.Block {
	if len(s.results) == 0 {
		return nil
	}
	rows := reports.Rows{Columns: []reports.Column{
		{Key: "role", Head: "role"}, {Key: "quantity", Head: "quantity"}, {Key: "layer", Head: "layer"}, {Key: "printed", Head: "printed"}, {Key: "computed", Head: "model"},
		{Key: "unit", Head: "unit"}, {Key: "error_percent", Head: "error", Text: signedPercent}, {Key: "met", Head: "met"}, {Key: "place", Head: "place"}, {Head: "note"}, {Key: "note"},
	}}
	rows.Columns[5].Text = func(v any) string { return microUnit.ReplaceAllString(v.(string), "µs") }
	results := slices.Clone(s.results)
	slices.SortStableFunc(results, func(a, b data.Result) int { return strings.Compare(string(a.Role), string(b.Role)) })
	var notes []string
	inside, measured := 0, 0
	for _, r := range results {
		_, layer, _ := strings.Cut(r.Layer, "/")
		printed := r.Printed
		if r.Relation != "=" && r.Relation != "" {
			printed = r.Relation + " " + printed
		}
		mark := ""
		if r.Note != "" && (!r.Met || math.Abs(r.Error) > 0.1) {
			i := slices.Index(notes, r.Note)
			if i < 0 {
				i = len(notes)
				notes = append(notes, r.Note)
			}
			mark = fmt.Sprintf("[%d]", i+1)
		}
		rows.Data = append(rows.Data, []any{string(r.Role), r.Quantity, layer, printed, r.Computed, r.Unit, 100 * r.Error, r.Met, r.Paper + ", " + r.Place, mark, r.Note})
		if r.Role == data.Measured {
			measured++
			if r.Met {
				inside++
			}
		}
	}
	for i, note := range notes {
		rows.Notes = append(rows.Notes, fmt.Sprintf("[%d] %s", i+1, note))
	}
	text := "A measured number is the test of the model: it is never an input. A stated number was computed in the paper and must come out again. Met means inside the error bar of what is printed."
	if of := errorsOf(results); len(of) > 0 {
		text += fmt.Sprintf(" Measured: %d numbers, median error %.1f %%, worst %.1f %%, %d of %d met.", len(of), 100*median(of), 100*slices.Max(of), inside, measured)
	}
	return []reports.Block{reports.Paragraph(text), reports.Table{Rows: rows}}
}

var microUnit = regexp.MustCompile(`\bus\b`)

// layers lists the levels of the platform.
func (s subject) layers() reports.Block {
	rows := reports.Rows{Columns: []reports.Column{
		{Key: "layer", Head: "layer"}, {Key: "title", Head: "what it is"}, {Key: "model", Head: "model"}, {Key: "made_of", Head: "made of"},
		{Key: "one_way_us", Head: "one way, 1 B"}, {Key: "r_inf_mb_s", Head: "r∞"}, {Key: "n_half_bytes", Head: "n½"},
	}}
	for _, l := range s.platform.Layers {
		var half any
		if h, ok := model.HalfPeak(l.Model); ok {
			half = h
		}
		made := strings.Join(append(slices.Clone(l.Stages), l.Parts...), ", ")
		rows.Data = append(rows.Data, []any{l.Name, l.Title, l.Kind, made, l.Model.OneWay(1), model.Asymptote(l.Model), half})
	}
	return reports.Table{Rows: withoutEmpty(rows)}
}
