package flags

import (
	_ "embed"
	"regexp"
	"runtime/debug"
	"strings"
	"time"
)

// version is the release that is being made. The commit of a tag has the tag's version here.
// It is a variable for distributors, who add to it with
//
//	-ldflags "-X github.com/halfpeak/halfpeak/internal/flags.version=v0.3.0-2"
var version = "v0.3.0-dev"

// tagged matches versions of tags, not those that the Go tool makes up from commits.
var tagged = regexp.MustCompile(`^v\d+\.\d+\.\d+(-[a-z]+[.\d]*)?$`)

// Version returns the version of this program: the tag that go install built, or else that of the
// build, as in "v0.3.0-dev".
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok && tagged.MatchString(info.Main.Version) {
		return info.Main.Version
	}
	return version
}

// archived is the commit of a source archive, "HASH TIME": git writes it in place of the format
// when it makes the archive (.gitattributes). In a clone it is the format.
//
//go:embed commit.txt
var archived string

// Commit returns the revision of the sources, and the time of its commit: as the Go tool recorded
// them in a clone, or as git wrote them into a source archive. They are empty if neither did.
func Commit() (revision string, at time.Time) {
	var stamp string
	hash, when, ok := strings.Cut(strings.TrimSpace(archived), " ")
	if ok && !strings.HasPrefix(hash, "$") {
		revision, stamp = hash, when
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				revision = s.Value
			case "vcs.time":
				stamp = s.Value
			}
		}
	}
	at, _ = time.Parse(time.RFC3339, stamp) // the zero time if there is no stamp
	return revision, at
}
