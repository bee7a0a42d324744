package arch

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// maxColumns is the width of prose in Markdown. Sessions, tables and pictures have the width of
// what they show.
const maxColumns = 100

// The blocks of the README are as a terminal shows them.
const blockColumns = 80

// link matches a link to a file, to a heading of a page, or to a heading of the same page.
var link = regexp.MustCompile(`\]\(([^)#:]*)(?:#([^)]*))?\)`)

func TestMarkdown(t *testing.T) {
	var pages []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md", "data/*.md", "platforms/*.md", "cmd/*/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, found...)
	}
	if len(pages) < 10 {
		t.Fatalf("only %d pages found: this test looks in the wrong place", len(pages))
	}
	texts := map[string]string{}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		texts[page] = string(text)
	}
	for _, page := range pages {
		text := texts[page]
		name := filepath.ToSlash(strings.TrimPrefix(page, filepath.FromSlash(root+"/")))
		fenced := false
		for i, line := range strings.Split(text, "\n") {
			if strings.HasPrefix(strings.TrimSpace(line), "```") {
				fenced = !fenced
			}
			if n := utf8.RuneCountInString(line); fenced && name == "README.md" && n > blockColumns {
				t.Errorf("%s:%d: %d columns, a terminal has %d", page, i+1, n, blockColumns)
			}
			if fenced || strings.HasPrefix(line, "    ") && !strings.HasPrefix(strings.TrimSpace(line), "- ") {
				continue
			}
			for _, l := range link.FindAllStringSubmatch(line, -1) {
				target := page
				if l[1] != "" {
					target = filepath.Join(filepath.Dir(page), filepath.FromSlash(l[1]))
				}
				if _, err := os.Stat(target); err != nil {
					t.Errorf("%s:%d: the link leads nowhere: %s", page, i+1, l[1])
				} else if l[2] != "" && !slices.Contains(anchors(texts[target]), l[2]) {
					t.Errorf("%s:%d: %s has no heading #%s", page, i+1, target, l[2])
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

// anchors returns the names of the headings of a page, as GitHub makes them: letters, digits,
// hyphens and underscores in lower case, a hyphen for each space.
func anchors(text string) []string {
	var all []string
	fenced := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		if fenced || !strings.HasPrefix(line, "#") {
			continue
		}
		heading := strings.ToLower(strings.TrimSpace(strings.TrimLeft(line, "#")))
		all = append(all, strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return r
			}
			return -1
		}, heading))
	}
	return all
}

func TestAnchors(t *testing.T) {
	const page = "# The `fit` of β\n```sh\n# no heading\n```\n## What's shared?\n"
	want := []string{"the-fit-of-β", "whats-shared"}
	if got := anchors(page); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
