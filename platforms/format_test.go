package platforms

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/internal/list"
)

// The table of keys in FORMAT.md is that of the schema, and -update writes it.
func TestFormatHasAllKeys(t *testing.T) {
	text, err := os.ReadFile("FORMAT.md")
	if err != nil {
		t.Fatal(err)
	}
	const head = "| table | key | meaning |\n|---|---|---|\n"
	before, rest, found := strings.Cut(string(text), head)
	table, after, ended := strings.Cut(rest, "\n\n")
	if !found || !ended {
		t.Fatal("FORMAT.md has no table of keys")
	}
	want := strings.TrimSuffix(formatTable(), "\n")
	if table == want {
		return
	}
	if !*update {
		t.Fatalf("FORMAT.md has other keys than the schema; write them: go test ./platforms "+
			"-update\n%s", want)
	}
	all := before + head + want + "\n\n" + after
	if err := os.WriteFile("FORMAT.md", []byte(all), 0o666); err != nil {
		t.Fatal(err)
	}
}

// formatTable returns the rows of FORMAT.md, in the order of its explanations: what other tables
// name comes first.
func formatTable() string {
	var b strings.Builder
	row := func(table string, keys []string, help string) {
		names := "`" + strings.Join(keys, "`, `") + "`"
		fmt.Fprintf(&b, "|%s | %s | %s |\n", table, names, help)
	}
	write := func(table string, keys []key) {
		for len(keys) > 0 {
			n := 1
			for n < len(keys) && keys[n].help == "" {
				n++
			}
			names := list.Map(keys[:n], func(k key) string { return k.name })
			row(table, names, keys[0].help)
			table, keys = "", keys[n:]
		}
	}
	kinds := []*tableKind{topKind, constantKind, computeKind, roofKind, stageKind, protocolKind, measuredKind,
		collectiveKind, layerKind, levelKind}
	for _, k := range kinds {
		// Every table has a source, of which FORMAT.md tells before, and the models have a table.
		keys := slices.DeleteFunc(slices.Clone(k.keys), func(row key) bool {
			own := row.name == "source" || row.name == "sources"
			return own || k == layerKind && isModelKey(row.name)
		})
		write(" "+headOf(k), keys)
	}
	return b.String()
}

// headOf returns a header of the kind.
func headOf(k *tableKind) string {
	switch {
	case k == topKind:
		return "(top)"
	case k.one:
		return "`[" + k.name + "]`"
	}
	return "`[" + k.name + ".NAME]`"
}

// Each kind of table is in the order of FORMAT.md, and each row begins with a text.
func TestSchema(t *testing.T) {
	for _, k := range tableKinds {
		if k.keys[0].help == "" {
			t.Errorf("%s: the first key has no help", k.name)
		}
		names := k.names()
		if len(slices.Compact(slices.Clone(names))) != len(names) {
			t.Errorf("%s: a key has two rows: %q", k.name, names)
		}
		if !strings.Contains(formatTable(), headOf(k)) {
			t.Errorf("%s is not in FORMAT.md", k.name)
		}
	}
}
