package main

import (
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/internal/atomicfile"
	"github.com/halfpeak/halfpeak/study/fits"
)

// files writes the platform and the figure that were asked for.
func (o *fitOptions) files(cmd *cobra.Command, found *fits.Fitted) error {
	if o.save != "" {
		text, err := found.TOML()
		if err != nil {
			return err
		}
		if err := savePlatform(filesOf(cmd), o.save, text); err != nil {
			return err
		}
	}
	return o.draw(cmd, found.Picture)
}

// savePlatform writes the text of a platform file.
func savePlatform(files atomicfile.Files, path, text string) error {
	if filepath.Ext(path) != ".toml" {
		return usagef("--save %q: a platform file ends with .toml", path)
	}
	return files.Write(path, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}
