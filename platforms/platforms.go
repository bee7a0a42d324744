// Package platforms reads descriptions of message-passing systems: TOML files with layers, their
// cost models and parameters, and the source of each parameter. FORMAT.md in this folder describes
// the format.
//
// A platform is found by its name ("clip"), a layer by platform and layer ("clip/user-buffer"), a
// file by its path ("my.toml", "my.toml/eager").
package platforms

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model"
)

// find returns the platform that ref names, and the layer: the one it names or the default. An
// unknown name is an error that suggests a known one; a file that cannot be read or is invalid is
// an error with its place.
func find(ref string) (Platform, Layer, error) {
	if ref == "" {
		return Platform{}, Layer{}, errors.New("no platform: the name is empty; " +
			`"halfpeak platforms" lists the platforms`)
	}
	var p Platform
	var err error
	file, layer := splitRef(ref)
	// An embedded name wins, so that a folder called clip changes nothing; ./clip is the path.
	if slices.Contains(names(), file) {
		p, err = load(file)
	} else if looksLikeFile(file) {
		p, err = readPlatform(file)
	} else {
		hint := cmp.Or(kindHint(file), usage.NearFile(file, ".toml"),
			usage.Hint(file, names()), `; "halfpeak platforms" lists the platforms`)
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
