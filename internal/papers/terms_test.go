package papers

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every file of numbers is in the row of README.md that has its paper and the terms.
func TestTermsOfEveryFile(t *testing.T) {
	readme, err := os.ReadFile("../../data/README.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{} // of the papers, by their short names
	for line := range strings.Lines(string(readme)) {
		if csv := regexp.MustCompile("^\\| `([a-z]+\\.csv)`").FindStringSubmatch(line); csv != nil {
			text, err := os.ReadFile("../../data/" + csv[1])
			if err != nil {
				t.Fatal(err)
			}
			paper, _, _ := strings.Cut(string(bytes.TrimPrefix(text, []byte("# "))), ":")
			rows[paper] = line
		}
	}
	for _, paper := range Names() {
		if rows[paper] == "" {
			t.Errorf("README.md has no row of %s, as in | `clip.csv`, `../platforms/clip.toml` | author, title, year | © the author |", paper)
		}
	}
	platforms, err := filepath.Glob("../../platforms/*.toml")
	if err != nil || len(platforms) == 0 {
		t.Fatalf("no platforms: %v", err)
	}
	for _, path := range platforms {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		paper := regexp.MustCompile(`(?m)^paper = "(.*)"`).FindSubmatch(text)
		if paper == nil {
			t.Errorf("%s: no paper; write paper = \"CLIP\", the short name that its file of numbers begins with", path)
			continue
		}
		if name := filepath.Base(path); !regexp.MustCompile("[`/]" + regexp.QuoteMeta(name) + "`").MatchString(rows[string(paper[1])]) {
			t.Errorf("%s is not in a row of %s in README.md; add it to the first cell", name, paper[1])
		}
	}
}
