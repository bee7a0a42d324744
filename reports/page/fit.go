package page

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/reports/fits"
	"github.com/halfpeak/halfpeak/reports/table"
)

// Bounds of a benchmark's file, in bytes. WebAssembly has 4 GiB of memory, of which
// the base64 of the request, its bytes and the decompressed text need a part at the
// same time.
const (
	maxFile     = 64 << 20
	maxUnpacked = 256 << 20 // its contents, if it is compressed
)

// unpacked undoes gzip within bounds: a file of some KiB can hold gigabytes of zeros.
// A second layer of gzip is refused, since benchfile would undo it without a bound.
// If the file is cut off or damaged, unpacked returns the text up to there, and the
// error.
func unpacked(data []byte) ([]byte, error) {
	packed := func(b []byte) bool { return bytes.HasPrefix(b, []byte{0x1f, 0x8b}) }
	if !packed(data) {
		return data, nil
	}
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(r, maxUnpacked+1))
	if len(text) > maxUnpacked || packed(text) {
		return nil,
			fmt.Errorf("its contents are larger than %d MiB, or compressed twice; give the file "+
				"itself", maxUnpacked>>20)
	}
	return text, err
}

// fitFile fits a file. As in the command, a damaged file is fitted up to the damage,
// and the answer says so.
func fitFile(r fileRequest) (*fits.Answer, error) {
	if len(r.Data) > maxFile {
		return nil,
			fmt.Errorf("%q has %d MiB; at most %d are read here", r.Name, len(r.Data)>>20,
				maxFile>>20)
	}
	if r.Model != "" && !slices.Contains(fits.Models, r.Model) {
		return nil,
			fmt.Errorf("no model %.40q; choose one of %s", r.Model,
				strings.Join(fits.Models, ", "))
	}
	data, broken := unpacked(r.Data)
	if broken != nil {
		broken = fmt.Errorf("%q: %w", r.Name, broken)
		if len(data) == 0 {
			return nil, broken
		}
	}
	f, err := fits.Question{Text: bytes.NewReader(data), Name: fileName(r.Name),
		Options: fit.Options{Model: r.Model}, Saved: true}.AskTables()
	if err != nil {
		return nil, cmp.Or(broken, err) // the file is at fault before its contents
	}
	f.Broken = cmp.Or(broken, f.Broken)
	return f, nil
}

// fileName returns the last part of a name, as the command line would have it in the
// same folder. Browsers on Windows give paths with backslashes. It has at most 200
// bytes, since notes repeat it.
func fileName(name string) string {
	name = path.Base(strings.ReplaceAll(table.OneLine(name), `\`, "/"))
	if name == "." || name == "/" {
		return "file"
	}
	return name[:min(len(name), 200)]
}

// fit answers with all that the command prints, draws and saves. The platform is
// added at once, so that one click shows its sliders.
func (x *Explorer) fit(r fileRequest) (fitAnswer, error) {
	f, err := fitFile(r)
	if err != nil {
		return fitAnswer{}, err
	}
	a := fitAnswer{Fits: []fittedCurve{}}
	if a.Table, err = tableOf(f.Rows(), nil); err != nil {
		return a, err
	}
	if f.Broken != nil {
		a.Broken = f.Broken.Error()
	}
	for _, c := range f.Curves() {
		a.Fits = append(a.Fits, fitCurve(c))
	}
	// Parameters have no picture, which is no error here.
	if picture, err := f.Figure(); err == nil {
		stack := picture.(table.Stack)
		a.Curve, a.Residuals = &stack[0], &stack[1]
	}
	toml, err := f.TOML()
	if err != nil {
		a.Unsaved = err.Error()
		return a, nil
	}
	name := fileName(r.Name)
	added, err := x.add(NewPlatform{Name: strings.TrimSuffix(name, path.Ext(name)) + ".toml",
		TOML: toml})
	if err != nil {
		a.Unsaved = err.Error()
		return a, nil
	}
	a.TOML, a.Platform = toml, &added.Platforms[0]
	return a, nil
}

// fitCurve summarizes a curve. Warnings are a list also if there are none, as scripts
// expect.
func fitCurve(c fits.Curve) fittedCurve {
	a := fittedCurve{Name: c.Name, Format: c.Format, Model: c.Model, Points: len(c.Points),
		Warnings: append([]string{}, c.Warnings...)}
	for _, b := range c.Breaks {
		a.Breaks = append(a.Breaks, float64(b.At))
	}
	return a
}
