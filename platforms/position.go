package platforms

import (
	"slices"
	"strconv"

	"github.com/pelletier/go-toml/v2/unstable"
)

// position is a place in a file; line and column count from 1.
type position struct{ line, column int }

func (p position) before(q position) bool {
	return p.line < q.line || p.line == q.line && p.column < q.column
}

// index returns the positions of the keys of a TOML text and of their values. The text must have
// been decoded without errors. index stops at a key of more than maxParts parts; deep is its
// position.
func index(text []byte) (keys, values map[string]position, deep position) {
	at := indexer{keys: map[string]position{}, values: map[string]position{}, arrays: map[string]int{}, lines: []int{0}}
	for i, c := range text {
		if c == '\n' {
			at.lines = append(at.lines, i+1)
		}
	}
	at.p.Reset(text)
	var table string
	for at.deep.line == 0 && at.p.NextExpression() {
		e := at.p.Expression()
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			table = at.path("", e.Key())
			if e.Kind == unstable.ArrayTable {
				at.arrays[table]++
				table += "." + strconv.Itoa(at.arrays[table]-1)
			}
		case unstable.KeyValue:
			at.value(at.path(table, e.Key()), e.Value())
		}
	}
	return at.keys, at.values, at.deep
}

type indexer struct {
	p            unstable.Parser
	keys, values map[string]position
	arrays       map[string]int
	lines        []int // where each line begins
	deep         position
}

// position returns the position of an offset. The parser's own Shape counts lines from the start of
// the file.
func (x *indexer) position(offset uint32) position {
	line, found := slices.BinarySearch(x.lines, int(offset))
	if !found {
		line--
	}
	return position{line + 1, int(offset) - x.lines[line] + 1}
}

func (x *indexer) value(path string, value *unstable.Node) {
	if value.Raw.Length > 0 {
		x.values[path] = x.position(value.Raw.Offset)
	}
	switch value.Kind {
	case unstable.InlineTable:
		for it := value.Children(); it.Next(); {
			kv := it.Node()
			x.value(x.path(path, kv.Key()), kv.Value())
		}
	case unstable.Array:
		i := 0
		for it := value.Children(); it.Next(); i++ {
			element := path + "." + strconv.Itoa(i)
			x.keys[element] = x.keys[path]
			x.value(element, it.Node())
		}
	}
}

// path appends the dotted key to the path and notes where it stands.
func (x *indexer) path(path string, key unstable.Iterator) string {
	for parts := 1; key.Next(); parts++ {
		n := key.Node()
		if parts > maxParts {
			x.deep = x.position(n.Raw.Offset)
			return path
		}
		path = join(path, string(n.Data))
		if _, known := x.keys[path]; !known || key.IsLast() {
			x.keys[path] = x.position(n.Raw.Offset)
		}
	}
	return path
}

// maxParts bounds the parts of a dotted key, whose paths take room in the square of their number.
const maxParts = 32

// join returns the path of a key in the table at path; either may be empty.
func join(path, key string) string {
	if path == "" || key == "" {
		return path + key
	}
	return path + "." + key
}
