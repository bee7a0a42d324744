// Package demo holds sample files to try the commands on, and the commands.
package demo

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/halfpeak/halfpeak/internal/atomicfile"
)

//go:embed files
var files embed.FS

// Commands is a script of questions, each as a comment above the command that answers it. They
// run in this order in the folder of [Write], since later ones read what earlier ones save.
//
//go:embed commands.sh
var Commands string

// Write makes the folder dir and writes the sample files into it. An existing folder is an error,
// so that nothing in it is replaced. After an error nothing is left of the new one.
func Write(dir string) error {
	if err := os.Mkdir(dir, 0o777); errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%q exists; give the name of a new folder", dir)
	} else if err != nil {
		return atomicfile.FileError(dir, err)
	}
	samples, err := fs.Sub(files, "files")
	if err != nil {
		return err
	}
	err = fs.WalkDir(samples, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(samples, name)
		if err != nil {
			return err
		}
		return atomicfile.Write(filepath.Join(dir, name), func(w io.Writer) error {
			_, err := w.Write(text)
			return err
		})
	})
	if err != nil {
		_ = os.RemoveAll(dir) // the error above is the one to report
	}
	return err
}
