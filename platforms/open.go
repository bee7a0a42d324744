// Package platforms reads descriptions of message-passing systems: TOML files with layers, their
// cost models and parameters, and the source of each parameter. FORMAT.md in this folder describes
// the format.
//
// A platform is found by its name ("clip"), a layer by platform and layer ("clip/user-buffer"), a
// file by its path ("my.toml", "my.toml/eager").
package platforms

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model"
)

// Open returns the design that a platform's file describes, by its path, or that of an embedded
// platform, by its name; "/" and the name of a layer may follow, see [Platform.Design]. Its layer
// may have the times of a stream, an operation or a collective.
func Open(ref string) (Design, error) {
	p, layer, err := platformOf(ref)
	if err != nil {
		return Design{}, err
	}
	return p.Design(layer)
}

// Messages returns an error if the design has no times of messages.
func (d Design) Messages() error {
	l := d.Layer
	if l.Model == nil {
		var err error
		if l, err = d.Platform.Layer(d.Platform.Default); err != nil {
			return err
		}
	}
	return l.Messages()
}

// OfRanks returns the design that ranks run on. The layer of a file with measured collectives may
// have times of something else than messages, such as those of a collective on one number of ranks;
// it is left out.
func (d Design) OfRanks() (Design, error) {
	err := d.Messages()
	if err != nil && !d.named && len(d.Platform.Collectives) > 0 {
		d.Layer = Layer{}
		return d, nil
	}
	return d, err
}

// TellApart names designs of several files of one name with as much of their paths as tells them
// apart, as in "old/my" and "new/my". The designs are those of the references to platforms.
func TellApart(refs []string, designs []Design) {
	of := map[string][]int{} // the designs by the name of their platform
	for i, d := range designs {
		of[d.Platform.Name] = append(of[d.Platform.Name], i)
	}
	for name, same := range of {
		paths := make([]string, len(same))
		for k, i := range same {
			file, _ := splitRef(refs[i])
			paths[k] = name // an embedded one
			if path, err := filepath.Abs(file); err == nil && !IsEmbedded(refs[i]) {
				paths[k] = filepath.ToSlash(filepath.Join(filepath.Dir(path), name))
			}
		}
		for k, i := range same {
			designs[i].rename(apart(paths, paths[k]))
		}
	}
}

// apart returns the end of a path, from a folder on, that no other of the paths has.
func apart(paths []string, path string) string {
	parts := strings.Split(path, "/")
	for from := len(parts) - 1; from >= 0; from-- {
		end := strings.Join(parts[from:], "/")
		if !slices.ContainsFunc(paths, func(other string) bool {
			return other != path && strings.HasSuffix("/"+other, "/"+end)
		}) {
			return end
		}
	}
	return path
}

// rename gives the design's platform another name.
func (d *Design) rename(name string) {
	d.Platform.Name, d.Layer.Platform = name, name
	d.Platform.Layers = slices.Clone(d.Platform.Layers)
	for i := range d.Platform.Layers {
		d.Platform.Layers[i].Platform = name
	}
}

// find returns the platform that ref names, and the layer: the one it names or the default.
func find(ref string) (Platform, Layer, error) {
	p, layer, err := platformOf(ref)
	if err != nil {
		return Platform{}, Layer{}, err
	}
	l, err := p.Layer(cmp.Or(layer, p.Default))
	return p, l, err
}

// platformOf returns the platform that ref names, and the name of the layer, if it has one. An
// unknown name is an error that suggests a known one; a file that cannot be read or is invalid is
// an error with its place.
func platformOf(ref string) (p Platform, layer string, err error) {
	file, layer := splitRef(ref)
	// An embedded name wins, so that a folder called clip changes nothing; ./clip is the path.
	switch {
	case ref == "":
		err = errors.New("no platform: the name is empty; " +
			`"halfpeak platforms" lists the platforms`)
	case slices.Contains(names(), file):
		p, err = load(file)
	case looksLikeFile(file):
		p, err = readPlatform(file)
	default:
		hint := cmp.Or(kindHint(file), usage.NearFile(file, ".toml"),
			usage.Hint(file, names()), `; "halfpeak platforms" lists the platforms`)
		err = fmt.Errorf("no platform %q%s", file, hint)
	}
	return p, layer, err
}

// kindHint returns what to do with a name that is of a kind of model; "" if it is not.
func kindHint(name string) string {
	if !slices.ContainsFunc(model.Kinds, func(k *model.Kind) bool { return k.Name == name }) {
		return ""
	}
	return fmt.Sprintf("; it is a kind of model: write a file such as my.toml, with "+
		"model = %q and its parameters, as \"halfpeak fit\" saves them", name)
}

// All returns the platforms that come with halfpeak, in the order of name. An error is a fault
// of an embedded file.
func All() ([]Platform, error) {
	var all []Platform
	for _, name := range names() {
		p, err := load(name)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// IsEmbedded reports whether a reference is that of a platform that comes with halfpeak, or of a
// layer of it.
func IsEmbedded(ref string) bool {
	name, _, _ := strings.Cut(ref, "/")
	return slices.Contains(names(), name)
}

// splitRef splits "clip/pio" and "dir/my.toml/eager" into platform and layer.
func splitRef(ref string) (file, layer string) {
	// The last one: a folder may end in .toml as well.
	if i := strings.LastIndex(ref, ".toml/"); i >= 0 {
		return ref[:i+len(".toml")], ref[i+len(".toml/"):]
	}
	file, layer, ok := strings.Cut(ref, "/")
	if ok && (slices.Contains(names(), file) || !looksLikeFile(ref)) {
		return file, layer
	}
	return ref, ""
}

// looksLikeFile reports whether a name is a path: a wrong path then gives "no such file", and a
// misspelt platform a hint at its name.
func looksLikeFile(name string) bool {
	isPath := strings.HasPrefix(name, ".") || strings.HasPrefix(name, "/")
	if isPath || strings.HasSuffix(name, ".toml") {
		return true
	}
	_, err := os.Stat(name)
	return err == nil
}

// load returns an embedded platform.
func load(name string) (Platform, error) {
	if p, ok := loaded.Load(name); ok {
		return p.(Platform), nil
	}
	text, err := embedded.ReadFile(name + ".toml")
	if err != nil {
		return Platform{}, err
	}
	p, err := Parse(name, text)
	if err == nil {
		loaded.Store(name, p)
	}
	return p, err
}

// loaded caches the embedded platforms by name: reproduce finds one for each of hundreds of
// numbers. A Platform is never changed.
var loaded sync.Map

//go:embed *.toml
var embedded embed.FS

// names returns the names of the platforms that come with halfpeak, sorted.
func names() []string {
	// ReadDir sorts by file name, so that lists of platforms have the same order everywhere.
	files, err := embedded.ReadDir(".")
	if err != nil {
		panic(err) // embedded: cannot fail
	}
	return list.Map(files, func(f fs.DirEntry) string {
		return strings.TrimSuffix(f.Name(), ".toml")
	})
}
