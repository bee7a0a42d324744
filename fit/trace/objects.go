package trace

import (
	"bytes"
	"encoding/json"
)

// objects reads JSON arrays of flat objects, as halfpeak prints them: an object is a
// row, and its keys are the header of a CSV file.
type objects struct {
	text []byte // of an object that is not complete yet
	keys []byte
	rows csv
	used bool
}

func (f *objects) take(p *parser, line []byte) bool {
	if len(f.text) == 0 {
		if line = bytes.TrimLeft(line, "[ "); len(line) == 0 || line[0] != '{' {
			return f.used && bytes.IndexByte([]byte("],"), (append(line, ','))[0]) >= 0
		}
	}
	f.text = append(f.text, line...)
	if bytes.Count(f.text, []byte("{")) > bytes.Count(f.text, []byte("}"))+1 || len(f.text) > maxLine {
		f.text = f.text[:0] // nested: not a row
		return false
	}
	if !bytes.Contains(line, []byte("}")) {
		return true
	}
	text := f.text
	f.text = f.text[:0]
	d := json.NewDecoder(bytes.NewReader(bytes.Trim(text, ", ")))
	took := false
	for f.object(p, d) {
		took = true
	}
	return took
}

// object takes the next object, and reports whether it was a row.
func (f *objects) object(p *parser, d *json.Decoder) bool {
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return false
	}
	var keys []byte
	var names, values [][]byte
	for d.More() {
		t, err := d.Token()
		key, ok := t.(string)
		var raw json.RawMessage
		if err != nil || !ok || d.Decode(&raw) != nil {
			return false
		}
		value := []byte(raw)
		switch raw[0] {
		case '"':
			var s string
			if json.Unmarshal(raw, &s) == nil {
				value = []byte(s)
			}
		case 'n', '[', '{':
			value = nil
		}
		keys = append(append(keys, key...), 0)
		names, values = append(names, []byte(key)), append(values, value)
	}
	if _, err := d.Token(); err != nil {
		return false
	}
	if !f.used || !bytes.Equal(keys, f.keys) {
		c, why := f.rows.columns(p, names)
		if c == nil {
			if why != "" {
				p.suggest("%s", why)
			}
			return false
		}
		f.rows.open(nil, ',', *c)
		f.rows.format = "json"
		f.keys, f.used = keys, true
	}
	f.rows.fields = values
	return f.rows.row(p, nil, len(values))
}
