package usage

import (
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
