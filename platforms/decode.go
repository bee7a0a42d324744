package platforms

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/halfpeak/halfpeak/internal/usage"
)

// go-toml parses a platform file, and the code here puts each value into the [file] as it comes.
// go-toml's own Unmarshal would not do: it returns tables in maps, without the order of layers and
// levels, it keeps no positions for the errors of later checks, and its time grows with the square
// of the number of tables, to 20 s for 40,000.

// maxFile bounds the size of a platform file. The largest file that fit wrote from published
// benchmarks has 42 KB. A curve with 4096 points takes some 200 KB, so that 20 of these fit.
const maxFile = 4 << 20

// maxPath bounds the path of a key in bytes. Paths are joined at each key, so that a name of a
// megabyte with a hundred thousand keys below it would take minutes.
const maxPath = 1000

// decode reads the text of a file strictly: an unknown key is an error.
func decode(name string, text []byte) (s *source, err error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, fmt.Errorf("%s: the file is empty; "+
			"a platform has at least a [layer.NAME] with a model", name)
	}
	// A compressed file would fail as TOML at some byte of it, which does not say what is wrong.
	if i := bytes.IndexByte(text, 0); i >= 0 || !utf8.Valid(text) {
		return nil, fmt.Errorf("%s: this is a binary file; a platform is a TOML text", name)
	}
	if len(text) > maxFile {
		return nil, fmt.Errorf("%s: larger than 4 MiB; this is not a platform file", name)
	}
	s = &source{file: map[string][]table{}, name: name, text: text, keys: map[string]entry{}}
	defer catch(&err)
	s.read()
	s.replaceAliases()
	return s, nil
}

// read parses the text, header by header and key by key.
func (s *source) read() {
	var p unstable.Parser
	p.Reset(s.text)
	var path []string // of the table whose keys come
	for p.NextExpression() {
		if e := p.Expression(); e.Kind == unstable.KeyValue {
			s.keyValue(path, e)
		} else {
			path = s.header(e)
		}
	}
	var wrong *unstable.ParserError
	if errors.As(p.Error(), &wrong) {
		s.failAt(int(p.Range(wrong.Highlight).Offset), "%s", wrong.Message)
	}
}

// header makes the table of a header, and returns its path.
func (s *source) header(e *unstable.Node) []string {
	as, isList := byHeader, e.Kind == unstable.ArrayTable
	if isList {
		as = byBrackets
	}
	path := s.define(nil, e.Key(), as)
	at := strings.Join(path, ".")
	switch table := s.place(path).(type) {
	case value:
		s.fail(at, notATable)
	case *[]branch:
		if isList {
			return s.addBranch(table, path)
		}
		s.fail(at, notBranches)
	}
	if isList {
		s.fail(at, "a table in double brackets is a list; "+
			"write it in single ones, as in [layer.eager]")
	}
	return path
}

// keyValue stores a value, whose key is relative to the table at path.
func (s *source) keyValue(path []string, e *unstable.Node) {
	path = s.define(path, e.Key(), byValue)
	s.store(path, s.place(path), e.Value())
}

// define notes the parts of a key below a path, and returns the path of the last one. It fails if
// TOML does not allow the definition after the earlier ones.
func (s *source) define(path []string, keys unstable.Iterator, as definition) []string {
	// Clipped: append must not write into the path of the enclosing table.
	path = slices.Clip(path)
	for keys.Next() {
		n := keys.Node()
		path = append(path, string(n.Data))
		at := strings.Join(path, ".")
		if len(at) > maxPath {
			s.failAt(int(n.Raw.Offset), "%s…: longer than the path of any key", at[:20])
		}
		was, next, allowed := s.keys[at], as, true
		switch {
		case as == byValue && keys.IsLast():
			allowed = was.as == undefined
		case as == byValue: // only keys of one table add to a table that dots make
			allowed, next = was.as == undefined || was.as == byDots, byDots
		case keys.IsLast():
			again := implied // [layer.a] may follow [layer.a.sources]
			if as == byBrackets {
				again = byBrackets
			}
			allowed = was.as == undefined || was.as == again
		default: // a header adds to any table but one in braces
			allowed, next = was.as != byValue, max(was.as, implied)
		}
		offset := int(n.Raw.Offset)
		if !allowed {
			s.failAt(offset, "%s: is given twice; leave one out", at)
		}
		// The last part is the key itself. An earlier part is a table, which stays where it began.
		if was.as == undefined || keys.IsLast() {
			was.offset = offset
		}
		was.as = next
		s.keys[at] = was
	}
	return path
}

// What a path may lead to, beside a list of branches, one of these, and the sources of keys: the
// tables of a kind, one of these, or a text or texts.
type (
	tablesOf struct{ *tableKind }
	tableOf  struct {
		*tableKind
		*table
	}
	value struct {
		form
		set func(texts ...string)
	}
)

// place returns what a path leads to. It makes the tables on the way.
func (s *source) place(path []string) any {
	if len(path) == 0 {
		return tableOf{topKind, s.tableAt("", "", "")}
	}
	outer, last := path[:len(path)-1], path[len(path)-1]
	at := strings.Join(path, ".")
	text := func(into *string) value {
		return value{asText, func(texts ...string) { *into = texts[0] }}
	}
	switch in := s.place(outer).(type) {
	case tablesOf:
		return tableOf{in.tableKind, s.tableAt(in.name, at, last)}
	case tableOf:
		return s.key(in, at, last)
	case *map[string]string:
		if *in == nil {
			*in = map[string]string{}
		}
		return value{asText, func(texts ...string) { (*in)[last] = texts[0] }}
	case *[]branch:
		if i, err := strconv.Atoi(last); err == nil && 0 <= i && i < len(*in) {
			return &(*in)[i]
		}
		s.fail(strings.Join(outer, "."), notBranches)
	case *branch:
		switch last {
		case "layer":
			return text(&in.Layer)
		case "up_to":
			return text(&in.UpTo)
		}
		s.fail(at, "unknown key%s", usage.Hint(last, []string{"layer", "up_to"}))
	default:
		s.fail(strings.Join(outer, "."), notATable)
	}
	return nil
}

// tableAt returns the table of a name, and makes it if there is none yet.
func (s *source) tableAt(kind, path, name string) *table {
	at := s.keys[path]
	if at.number == 0 {
		s.add(kind, table{Name: name, Keys: map[string][]string{}})
		at.number = len(s.file[kind])
		s.keys[path] = at
	}
	return &s.file[kind][at.number-1]
}

// key returns what a key of a table leads to; of the file itself, the tables of a kind are among
// its keys.
func (s *source) key(t tableOf, path, name string) any {
	row := t.find(name)
	if row == nil && t.tableKind == topKind {
		for _, k := range tableKinds[1:] {
			switch {
			case k.name == name && k.one:
				return tableOf{k, s.tableAt(name, path, "")}
			case k.name == name:
				return tablesOf{k}
			}
		}
	}
	if row == nil {
		s.fail(path, "unknown key%s", usage.Hint(name, t.tableKind.names()))
	}
	switch row.form {
	case asBranches:
		return &t.Branches
	case asTable:
		return &t.Sources
	}
	return value{row.form, func(texts ...string) { t.Keys[name] = texts }}
}

// addBranch adds a branch to the list at path, and returns the path of the branch.
func (s *source) addBranch(all *[]branch, path []string) []string {
	next := append(slices.Clip(path), strconv.Itoa(len(*all)))
	*all = append(*all, branch{})
	// Its number stands nowhere in the text, so its place is that of the list.
	s.keys[strings.Join(next, ".")] = entry{s.keys[strings.Join(path, ".")].offset, byHeader, 0}
	return next
}

// store puts the value of a node into its place; path names it in errors.
func (s *source) store(path []string, into any, node *unstable.Node) {
	at := strings.Join(path, ".")
	switch into := into.(type) {
	case value:
		if texts := s.texts(at, into.form, node); texts != nil {
			into.set(texts...)
		}
	case *[]branch:
		if node.Kind != unstable.Array {
			s.fail(at, notBranches)
		}
		for all := node.Children(); all.Next(); {
			if all.Node().Kind != unstable.InlineTable {
				s.fail(at, notBranches)
			}
			next := s.addBranch(into, path)
			s.store(next, s.place(next), all.Node())
		}
	default: // a table in braces reads as one with a header
		if node.Kind != unstable.InlineTable {
			if len(path) > 2 {
				s.fail(at, `must be a table, as in { G = "Table 4.2" }`)
			}
			s.fail(at, "must be a table; write [%s.NAME]", path[0])
		}
		for all := node.Children(); all.Next(); {
			s.keyValue(path, all.Node())
		}
	}
}

// texts returns the text, or the texts, of a node: "true" of a flag, and none of one that is false.
func (s *source) texts(path string, of form, node *unstable.Node) []string {
	switch {
	case of == asFlag && node.Kind != unstable.Bool:
		s.fail(path, "must be true or false, without quotes")
	case of == asFlag && string(node.Data) == "true":
		return []string{"true"}
	case of == asFlag:
		return nil
	case of == asList || of == asTextOrList && node.Kind == unstable.Array:
		const wrong = `must be a list of texts, as in ["a", "b"]`
		if node.Kind != unstable.Array {
			s.fail(path, wrong)
		}
		texts := []string{}
		for all := node.Children(); all.Next(); {
			if all.Node().Kind != unstable.String {
				s.fail(path, wrong)
			}
			texts = append(texts, string(all.Node().Data))
		}
		return texts
	case node.Kind == unstable.Integer || node.Kind == unstable.Float:
		s.fail(path, "write the number as text, with its unit if it has one, "+
			`as in "5.9us/KB" or "8"`)
	case node.Kind != unstable.String:
		s.fail(path, "must be a text; write it in quotes")
	}
	return []string{string(node.Data)}
}

// What a key must be, if a file gives it in another form.
const (
	notATable   = "is not a table; write it as a key with a text"
	notBranches = `must be a list, as in [{ layer = "pio", up_to = "256B" }, { layer = "dma" }]`
)

// replaceAliases gives layers the keys that a key of theirs stands for: o_s and o_r for LogP's o.
func (s *source) replaceAliases() {
	for _, t := range s.file["layer"] {
		k, known := kindNamed(t.Text("model"))
		if !known {
			continue
		}
		for alias, keys := range k.Aliases {
			texts, given := t.Keys[alias]
			if !given {
				continue
			}
			path := "layer." + t.Name + "."
			for _, key := range keys {
				if _, twice := t.Keys[key]; twice {
					s.fail(path+alias, "stands for %s; leave it out, or leave out those",
						strings.Join(keys, " and "))
				}
				t.Keys[key] = texts
				s.keys[path+key] = s.keys[path+alias]
			}
			delete(t.Keys, alias)
		}
	}
}
