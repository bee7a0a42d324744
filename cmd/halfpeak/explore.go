package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/internal/atomicfile"
	"github.com/halfpeak/halfpeak/internal/release"
	"github.com/halfpeak/halfpeak/internal/wasm"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/page"
)

func newExplore() *cobra.Command {
	var path, title string
	cmd := &cobra.Command{
		Use:   "explore [PLATFORM…] -o FILE.html",
		Short: "One file to play with: the models under sliders, in a browser",
		Long: `Explore writes one HTML file with halfpeak's models in it, compiled to WebAssembly: curves
with a slider for every parameter, the pipeline packet by packet, maps of collectives,
and fits of benchmarks' files that are dropped on it. It opens from disk and by mail,
needs no network, and sends nothing anywhere. The platforms are shown first; files
of one's own are put into the page.

The WebAssembly is built by Go from halfpeak's own source, once, unless this program
was built with it inside.`,
		Example: `  halfpeak explore -o page.html
  halfpeak explore clip/user-buffer my.toml -o page.html`,
		ValidArgsFunction: completePlatforms,
		RunE: func(cmd *cobra.Command, args []string) error {
			if ext := strings.ToLower(filepath.Ext(path)); ext != ".html" && ext != ".htm" {
				return usagef(`-o %q: the page is a file that ends with .html, as in "halfpeak explore clip -o page.html"`, path)
			}
			start, err := startOf(args)
			if err != nil {
				return err
			}
			if start.Title = title; title == "" {
				start.Title = "halfpeak explorer"
			}
			ctx, stop := interruptible()
			defer stop()
			program, err := wasm.Program(ctx, func(text string) { cmd.PrintErrln(text) })
			if err != nil {
				return err
			}
			return filesOf(cmd).Write(path, func(w io.Writer) error { return page.Write(w, program, start) })
		},
	}
	cmd.Flags().VarP((*outputFile)(&path), "output", "o", "write to this `file`, whole or not at all")
	cmd.Flags().StringVar(&title, "title", "", "title of the page")
	return cmd
}

// startOf returns the start of a page with these platforms.
func startOf(refs []string) (page.Start, error) {
	start := page.Start{Version: release.Version()}
	of := map[string]string{} // the paths of files by their names in the page
	for _, ref := range refs {
		p, l, err := platforms.Find(ref)
		if err != nil {
			return start, err
		}
		file := strings.TrimSuffix(ref, "/"+l.Name)
		if filepath.Ext(file) != ".toml" {
			start.Show = append(start.Show, p.Name+"/"+l.Name)
			continue
		}
		name := filepath.Base(file)
		switch before, known := of[name]; {
		case !known:
			text, err := os.ReadFile(file)
			if err != nil {
				return start, atomicfile.FileError(file, err)
			}
			of[name] = file
			start.Platforms = append(start.Platforms, page.Platform{Name: name, TOML: string(text)})
		case before != file:
			return start, usagef("%q and %q have the same name, which must be unique in a page; rename one", before, file)
		}
		if !platforms.NamesLayer(ref) && len(p.Levels) > 0 {
			start.Show = append(start.Show, name) // ranks run on all levels
			continue
		}
		start.Show = append(start.Show, name+"/"+l.Name)
	}
	return start, nil
}
