package program

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"strings"

	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/usage"
)

//go:embed examples
var examples embed.FS

// Suffix is that of the names of programs' files.
const Suffix = ".star"

// Is reports whether a name is that of a file of a program.
func Is(name string) bool { return strings.HasSuffix(name, Suffix) }

// An Example is a program that the binary carries.
type Example struct {
	Name string // of its file, as in "halo.star"
	Text []byte
	Help string // what it does, from the comment at its beginning
}

// Examples returns the programs that the binary carries, by name.
func Examples() []Example {
	files, err := examples.ReadDir("examples")
	if err != nil {
		panic(err) // the folder is part of the binary
	}
	return list.Map(files, func(f fs.DirEntry) Example {
		text, err := examples.ReadFile("examples/" + f.Name())
		if err != nil {
			panic(err)
		}
		e := Example{Name: f.Name(), Text: text}
		for l := range strings.Lines(string(text)) {
			comment, is := strings.CutPrefix(l, "#")
			if !is {
				break
			}
			e.Help += strings.TrimSuffix(comment, "\n")
		}
		_, e.Help, _ = strings.Cut(e.Help, ": ")
		return e
	})
}

// FindExample returns the program of that name.
func FindExample(name string) (*Program, error) {
	all := Examples()
	for _, e := range all {
		if e.Name == name {
			return Read(context.Background(), e.Name, e.Text)
		}
	}
	return nil, fmt.Errorf("no program %q%s", name,
		usage.Hint(name, list.Map(all, func(e Example) string { return e.Name })))
}
