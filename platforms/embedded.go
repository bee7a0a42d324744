package platforms

import (
	"embed"
	"io/fs"
	"strings"

	"github.com/halfpeak/halfpeak/internal/list"
)

//go:embed *.toml
var embedded embed.FS

// names returns the names of the platforms that come with halfpeak, sorted.
func names() []string {
	// ReadDir sorts by file name, so that lists of platforms have the same order everywhere.
	files, err := embedded.ReadDir(".")
	if err != nil {
		panic(err) // embedded: cannot fail
	}
	return list.Map(files, func(f fs.DirEntry) string {
		return strings.TrimSuffix(f.Name(), ".toml")
	})
}
