package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/fit/trace"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
)

type fitOptions struct {
	trace         trace.Options
	model, method choice
	segments      int
	rtt           timeFlag
	bootstrap     int
	seed          uint64
	save, plot    string
	compare       string
	width, height int
	progress      io.Writer // where a person may be watching
}

// timeFlag is a time with its unit.
type timeFlag struct{ value quantity.Micros }

func (t *timeFlag) Set(text string) (err error) {
	t.value, err = quantity.ParseMicros(text)
	return err
}
func (t *timeFlag) Type() string { return "time" }
func (t *timeFlag) String() string {
	if t.value == 0 {
		return ""
	}
	return t.value.String()
}

func newFit() *cobra.Command {
	var out output
	var o fitOptions
	cmd := &cobra.Command{
		Use:   "fit FILE…",
		Short: "Parameters with intervals from the output of a benchmark",
		Long: `Fit reads what a benchmark printed and gives the parameters behind it, with 95 %
confidence intervals, where the protocol changes, and how well they predict.
"-" is standard input. It reads
` + wrap(trace.Known+".", 80) + `

The models are

  auto        what predicts best what it has not seen; the default
  linear      T = β + nτ, by --method relative, ordinary, huber or theil-sen
  segmented   several lines over ranges of sizes; --segments says how many
  switch      the lesser of two lines: PIO or DMA
  per-size    the sizes as they are, no form
  loggp       L, o, g, G from a latency file and a bandwidth or message-rate file
  logp        L, o_s, o_r, g from a signature: burst, delta, interval; L needs --rtt
  pipeline    β and τ of each stage from a CSV of stage, size and time
  end-to-end  what the times of whole messages tell of a pipeline's stages`,
		Example: `  halfpeak fit np.out --plot fit.png
  halfpeak fit times.csv --x size:KiB --y time:ms --save my.toml
  halfpeak fit osu_latency.txt osu_bw.txt --model loggp
  halfpeak fit before.txt --compare after.txt`,
		Args: wantArgs(1, -1, `at least one file of a benchmark's output, as in "halfpeak fit np.out"`),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.check(cmd); err != nil {
				return err
			}
			o.progress = cmd.ErrOrStderr()
			rows, err := runFit(args, o)
			if err != nil {
				return err
			}
			return out.write(cmd, rows)
		},
	}
	out.declare(cmd)
	enum(cmd, &o.model, "model", "what to fit", "auto", "linear", "segmented", "switch", "per-size", "loggp", "logp", "pipeline", "end-to-end")
	methods := make([]string, len(fit.Methods))
	for i, m := range fit.Methods {
		methods[i] = string(m)
	}
	enum(cmd, &o.method, "method", "how to put a line through points", methods...)
	flags := cmd.Flags()
	flags.StringVar(&o.trace.X, "x", "", "`column` of the sizes in a CSV, by name or number, as in \"size:KiB\"")
	flags.StringVar(&o.trace.Y, "y", "", "`column` of the times in a CSV, as in \"time:ms\"")
	flags.IntVar(&o.segments, "segments", 0, "number of lines of a segmented fit; 0 lets the data decide")
	flags.Var(&o.rtt, "rtt", "round-trip `time` that goes with a signature, for L")
	flags.IntVar(&o.bootstrap, "bootstrap", 0, "intervals from this many resampled fits too")
	flags.Uint64Var(&o.seed, "seed", 1, "of the random numbers of --bootstrap")
	flags.StringVar(&o.save, "save", "", "write a platform to this `file`, for predict and plot")
	flags.StringVar(&o.plot, "plot", "", "draw points, lines and residuals into this `file` (png, svg, pdf)")
	flags.StringVar(&o.compare, "compare", "", "tell what is different in this other `file`")
	declareSize(cmd, &o.width, &o.height)
	return cmd
}

func (o *fitOptions) check(cmd *cobra.Command) error {
	flags := cmd.Flags()
	if o.trace.X == "" != (o.trace.Y == "") {
		return usagef("--x and --y go together: the columns of size and time")
	}
	if flags.Changed("segments") {
		if o.segments < 1 {
			return usagef("--segments %d: give 1 or more; without it the data decide", o.segments)
		}
		if !flags.Changed("model") {
			o.model.value = "segmented"
		} else if o.model.value != "segmented" {
			return usagef("--segments is for --model segmented, not %s", o.model.value)
		}
	}
	if flags.Changed("method") {
		if !flags.Changed("model") {
			o.model.value = "linear"
		} else if o.model.value != "linear" && o.model.value != "pipeline" {
			return usagef("--method is for --model linear or pipeline, not %s", o.model.value)
		}
	}
	if flags.Changed("rtt") && o.model.value != "logp" {
		return usagef("--rtt is for --model logp, not %s", o.model.value)
	}
	if o.bootstrap < 0 || o.bootstrap > fit.MaxBootstrap {
		return usagef("--bootstrap %d: give 0 to %d", o.bootstrap, fit.MaxBootstrap)
	}
	return nil
}

// A source is a table with the file it is of.
type source struct {
	file  *trace.File
	table *trace.Table
	alone bool // nothing else is read: a remark need not say what it is about
}

// name is the file and, if it has several tables, the table.
func (s source) name() string {
	if len(s.file.Tables) == 1 {
		return s.file.Name
	}
	return s.file.Name + ": " + s.table.Name()
}

// about is a remark about the table.
func (s source) about(format string, args ...any) string {
	text := fmt.Sprintf(format, args...)
	if s.alone {
		return text
	}
	return s.name() + ": " + text
}

// when is the date of the file, so that what is saved of it says how old it is.
func (s source) when() string {
	info, err := os.Stat(s.file.Name)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return " of " + info.ModTime().UTC().Format(time.DateOnly)
}

func readSources(w io.Writer, paths []string, o trace.Options) ([]source, error) {
	var sources []source
	for _, path := range paths {
		progress, done := readingProgress(w, path)
		o.Progress = progress
		file, err := trace.Open(path, o)
		done()
		if err != nil {
			return nil, err
		}
		for i := range file.Tables {
			sources = append(sources, source{file, &file.Tables[i], len(paths) == 1 && len(file.Tables) == 1})
		}
	}
	return sources, nil
}

func tables(sources []source) []*trace.Table {
	all := make([]*trace.Table, len(sources))
	for i, s := range sources {
		all[i] = s.table
	}
	return all
}

// readNotes are the doubts about the files themselves.
func readNotes(sources []source) []string {
	var notes []string
	seen := map[*trace.File]bool{}
	for _, s := range sources {
		if !seen[s.file] {
			seen[s.file] = true
			for _, w := range s.file.Warnings {
				notes = append(notes, s.file.Name+": "+w)
			}
			for _, n := range s.file.Notes {
				notes = append(notes, s.file.Name+": "+n)
			}
			if s.file.Skipped > 0 {
				notes = append(notes, fmt.Sprintf("%s: %d of %d lines are no part of a table and were skipped", s.file.Name, s.file.Skipped, s.file.Lines))
			}
		}
		for _, w := range s.table.Warnings {
			notes = append(notes, s.about("%s", w))
		}
	}
	return notes
}

func runFit(paths []string, o fitOptions) (reports.Rows, error) {
	sources, err := readSources(o.progress, paths, o.trace)
	if err != nil {
		return reports.Rows{}, err
	}
	var rows reports.Rows
	switch o.model.value {
	case "loggp":
		rows, err = fitLogGP(sources, o)
	case "logp":
		rows, err = fitLogP(sources, o)
	case "pipeline":
		rows, err = fitPipeline(sources, o)
	case "end-to-end":
		rows, err = fitEndToEnd(sources, o)
	default:
		rows, err = fitCurves(sources, o)
	}
	rows.Notes = append(readNotes(sources), rows.Notes...)
	return rows, err
}

// A curve is a fit of time against size.
type curve struct {
	source
	*fit.Result
	boot *fit.Bootstrap
}

// fitAll fits every table that is one of times against sizes. It is an error if none is.
func fitAll(sources []source, o fitOptions) (curves []curve, notes []string, err error) {
	var first error
	for _, s := range sources {
		r, err := fitOne(s.table, o)
		if err == nil {
			c := curve{source: s, Result: r}
			if o.bootstrap > 0 {
				c.boot, err = r.Bootstrap(o.bootstrap, o.seed)
			}
			if err == nil {
				curves = append(curves, c)
				continue
			}
		}
		err = fmt.Errorf("%s: %w", s.name(), err)
		if first == nil {
			first = err
		}
		notes = append(notes, "left out: "+err.Error())
	}
	if len(curves) == 0 {
		return nil, nil, first
	}
	return curves, notes, nil
}

func fitOne(t *trace.Table, o fitOptions) (*fit.Result, error) {
	switch o.model.value {
	case "linear":
		return fit.Linear(t, fit.Method(o.method.value))
	case "segmented":
		return fit.Segmented(t, o.segments)
	case "switch":
		return fit.Switch(t)
	case "per-size":
		return fit.PerSize(t)
	}
	return fit.Auto(t)
}

func fitCurves(sources []source, o fitOptions) (reports.Rows, error) {
	curves, notes, err := fitAll(sources, o)
	if err != nil {
		return reports.Rows{}, err
	}
	var rows reports.Rows
	if o.compare != "" {
		others, err := readSources(o.progress, []string{o.compare}, o.trace)
		if err != nil {
			return reports.Rows{}, err
		}
		after, more, err := fitAll(others, o)
		if err != nil {
			return reports.Rows{}, err
		}
		notes = append(notes, more...)
		if rows, err = changeRows(curves, after); err != nil {
			return reports.Rows{}, err
		}
	} else {
		rows = curveRows(curves, o.bootstrap > 0)
	}
	rows.Notes = append(notes, rows.Notes...)
	if o.save != "" {
		if err := savePlatform(o.save, curvesText(curves)); err != nil {
			return reports.Rows{}, err
		}
	}
	if o.plot != "" {
		return rows, plotCurves(curves, o)
	}
	return rows, nil
}

func percentText(v any) string { return fmt.Sprintf("%.2g %%", v) }

func perKiB(t quantity.MicrosPerByte) float64 { return float64(t) * float64(quantity.KiB) }

func curveRows(curves []curve, boot bool) reports.Rows {
	rows := reports.Rows{Columns: []reports.Column{
		{Head: "table"}, {Key: "file"}, {Key: "format", Head: "format"}, {Key: "model", Head: "model"},
		{Key: "segment", Head: "segment"}, {Key: "from_bytes", Head: "from"}, {Key: "to_bytes", Head: "to"}, {Key: "points", Head: "points"},
		{Head: "β in µs (95 %)"}, {Key: "beta_us"}, {Key: "beta_low_us"}, {Key: "beta_high_us"},
		{Head: "τ in µs/KiB (95 %)"}, {Key: "tau_us_per_kib"}, {Key: "tau_low_us_per_kib"}, {Key: "tau_high_us_per_kib"},
		{Key: "median_error_percent", Head: "median error", Text: percentText}, {Key: "p95_error_percent", Head: "95th perc.", Text: percentText},
		{Key: "worst_error_percent"}, {Key: "r2"}, {Key: "r_inf_mb_s", Head: "r∞"}, {Key: "n_half_bytes", Head: "n½"},
		{Key: "title"}, {Key: "kind"}, {Key: "method"},
	}}
	if boot {
		for _, key := range []string{"beta_boot_low_us", "beta_boot_high_us", "tau_boot_low_us_per_kib", "tau_boot_high_us_per_kib"} {
			rows.Columns = append(rows.Columns, reports.Column{Key: key})
		}
		rows.Columns = append(rows.Columns, reports.Column{Head: "β, bootstrap"}, reports.Column{Head: "τ, bootstrap"})
	}
	for _, c := range curves {
		for i := range c.Segments {
			s := &c.Segments[i]
			row := []any{tableName(c.source, curves), c.file.Name, c.table.Format, c.Model, i + 1, s.From, s.To, s.Points,
				interval(float64(s.Beta.Value), float64(s.Beta.Low), float64(s.Beta.High)), s.Beta.Value, s.Beta.Low, s.Beta.High,
				interval(perKiB(s.Tau.Value), perKiB(s.Tau.Low), perKiB(s.Tau.High)), perKiB(s.Tau.Value), perKiB(s.Tau.Low), perKiB(s.Tau.High),
				100 * s.Median, 100 * s.P95, 100 * s.Worst, s.R2, s.RInf(), s.NHalf(), c.table.Name(), c.Kind.String(), c.Method}
			if boot {
				b, t := c.boot.Beta[i], c.boot.Tau[i]
				row = append(row, b.Low, b.High, perKiB(t.Low), perKiB(t.High),
					interval(float64(b.Value), float64(b.Low), float64(b.High)), interval(perKiB(t.Value), perKiB(t.Low), perKiB(t.High)))
			}
			rows.Data = append(rows.Data, row)
		}
		rows.Notes = append(rows.Notes, curveNotes(c)...)
	}
	return rows
}

// tableName is short: the file's base name, or the table's if all are of one file.
func tableName(s source, all []curve) string {
	for _, c := range all {
		if c.file != s.file {
			return filepath.Base(s.name())
		}
	}
	return s.table.Name()
}

func curveNotes(c curve) []string {
	var notes []string
	say := func(format string, args ...any) {
		notes = append(notes, c.about(format, args...))
	}
	if len(c.Segments) > 1 && c.Model != "table" {
		say("over all sizes: median error %.2g %%, 95th percentile %.2g %%, worst %.2g %% at %s; a boundary size belongs to the lower segment",
			100*c.Median, 100*c.P95, 100*c.Worst, c.WorstAt)
	}
	for i, b := range c.Breaks {
		within := fmt.Sprintf("%s to %s", b.Low, b.High)
		if b.Low == b.High {
			within = "no other size fits"
		}
		say("segment %d ends at %s (95 %%: %s), with a jump of %s µs", i+1, b.At, within,
			interval(float64(b.Jump.Value), float64(b.Jump.Low), float64(b.Jump.High)))
	}
	if len(c.Tried) > 1 {
		words := make([]string, len(c.Tried))
		for i, t := range c.Tried {
			words[i] = fmt.Sprintf("%s %.2g %%", strings.TrimSuffix(t.Model+" "+t.Method, " "), 100*t.Error)
			if t.Chosen {
				words[i] += " (chosen)"
			}
		}
		say("mean error in predicting sizes left out: %s", strings.Join(words, ", "))
	}
	for _, w := range c.Warnings {
		say("%s", w)
	}
	return notes
}

// interval prints a value with its interval, "9.05 (8.80 to 9.30)".
func interval(v, low, high float64) string {
	return fmt.Sprintf("%.4g (%.4g to %.4g)", v, low, high)
}

func changeRows(before, after []curve) (reports.Rows, error) {
	rows := reports.Rows{Columns: []reports.Column{
		{Key: "file", Head: "before"}, {Key: "other", Head: "after"}, {Key: "from_bytes", Head: "from"}, {Key: "to_bytes", Head: "to"},
		{Head: "β, change in µs (95 %)"}, {Key: "beta_change_us"}, {Key: "beta_change_low_us"}, {Key: "beta_change_high_us"}, {Key: "beta_real", Head: "real"},
		{Head: "τ, change in µs/KiB (95 %)"}, {Key: "tau_change_us_per_kib"}, {Key: "tau_change_low_us_per_kib"}, {Key: "tau_change_high_us_per_kib"}, {Key: "tau_real", Head: "real"},
		{Key: "time_ratio", Head: "time"}, {Key: "time_real", Head: "real"},
	}}
	if len(before) != len(after) {
		return rows, fmt.Errorf("--compare: %d tables before and %d after; give files with the same tables", len(before), len(after))
	}
	for i, b := range before {
		a := after[i]
		changes, err := fit.Compare(b.Result, a.Result)
		if err != nil {
			return rows, fmt.Errorf("--compare: %s and %s: %w", b.name(), a.name(), err)
		}
		for _, c := range changes {
			rows.Data = append(rows.Data, []any{b.name(), a.name(), c.From, c.To,
				interval(float64(c.Beta.Value), float64(c.Beta.Low), float64(c.Beta.High)), c.Beta.Value, c.Beta.Low, c.Beta.High, c.BetaReal,
				interval(perKiB(c.Tau.Value), perKiB(c.Tau.Low), perKiB(c.Tau.High)), perKiB(c.Tau.Value), perKiB(c.Tau.Low), perKiB(c.Tau.High), c.TauReal,
				c.Time, c.TimeReal})
		}
	}
	rows.Notes = []string{"A change is real if its 95 % interval does not hold 0: of 20 that are nothing, one is real by chance. The ratio of times is at the middle of the range."}
	return rows, nil
}

// parameterRows are the rows of the models that are not curves over sizes.
func parameterRows() reports.Rows {
	return reports.Rows{Columns: []reports.Column{
		{Key: "file", Head: "table"}, {Key: "model", Head: "model"}, {Key: "parameter", Head: "parameter"},
		{Head: "value (95 %)"}, {Key: "value"}, {Key: "low"}, {Key: "high"}, {Key: "unit", Head: "unit"},
	}}
}

func addEstimate[T ~float64](rows *reports.Rows, name, model, parameter string, e fit.Estimate[T], unit string, factor float64) {
	v, low, high := factor*float64(e.Value), factor*float64(e.Low), factor*float64(e.High)
	rows.Data = append(rows.Data, []any{name, model, parameter, interval(v, low, high), v, low, high, unit})
}

func names(sources []source) string {
	var all []string
	for _, s := range sources {
		all = append(all, filepath.Base(s.name()))
	}
	return strings.Join(all, ", ")
}

const kib = float64(quantity.KiB)

func fitLogGP(sources []source, o fitOptions) (reports.Rows, error) {
	r, err := fit.LogGP(tables(sources)...)
	if err != nil {
		return reports.Rows{}, err
	}
	rows := parameterRows()
	name := names(sources)
	if r.Separate {
		addEstimate(&rows, name, "loggp", "L", r.Latency, "us", 1)
		addEstimate(&rows, name, "loggp", "o_s", r.SendOverhead, "us", 1)
		addEstimate(&rows, name, "loggp", "o_r", r.ReceiveOverhead, "us", 1)
	} else {
		addEstimate(&rows, name, "loggp", "o_s + L + o_r", r.Sum, "us", 1)
	}
	addEstimate(&rows, name, "loggp", "g", r.Gap, "us", 1)
	addEstimate(&rows, name, "loggp", "G", r.GapPerByte, "us/KiB", kib)
	rows.Notes = r.Warnings
	l := r.Layer()
	return rows, saveParameters(o, sources, "loggp", [][2]string{
		{"o_s", us(l.SendOverhead)}, {"o_r", us(l.ReceiveOverhead)}, {"L", us(l.Latency)}, {"g", us(l.GapTime)}, {"G", usPerKiB(l.GapPerByte)}}, r.Warnings)
}

func fitLogP(sources []source, o fitOptions) (reports.Rows, error) {
	var signatures []source
	for _, s := range sources {
		if s.table.Kind == trace.Interval {
			signatures = append(signatures, s)
		}
	}
	if len(signatures) != 1 {
		return reports.Rows{}, fmt.Errorf("%s: %d signatures; --model logp takes one table of burst, delta and interval", names(sources), len(signatures))
	}
	r, err := fit.LogP(signatures[0].table, o.rtt.value)
	if err != nil {
		return reports.Rows{}, err
	}
	rows := parameterRows()
	name := names(signatures)
	addEstimate(&rows, name, "logp", "o_s", r.SendOverhead, "us", 1)
	addEstimate(&rows, name, "logp", "o_r", r.ReceiveOverhead, "us", 1)
	addEstimate(&rows, name, "logp", "L", r.Latency, "us", 1)
	addEstimate(&rows, name, "logp", "g", r.Gap, "us", 1)
	rows.Notes = r.Warnings
	l := r.Layer()
	return rows, saveParameters(o, signatures, "logp", [][2]string{
		{"o_s", us(l.SendOverhead)}, {"o_r", us(l.ReceiveOverhead)}, {"L", us(l.Latency)}, {"g", us(l.GapTime)}}, r.Warnings)
}

func fitPipeline(sources []source, o fitOptions) (reports.Rows, error) {
	results, pipe, err := fit.Stages(tables(sources), fit.Method(o.method.value))
	if err != nil {
		return reports.Rows{}, err
	}
	curves := make([]curve, len(results))
	for i, r := range results {
		curves[i] = curve{source: sources[i], Result: r}
	}
	rows := curveRows(curves, false)
	for i := range rows.Data {
		rows.Data[i][0] = results[i].Name
	}
	for _, n := range []quantity.Bytes{4 * quantity.KiB, 64 * quantity.KiB, 1024 * quantity.KiB} {
		size, t := pipe.BestPacket(n)
		rows.Notes = append(rows.Notes, fmt.Sprintf("%s go through these stages in %s, in packets of %s", n, t, size))
	}
	if o.save != "" {
		if err := savePlatform(o.save, pipelineText(curves)); err != nil {
			return reports.Rows{}, err
		}
	}
	if o.plot != "" {
		return rows, plotCurves(curves, o)
	}
	return rows, nil
}

func fitEndToEnd(sources []source, o fitOptions) (reports.Rows, error) {
	if o.save != "" || o.plot != "" {
		return reports.Rows{}, usagef("end-to-end times do not tell the single stages, so there is no platform to save and no curve to plot")
	}
	r, err := fit.EndToEnd(tables(sources)...)
	if err != nil {
		return reports.Rows{}, err
	}
	rows := parameterRows()
	name := names(sources)
	if r.Separate {
		addEstimate(&rows, name, "pipeline", "β of the bottleneck", r.Beta, "us", 1)
		addEstimate(&rows, name, "pipeline", "τ of the bottleneck", r.Tau, "us/KiB", kib)
		addEstimate(&rows, name, "pipeline", "Σβ", r.SumBeta, "us", 1)
		addEstimate(&rows, name, "pipeline", "Στ", r.SumTau, "us/KiB", kib)
	} else {
		addEstimate(&rows, name, "pipeline", "a packet in the bottleneck", r.Packet, "us", 1)
		addEstimate(&rows, name, "pipeline", "fill: a packet in the other stages", r.Fill, "us", 1)
	}
	rows.Notes = append([]string{fmt.Sprintf("median error %.2g %%, worst %.2g %% at %s", 100*r.Median, 100*r.Worst, r.WorstAt),
		"How the stages share the sums cannot be told from the times of whole messages."}, r.Warnings...)
	return rows, nil
}

// readingProgress is a progress bar for a large file, if w is a terminal.
func readingProgress(w io.Writer, path string) (progress func(int64), done func()) {
	const large = 20 << 20
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() < large {
		return nil, func() {}
	}
	bar := newProgress(w, info.Size(), 0, "bytes")
	last := int64(0)
	return func(n int64) { bar(n - last); last = n }, func() { bar(-1) }
}
