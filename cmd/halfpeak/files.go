package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/halfpeak/halfpeak"
	"github.com/halfpeak/halfpeak/internal/atomicfile"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/platforms"
)

// saved returns a line about the files that flags of cmd name and that were written since the last
// call, with the command that asks the last of them; empty: none was.
func saved(cmd *cobra.Command) string {
	finished := atomicfile.Finished()
	var names []string
	next := ""
	cmd.Flags().Visit(func(f *pflag.Flag) {
		path := f.Value.String()
		if _, writes := f.Annotations[writesFile]; !writes || !slices.Contains(finished, path) {
			return
		}
		names = append(names, usage.ShellLine(path))
		command := nextCommand(f.Name, path)
		if machine := cmd.Flags().Lookup("machine"); command != "" && machine != nil &&
			machine.Value.Type() == "string" && machine.Changed {
			command += " " + usage.ShellLine("--machine", machine.Value.String())
		}
		if command != "" {
			next = "; next: " + command
		}
	})
	if len(names) == 0 {
		return ""
	}
	return "saved " + strings.Join(names, " and ") + next
}

// nextCommand returns the command that most users need next for the file of a flag; empty: none.
func nextCommand(flag, path string) string {
	switch ext := extension(path); {
	case flag == "trace":
		return "open it at https://ui.perfetto.dev"
	case ext == "html" || ext == "htm":
		return "open it in a browser"
	case ext == "goal" || ext == "bin":
		return usage.ShellLine("halfpeak", "simulate", path)
	case flag != saveFlag:
		return ""
	}
	d, err := halfpeak.Open(path)
	p, l := d.Platform, d.Layer
	switch {
	case len(p.Collectives) > 0:
		c := p.Collectives[len(p.Collectives)-1]
		words := []string{"halfpeak", "collective", c.Of.Collective, path}
		if nodes := nodesOf(c); nodes > 1 {
			words = append(words, "--nodes", fmt.Sprint(2*nodes))
		}
		return usage.ShellLine(words...)
	case err != nil || l.Timed.Of == platforms.Operation:
		return ""
	}
	return usage.ShellLine("halfpeak", "predict", path)
}

// nodesOf returns the largest number of nodes that a collective was measured on; 0: not known.
func nodesOf(c platforms.MeasuredCollective) (most int) {
	for i, per := range c.PerNode {
		if per > 0 {
			most = max(most, c.Ranks[i]/per)
		}
	}
	return most
}

// extension returns the extension of a file's name in lower case, without its point:
// some systems write FIGURE.PNG.
func extension(path string) string {
	return strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), ".")
}

// writesFile is the annotation of the flags that name a file to write. Annotations
// are pflag's place for what it does not need itself; so reserveOutputs finds the
// flags of all commands without a list of their names.
const writesFile = "writes a file"

// outputFlag declares a flag that names a file to write.
func outputFlag(f *pflag.FlagSet, to *string, name, short, help string) {
	f.StringVarP(to, name, short, "", help)
	f.Lookup(name).Annotations = map[string][]string{writesFile: nil}
}

// reserveOutputs declares the files that a command writes, so that it cannot read them: "halfpeak
// fit me.csv -o me.csv" would replace hours of measurement. A name is checked before anything is
// computed.
func reserveOutputs(cmd *cobra.Command) error {
	var paths []string
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if _, writes := f.Annotations[writesFile]; writes {
			paths = append(paths, f.Value.String())
		}
	})
	if f := cmd.Flags().Lookup(saveFlag); f != nil && f.Changed {
		if err := checkSave(f.Value.String()); err != nil {
			return err
		}
	}
	return atomicfile.Reserve(paths)
}

// savePlatform writes a platform file, if one is asked for. The platform is encoded
// first: if that fails, nothing is written.
func savePlatform[T ~string | ~[]byte](path string, encode func() (T, error)) error {
	if path == "" {
		return nil
	}
	text, err := encode()
	if err != nil {
		return err
	}
	return atomicfile.Write(path, written(text))
}

// saveFlag is the name of the flag that writes a platform.
const saveFlag = "save"

// checkSave returns an error unless path ends in .toml: other commands take a name with this
// extension for a file, and one without for a built-in platform. A file that a person wrote is not
// replaced either.
func checkSave(path string) error {
	if filepath.Ext(path) != ".toml" {
		return usagef("--save %q: a platform file ends with .toml", path)
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return nil
	}
	f, err := atomicfile.Open(path)
	if err != nil {
		return atomicfile.FileError(path, err)
	}
	defer f.Close()
	const ours = "# " + platforms.WrittenBy
	head := make([]byte, len(ours))
	if _, err := io.ReadFull(f, head); err != nil || string(head) != ours {
		return usagef("--save %q: this file is not replaced, since it does not begin with %q; "+
			"choose another name", path, strings.TrimSpace(ours))
	}
	return nil
}

// written returns a function that writes a text, as writers of files take it.
func written[T ~string | ~[]byte](text T) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write([]byte(text))
		return err
	}
}

// sameFile reports whether two paths are those of one file, however they are spelt.
func sameFile(a, b string) bool {
	first, errA := os.Stat(a)
	second, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(first, second)
}
