package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/atomicfile"
	"github.com/halfpeak/halfpeak/internal/flags"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
)

type output struct {
	format choice
	path   string
	units  quantity.UnitChoice
	plain  bool // all notes repeat what CSV and JSON have in columns
}

// declare is declareFormat for a command that prints times or rates.
func (o *output) declare(cmd *cobra.Command) {
	o.declareFormat(cmd)
	declareUnit(cmd, &o.units)
}

// declareFormat declares the flags of the destination and of its format; more are formats beside
// those of all tables.
func (o *output) declareFormat(cmd *cobra.Command, more ...string) {
	optional(cmd, &o.format, "format",
		"output format (default: by the extension of the -o file, else text)",
		append(reports.TableFormats(), more...)...)
	cmd.Flags().VarP((*outputFile)(&o.path), "output", "o",
		"write to this `file`, whole or not at all")
}

func declareUnit(cmd *cobra.Command, u *quantity.UnitChoice) {
	flags.Var(cmd.Flags(), u, quantity.ParseUnits, "units", "unit", "",
		`units of rates and times, as in "Gbit/s" or "GB/s,ms"; "halfpeak help units" lists them`)
	complete(cmd, "unit", quantity.ChoosableUnits())
}

// formats are the formats that a file's extension stands for.
var formats = map[string]reports.TableFormat{"": reports.Text, "txt": reports.Text,
	"csv": reports.CSV, "json": reports.JSON, "md": reports.Markdown}

func extension(path string) string {
	return strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), ".")
}

func (o *output) kind() (reports.TableFormat, error) {
	if o.format.value != "" {
		return reports.TableFormat(o.format.value), nil
	}
	format, ok := formats[extension(o.path)]
	if info, err := os.Stat(o.path); !ok && err == nil && !info.Mode().IsRegular() {
		return reports.Text, nil // a pipe has no need of an ending
	}
	if !ok {
		return "",
			usagef("-o %q: unknown extension %q; use .txt, .md, .csv or .json, or choose with "+
				"--format", o.path, filepath.Ext(o.path))
	}
	return format, nil
}

func (o *output) forPeople() bool {
	format, err := o.kind()
	return err == nil && format != reports.CSV && format != reports.JSON
}

// write prints tables, one under the other: several are for people alone. Doubts go to stderr
// where the format has no place for them.
func (o *output) write(cmd *cobra.Command, tables ...reports.Rows) error {
	format, err := o.kind()
	if err != nil {
		return err
	}
	view := reports.Printer{Format: format, Units: o.units}
	write := func(w io.Writer) error {
		for i, rows := range tables {
			if i > 0 {
				fmt.Fprintln(w)
			}
			if err := view.Write(w, rows); err != nil {
				return err
			}
		}
		return nil
	}
	if o.path == "" {
		t := terminalOf(cmd.Context())
		view.Width, view.Color = t.Width, t.Color
	}
	if err = o.writeTo(cmd, write); err == nil && !o.plain &&
		(format == reports.CSV || format == reports.JSON) {
		for _, rows := range tables {
			for _, note := range rows.Notes {
				cmd.PrintErrln(note)
			}
		}
	}
	return err
}

func (o *output) writeTo(cmd *cobra.Command, write func(io.Writer) error) error {
	if o.path == "" {
		return write(cmd.OutOrStdout())
	}
	return atomicfile.Write(o.path, write)
}

func written[T ~string | ~[]byte](text T) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write([]byte(text))
		return err
	}
}

// outputFile is a flag that names a file to write.
type outputFile string

func (o *outputFile) Set(path string) error { *o = outputFile(path); return nil }

func (o *outputFile) String() string { return string(*o) }

func (o *outputFile) Type() string { return "string" }

// noInputIsOutput returns an error if a command would write over a file that it reads, or two
// results into one file. Names that are not files are ignored.
func noInputIsOutput(cmd *cobra.Command, args []string) (err error) {
	var outputs, inputs []string
	for _, a := range args {
		inputs = append(inputs, a, filepath.Dir(a)) // "my.toml/eager" is a layer of my.toml
		if within, err := benchfile.Files(a); err == nil {
			inputs = append(inputs, within...) // of a folder
		}
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if _, written := f.Value.(*outputFile); written {
			outputs = append(outputs, f.Value.String())
		} else {
			inputs = append(inputs, f.Value.String(), filepath.Dir(f.Value.String()))
			if within, err := benchfile.Files(f.Value.String()); err == nil && f.Name == "against" {
				inputs = append(inputs, within...)
			}
		}
	})
	for i, out := range outputs {
		if slices.Contains(outputs[:i], out) {
			return usagef("two results would be written to %q; choose two names", out)
		}
		info, err := os.Stat(out)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		for _, in := range inputs {
			if other, err := os.Stat(in); err == nil && os.SameFile(info, other) {
				return usagef("%q is also an input; choose another name for the output", out)
			}
		}
	}
	return nil
}

// plotting is the figure of a command that also prints a table.
type plotting struct {
	plot   string
	pixels pixels
}

func (p *plotting) declarePlot(cmd *cobra.Command, help string) {
	cmd.Flags().Var((*outputFile)(&p.plot), "plot", help)
	declarePixels(cmd, &p.pixels)
}

func (p *plotting) checkPlot() error {
	if p.plot != "" && !isImage(p.plot) {
		return usagef("--plot %q: no such kind of image; use .%s", p.plot,
			strings.Join(reports.ImageFormats(), ", ."))
	}
	return nil
}

func (p *plotting) draw(picture func() (reports.Picture, error)) error {
	if p.plot == "" {
		return nil
	}
	drawn, err := picture()
	if err != nil {
		return err
	}
	return drawTo(p.plot, drawn, p.pixels)
}

// pixels is the size of an image.
type pixels struct{ width, height int }

// Bounds of an image: in a smaller one labels cover the curves, and a larger one takes gigabytes.
const (
	minWidth, minHeight = 320, 240
	maxPixels           = 10000
)

func declarePixels(cmd *cobra.Command, to *pixels) {
	flags.Var(cmd.Flags(), to, parsePixels, "WIDTHxHEIGHT", "pixels", "800x500",
		"size of the image in pixels")
}

func parsePixels(text string) (p pixels, err error) {
	width, height, _ := strings.Cut(text, "x")
	p.width, err = strconv.Atoi(width)
	if err == nil {
		p.height, err = strconv.Atoi(height)
	}
	if err != nil || p.width < minWidth || p.height < minHeight ||
		max(p.width, p.height) > maxPixels {
		return p,
			fmt.Errorf("give WIDTHxHEIGHT from %dx%d to %dx%[3]d, as in 800x500", minWidth,
				minHeight, maxPixels)
	}
	return p, nil
}

func isImage(path string) bool {
	return slices.Contains(reports.ImageFormats(), extension(path))
}

func drawTo(path string, p reports.Picture, size pixels) error {
	if filepath.Ext(path) == "" {
		return usagef("%q: the name has no extension, which chooses the format; end it with .%s",
			path, strings.Join(reports.ImageFormats(), ", ."))
	}
	if !isImage(path) {
		return usagef("%q: no image format %q; use .%s, or -o with .csv, .json or .md for the "+
			"numbers", path, filepath.Ext(path), strings.Join(reports.ImageFormats(), ", ."))
	}
	return atomicfile.Write(path, func(w io.Writer) error {
		return reports.WriteImage(w, p, filepath.Ext(path), size.width, size.height)
	})
}

func savePlatform[T ~string | ~[]byte](path string, encode func() (T, error)) error {
	if err := checkSave(path); err != nil || path == "" {
		return err
	}
	text, err := encode()
	if err != nil {
		return err
	}
	return atomicfile.Write(path, written(text))
}

func checkSave(path string) error {
	if path != "" && filepath.Ext(path) != ".toml" {
		return usagef("--save %q: a platform file ends with .toml", path)
	}
	return nil
}
