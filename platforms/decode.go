package platforms

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/halfpeak/halfpeak/internal/nearest"
)

// A document is a platform file as written: what go-toml decodes, strictly, and
// where each key stands.
type document struct {
	file      string
	positions map[string]position // by path: "layer.dma.branches.0.up_to"

	Title    string                   `toml:"title"`
	Paper    string                   `toml:"paper"`
	Note     string                   `toml:"note"`
	Clock    string                   `toml:"clock"`
	Default  string                   `toml:"default"`
	Constant map[string]constantTable `toml:"constant"`
	Roof     map[string]roofTable     `toml:"roof"`
	Stage    map[string]stageTable    `toml:"stage"`
	Protocol map[string]protocolTable `toml:"protocol"`
	Layer    map[string]layerTable    `toml:"layer"`
}

type constantTable struct {
	Value  string `toml:"value"`
	Source string `toml:"source"`
}

type roofTable struct {
	Rate   string `toml:"rate"`
	Source string `toml:"source"`
}

type stageTable struct {
	Beta   string `toml:"beta"`
	Tau    string `toml:"tau"`
	Host   string `toml:"host"`
	Source string `toml:"source"`
	placeKeys
}

type layerTable struct {
	Model   string            `toml:"model"`
	Title   string            `toml:"title"`
	Note    string            `toml:"note"`
	Source  string            `toml:"source"`
	Sources map[string]string `toml:"sources"`
	Roofs   []string          `toml:"roofs"`

	Protocol string `toml:"protocol"`

	Beta string `toml:"beta"`
	Tau  string `toml:"tau"`

	Latency         string `toml:"L"`
	SendOverhead    string `toml:"o_s"`
	ReceiveOverhead string `toml:"o_r"`
	GapTime         string `toml:"g"`
	GapPerByte      string `toml:"G"`

	Stages  []string `toml:"stages"`
	Packets string   `toml:"packets"`

	Branches []branchTable `toml:"branches"`

	Below  string `toml:"below"`
	Added  string `toml:"added"`
	MTU    string `toml:"mtu"`
	Window string `toml:"window"`
}

type branchTable struct {
	Layer string `toml:"layer"`
	UpTo  string `toml:"up_to"`
}

// position is a place in a file; line and column count from 1.
type position struct{ line, column int }

// decode reads the text strictly: an unknown key is an error.
func decode(file string, text []byte) (*document, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, fmt.Errorf("%s: the file is empty; a platform has at least a [layer.NAME] with a model", file)
	}
	if i := bytes.IndexByte(text, 0); i >= 0 || !utf8.Valid(text) {
		return nil, fmt.Errorf("%s: this is a binary file; a platform is a TOML text", file)
	}
	d := &document{file: file}
	dec := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields()
	if err := dec.Decode(d); err != nil {
		return nil, d.decodeError(err)
	}
	d.positions = index(text)
	return d, nil
}

// decodeError turns an error of go-toml into one line with file, line, column and help.
func (d *document) decodeError(err error) error {
	var missing *toml.StrictMissingError
	if errors.As(err, &missing) {
		e := &missing.Errors[0]
		row, column := e.Position()
		key := e.Key()
		if top := knownKeys(key[:1]); !slices.Contains(top, key[0]) {
			key = key[:1] // of [layers.x], "layers" is wrong
		}
		return fmt.Errorf("%s:%d:%d: unknown key %q%s", d.file, row, column, strings.Join(key, "."),
			nearest.Hint(key[len(key)-1], knownKeys(key)))
	}
	var syntax *toml.DecodeError
	if errors.As(err, &syntax) {
		row, column := syntax.Position()
		message := strings.TrimPrefix(syntax.Error(), "toml: ")
		switch {
		case strings.Contains(message, "array table"):
			message = "a table in double brackets is a list; write it in single ones, as in [layer.eager]"
		case strings.Contains(message, "cannot decode TOML integer") || strings.Contains(message, "cannot decode TOML float"):
			message = `a number without a unit; write it as text with its unit, as in "5.9us/KB"`
		}
		return fmt.Errorf("%s:%d:%d: %s", d.file, row, column, message)
	}
	return fmt.Errorf("%s: %s", d.file, strings.TrimPrefix(err.Error(), "toml: "))
}

// knownKeys are the keys that may stand where key does.
func knownKeys(key toml.Key) []string {
	switch {
	case len(key) == 1:
		return []string{"title", "paper", "note", "clock", "default", "constant", "roof", "stage", "protocol", "layer"}
	case key[0] == "constant":
		return []string{"value", "source"}
	case key[0] == "roof":
		return []string{"rate", "source"}
	case key[0] == "stage":
		return stageKeys
	case key[0] == "protocol":
		return protocolKeys
	}
	keys := append([]string{"up_to"}, commonKeys...) // of a branch too: its keys come without "branches"
	for _, more := range modelKeys {
		keys = append(keys, more...)
	}
	slices.Sort(keys) // among equals, the hint is the same each time
	return keys
}

// index finds where each key of a TOML text stands. The text has been decoded
// before, so it has no errors.
func index(text []byte) map[string]position {
	at := map[string]position{}
	var p unstable.Parser
	p.Reset(text)
	var table string
	arrays := map[string]int{}
	for p.NextExpression() {
		e := p.Expression()
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			table = keyPath(&p, at, "", e.Key())
			if e.Kind == unstable.ArrayTable {
				arrays[table]++
				table += "." + strconv.Itoa(arrays[table]-1)
			}
		case unstable.KeyValue:
			indexValue(&p, at, keyPath(&p, at, table, e.Key()), e.Value())
		}
	}
	return at
}

func indexValue(p *unstable.Parser, at map[string]position, path string, value *unstable.Node) {
	switch value.Kind {
	case unstable.InlineTable:
		for it := value.Children(); it.Next(); {
			kv := it.Node()
			indexValue(p, at, keyPath(p, at, path, kv.Key()), kv.Value())
		}
	case unstable.Array:
		i := 0
		for it := value.Children(); it.Next(); i++ {
			element := path + "." + strconv.Itoa(i)
			at[element] = at[path]
			indexValue(p, at, element, it.Node())
		}
	}
}

// keyPath appends the dotted key to the path and notes where it stands.
func keyPath(p *unstable.Parser, at map[string]position, path string, key unstable.Iterator) string {
	for key.Next() {
		n := key.Node()
		path = join(path, string(n.Data))
		if _, known := at[path]; !known || key.IsLast() {
			start := p.Shape(n.Raw).Start
			at[path] = position{start.Line, start.Column}
		}
	}
	return path
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// errorf is an error at the key that path names, or if the file does not have it, at
// the closest table around it.
func (d *document) errorf(path, format string, args ...any) error {
	pos, found := d.positions[path]
	for p := path; !found && p != ""; pos, found = d.positions[p] {
		p = p[:max(0, strings.LastIndexByte(p, '.'))]
	}
	what := fmt.Errorf(format, args...)
	if !found {
		return fmt.Errorf("%s: %w", d.file, what)
	}
	return fmt.Errorf("%s:%d:%d: %s: %w", d.file, pos.line, pos.column, path, what)
}

// keysOf are the keys that the file gives directly under path, in its order.
func (d *document) keysOf(path string) []string {
	var keys []string
	for p := range d.positions {
		if rest, ok := strings.CutPrefix(p, path+"."); ok && !strings.Contains(rest, ".") {
			keys = append(keys, rest)
		}
	}
	slices.SortFunc(keys, func(a, b string) int { return d.compare(path+"."+a, path+"."+b) })
	return keys
}

// compare orders paths as they stand in the file.
func (d *document) compare(a, b string) int {
	pa, pb := d.positions[a], d.positions[b]
	if pa.line != pb.line {
		return pa.line - pb.line
	}
	if pa.column != pb.column {
		return pa.column - pb.column
	}
	return strings.Compare(a, b)
}

// inOrder are the keys of a table of tables, as they stand in the file.
func inOrder[T any](d *document, path string, tables map[string]T) []string {
	return slices.SortedFunc(maps.Keys(tables), func(a, b string) int { return d.compare(path+"."+a, path+"."+b) })
}
