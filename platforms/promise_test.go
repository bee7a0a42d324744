package platforms

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/pelletier/go-toml/v2"
)

// The files that docs/stability.md promises to read for good have every key between them: a key
// that is added goes into the file of the next release.
func TestPromiseHasEveryKey(t *testing.T) {
	files, err := filepath.Glob("../cmd/halfpeak/testdata/promise/*.toml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	promised := map[string]map[string]bool{"": {}}
	promise := func(kind string, keys map[string]any) {
		if promised[kind] == nil {
			promised[kind] = map[string]bool{}
		}
		for key := range keys {
			promised[kind][key] = true
		}
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var all map[string]any
		if err := toml.Unmarshal(text, &all); err != nil {
			t.Fatal(err)
		}
		promise("", all)
		for _, kind := range tableKinds {
			tables, _ := all[kind].(map[string]any)
			for _, table := range tables {
				promise(kind, table.(map[string]any))
				list, _ := table.(map[string]any)["branches"].([]any)
				for _, branch := range list {
					promise("branch", branch.(map[string]any))
				}
			}
		}
	}
	for kind, keys := range schema {
		for key := range keys {
			if !promised[kind][key] {
				t.Errorf("no promised file has the key %q of %q; add it to the file of the next release in cmd/halfpeak/testdata/promise", key, kind)
			}
		}
	}
	for kind, former := range formerKeys {
		for key := range former {
			if !promised[kind][key] {
				t.Errorf("no promised file has the former key %q of %q", key, kind)
			}
		}
	}
}
