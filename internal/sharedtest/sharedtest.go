// Package sharedtest holds what tests of several packages need: schedules with the times that
// LogGOPSim gave for them, values that cannot fail, and the path of published files and peers,
// which lie in the folder shared beside a checkout and are not part of the repository.
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

// Must returns the value of a function at an argument, and fails the test at an error: the design
// of a name, the sizes of a text.
func Must[A, V any](t testing.TB, of func(A) (V, error), arg A) V {
	t.Helper()
	v, err := of(arg)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
