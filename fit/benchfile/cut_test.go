package benchfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// A contents is what a file or the beginning of one holds: samples by kind and size, over all
// tables, since a column divides tables only from a certain row on.
type contents struct {
	rows    int64
	warned  bool // of the file or a table
	samples map[string]Sample
}

func contentsOf(text []byte, name string) (c contents, err error) {
	f, err := Read(bytes.NewReader(text), name, Options{})
	if damaged := new(Damaged); errors.As(err, &damaged) {
		f = damaged.File
	}
	c.samples = map[string]Sample{}
	if f == nil {
		return c, err
	}
	c.warned = len(f.Warnings) > 0
	for _, table := range f.Tables {
		c.warned = c.warned || len(table.Warnings) > 0
		c.rows += table.Rows
		for _, b := range table.Bursts {
			table.Samples = append(table.Samples,
				Sample{Size: quantity.Bytes(b.Messages), Count: 1, Min: b.Interval, Max: b.Interval})
		}
		for _, s := range table.Samples {
			key := fmt.Sprint(table.Kind, " of ", s.Size)
			if o, ok := c.samples[key]; ok {
				s.Count, s.Min, s.Max = s.Count+o.Count, min(s.Min, o.Min), max(s.Max, o.Max)
			}
			c.samples[key] = s
		}
	}
	return c, err
}

// within reports whether all samples are samples of the other file, or of some of their rows.
func (c contents) within(o contents) bool {
	for key, s := range c.samples {
		w, ok := o.samples[key]
		if !ok || s.Count > w.Count || s.Min < w.Min || s.Max > w.Max {
			return false
		}
	}
	return true
}

func (c contents) equal(o contents) bool { return c.rows == o.rows && c.within(o) && o.within(c) }

// isWholeJSON reports whether the text is empty or documents of JSON, one after the other.
func isWholeJSON(text []byte) bool {
	for dec := json.NewDecoder(bytes.NewReader(text)); ; {
		if err := dec.Decode(new(json.RawMessage)); err != nil {
			return err == io.EOF
		}
	}
}

// checkCuts cuts a text at every byte between two places. What remains must be rows of the whole
// file. If the cut is in the middle of a line that gives a row, the row must be missing, with a
// warning or an error, or it must be as in the whole file.
func checkCuts(t *testing.T, name string, text []byte, from, to int) {
	t.Helper()
	whole, _ := contentsOf(text, name)
	isJSON := filepath.Ext(name) == ".json"
	for at := max(0, from); at < min(to, len(text)); {
		end := at + bytes.IndexByte(append(text[at:len(text):len(text)], '\n'), '\n')
		before, _ := contentsOf(text[:at], name)
		with, _ := contentsOf(append(text[:end:end], '\n'), name)
		isRow := !before.equal(with)
		lead := len(text[at:end]) - len(bytes.TrimLeft(text[at:end], " \t\x00"))
		for cut := at; cut <= end; cut++ {
			got, err := contentsOf(text[:cut], name)
			switch {
			case !got.within(whole):
				t.Errorf("%s cut behind %q: %v of %v", name, text[at:cut], got, whole)
			case isJSON && !isWholeJSON(text[:cut]) && err == nil:
				t.Errorf("%s cut behind %q: no error", name, text[at:cut])
			case isJSON || isRow && got.equal(with):
			case !got.equal(before):
				t.Errorf("%s cut behind %q: %v, want %v", name, text[at:cut], got, before)
			case isRow && cut > at+lead && err == nil && !got.warned:
				t.Errorf("%s cut behind %q: no warning", name, text[at:cut])
			}
		}
		at = end + 1
	}
}

// A file that is cut off keeps its whole rows, believes no part of a number, and says so.
func TestCutFiles(t *testing.T) {
	files, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.IsDir() || f.Name() == "README.md" {
			continue
		}
		text, err := os.ReadFile(filepath.Join("testdata", f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		lastLines := bytes.LastIndexByte(text[:max(0, len(text)-300)], '\n') + 1
		checkCuts(t, f.Name(), text, 0, min(600, lastLines)) // with the header
		checkCuts(t, f.Name(), text, lastLines, len(text))
	}
}
