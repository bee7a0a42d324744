package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"regexp"
	"slices"
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
	enum(cmd, &format, "format", "the kind of file (default what the name of the -o file says)", "", "html", "markdown")
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
				if pipe, ok := model.At(of.layer.Model, n).(model.Pipeline); ok {
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
	return s, nil
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
	if pipe, ok := model.At(m, n).(model.Pipeline); ok {
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
	if pipe, ok := model.At(m, n).(model.Pipeline); ok {
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
	add("Curves", drawn...)
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

// curves draws bandwidth and latency with what was measured of them.
func (s subject) curves(o reportOptions) ([]reports.Block, error) {
	numbers, err := s.numbers(o.sizes.sizes)
	if err != nil {
		return nil, err
	}
	var blocks []reports.Block
	for _, kind := range []string{"bandwidth", "latency"} {
		figure, err := figureOf([]string{s.ref}, kind, o)
		if err != nil {
			return nil, err
		}
		blocks = append(blocks, reports.Drawing{Title: captions[kind], Picture: figure, Numbers: numbers})
	}
	return blocks, nil
}

// numbers are those behind the curves: at powers of two, and where a
// measurement is.
func (s subject) numbers(sizes []quantity.Bytes) (reports.Rows, error) {
	lo, hi := slices.Min(sizes), slices.Max(sizes)
	points, err := data.Points(s.layer.Ref())
	if err != nil {
		return reports.Rows{}, err
	}
	all := doublings(sizes)
	points = slices.DeleteFunc(points, func(p data.Point) bool { return p.Size < lo || p.Size > hi })
	for _, p := range points {
		all = append(all, p.Size)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	rows := reports.Rows{Columns: []reports.Column{
		{Key: "size_bytes", Head: "size"}, {Key: "one_way_us", Head: "one way"}, {Key: "gap_us", Head: "gap"},
		{Key: "bandwidth_mb_s", Head: "bandwidth"}, {Key: "throughput_mb_s", Head: "throughput"},
		{Key: "packet_bytes", Head: "packet"}, {Key: "regime", Head: "regime"},
	}}
	if len(points) > 0 {
		rows.Columns = append(rows.Columns, reports.Column{Key: "measured_us", Head: "measured"},
			reports.Column{Key: "measured_interval", Head: "interval"}, reports.Column{Key: "error_percent", Head: "model off by", Text: signedPercent})
	}
	m := s.layer.Model
	for _, n := range all {
		t := m.OneWay(n)
		row := []any{n, t, m.Gap(n), model.Bandwidth(m, n), model.Throughput(m, n), model.PacketSize(m, n), model.Regime(m, n)}
		at := slices.DeleteFunc(slices.Clone(points), func(p data.Point) bool { return p.Size != n })
		if len(at) == 0 && len(points) > 0 {
			at = []data.Point{{OneWay: quantity.Micros(math.NaN())}}
		}
		for _, p := range at {
			if math.IsNaN(float64(p.OneWay)) {
				rows.Data = append(rows.Data, append(row, nil, nil, nil))
				continue
			}
			rows.Data = append(rows.Data, append(row[:len(row):len(row)], p.OneWay, fmt.Sprintf("%s – %s", max(0, p.Low), p.High), 100*float64(t/p.OneWay-1)))
		}
		if len(points) == 0 {
			rows.Data = append(rows.Data, row)
		}
	}
	return rows, nil
}

func signedPercent(v any) string { return strings.Replace(fmt.Sprintf("%+.1f %%", v), "-", "−", 1) }

// pipeline draws a message of moderate size packet by packet, and tells the
// ways to cut messages.
func (s subject) pipeline(hi quantity.Bytes) ([]reports.Block, error) {
	var blocks []reports.Block
	for _, n := range []quantity.Bytes{16 * quantity.KiB, 64 * quantity.KiB, 4 * quantity.KiB, quantity.KiB} {
		pipe, ok := model.At(s.layer.Model, n).(model.Pipeline)
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
		_, ok := model.At(s.layer.Model, n).(model.Pipeline)
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
// the gap.
func (s subject) time(o reportOptions) ([]reports.Block, error) {
	design := whatif.Design{Platform: s.platform, Layer: s.layer}
	oneWay, gap := ownership{}, ownership{}
	for _, n := range thinned(o.sizes.sizes, 81) {
		owners, err := design.Owners(n)
		if err != nil {
			return nil, err
		}
		for _, owner := range owners {
			oneWay.add(owner.Owner, n, float64(owner.OneWay/s.layer.Model.OneWay(n)))
			gap.add(owner.Owner, n, float64(owner.Gap/s.layer.Model.Gap(n)))
		}
	}
	var blocks []reports.Block
	if d, ok := oneWay.drawing("Where the one-way time goes"); ok {
		blocks = append(blocks, d)
	}
	if d, ok := gap.drawing("Where the gap between messages goes"); ok {
		blocks = append(blocks, d)
	}
	if len(blocks) == 0 {
		return nil, nil
	}
	rows, err := sensitivity(design, thinned(doublings(o.sizes.sizes), 5))
	if err != nil {
		return nil, err
	}
	return append(blocks, reports.Table{Title: "Sensitivity: how much longer a message takes if the parameter is 1 % larger", Rows: rows}), nil
}

// ownership is the parts of a cost over sizes, one series for each owner.
type ownership []reports.Series

func (o *ownership) add(owner string, n quantity.Bytes, part float64) {
	i := slices.IndexFunc(*o, func(s reports.Series) bool { return s.Name == owner })
	if i < 0 {
		i = len(*o)
		*o = append(*o, reports.Series{Name: owner, Kind: reports.Line})
	}
	s := &(*o)[i]
	s.X, s.Y = append(s.X, float64(n)), append(s.Y, 100*finite(part))
}

// drawing shows the owners that own anything; none is no drawing.
func (o ownership) drawing(title string) (d reports.Drawing, ok bool) {
	o = slices.DeleteFunc(slices.Clone(o), func(s reports.Series) bool { return slices.Max(s.Y) < 0.05 })
	if len(o) == 0 {
		return d, false
	}
	f := reports.Figure{X: reports.Axis{Label: "message size", Scale: reports.Log, Bytes: true}, Y: reports.Axis{Label: "share (%)", Max: 100}, Series: o}
	numbers := reports.Rows{Columns: []reports.Column{{Key: "size_bytes", Head: "size"}}}
	for i, x := range o[0].X {
		if math.Log2(x) != math.Trunc(math.Log2(x)) && len(o[0].X) > 21 {
			continue
		}
		row := []any{quantity.Bytes(x)}
		for _, s := range o {
			row = append(row, s.Y[i])
		}
		numbers.Data = append(numbers.Data, row)
	}
	for _, s := range o {
		numbers.Columns = append(numbers.Columns, reports.Column{Key: s.Name, Head: s.Name, Text: shareText})
	}
	return reports.Drawing{Title: title, Picture: f, Numbers: numbers}, true
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

// sensitivity lists the parameters, the most important first.
func sensitivity(design whatif.Design, sizes []quantity.Bytes) (reports.Rows, error) {
	rows := reports.Rows{Columns: []reports.Column{{Key: "parameter", Head: "parameter"}, {Key: "value", Head: "value"}}}
	values := map[string]quantity.Value{}
	params, err := design.Platform.Uses(design.Layer.Name)
	if err != nil {
		return rows, err
	}
	for _, p := range params {
		values[p.Path] = p.Value
	}
	largest := map[string]float64{}
	for k, n := range sizes {
		rows.Columns = append(rows.Columns, reports.Column{Key: fmt.Sprintf("percent_%.0f", n), Head: n.String(), Text: func(v any) string { return fmt.Sprintf("%.2f %%", v) }})
		shares, err := design.Shares(n)
		if err != nil {
			return rows, err
		}
		for i, share := range shares {
			part := finite(float64(share.OneWay / design.Layer.Model.OneWay(n)))
			if k == 0 {
				rows.Data = append(rows.Data, []any{share.Path, whatif.Format(values[share.Path])})
			}
			rows.Data[i] = append(rows.Data[i], part)
			largest[share.Path] = max(largest[share.Path], part)
		}
	}
	rows.Data = slices.DeleteFunc(rows.Data, func(row []any) bool { return largest[row[0].(string)] < 0.00005 })
	slices.SortStableFunc(rows.Data, func(a, b []any) int {
		return cmp.Compare(largest[b[0].(string)], largest[a[0].(string)])
	})
	return rows, nil
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
	return reports.Table{Rows: rows}
}
