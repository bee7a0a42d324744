package platforms

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// A source is the document of a file, and where its keys stand in the text.
type source struct {
	Document
	file    string
	text    []byte
	offsets map[string]int // into text, by path: "layer.dma.branches.0.up_to"
	entered map[string]int // tables so far in walk, by path: "layer.dma"
}

// offsetOf returns the offset of the key at path or, if the file does not have it, of the closest
// enclosing table.
func (s *source) offsetOf(path string) (offset int, found bool) {
	offset, found = s.offsets[path]
	for !found && path != "" {
		path = path[:max(0, strings.LastIndexByte(path, '.'))]
		offset, found = s.offsets[path]
	}
	return offset, found
}

// errorf returns an error with the line and column of the key at path.
func (s *source) errorf(path, format string, args ...any) error {
	what := fmt.Errorf(format, args...)
	offset, found := s.offsetOf(path)
	if !found {
		return fmt.Errorf("%s: %w", s.file, what)
	}
	before := s.text[:offset]
	line, column := 1+bytes.Count(before, []byte("\n")), offset-bytes.LastIndexByte(before, '\n')
	return fmt.Errorf("%s:%d:%d: %s: %w", s.file, line, column, path, what)
}

// fail ends the reading with an error at path; see errorf.
func (s *source) fail(path, format string, args ...any) {
	panic(bail{s.errorf(path, format, args...)})
}

// must ends the reading at path if err is not nil.
func (s *source) must(path string, err error) {
	if err != nil {
		s.fail(path, "%w", err)
	}
}

// A bail is a panic with the error of a file. The readers of tables call each other many levels
// deep, and the first error ends all of them; [catch] returns it from the outermost.
type bail struct{ error }

// catch sets err to the error that ended the reading.
func catch(err *error) {
	switch r := recover().(type) {
	case nil:
	case bail:
		*err = r.error
	default:
		panic(r)
	}
}

// walk fills the document with the keys and tables of the text in their order, and notes their
// offsets. go-toml has decoded the text without an error, so every key has the right type. The
// decoded structs cannot serve instead: they hold tables in maps, without the order of layers and
// levels, and know no positions.
func (s *source) walk() {
	var p unstable.Parser
	p.Reset(s.text)
	var table []string
	for p.NextExpression() {
		e := p.Expression()
		switch e.Kind {
		// [layer.eager], and behind it its keys.
		case unstable.Table:
			table = s.names(nil, e.Key())
			s.enter(table)
		case unstable.ArrayTable: // only branches can be written so
			table = s.names(nil, e.Key())
			table = addBranch(s.enter(table), table)
		case unstable.KeyValue:
			s.put(s.names(table, e.Key()), e.Value())
		}
	}
}

// names appends the parts of a dotted key to a path, and notes the offset of each.
func (s *source) names(path []string, key unstable.Iterator) []string {
	// Clipped: append must not write into the path of the enclosing table.
	path = slices.Clip(path)
	for key.Next() {
		n := key.Node()
		path = append(path, string(n.Data))
		at := strings.Join(path, ".")
		// The last part is the key itself. An earlier part is a table, which stays where it began.
		if _, known := s.offsets[at]; !known || key.IsLast() {
			s.offsets[at] = int(n.Raw.Offset)
		}
	}
	return path
}

// enter returns the table that holds the path, a new one if there is none yet. It returns nil for a
// key outside of tables.
func (s *source) enter(path []string) *Table {
	if len(path) < 2 {
		return nil
	}
	id := path[0] + "." + path[1]
	i, known := s.entered[id]
	if !known {
		i = len(s.Tables)
		s.entered[id] = i
		s.Tables = append(s.Tables, Table{Kind: path[0], Name: path[1]})
	}
	return &s.Tables[i]
}

// put adds a value to the document at its path: a key outside of tables, of a table, of its
// sources, or of a branch. An inline table is put key by key, so that it reads like one with a
// header.
func (s *source) put(path []string, node *unstable.Node) {
	t := s.enter(path)
	inside := node.Children()
	switch {
	case node.Kind == unstable.InlineTable:
		for inside.Next() {
			entry := inside.Node()
			s.put(s.names(path, entry.Key()), entry.Value())
		}
	case len(path) == 1:
		set(&s.Keys, path[0], plainValue(node))
	// The other spelling, [[layer.NAME.branches]], comes through walk.
	case len(path) == 3 && path[2] == "branches":
		for inside.Next() {
			s.put(addBranch(t, path), inside.Node())
		}
	case len(path) == 3:
		t.Set(path[2], plainValue(node))
	case len(path) == 4: // sources.L
		entries := value[[]Key](t.Keys, path[2])
		set(&entries, path[3], plainValue(node))
		t.Set(path[2], entries)
	case len(path) == 5: // branches.0.up_to
		branches := value[[][]Key](t.Keys, path[2])
		i, _ := strconv.Atoi(path[3])
		set(&branches[i], path[4], plainValue(node))
	}
}

// addBranch adds an empty branch to the list at path, and returns the path of the branch.
func addBranch(t *Table, path []string) []string {
	branches := append(value[[][]Key](t.Keys, path[2]), nil)
	t.Set(path[2], branches)
	return append(slices.Clip(path), strconv.Itoa(len(branches)-1))
}

// plainValue returns a text, a bool or a list of texts.
func plainValue(node *unstable.Node) any {
	switch node.Kind {
	case unstable.Bool:
		return string(node.Data) == "true"
	case unstable.Array:
		texts := []string{}
		for all := node.Children(); all.Next(); {
			texts = append(texts, string(all.Node().Data))
		}
		return texts
	}
	return string(node.Data)
}

// join returns the path of a key in the table at path; either may be empty.
func join(path, key string) string {
	if path == "" || key == "" {
		return path + key
	}
	return path + "." + key
}
