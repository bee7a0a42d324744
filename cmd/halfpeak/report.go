package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak"
	"github.com/halfpeak/halfpeak/internal/atomicfile"
	"github.com/halfpeak/halfpeak/internal/flags"
	"github.com/halfpeak/halfpeak/internal/papers"
	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/internal/wasm"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/check"
	"github.com/halfpeak/halfpeak/reports/draw"
	"github.com/halfpeak/halfpeak/reports/page"
	thepapers "github.com/halfpeak/halfpeak/reports/papers"
	"github.com/halfpeak/halfpeak/reports/summary"
	"github.com/halfpeak/halfpeak/reports/table"
)

// newReport declares report. Its formats are those of documents, so it does not use
// output.declare.
func newReport() *cobra.Command {
	// 16 sizes for each doubling, as in plot, so that a report has the curves of plot.
	var asked summary.Question
	var out output
	cmd := command("report",
		wantArgs(1, -1, `at least one platform, as in "halfpeak report clip -o clip.html"`),
		func(cmd *cobra.Command, args []string) error {
			write, err := documentWriter(out.format, out.path)
			if err != nil {
				return err
			}
			if out.path == "" && out.format == "" && terminalOf(cmd.Context()).Width > 0 {
				return usagef("a report needs a file: -o report.html; --format markdown prints it")
			}
			if !cmd.Flags().Changed("size") {
				asked.Sizes = nil // those of the layers
			}
			asked.Refs = args
			doc, err := asked.Ask(cmd.Context())
			if err != nil {
				return err
			}
			return out.writeTo(cmd, func(w io.Writer) error { return write(doc, w) })
		})
	optional(cmd, &out.format, "format",
		"kind of file; by default, by the extension of the -o file", "html", "markdown")
	outputFlag(cmd.Flags(), &out.path, "output", "o",
		"write to this `file`, whole or not at all; without it Markdown is printed")
	declareSizes(cmd, &asked.Sizes, "size", "1..1MiB/16",
		"message sizes of the curves, by default to the largest measured if that is more")
	cmd.Flags().StringVar(&asked.Title, "title", "", "title of the report")
	return cmd
}

// documentWriter chooses the kind of document, before it is made: a slip in the name of the file is
// an error at once, and not after the computation. Markdown is what a terminal can show.
func documentWriter(format, path string) (func(table.Document, io.Writer) error, error) {
	if format == "" {
		switch ext := extension(path); {
		case ext == "html" || ext == "htm":
			format = "html"
		case ext == "md" || ext == "markdown" || path == "":
			format = "markdown"
		case ext == "pdf":
			return nil, usagef("-o %q: a report is .html or .md; for a PDF, write "+
				".html and print it from a browser (to PDF)", path)
		default:
			return nil,
				usagef("-o %q: unknown extension %q; use .html or .md, or choose with --format",
					path, filepath.Ext(path))
		}
	}
	if format == "html" {
		return func(d table.Document, w io.Writer) error { return draw.WriteHTML(w, d) }, nil
	}
	return table.Document.WriteMarkdown, nil
}

// newExplore declares explore. Arguments are optional: all platforms that come with
// halfpeak are in the page.
func newExplore() *cobra.Command {
	var path, title string
	cmd := command("explore", nil, func(cmd *cobra.Command, args []string) error {
		if path == "" {
			return usagef(`give a file for the page, as in "halfpeak explore clip -o page.html"`)
		}
		if ext := extension(path); ext != "html" && ext != "htm" {
			return usagef("-o %q: the page is a file that ends with .html, as in "+
				"\"halfpeak explore clip -o page.html\"", path)
		}
		start, err := startOf(args)
		if err != nil {
			return err
		}
		if start.Title = title; title == "" {
			start.Title = "halfpeak explorer"
		}
		ctx, stop := interruptible(cmd.Context())
		defer stop()
		// Released binaries contain the program; others compile it with Go, which
		// takes a while and says so.
		program, err := wasm.Program(ctx, func(text string) { cmd.PrintErrln(text) })
		if err != nil {
			return err
		}
		return atomicfile.Write(path, func(w io.Writer) error {
			return page.Write(w, program, start)
		})
	})
	outputFlag(cmd.Flags(), &path, "output", "o",
		"write to this `file`, whole or not at all")
	cmd.Flags().StringVar(&title, "title", "", "title of the page")
	return cmd
}

// startOf returns what the page shows first. Platforms that come with halfpeak are
// named, files are put into the page: it cannot read the disk. In the page a file has
// its base name, so two of one name are refused.
func startOf(refs []string) (page.Start, error) {
	start := page.Start{Version: flags.Version()}
	of := map[string]string{} // the paths of files by their names in the page
	for _, ref := range refs {
		// A reference is NAME, NAME/LAYER, FILE.toml or FILE.toml/LAYER. The path is what remains
		// without the layer.
		d, err := halfpeak.Open(ref)
		if err != nil {
			return start, err
		}
		p, l := d.Platform, d.Layer
		if l.Model == nil {
			return start, d.Messages()
		}
		if platforms.IsEmbedded(ref) {
			start.Show = append(start.Show, p.Name+"/"+l.Name)
			continue
		}
		file := strings.TrimSuffix(ref, "/"+l.Name)
		// Output of calibrate.c is put into the page as a platform's file too.
		name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)) + ".toml"
		switch before, known := of[name]; {
		case !known:
			// Written anew, the file has the layers that it takes from others, which the page
			// cannot read.
			text := p.Encode("")
			of[name] = file
			start.Platforms = append(start.Platforms,
				page.NewPlatform{Name: name, TOML: string(text)})
		// The same file again names another layer of it, and is in the page already.
		case !sameFile(before, file):
			return start,
				usagef("%q and %q have the same name, which must be unique in a page; rename one",
					before, file)
		}
		if d.Whole {
			start.Show = append(start.Show, name) // ranks run on all levels
			continue
		}
		start.Show = append(start.Show, name+"/"+l.Name)
	}
	return start, nil
}

// newReproduce declares reproduce. People get a summary, programs and --all every
// number. It ends with an error if a stated number is neither reproduced nor
// explained.
func newReproduce() *cobra.Command {
	out := output{plain: true}
	var asked thepapers.Question
	var plots string
	var all bool
	cmd := command("reproduce", wantArgs(0, 0, "no argument; --paper NAME selects a paper"),
		func(cmd *cobra.Command, _ []string) error {
			r, err := asked.Ask(cmd.Context())
			if err != nil {
				return err
			}
			// Pictures and rows come before the verdict, which they explain.
			if plots != "" {
				if err := drawFigures(cmd.Context(), plots); err != nil {
					return err
				}
			}
			tables := []table.Rows{r.Rows()}
			// Of a place each number is asked for.
			place := asked.Of != "" && !slices.ContainsFunc(papers.Names(), func(name string) bool {
				return strings.EqualFold(name, asked.Of)
			})
			if out.forPeople() && !all && !place {
				tables = r.Summary()
				last := &tables[len(tables)-1]
				last.Add(remark.AllRows())
			}
			if err := out.write(cmd, tables...); err != nil {
				return err
			}
			return r.Unexplained()
		})
	out.declare(cmd)
	cmd.Flags().StringVar(&plots, "plot", "", "draw the figures into this `folder`")
	cmd.Flags().StringVar(&asked.Of, "paper", "",
		"only this `paper`, or one of its places, as in \"CLIP table 5.1\"")
	cmd.Flags().BoolVar(&all, "all", false, "a row for each number")
	complete(cmd, "paper", papers.Names())
	return cmd
}

// drawFigures draws the figures of the papers into a folder, each under its name.
func drawFigures(ctx context.Context, folder string) error {
	figures, err := papers.Figures()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return fmt.Errorf("cannot make the folder %q: %w; choose another for --plot", folder, err)
	}
	for _, f := range figures {
		drawn, err := check.FigureQuestion{Figure: f}.Ask(ctx)
		if err != nil {
			return err
		}
		path := filepath.Join(folder, f.Name+".png")
		// Package reports chose its theme for pictures of this size.
		if err := drawTo(path, drawn.Picture, pixels{800, 500}, nil); err != nil {
			return err
		}
	}
	return nil
}
