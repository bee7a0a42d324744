package usage

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestHint(t *testing.T) {
	check := func(wrong, want string, names ...string) {
		t.Helper()
		if got := Hint(wrong, names); got != want {
			t.Errorf("Hint(%q, %q) = %q, want %q", wrong, names, got, want)
		}
	}
	check("clop", `; did you mean "clip"?`, "hp-lam", "clip")
	check("CLIP", `; did you mean "clip"?`, "hp-lam", "clip")
	check("betа", `; did you mean "beta"?`, "beta", "tau") // a Cyrillic а
	check("tua", `; did you mean "tau"?`, "beta", "tau")   // a swap is one step
	check("--quiet", "", append(slices.Repeat([]string{"--format"}, 17), "--unit")...)
	check("--seg", `; did you mean "--segment"?`, "--size", "--segment")
	check("xyzzy", `; choose from beta, tau`, "beta", "tau")
	check("", `; choose from beta`, "beta")
	check("xyzzy", "")
}

func TestShellLine(t *testing.T) {
	const want = `'a b' 'it'\''s' '$(x)' ''`
	if got := ShellLine("a b", "it's", "$(x)", ""); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// The extension makes names no more alike.
func TestNearFile(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"latency.txt", "whole.goal", "jacobi.star"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for missing, want := range map[string]string{
		"latenci.txt": "latency.txt", "jacobi.goal": "jacobi.star", "none.goal": "", "a.txt": ""} {
		near := NearFile(filepath.Join(dir, missing))
		if want != "" {
			want = fmt.Sprintf("; did you mean %q?", filepath.Join(dir, want))
		}
		if near != want {
			t.Errorf("%s: %q, want %q", missing, near, want)
		}
	}
}
