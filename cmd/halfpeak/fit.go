package main

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/fit/trace"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
)

type fitOptions struct {
	trace         trace.Options
	method        choice
	save, plot    string
	width, height int
}

func newFit() *cobra.Command {
	var out output
	var o fitOptions
	cmd := &cobra.Command{
		Use:   "fit FILE…",
		Short: "Parameters with intervals from the output of a benchmark",
		Long: `Fit reads what a benchmark printed and gives the parameters behind it, with 95 %
confidence intervals and with how well they predict. "-" is standard input.

It reads ` + trace.Known + `.`,
		Example: `  halfpeak fit netpipe.out
  halfpeak fit times.csv --x size:KiB --y time:ms --save my.toml --plot fit.png`,
		Args: wantArgs(1, -1, `at least one file of a benchmark's output, as in "halfpeak fit np.out"`),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.trace.X == "" && o.trace.Y != "" || o.trace.X != "" && o.trace.Y == "" {
				return usagef("--x and --y go together: the columns of size and time")
			}
			fits, err := runFits(args, o)
			if err != nil {
				return err
			}
			if o.save != "" {
				if err := saveFit(o.save, fits); err != nil {
					return err
				}
			}
			if o.plot != "" {
				if err := plotFit(o, fits); err != nil {
					return err
				}
			}
			return out.write(cmd, fitRows(fits))
		},
	}
	out.declare(cmd)
	enum(cmd, &o.method, "method", "least squares of relative or of absolute errors", string(fit.Relative), string(fit.Ordinary))
	cmd.Flags().StringVar(&o.trace.X, "x", "", "`column` of the sizes in a CSV, by name or number, as in \"size:KiB\"")
	cmd.Flags().StringVar(&o.trace.Y, "y", "", "`column` of the times in a CSV, as in \"time:ms\"")
	cmd.Flags().StringVar(&o.save, "save", "", "write a platform to this `file`, for predict and plot")
	cmd.Flags().StringVar(&o.plot, "plot", "", "draw points and line into this `file` (png, svg, pdf)")
	declareSize(cmd, &o.width, &o.height)
	return cmd
}

// A fitted is a fit with the file that it is of.
type fitted struct {
	file   *trace.File
	table  *trace.Table
	result *fit.Result
}

func runFits(paths []string, o fitOptions) ([]fitted, error) {
	var fits []fitted
	for _, path := range paths {
		file, err := trace.Open(path, o.trace)
		if err != nil {
			return nil, err
		}
		for i := range file.Tables {
			table := &file.Tables[i]
			result, err := fit.Linear(table, fit.Method(o.method.value))
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", path, table.Name(), err)
			}
			fits = append(fits, fitted{file, table, result})
		}
	}
	return fits, nil
}

func fitRows(fits []fitted) reports.Rows {
	percent := func(v any) string { return fmt.Sprintf("%.2g %%", v) }
	rows := reports.Rows{Columns: []reports.Column{
		{Head: "file"}, {Key: "file"}, {Key: "format", Head: "format"}, {Key: "title"}, {Key: "model", Head: "model"}, {Key: "method"},
		{Key: "segment"}, {Key: "from_bytes", Head: "from"}, {Key: "to_bytes", Head: "to"}, {Key: "points", Head: "points"},
		{Head: "β (95 %)"}, {Key: "beta_us"}, {Key: "beta_low_us"}, {Key: "beta_high_us"},
		{Head: "τ in µs/KiB (95 %)"}, {Key: "tau_us_per_kib"}, {Key: "tau_low_us_per_kib"}, {Key: "tau_high_us_per_kib"},
		{Key: "median_error_percent", Head: "median error", Text: percent}, {Key: "p95_error_percent", Head: "95th perc.", Text: percent},
		{Key: "worst_error_percent"}, {Key: "r2", Head: "r²"}, {Key: "r_inf_mb_s", Head: "r∞"}, {Key: "n_half_bytes", Head: "n½"},
	}}
	tau := func(t quantity.MicrosPerByte) float64 { return float64(t) * float64(quantity.KiB) }
	noted := map[*trace.File]bool{}
	for _, f := range fits {
		for i := range f.result.Segments {
			s := &f.result.Segments[i]
			rows.Data = append(rows.Data, []any{filepath.Base(f.file.Name), f.file.Name, f.table.Format, f.table.Name(), f.result.Model, f.result.Method,
				i + 1, s.From, s.To, s.Points,
				interval(float64(s.Beta.Value), float64(s.Beta.Low), float64(s.Beta.High)) + " µs", s.Beta.Value, s.Beta.Low, s.Beta.High,
				interval(tau(s.Tau.Value), tau(s.Tau.Low), tau(s.Tau.High)), tau(s.Tau.Value), tau(s.Tau.Low), tau(s.Tau.High),
				100 * s.Median, 100 * s.P95, 100 * s.Worst, s.R2, s.RInf(), s.NHalf()})
		}
		warn := func(texts []string) {
			for _, w := range texts {
				rows.Notes = append(rows.Notes, f.file.Name+": "+w)
			}
		}
		if !noted[f.file] {
			noted[f.file] = true
			warn(f.file.Warnings)
			if f.file.Skipped > 0 {
				warn([]string{fmt.Sprintf("%d of %d lines are no part of a table and were skipped", f.file.Skipped, f.file.Lines)})
			}
		}
		warn(f.table.Warnings)
		warn(f.result.Warnings)
	}
	return rows
}

// interval prints a value with its interval, "9.05 (8.80 to 9.30)".
func interval(v, low, high float64) string {
	return fmt.Sprintf("%.4g (%.4g to %.4g)", v, low, high)
}

// saveFit writes a platform with a layer for each fit.
func saveFit(path string, fits []fitted) error {
	if ext := filepath.Ext(path); ext != ".toml" {
		return usagef("--save %s: a platform file ends with .toml", path)
	}
	return reports.WriteFile(path, func(w io.Writer) error {
		_, err := io.WriteString(w, platformText(fits))
		return err
	})
}

func platformText(fits []fitted) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Written by halfpeak fit.\n\ntitle = %q\n", "fit of "+fits[0].file.Name)
	for i, f := range fits {
		s := &f.result.Segments[0]
		name := "fit"
		if len(fits) > 1 {
			name = fmt.Sprintf("fit-%d", i+1)
		}
		fmt.Fprintf(&b, "\n[layer.%s]\ntitle = %q\nmodel = \"linear\"\n", name, f.table.Name())
		fmt.Fprintf(&b, "beta = \"%sus\"\ntau = \"%sus/KiB\"\n", number(float64(s.Beta.Value)), number(float64(s.Tau.Value)*float64(quantity.KiB)))
		fmt.Fprintf(&b, "source = %q\n", fmt.Sprintf("%s, %s: least squares of %s errors over %d points from %s to %s", f.file.Name, f.table.Format, f.result.Method, s.Points, s.From, s.To))
		if len(f.result.Warnings) > 0 {
			fmt.Fprintf(&b, "note = %q\n", strings.Join(f.result.Warnings, ". "))
		}
	}
	return b.String()
}

// number prints 12 significant digits, as everything that programs read.
func number(v float64) string { return strings.TrimPrefix(fmt.Sprintf("%.12g", v), "+") }

// plotFit draws the points and the lines.
func plotFit(o fitOptions, fits []fitted) error {
	ext := filepath.Ext(o.plot)
	f := reports.Figure{
		Title: "Fit",
		X:     reports.Axis{Label: "message size", Scale: reports.Log, Bytes: true},
		Y:     reports.Axis{Label: "time (µs)", Scale: reports.Log},
		Notes: []string{"Points: measured. Lines: fitted."},
	}
	if len(fits) == 1 {
		f.Title = fmt.Sprintf("%s: %s fit, median error %.2g %%", filepath.Base(fits[0].file.Name), fits[0].result.Model, 100*fits[0].result.Median)
	}
	for _, fit := range fits {
		name := fit.table.Name()
		if len(fits) > 1 {
			name = filepath.Base(fit.file.Name) + " " + name
		}
		points := reports.Series{Name: name, Kind: reports.Points}
		line := reports.Series{Name: name, Kind: reports.Line}
		for _, p := range fit.result.Points {
			points.X, points.Y = append(points.X, float64(p.Size)), append(points.Y, float64(p.Time))
		}
		from, to := points.X[0], points.X[len(points.X)-1]
		for k := 0; ; k++ {
			n := from * math.Exp2(float64(k)/16)
			if n > to {
				break
			}
			line.X, line.Y = append(line.X, n), append(line.Y, float64(fit.result.Time(quantity.Bytes(n))))
		}
		f.Series = append(f.Series, line, points)
	}
	return reports.WriteFile(o.plot, func(w io.Writer) error { return f.WriteImage(w, ext, o.width, o.height) })
}
