package summary

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	linesof "github.com/halfpeak/halfpeak/internal/curves"
	"github.com/halfpeak/halfpeak/internal/papers"
	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/message"
	"github.com/halfpeak/halfpeak/reports/table"
)

// title names the platform, and the layer where it is not the default.
func (s subject) title() string {
	title := cmp.Or(s.Platform.Title, s.Platform.Name)
	if s.Layer.Name != s.Platform.Default {
		title += ": " + s.Layer.Name
	}
	return title
}

// summary describes the platform in a paragraph: short and long messages, the roof,
// the best packet, and the error against the paper's measurements. hi is the largest
// size of the page, so that no sentence speaks of a message that the page does not
// show.
func (s subject) summary(hi quantity.Bytes) string {
	m := s.Layer.Model
	n := min(longMessage, hi)
	short, long := message.Cost(s.Design, 1), message.Cost(s.Design, n)
	text := fmt.Sprintf("%s sends a short message in %s one way", s.Layer.Ref(),
		threeDigits(short.OneWay))
	if s.stream() {
		text = fmt.Sprintf("%s sends a short message of a stream every %s; no latency of a "+
			"message follows from that", s.Layer.Ref(), threeDigits(short.Gap))
	}
	// A gap equal to the one-way time says nothing more: messages do not overlap.
	if gap := m.Gap(1); model.HasGap(m) && gap > 0 && gap != m.OneWay(1) {
		text += fmt.Sprintf(", and another every %s", threeDigits(gap))
	}
	text += "."
	peak := s.Layer.Peak()
	switch {
	case !peak.Exists:
		text += " None of its costs is per byte, so bandwidth has no peak."
	case !peak.Known:
		text += " Its peak bandwidth is not known: the interval of the time per byte holds 0."
	default:
		text += fmt.Sprintf(" Long messages approach %s (r∞), and half of that is reached at "+
			"%s (n½).", peak.Asymptote, table.About(peak.Half))
	}
	// Infinite bandwidth has no share of a roof.
	roof, share, ok := s.Layer.LowestRoof()
	if ok && peak.Known && table.Finite(share) > 0 {
		text += fmt.Sprintf(" The peak is %.0f %% of what the hardware can carry: %s, the roof %s.",
			100*share, roof.Rate, roof.Name)
		// A roof is a physical limit; the model only approaches r∞, and its parameters have
		// errors.
		if share > 1 {
			text += " More than that is impossible, so some parameter is slightly too good."
		}
	}
	if pipe, ok := model.At(m, n).(*model.Pipeline); ok {
		size, t := pipe.BestPacket(n)
		text += fmt.Sprintf(" %s take %s in packets of %s; the best equal packets, of %s, take %s.",
			n, m.OneWay(n), model.PacketSize(m, n), size, t)
	}
	// Only predicted numbers count: fitted and copied ones agree by construction.
	if sentence := s.accuracy.Of(papers.Predicted).Sentence(); sentence != "" {
		text += " " + sentence
	}
	if s.fitted {
		text += " " + s.promise(long, hi)
	}
	return text
}

// promise describes the range and the interval of the predictions of a fitted layer,
// as a promise that the next measurement can break: its size, its time, and how often
// it holds.
func (s subject) promise(long message.Predicted, hi quantity.Bytes) string {
	first, last, _ := s.Layer.MeasuredRange()
	next := long.Next
	ends := fmt.Sprintf("%s to %s in 95 of 100 cases", quantity.Micros(next.Low),
		quantity.Micros(next.High))
	if next.Unknown != "" {
		ends = next.Unknown
	}
	text := fmt.Sprintf("It was fitted to %d sizes from %s to %s. The next measurement of %s by "+
		"the same benchmark is predicted: %s (%s).",
		len(s.Layer.Measured.Sizes), first, last, long.Size, quantity.Micros(next.Value), ends)
	// Only a page that shows sizes beyond the measured ones needs the remark.
	if hi > last {
		text += fmt.Sprintf(" Beyond %s nothing was measured: another protocol may begin there, "+
			"and the intervals widen.", last)
	}
	return text
}

// threeDigits prints a time with its last zeros, as a table does.
func threeDigits(t quantity.Micros) string {
	return quantity.NewScale(quantity.DimTime, nil, 3, float64(t)).Format(float64(t))
}

// keyNumbers returns the figures that a reader looks for first, and the remarks of
// the file. A pipeline has its best packet in place of its bandwidth for a long
// message, since the bandwidth of the best packet is in the note.
func (s subject) keyNumbers(lo, hi quantity.Bytes) []table.Block {
	m := s.Layer.Model
	n := min(longMessage, hi)
	short, long := message.Cost(s.Design, lo), message.Cost(s.Design, n)
	var facts table.Facts
	add := func(name, value, note string) {
		facts = append(facts, table.Fact{Name: name, Value: value, Note: note})
	}
	if s.stream() {
		note := expected(linesof.Latency, short, "")
		add(fmt.Sprintf("gap, %s", lo), threeDigits(short.Gap), note)
	} else {
		note := expected(linesof.Latency, short, "RTT "+threeDigits(short.RTT))
		add(fmt.Sprintf("one way, %s", lo), threeDigits(short.OneWay), note)
	}
	if send, receive := m.Overheads(lo); send+receive > 0 {
		add("overheads o_s + o_r", threeDigits(send+receive),
			fmt.Sprintf("%s + %s", threeDigits(send), threeDigits(receive)))
	}
	peak := s.Layer.Peak()
	if peak.Exists && peak.Known {
		add("peak bandwidth r∞", peak.Asymptote.String(), "")
		add("half-peak size n½", table.About(peak.Half), "")
	}
	if pipe, ok := model.At(m, n).(*model.Pipeline); ok {
		size, t := pipe.BestPacket(n)
		add("best packet for "+n.String(), size.String(), fmt.Sprintf("%s, %s", t, n.Over(t)))
	} else {
		name, rate := "bandwidth, ", long.Bandwidth
		if s.stream() {
			name, rate = "throughput, ", long.Throughput
		}
		add(name+n.String(), rate.String(), expected(linesof.Bandwidth, long, ""))
	}
	roof, share, ok := s.Layer.LowestRoof()
	if ok && peak.Known && table.Finite(share) > 0 {
		note := fmt.Sprintf("%s, %s", roof.Name, roof.Rate)
		add("share of the roof", fmt.Sprintf("%.0f %%", 100*share), note)
	}
	// The file's remarks are often restrictions of its numbers, so they stand right
	// below.
	blocks := []table.Block{facts}
	for _, note := range []string{s.Platform.Note, s.Layer.Note} {
		if note = strings.TrimSpace(note); note != "" {
			blocks = append(blocks, table.Paragraph(note))
		}
	}
	return blocks
}

// expected returns the interval of the next measurement, or otherwise for a layer
// without one.
func expected(kind linesof.Kind, p message.Predicted, otherwise string) string {
	if p.Next == nil {
		return otherwise
	}
	if p.Next.Unknown != "" {
		return p.Next.Unknown
	}
	in := kind.Row().Interval(p.Size, p.Next.Interval)
	if kind == linesof.Latency {
		return fmt.Sprintf("95 %%: %s to %s", quantity.Micros(in.Low), quantity.Micros(in.High))
	}
	return fmt.Sprintf("95 %%: %s to %s", quantity.MBps(in.Low), quantity.MBps(in.High))
}

// sections returns the sections behind the key numbers, without those that have
// nothing to show. They go from what is asked most, curves, to what is looked up, the
// parameters.
func (s subject) sections(ctx context.Context, sizes []quantity.Bytes) ([]table.Section, error) {
	hi := slices.Max(sizes)
	var sections []table.Section
	var failed error
	add := func(title string, blocks []table.Block, err error) {
		// The first error, since all sections are made before it is looked at.
		failed = cmp.Or(failed, err)
		if len(blocks) > 0 {
			sections = append(sections, table.Section{Title: title, Blocks: blocks})
		}
	}
	curves, err := s.curves(sizes)
	add("Curves", append(curves, s.thresholds()...), err)
	pipeline, err := s.pipeline(ctx, hi)
	add("Pipeline", pipeline, err)
	time, err := s.time(ctx, sizes)
	add("Where the time goes", time, err)
	add("Roof", s.roofs(), nil)
	add("Papers and model", s.accuracy.Blocks(), nil)
	add("Layers", []table.Block{layerTable(s.Platform)}, nil)
	params := message.ParameterRows(s.Platform)
	params.Notes = numberSources(params)
	add("Parameters and their sources", []table.Block{table.Table{Rows: params}}, nil)
	return sections, failed
}

// numberSources replaces each long source that occurs more than once by a number, and
// returns notes that resolve the numbers. A paper's table is the source of twenty
// parameters: repeated, it made the table unreadable.
func numberSources(r table.Rows) (notes []table.Note) {
	// A shorter source takes about as much room as its number and the look-up.
	const long = 40 // bytes
	// The source is the last column of the table of parameters.
	last := len(r.Columns) - 1
	count, number := map[any]int{}, map[any]string{}
	for _, row := range r.Data {
		count[row[last]]++
	}
	for _, row := range r.Data {
		source, _ := row[last].(string)
		// A source that occurs once is as long in the notes as in its cell.
		if count[source] < 2 || len(source) <= long {
			continue
		}
		if number[source] == "" {
			number[source] = fmt.Sprintf("[%d]", len(number)+1)
			notes = append(notes, remark.Described(number[source]+" "+source))
		}
		row[last] = number[source]
	}
	return notes
}

// roofs compares the peak with each ceiling of the hardware: the link, the bus, the
// memory. The lowest one limits; the others show what would limit next.
func (s subject) roofs() []table.Block {
	if len(s.Layer.Roofs) == 0 {
		return nil
	}
	peak := s.Layer.Peak()
	return []table.Block{table.Table{Rows: table.TableOf(s.Layer.Roofs,
		table.Col("roof", "roof", func(r platforms.Roof) any { return r.Name }),
		table.Col("rate_mb_s", "carries at most", func(r platforms.Roof) any { return r.Rate }),
		table.Col("percent_of_roof", "r∞ is", func(r platforms.Roof) any {
			return table.OrAbsent(100*float64(peak.Asymptote/r.Rate), peak.Known)
		}).
			Texted(func(v any) string { return fmt.Sprintf("%.0f %% of it", v) }),
		table.Col("text", "as stated", func(r platforms.Roof) any { return r.Text }),
		table.Col("source", "source", func(r platforms.Roof) any { return r.Source }),
	)}}
}

// layerTable lists the layers of a platform by the same three figures, so that the
// cost of each software layer above the hardware is visible.
func layerTable(p platforms.Platform) table.Block {
	return table.Table{Rows: table.TableOf(p.Layers,
		table.Col("layer", "layer", func(l platforms.Layer) any { return l.Name }),
		table.Col("title", "what it is", func(l platforms.Layer) any { return l.Title }),
		table.Col("model", "model", func(l platforms.Layer) any { return l.Kind }),
		table.Col("made_of", "made of", func(l platforms.Layer) any {
			return strings.Join(append(slices.Clone(l.Stages), l.Parts...), ", ")
		}),
		table.Col("one_way_us", "one way, 1 B", func(l platforms.Layer) any {
			return table.OrAbsent(l.OneWay(1), l.Messages() == nil)
		}),
		table.Col("r_inf_mb_s", "r∞", func(l platforms.Layer) any {
			p := l.Peak()
			return table.OrAbsent(p.Asymptote, p.Known)
		}),
		table.Col("n_half_bytes", "n½", func(l platforms.Layer) any {
			p := l.Peak()
			return table.OrAbsent(p.Half, p.Known && p.Exists)
		}).Texted(table.About),
	)}
}
