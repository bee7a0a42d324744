package placed_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/halfpeak/halfpeak/internal/placed"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/machine"
)

// Tables of places are read as spreadsheets and PowerShell write them, and a file without an end
// has one.
func TestPlacesForms(t *testing.T) {
	m := machine.Machine{Levels: []machine.Level{{Name: "node", Arity: 2,
		Layer: &model.Linear{Beta: 1}}, {Name: "cluster", Arity: 2, Layer: &model.Linear{Beta: 2}}}}
	const text = "\ufeffrank,node\r\n0,a\r\n1,b\r\n2,a\r\n"
	var wide []byte
	for _, u := range utf16.Encode([]rune(text)) {
		wide = append(wide, byte(u), byte(u>>8))
	}
	for name, content := range map[string][]byte{"utf8": []byte(text), "utf16": wide} {
		path := filepath.Join(t.TempDir(), "nodes.csv")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		on, err := placed.Read(path, m)
		if shape := placed.Shape(m, on); err != nil || !strings.Contains(shape, "cores 0,2,1;") {
			t.Errorf("%s: %s, %v", name, shape, err)
		}
	}
	for content, want := range map[string]string{
		"rank,node\n\n0,a\n9,b\n":      `nodes.csv:4: rank "9"; the 2 rows`,
		"rank,node\n0,\"a\nx\"\n9,b\n": `nodes.csv:4: rank "9"; the 2 rows`,
		"rank,node\n0,a\n1,b,c\n":      "nodes.csv: record on line 3: wrong number of fields; write",
		"rank,node\n":                  "nodes.csv is not a table of ranks and nodes; write",
	} {
		path := filepath.Join(t.TempDir(), "nodes.csv")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := placed.Read(path, m); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", content, err, want)
		}
	}
	if _, err := os.Stat("/dev/zero"); err == nil {
		if _, err := placed.Read("/dev/zero", m); err == nil {
			t.Error("/dev/zero is a table")
		}
	}
}

// A list of places is cut where it is longer than a line takes, also before its first comma.
func TestShapeOfLongLists(t *testing.T) {
	m := machine.Machine{Levels: []machine.Level{{Name: "node", Arity: 2,
		Layer: &model.Linear{Beta: 1}}}}
	zeros := strings.Repeat("0", 61)
	for _, by := range []string{zeros, zeros + ",1", "0,1," + zeros} {
		if shape := placed.Shape(m, machine.Placement{By: by}); !strings.Contains(shape, " …") {
			t.Errorf("%s: %s", by, shape)
		}
	}
}
