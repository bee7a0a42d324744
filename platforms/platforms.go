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
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/nearest"
)

//go:embed *.toml
var embedded embed.FS

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
		return Platform{}, Layer{}, errors.New(`no platform: the name is empty; "halfpeak platforms" lists the platforms`)
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
			hint = `; "halfpeak platforms" lists the platforms`
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

// CollectivesOf returns the measured collectives of that name in a platform file, which may have no
// layer. It returns none if ref names a layer, or the file has none.
func CollectivesOf(ref, collective string) ([]MeasuredCollective, error) {
	file, layer := splitRef(ref)
	if layer != "" || slices.Contains(Names(), file) || !looksLikeFile(file) {
		return nil, nil
	}
	p, err := readFile(file)
	return slices.DeleteFunc(p.Collectives, func(c MeasuredCollective) bool { return c.Collective != collective }), err
}

// NamesLayer reports whether a reference names a layer of its platform, as in "my.toml/eager".
func NamesLayer(ref string) bool {
	_, layer := splitRef(ref)
	return layer != ""
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

// loaded caches the embedded platforms by name: reproduce finds one for each of hundreds of
// numbers. A Platform is never changed.
var loaded sync.Map

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

func (s *source) platform() (_ Platform, err error) {
	c := &composition{source: s, stages: map[string]stageSpec{}, layers: map[string]*layerSpec{}, slotAt: map[string]int{}}
	b := &builder{
		composition: c,
		p: &Platform{Name: strings.TrimSuffix(filepath.Base(s.file), ".toml"), Title: text(s.Keys, "title"), Paper: text(s.Keys, "paper"),
			Note: text(s.Keys, "note"), Places: map[string]Place{}, composition: c},
		protocols: map[string]Protocol{},
		measured:  map[string]*Measured{},
		constants: map[string]*scope{},
		written:   map[string]section{},
	}
	defer catch(&err)
	b.clock()
	b.constantTables()
	b.roofTables()
	b.stageTables()
	b.protocolTables()
	b.measuredTables()
	b.collectiveTables()
	b.layerTables()
	b.levelTables()
	return *b.p, nil
}
