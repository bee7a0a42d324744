// Package sharedtest holds what tests of several packages need: schedules with the times that
// LogGOPSim gave for them, and the path of published files and peers, which lie in the folder
// shared beside a checkout and are not part of the repository.
package sharedtest

import (
	"os"
	"path/filepath"
	"testing"
)

// Path returns the path of published material. Without it the test is skipped.
func Path(t testing.TB, name string) string {
	t.Helper()
	path, found := find(name)
	if !found {
		t.Skipf("%s is not beside the checkout", name)
	}
	return path
}

// find returns the path of published material, and whether it is there.
func find(name string) (string, bool) {
	for dir := ".."; len(dir) < 100; dir += "/.." {
		path := filepath.Join(dir, "shared", name)
		if _, err := os.Stat(path); err == nil {
			return path, true
		}
	}
	return "", false
}
