package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/internal/atomicfile"
	"github.com/halfpeak/halfpeak/internal/flags"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/draw"
	"github.com/halfpeak/halfpeak/reports/table"
)

// An output holds the file and the format of a command's tables. All commands share it, so that
// their flags are the same.
type output struct {
	format string
	path   string
	units  quantity.UnitChoice
	notes  bool // all of them, also at a terminal
	plain  bool // all notes repeat what CSV and JSON have in columns
}

// declare is declareFormat for a command that prints times or rates, whose units can
// be chosen.
func (o *output) declare(cmd *cobra.Command) {
	o.declareFormat(cmd)
	declareUnit(cmd, &o.units)
}

// declareFormat declares the flags of the destination and of its format; more are
// formats beside those of all tables. --format is optional: a file's extension says
// what its user wants.
func (o *output) declareFormat(cmd *cobra.Command, more ...string) {
	optional(cmd, &o.format, "format",
		"output format (default: by the extension of the -o file, else text)",
		append(table.TableFormats, more...)...)
	cmd.Flags().BoolVar(&o.notes, "notes", false, "print all notes and rows, also at a terminal")
	outputFlag(cmd.Flags(), &o.path, "output", "o",
		"write to this `file`, whole or not at all")
}

// declareUnit declares the flag of units. It changes what people read; keys of CSV
// and JSON fix their units.
func declareUnit(cmd *cobra.Command, u *quantity.UnitChoice) {
	flags.Var(cmd.Flags(), u, quantity.ParseUnits, "units", "unit", "",
		`units of rates and times, as in "Gbit/s" or "GB/s,ms"; "halfpeak help units" lists them`)
	complete(cmd, "unit", quantity.ChoosableUnits)
}

// formats are the formats that a file's extension stands for. A name without an
// extension is text, like standard output.
var formats = map[string]table.TableFormat{"": table.Text, "txt": table.Text,
	"csv": table.CSV, "json": table.JSON, "md": table.Markdown}

// pipeWidth is the width of text in a pipe: a pager or a log shows it to a person. Tests set it to
// 0, since lines that are not broken are easier to search.
var pipeWidth = 100

// kind returns the format of the tables: that of --format, or of the file's
// extension.
func (o *output) kind() (table.TableFormat, error) {
	if o.format != "" {
		return table.TableFormat(o.format), nil
	}
	format, ok := formats[extension(o.path)]
	if info, err := os.Stat(o.path); !ok && err == nil && !info.Mode().IsRegular() {
		return table.Text, nil // a pipe has no need of an ending
	}
	if !ok {
		return "",
			usagef("-o %q: unknown extension %q; use .txt, .md, .csv or .json, or choose with "+
				"--format", o.path, filepath.Ext(o.path))
	}
	return format, nil
}

// asTable reports whether the format or the extension of the file is that of a table, which a
// command with a form of its own does not write.
func (o *output) asTable() bool {
	format, known := formats[extension(o.path)]
	return o.format != "" || known && format != table.Text
}

// forPeople reports whether a person reads the output. Then a command may print
// several tables, leave out columns and choose what is important; CSV and JSON always
// have all rows in one table.
func (o *output) forPeople() bool {
	format, err := o.kind()
	return err == nil && format != table.CSV && format != table.JSON
}

// write prints tables, one under the other: several are for people alone. Doubts go
// to stderr where the format has no place for them: CSV and JSON must remain readable
// by programs, and a doubt must reach somebody.
func (o *output) write(cmd *cobra.Command, tables ...table.Rows) error {
	format, err := o.kind()
	if err != nil {
		return err
	}
	view := table.Printer{Format: format, Units: o.units}
	write := func(w io.Writer) error { return view.Write(w, tables...) }
	// In a file, lines may be of any length.
	if o.path == "" {
		t := terminalOf(cmd.Context())
		view.Width, view.Height, view.Color = cmp.Or(t.Width, pipeWidth), t.Height, t.Color
		if view.Width > 0 && !o.notes {
			view.Brief = "--notes"
		}
		view.Asked, view.Whole = o.asked(cmd)
		if t.Width > 0 && format == table.Text {
			view.Saved = saved(cmd)
		}
	}
	if err = o.writeTo(cmd, write); err == nil && !o.plain &&
		(format == table.CSV || format == table.JSON) {
		for _, rows := range tables {
			for _, note := range rows.Remarks() {
				cmd.PrintErrln(note)
			}
		}
	}
	return err
}

// asked reports whether sizes or numbers of ranks were asked for by value and not as a range, and
// whether algorithms were: then no height of a terminal is a reason to leave rows out.
func (o *output) asked(cmd *cobra.Command) (sizes, algorithms bool) {
	listed := func(name string) bool {
		f := cmd.Flags().Lookup(name)
		return f != nil && f.Changed && !strings.Contains(f.Value.String(), "..")
	}
	algorithms = listed("algorithm") &&
		!slices.Contains([]string{"all", "best"}, cmd.Flags().Lookup("algorithm").Value.String())
	return listed("size") || listed("ranks"), algorithms
}

// writeTo writes to the -o file, whole or not at all, or to standard output.
func (o *output) writeTo(cmd *cobra.Command, write func(io.Writer) error) error {
	if o.path == "" {
		return write(cmd.OutOrStdout())
	}
	return atomicfile.Write(o.path, write)
}

// plotting is the figure of a command that also prints a table. Both come from one
// computation, so that they show the same.
type plotting struct {
	plot   string
	pixels pixels
}

func (p *plotting) declarePlot(cmd *cobra.Command, help string) {
	outputFlag(cmd.Flags(), &p.plot, "plot", "", help)
	declarePixels(cmd, &p.pixels)
}

// checkPlot refuses an unknown kind of image before a long computation; drawTo would
// do so after it.
func (p *plotting) checkPlot() error {
	if p.plot != "" && !isImage(p.plot) {
		return usagef("--plot %q: no such kind of image; use .%s", p.plot,
			strings.Join(draw.ImageFormats, ", ."))
	}
	return nil
}

// draw writes the picture. It is passed as a function, since most commands are run
// without --plot.
func (p *plotting) draw(units quantity.UnitChoice,
	picture func() (table.Picture, error)) error {
	if p.plot == "" {
		return nil
	}
	drawn, err := picture()
	if err != nil {
		return err
	}
	return drawTo(p.plot, drawn, p.pixels, units)
}

// pixels is the size of an image.
type pixels struct{ width, height int }

// Bounds of an image: in a smaller one labels cover the curves, and a larger one takes gigabytes.
const (
	// Bounds of an image: in a smaller one labels cover the curves, and a larger one
	// takes gigabytes.
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
	return slices.Contains(draw.ImageFormats, extension(path))
}

// drawTo writes an image in the format of the name's extension. It refuses a name
// without extension, since -o also distinguishes images from tables by it.
func drawTo(path string, p table.Picture, size pixels, units quantity.UnitChoice) error {
	if filepath.Ext(path) == "" {
		return usagef("%q: the name has no extension, which chooses the format; end it with .%s",
			path, strings.Join(draw.ImageFormats, ", ."))
	}
	if !isImage(path) {
		return usagef("%q: no image format %q; use .%s, or -o with .csv, .json or .md for the "+
			"numbers", path, filepath.Ext(path), strings.Join(draw.ImageFormats, ", ."))
	}
	return atomicfile.Write(path, func(w io.Writer) error {
		return draw.WriteImage(w, p, filepath.Ext(path), size.width, size.height, units)
	})
}
