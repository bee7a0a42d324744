package flags

import (
	"regexp"
	"runtime/debug"
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
