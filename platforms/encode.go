package platforms

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// Encode writes the document as a platform file, behind the comment, which may be empty. What [Parse]
// reads of it is the document again.
func (d Document) Encode(comment string) ([]byte, error) {
	var b bytes.Buffer
	if comment != "" {
		for _, line := range strings.Split(strings.TrimRight(comment, "\n"), "\n") {
			fmt.Fprintf(&b, "%s\n", strings.TrimRight("# "+strings.ReplaceAll(line, "\r", " "), " "))
		}
		b.WriteByte('\n')
	}
	if err := encodeKeys(&b, d.Keys); err != nil {
		return nil, err
	}
	for _, t := range d.Tables {
		if b.Len() > 0 && !bytes.HasSuffix(b.Bytes(), []byte("\n\n")) {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "[%s.%s]\n", t.Kind, tomlKey(t.Name))
		if err := encodeKeys(&b, t.Keys); err != nil {
			return nil, fmt.Errorf("%s.%s: %w", t.Kind, t.Name, err)
		}
	}
	return b.Bytes(), nil
}

// tomlKey is a key as TOML spells it.
func tomlKey(name string) string {
	bare := func(r rune) bool {
		return r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	if name != "" && strings.IndexFunc(name, func(r rune) bool { return !bare(r) }) < 0 {
		return name
	}
	return `"` + strings.NewReplacer(`"`, `\"`, `\`, `\\`).Replace(name) + `"`
}

func encodeKeys(b *bytes.Buffer, keys []Key) error {
	for _, k := range keys {
		enc := toml.NewEncoder(b)
		enc.SetTablesInline(true)
		if err := enc.Encode(map[string]any{k.Name: tree(k.Value)}); err != nil {
			return err
		}
	}
	return nil
}

// tree is a value of a key as go-toml takes it.
func tree(value any) any {
	switch v := value.(type) {
	case []Key:
		table := map[string]any{}
		for _, k := range v {
			table[k.Name] = tree(k.Value)
		}
		return table
	case [][]Key:
		all := make([]any, len(v))
		for i, k := range v {
			all[i] = tree(k)
		}
		return all
	}
	return value
}

// Document is the platform as a file. Parameters that were changed have their new values.
func (p Platform) Document() Document {
	b := p.built
	d := Document{Keys: b.Keys}
	for _, t := range b.Tables {
		if t.Kind == "layer" {
			if _, err := p.Layer(t.Name); err != nil {
				continue // With left it out
			}
		}
		t.Keys = append([]Key(nil), t.Keys...)
		d.Tables = append(d.Tables, t)
	}
	for i := range b.slots {
		if s := &b.slots[i]; s.changed {
			d.change(s.at, s.Text)
		}
	}
	return d
}

// Encode writes the platform as a file; see [Document.Encode].
func (p Platform) Encode() ([]byte, error) { return p.Document().Encode("") }

// change gives the key at path another text.
func (d *Document) change(path, text string) {
	for i := range d.Tables {
		t := &d.Tables[i]
		key, ok := strings.CutPrefix(path, t.Kind+"."+t.Name+".")
		if !ok {
			continue
		}
		t.Set(key, text) // TODO lists
	}
}
