// Package platforms reads descriptions of message-passing systems: TOML files with layers, their
// cost models and parameters, and the source of each parameter. FORMAT.md in this folder describes
// the format.
//
// A platform is found by its name ("clip"), a layer by platform and layer ("clip/user-buffer"), a
// file by its path ("my.toml", "my.toml/eager").
package platforms

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/nearest"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

//go:embed *.toml
var embedded embed.FS

// A Platform is a message-passing system: layers with their parameters.
type Platform struct {
	Name      string // of the file, without .toml
	Title     string
	Paper     string  // where the numbers are from, as in "CLIP"
	Note      string  // remark for readers of the numbers
	Clock     float64 // of the host processor in MHz; 0 if the file does not say
	Constants []Param
	Stages    []Param          // of all pipelines
	Places    map[string]Place // of all stages
	Roofs     []Roof
	Layers    []Layer // in the order of the file, at least one, but for a file of Collectives
	Levels    []Level // from inside out; none: all pairs of ranks are equally far apart
	// Collectives are the measured ones, in the order of the file.
	Collectives []MeasuredCollective
	Notes       []string // about the file: former names in it
	Default     string   // the layer that the platform's name alone stands for
	built       *builder
}

// A Layer is a level of a platform with its cost model.
type Layer struct {
	Platform string
	Name     string
	Title    string
	Note     string
	Kind     string      // of model: "linear", "pipeline", …
	Model    model.Layer // a [model.Measured] if Measured is a curve
	Params   []Param     // its own; those of the layers it is made of are theirs
	Parts    []string    // the layers that it is made of
	Stages   []string    // the stages of a pipeline
	Roofs    []Roof      // that bound it, the lowest first
	Protocol Protocol    // how the engine runs it
	Timed    Timed       // subject of the model's times
	Measured *Measured   // what it was fitted to; nil if it does not say
	// Correlation of the errors of beta and tau, if the layer has both: −1 to 1.
	Correlation float64
	scope       quantity.Scope
	curve       func() (*measuredCurve, error)
}

// Ref is the layer's name together with its platform's: "clip/user-buffer".
func (l Layer) Ref() string { return l.Platform + "/" + l.Name }

// Eval computes a formula of the layer's parameters and the platform's constants; the model's
// predictions are functions (see FORMAT.md). The name n is the given size; n = 0 leaves it
// undefined. Known are additional names with their values.
func (l Layer) Eval(formula string, n quantity.Bytes, known ...Known) (quantity.Value, error) {
	return quantity.Eval(formula, func(name string, args []any) (quantity.Value, error) {
		for _, k := range known {
			if k.Name == name && args == nil {
				return k.Value, nil
			}
		}
		if name == "n" && args == nil && n > 0 {
			return quantity.Value{Num: float64(n), Dim: quantity.DimSize}, nil
		}
		return l.scope(name, args)
	})
}

// A Known is a name in a formula, with its value.
type Known struct {
	Name  string
	Value quantity.Value
}

// A Roof is a rate that the hardware cannot exceed.
type Roof struct {
	Name   string
	Rate   quantity.MBps
	Text   string // as in the file: "33MHz*32bit"
	Source string
}

// LowestRoof returns the lowest roof that the file states for the layer, and the layer's r∞ as a
// share of it; ok is false if the file states none. A share above 1 cannot be: then a parameter
// or the roof is wrong.
func (l Layer) LowestRoof() (roof Roof, share float64, ok bool) {
	if len(l.Roofs) == 0 {
		return Roof{}, 0, false
	}
	return l.Roofs[0], float64(model.Asymptote(l.Model) / l.Roofs[0].Rate), true
}

// Names returns the names of the platforms that come with halfpeak, sorted.
func Names() []string {
	files, err := embedded.ReadDir(".")
	if err != nil {
		panic(err) // embedded: cannot fail
	}
	return list.Map(files, func(f fs.DirEntry) string { return strings.TrimSuffix(f.Name(), ".toml") })
}

// Find returns the platform that ref names, and the layer: the one it names or the default.
func Find(ref string) (Platform, Layer, error) {
	if ref == "" {
		return Platform{}, Layer{}, errors.New(`no platform: the name is empty; "halfpeak platforms" lists what there is`)
	}
	var p Platform
	var err error
	file, layer := splitRef(ref)
	if slices.Contains(Names(), file) {
		p, err = load(file)
	} else if looksLikeFile(file) {
		p, err = readFile(file)
	} else {
		hint := nearest.Hint(file, Names())
		if hint == "" {
			hint = `; "halfpeak platforms" lists what there is`
		}
		err = fmt.Errorf("no platform %q%s", file, hint)
	}
	if err != nil {
		return Platform{}, Layer{}, err
	}
	if layer == "" {
		layer = p.Default
	}
	l, err := p.Layer(layer)
	return p, l, err
}

// NotesOf returns the notes of the platform files among the references, each once. Other
// references, and files that cannot be read, are skipped.
func NotesOf(refs ...string) []string {
	var notes []string
	for _, ref := range refs {
		if file, _ := splitRef(ref); !strings.HasSuffix(file, ".toml") {
			continue
		}
		p, _, err := Find(ref)
		if err != nil {
			continue
		}
		for _, note := range p.Notes {
			if !slices.Contains(notes, note) {
				notes = append(notes, note)
			}
		}
	}
	return notes
}

// splitRef splits "clip/pio" and "dir/my.toml/eager" into platform and layer.
func splitRef(ref string) (file, layer string) {
	if i := strings.LastIndex(ref, ".toml/"); i >= 0 {
		return ref[:i+len(".toml")], ref[i+len(".toml/"):]
	}
	if file, layer, ok := strings.Cut(ref, "/"); ok && (slices.Contains(Names(), file) || !looksLikeFile(ref)) {
		return file, layer
	}
	return ref, ""
}

func looksLikeFile(name string) bool {
	if strings.HasSuffix(name, ".toml") || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "/") {
		return true
	}
	_, err := os.Stat(name)
	return err == nil
}

// All returns the platforms that come with halfpeak, in the order of [Names].
func All() ([]Platform, error) {
	var all []Platform
	for _, name := range Names() {
		p, err := load(name)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// Layer returns the named layer.
func (p Platform) Layer(name string) (Layer, error) {
	if len(p.Layers) == 0 {
		return Layer{}, fmt.Errorf("platform %s has measured collectives and no layer; use \"halfpeak collective %s %s.toml\"", p.Name, p.Collectives[0].Collective, p.Name)
	}
	names := make([]string, len(p.Layers))
	for i, l := range p.Layers {
		if l.Name == name {
			return l, nil
		}
		names[i] = l.Name
	}
	return Layer{}, fmt.Errorf("platform %s has no layer %q%s", p.Name, name, nearest.Hint(name, names))
}

// loaded caches the embedded platforms by name: reproduce finds one for each of hundreds of
// numbers. A Platform is never changed.
var loaded sync.Map

func load(name string) (Platform, error) {
	if p, ok := loaded.Load(name); ok {
		return p.(Platform), nil
	}
	text, err := embedded.ReadFile(name + ".toml")
	if err != nil {
		return Platform{}, err
	}
	p, err := Parse(name+".toml", text)
	if err == nil {
		loaded.Store(name, p)
	}
	return p, err
}

// maxFile bounds the size of a platform file: a thousand times that of usual files.
const maxFile = 4 << 20

func readFile(path string) (Platform, error) {
	f, err := os.Open(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return Platform{}, fmt.Errorf("%s: no such file; give a platform's name (%s) or the path of a TOML file", path, strings.Join(Names(), ", "))
		}
		return Platform{}, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return Platform{}, fmt.Errorf("%s: is a directory; give the path of a TOML file", path)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return Platform{}, err
	}
	if len(text) > maxFile {
		return Platform{}, fmt.Errorf("%s: larger than 4 MiB; this is not a platform file", path)
	}
	return Parse(path, text)
}

// Parse reads a platform from the text of a file; file gives its name and stands in errors.
// An error gives file, line, column, the fault and what to do.
func Parse(file string, text []byte) (Platform, error) {
	d, err := decode(file, text)
	if err != nil {
		return Platform{}, err
	}
	return d.platform()
}
