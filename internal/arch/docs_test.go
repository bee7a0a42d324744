package arch

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// maxColumns is the width of prose in Markdown. Sessions, tables and pictures have the width of
// what they show.
const maxColumns = 100

var link = regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)

func TestMarkdown(t *testing.T) {
	var pages []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md", "platforms/*.md", "cmd/*/*.md", "packaging/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, found...)
	}
	if len(pages) < 10 {
		t.Fatalf("only %d pages found: this test looks in the wrong place", len(pages))
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		fenced := false
		for i, line := range strings.Split(string(text), "\n") {
			if strings.HasPrefix(strings.TrimSpace(line), "```") {
				fenced = !fenced
			}
			if fenced || strings.HasPrefix(line, "    ") && !strings.HasPrefix(strings.TrimSpace(line), "- ") {
				continue
			}
			for _, l := range link.FindAllStringSubmatch(line, -1) {
				if _, err := os.Stat(filepath.Join(filepath.Dir(page), filepath.FromSlash(l[1]))); err != nil {
					t.Errorf("%s:%d: the link leads nowhere: %s", page, i+1, l[1])
				}
			}
			if strings.HasPrefix(line, "|") || strings.HasPrefix(line, "![") || strings.HasPrefix(line, "<") {
				continue
			}
			if n := utf8.RuneCountInString(line); n > maxColumns {
				t.Errorf("%s:%d: %d columns, want at most %d", page, i+1, n, maxColumns)
			}
		}
	}
}
