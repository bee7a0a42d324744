package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Events of go test -json: a test that passed, one that failed, a test and a script that were
// skipped.
const events = `{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"pass","Package":"p","Test":"TestA","Elapsed":0}
{"Action":"output","Package":"p","Test":"TestB","Output":"    b_test.go:3: wrong\n"}
{"Action":"fail","Package":"p","Test":"TestB","Elapsed":0}
{"Action":"output","Package":"p","Test":"TestC","Output":"    c_test.go:3: no folder ../shared\n"}
{"Action":"output","Package":"p","Test":"TestC","Output":"--- SKIP: TestC (0.00s)\n"}
{"Action":"skip","Package":"p","Test":"TestC","Elapsed":0}
{"Action":"output","Package":"p","Test":"TestScripts/x","Output":"        > [root] skip 'root may read everything'\n"}
{"Action":"skip","Package":"p","Test":"TestScripts/x","Elapsed":0}
{"Action":"output","Package":"p","Output":"FAIL\tp\t0.1s\n"}
{"Action":"fail","Package":"p","Elapsed":0.1}
`

func TestRun(t *testing.T) {
	check := func(in string, skipped bool, want string) {
		t.Helper()
		var b strings.Builder
		if err := run(strings.NewReader(in), &b, skipped); err != nil || b.String() != want {
			t.Errorf("%q, %v; want %q", b.String(), err, want)
		}
	}
	check(events, false, "    b_test.go:3: wrong\nFAIL\tp\t0.1s\n")
	check(events, true, "TestC (no folder ../shared)\nTestScripts/x (root may read everything)\n")
	if err := run(strings.NewReader("panic"), &strings.Builder{}, false); err == nil {
		t.Error("no error of what is no event")
	}
}

// Code for one system is checked for it alone: its types, and what go vet finds.
func TestSystems(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":       "module m\n\ngo 1.25\n",
		"a.go":         "package m\n\nimport \"unsafe\"\n\nvar _ unsafe.Pointer\n",
		"a_windows.go": "package m\n\nvar x int = missing\n",
		"a_darwin.go":  "package m\n\nfunc f(x int) { x = x }\n",
		"a_test.go":    "package m\n",
	} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for target, want := range map[string]string{
		"linux/amd64": "", "windows/amd64": "undefined: missing", "darwin/arm64": "self-assignment",
	} {
		var b strings.Builder
		err := vetSystems(&b, root, "./...", []string{target})
		if (err == nil) != (want == "") || !strings.Contains(b.String(), want) {
			t.Errorf("%s: %v, %q; want %q", target, err, b.String(), want)
		}
	}
}
