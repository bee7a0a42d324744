package flags

import (
	"os"
	"regexp"
	"testing"
)

// The version is said in several files, and is the same in all.
func TestVersionIsTheSameEverywhere(t *testing.T) {
	if !tagged.MatchString(version) {
		t.Errorf("version %q is not semantic", version)
	}
	if Version() != version {
		t.Errorf("a test says that it is of version %s", Version())
	}
	number := version[1:]
	for path, pattern := range map[string]string{
		"../../CITATION.cff": `(?m)^version: (.*)$`,
		"../../CHANGELOG.md": `(?m)^## v(\S+)`,
	} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		found := regexp.MustCompile(pattern).FindSubmatch(text)
		want := number
		if path == "../../CHANGELOG.md" { // which names the release that is being made
			want = regexp.MustCompile(`-dev$`).ReplaceAllString(number, "")
		}
		if found == nil || string(found[1]) != want {
			t.Errorf("%s: version %q, want %s", path, found, want)
		}
	}
}

func TestVersionsOfCommitsAreNoTags(t *testing.T) {
	for v, want := range map[string]bool{
		"v0.3.0": true, "v1.0.0-rc.1": true, "v0.3.0-dev": true,
		"(devel)": false, "v0.0.0-20261122051349-9a3acfd00000": false, "v0.3.0+dirty": false, "v0.3.1-0.20261122051349-9a3acfd00000": false,
	} {
		if tagged.MatchString(v) != want {
			t.Errorf("%s: tag %v, want %v", v, !want, want)
		}
	}
}

// A clone has the format; git writes the commit into archives.
func TestCommitOfArchives(t *testing.T) {
	if archived != "$Format:%H %cI$\n" {
		if _, at := Commit(); at.IsZero() { // these are the sources of an archive
			t.Errorf("commit.txt is %q: no commit, and git would write none into archives", archived)
		}
	}
	defer func(a string) { archived = a }(archived)
	archived = "0123abcd 2026-11-25T22:27:27+01:00\n"
	// Tests are built without the Go tool's record of the commit.
	revision, at := Commit()
	if revision != "0123abcd" || at.Unix() != 1795642047 {
		t.Errorf("the commit is %s of %v (%d)", revision, at, at.Unix())
	}
}
