package reports

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/halfpeak/halfpeak/internal/atomicfile"
)

// What halfpeak wrote is replaced; what somebody else wrote is not.
func TestOnlyOwnFilesAreReplaced(t *testing.T) {
	rows := func(f Format, keys ...string) func(io.Writer) error {
		r := Rows{}
		var row []any
		for _, k := range keys {
			r.Columns, row = append(r.Columns, Column{Key: k, Head: k}), append(row, "x")
		}
		r.Data = [][]any{row}
		return func(w io.Writer) error { return Write(w, f, r) }
	}
	picture := func(ext string) func(io.Writer) error {
		f := Figure{Series: []Series{{Kind: Line, X: []float64{1, 2}, Y: []float64{1, 2}}}}
		return func(w io.Writer) error { return WriteImage(w, f, ext, 320, 240) }
	}
	page := func(w io.Writer) error { return brochure().WriteHTML(w) }
	for _, c := range []struct {
		name          string
		before, after func(io.Writer) error
		replaced      bool
	}{
		{"a.csv", rows(CSV, "a", "b"), rows(CSV, "a", "b"), true},
		{"a.csv", rows(CSV, "a", "b"), rows(CSV, "a", "c"), false},
		{"a.csv", say("size,time\n1,2\n"), rows(CSV, "a", "b"), false},
		{"a.csv", say(""), rows(CSV, "a", "b"), true},
		{"a.json", rows(JSON, "a", "b"), rows(JSON, "a", "b"), true},
		{"a.json", rows(JSON, "a", "b"), rows(JSON, "a"), false},
		{"a.json", say("[\n1,\n2]\n"), rows(JSON, "a"), false},
		{"a.json", say("[]\n"), rows(JSON, "a"), true},
		{"a.jsonl", say("{\"a\":1}\n"), say("{\"a\":2}\n"), true},
		{"a.jsonl", say("{\"a\":1}\n"), say("{\"b\":2}\n"), false},
		{"a.txt", rows(Text, "a", "b"), rows(Text, "a", "b"), true},
		{"a.txt", say("my notes\n"), rows(Text, "a", "b"), false},
		{"a.md", rows(Markdown, "a"), rows(Markdown, "b"), true},
		{"a.md", say("# Mine\n"), rows(Markdown, "b"), false},
		{"a.png", picture("png"), picture("png"), true},
		{"a.png", picture("svg"), picture("png"), true},
		{"a.pdf", picture("pdf"), picture("pdf"), true},
		{"a.png", say("\x89PNG of a camera"), picture("png"), false},
		{"a.html", page, page, true},
		{"a.toml", say("# " + atomicfile.Imprint + " fit.\n"), say("title = 1\n"), true},
		{"a.toml", say("title = 1\n"), say("# " + atomicfile.Imprint + " fit.\n"), false},
	} {
		path := filepath.Join(t.TempDir(), c.name)
		var before bytes.Buffer
		if err := c.before(&before); err != nil {
			t.Fatal(err)
		}
		if c.replaced && before.Len() > 0 { // as halfpeak writes it
			if err := (atomicfile.Files{}).Write(path, c.before); err != nil {
				t.Fatal(err)
			}
		} else if err := os.WriteFile(path, before.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := (atomicfile.Files{}).Write(path, c.after); (err == nil) != c.replaced {
			t.Errorf("%s, %.20q before: replaced is %v, %v", c.name, before.String(), err == nil, err)
		}
		if err := (atomicfile.Files{Force: true}).Write(path, c.after); err != nil {
			t.Error(err)
		}
	}
}

func say(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}
