package platforms

import (
	"path/filepath"
	"slices"
	"strings"
)

// Open returns the design that a platform's file describes, by its path, or that of an embedded
// platform, by its name; "/" and the name of a layer may follow, see [Platform.Design]. Its layer
// may have the times of a stream, an operation or a collective.
func Open(ref string) (Design, error) {
	p, _, err := find(ref)
	if p.composition == nil { // not read; else the layer is in question
		return Design{}, err
	}
	_, layer := splitRef(ref)
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
