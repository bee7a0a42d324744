package papers

import (
	"bytes"
	"encoding/csv"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/model/quantity"
)

var update = flag.Bool("update", false, "write testdata/facts.csv anew from the folder of facts")

// The numbers that were copied out of the papers, by which the tables are judged to be whole: id,
// place, number as a decimal, its text where it is none, unit, and the relations that a row may
// have, the paper's first. TestFactsFile makes it.
const factsFile = "testdata/facts.csv"

// factsFolder has all that was copied out of the papers, with remarks; a clone does not come
// with it.
var factsFolder = flag.String("facts", "../../../shared/facts", "the `folder` of facts")

// A copied is a number as it was copied out of a paper.
type copied struct{ id, place, number, text, unit, relations string }

var copiedColumns = []string{"id", "place", "number", "text", "unit", "relations"}

// relationsOf are those that a row about a number may have. The ends of a range are bounds: two
// to three times is at least two and at most three. Where a size is printed above which something
// holds, or a peak that is reached ("up to 220"), the number itself is what was measured.
func relationsOf(relation, quantity string) string {
	switch {
	case strings.HasSuffix(quantity, ", lower"):
		return relation + " >="
	case strings.HasSuffix(quantity, ", upper"):
		return relation + " <="
	case relation == ">" && strings.Contains(quantity, " above which "), relation == "<=" && strings.HasSuffix(quantity, "peak bandwidth"):
		return relation + " ="
	}
	return relation
}

// readCopied reads the numbers of a file by their columns' names.
func readCopied(t *testing.T, file string, of func(cell func(column string) string) copied) []copied {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comment = '#'
	all, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var facts []copied
	for _, row := range all[1:] {
		facts = append(facts, of(func(column string) string { return row[slices.Index(all[0], column)] }))
	}
	return facts
}

// TestFactsFile makes the file of the numbers from the folder that has them, where it is at hand.
func TestFactsFile(t *testing.T) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	_ = w.Write(copiedColumns) // a buffer cannot fail
	if _, err := os.Stat(*factsFolder); err != nil {
		t.Skipf("no folder %s; the tables are judged by %s", *factsFolder, factsFile)
	}
	files, err := filepath.Glob(filepath.Join(*factsFolder, "*_*.csv"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if prefix, _, _ := strings.Cut(filepath.Base(file), "_"); papers()[prefix+".csv"] == "" {
			continue // computed, not copied
		}
		facts := readCopied(t, file, func(cell func(string) string) copied {
			c := copied{cell("id"), cell("place"), cell("num"), "", cell("unit"), relationsOf(cell("rel"), cell("quantity"))}
			if c.number == "" {
				c.text = cell("value")
			}
			return c
		})
		for _, c := range facts {
			_ = w.Write([]string{c.id, c.place, c.number, c.text, c.unit, c.relations})
		}
	}
	w.Flush()
	if *update {
		if err := os.WriteFile(factsFile, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(factsFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, b.Bytes()) {
		t.Errorf("%s is not what %s has; go test ./data -run TestFactsFile -update", factsFile, *factsFolder)
	}
}

// checkFacts holds the rows of a paper against what was copied out of it: each number has a row,
// with the same digits, unit and place, and a relation that suits. A second row about a number
// adds @ and a word to its name.
func checkFacts(t *testing.T, prefix string) {
	t.Helper()
	facts, err := facts()
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string][]Fact{}
	for _, f := range facts {
		id, _, _ := strings.Cut(f.ID, "@")
		if strings.HasPrefix(id, prefix+".") {
			rows[id] = append(rows[id], f)
		}
	}
	all := readCopied(t, factsFile, func(cell func(string) string) copied {
		return copied{cell("id"), cell("place"), cell("number"), cell("text"), cell("unit"), cell("relations")}
	})
	number := 0
	for _, c := range all {
		if !strings.HasPrefix(c.id, prefix+".") {
			continue
		}
		number++
		if len(rows[c.id]) == 0 || rows[c.id][0].ID != c.id {
			t.Errorf("%s: %s has no row", factsFile, c.id)
		}
		for _, f := range rows[c.id] {
			sameDigits := f.Printed == c.number || f.Role == None && c.number == "" && f.Printed == c.text
			sameRelation := f.Relation == c.relations || slices.Contains(strings.Fields(c.relations), f.Relation)
			if !sameDigits || !sameRelation || !sameUnit(f, c.unit) || f.Place != c.place {
				t.Errorf("%s: %s is %s %s %s, %s; copied was %+v", f.At, f.ID, f.Relation, f.Printed, f.Unit, f.Place, c)
			}
		}
		delete(rows, c.id)
	}
	if number < 50 {
		t.Errorf("%s has %d numbers of %s", factsFile, number, prefix)
	}
	for id, fs := range rows {
		t.Errorf("%s: %s is a number that was not copied out of the paper", fs[0].At, id)
	}
}

// plainUnits are the units of the papers that package quantity does not read, or as
// another: a KB of memory is no µs/KB.
var plainUnits = strings.NewReplacer("μ sec", "us", "kilobytes", "KB", "megabytes", "MB", "lines", "bit",
	"MByte/sec", "MB/s", "Mbytes/s", "MB/s", "Mbits/s", "Mbit/s", "Gbits/s", "Gbit/s", "Gigabit/s", "Gbit/s",
	"MBytes", "MB/s") // of a link, which StarT-JR prints without the time

// sameUnit says whether the unit of a row is that of the paper. A plain number of a row may be
// a count of something, or have its unit in words.
func sameUnit(f Fact, unit string) bool {
	if f.Unit == unit {
		return true
	}
	want, known := quantity.Unit(plainUnits.Replace(unit))
	got, ok := f.unit()
	if known {
		return ok && got == want
	}
	return f.Role != None && (f.Unit == "" || unit == "")
}
