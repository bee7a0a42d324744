package platforms

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/atomicfile"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/usage"
)

// Parse reads a platform from the text of a file; file gives its name and stands in errors.
// An error gives file, line, column, the fault and what to do. A layer of another file is an error,
// since Parse reads no files.
func Parse(file string, text []byte) (Platform, error) { return parse(file, text, nil) }

// parse reads a platform; others reads the files from which it takes layers.
func parse(file string, text []byte, others *files) (Platform, error) {
	d, err := decode(file, text)
	if err == nil {
		err = d.takeLayers(others)
	}
	if err != nil {
		return Platform{}, err
	}
	return d.platform()
}

// Complete returns the platform of a value that a program made, with all that follows from it.
//
// The value has what a file has: names, titles and sources, models, levels and measurements. Its
// numbers are those of the models; Params add intervals and sources by their Path, a Text that
// replaces that of a number, and constants. The parts of a layer, and the branches of a switch, are
// layers of the platform with the same names.
//
// The platform has the numbers of its file, with 12 digits, and is the same when that is read
// again. An error names the key that would be wrong in the file.
func (p Platform) Complete() (Platform, error) {
	s := &source{file: p.file(false), name: p.asked()}
	return s.platform()
}

// platform makes the platform of a document, and checks it.
func (s *source) platform() (_ Platform, err error) {
	c := &composition{
		source: s,
		stages: map[string]stageSpec{},
		layers: map[string]*layerSpec{},
		byPath: map[string]int{},
	}
	b := &builder{
		composition: c,
		p: &Platform{
			Name:        strings.TrimSuffix(filepath.Base(s.name), ".toml"),
			Places:      map[string]Place{},
			composition: c,
		},
		protocols: map[string]Protocol{},
		measured:  map[string]*Measured{},
		constants: map[string]*section{},
		written:   map[string]*section{},
	}
	defer catch(&err)
	// In this order, since later tables name earlier ones: formulas name constants, layers name
	// stages, protocols and measurements, and levels name layers.
	b.section(topKind, b.top()).read(b.p)
	b.clock()
	b.library()
	b.constantTables()
	b.computeTable()
	b.roofTables()
	b.stageTables()
	b.protocolTables()
	b.measuredTables()
	b.collectiveTables()
	b.layerTables()
	b.levelTables()
	b.p.Params = list.Map(b.shown, func(i int) Param { return b.params[i] })
	b.p.Library.Measured = measuredChoices(b.p.Params)
	b.p.read = b.p
	return *b.p, nil
}

// files reads the platform files from which a file takes layers, each once. A nil value refuses:
// the interactive page has no files.
type files struct {
	open []string // the files under way, the outermost first, to find a circle
	read map[string]Platform
}

// platform reads the platform file at path.
func (f *files) platform(path string) (Platform, error) {
	// Absolute, so that two spellings of one path are one file, and a circle is found.
	full, err := filepath.Abs(path)
	if err != nil {
		return Platform{}, err
	}
	if p, known := f.read[full]; known {
		return p, nil
	}
	if at := slices.Index(f.open, full); at >= 0 {
		circle := list.Map(append(f.open[at:], full), filepath.Base)
		return Platform{}, fmt.Errorf("files take layers from each other in a circle: %s",
			strings.Join(circle, " → "))
	}
	f.open = append(f.open, full)
	p, err := readFile(path, f)
	if f.open = f.open[:len(f.open)-1]; err == nil {
		f.read[full] = p
	}
	return p, err
}

// takeLayers replaces each layer with the key from by that layer of another file.
func (s *source) takeLayers(f *files) error {
	given := s.file["layer"]
	s.file["layer"] = nil
	for _, t := range given {
		at := "layer." + t.Name
		if _, is := s.keys[at+".from"]; !is {
			s.add("layer", t)
			continue
		}
		taken, err := s.taken(t, f)
		if err != nil {
			return s.errorf(at+".from", "%w", err)
		}
		for _, k := range tableKinds {
			for _, t := range taken[k.name] {
				path := join(k.name, t.Name)
				if _, twice := s.keys[path]; twice && path != at {
					return s.errorf(at+".from", "brings a table [%s], which this file has too; "+
						"rename that one", path)
				}
				s.keys[path] = s.keys[at] // errors in it stand at the layer that takes it
				s.add(k.name, t)
			}
		}
	}
	return nil
}

// taken returns the tables in place of t, whose layer is the one that from names.
func (s *source) taken(t table, f *files) (file, error) {
	at, from := "layer."+t.Name+".", t.Text("from")
	for _, key := range layerKind.names() {
		if _, given := s.keys[at+key]; given && key != "from" {
			return nil, fmt.Errorf("takes the whole layer from the other file; omit %s", key)
		}
	}
	other, name := from, ""
	if at := strings.LastIndex(from, ".toml/"); at >= 0 {
		other, name = from[:at+len(".toml")], from[at+len(".toml/"):]
	}
	if !strings.HasSuffix(other, ".toml") {
		return nil, fmt.Errorf(`must be a platform file, as in "intra.toml", `+
			`or a layer of one, as in "intra.toml/fit-2" (got %q)`,
			from)
	}
	if f == nil {
		return nil, errors.New("other files cannot be read here; " +
			"write the layer itself into this file")
	}
	path := other
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(s.name), other)
	}
	switch info, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: no such file", path)
	case err != nil:
		return nil, err
	// A pipe or a device could block, or never end.
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: not a regular file", path)
	}
	p, err := f.platform(path)
	if err != nil {
		return nil, err
	}
	if name == "" {
		name = p.Default
	}
	// Reduced to the layer and its parts, so that nothing else of the file comes along.
	if p, err = p.with(domain{layer: name}); err != nil {
		return nil, err
	}
	return p.taking(t.Name), nil
}

// readPlatform reads a platform file and those from which it takes layers.
func readPlatform(path string) (Platform, error) {
	f := files{read: map[string]Platform{}}
	if full, err := filepath.Abs(path); err == nil {
		f.open = []string{full}
	}
	return readFile(path, &f)
}

// readFile reads one platform file, up to maxFile bytes: a device or a huge file would fill the
// memory before its text is refused.
func readFile(path string, others *files) (Platform, error) {
	f, err := atomicfile.Open(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return Platform{}, fmt.Errorf("%s: no such file%s", path,
				cmp.Or(usage.NearFile(path, ".toml"), "; halfpeak fit saves one, and "+
					`"halfpeak platforms" lists those that are built in`))
		}
		return Platform{}, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return Platform{}, fmt.Errorf("%s: is a directory; give the path of a TOML file", path)
	}
	// One byte more than allowed, so that decode sees a larger file as too large, and not as cut.
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return Platform{}, err
	}
	return parse(path, text, others)
}
