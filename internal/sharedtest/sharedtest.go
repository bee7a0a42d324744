// Package sharedtest finds the published measurements and peers that lie beside a checkout, in the
// folder shared, for tests. The repository does not hold them.
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
