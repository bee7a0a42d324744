// Package sharedtest holds what tests of several packages need: files of generated measurements,
// and the path of published measurements and peers, which lie in the folder shared beside a
// checkout and are not part of the repository.
package sharedtest

import (
	"os"
	"path/filepath"
	"testing"
)

// Path returns the path of published material. Without it the test is skipped.
func Path(t testing.TB, name string) string {
	t.Helper()
	for dir := ".."; len(dir) < 100; dir += "/.." {
		path := filepath.Join(dir, "shared", name)
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	t.Skipf("%s is not beside the checkout", name)
	return ""
}
