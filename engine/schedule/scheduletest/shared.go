// Package scheduletest helps tests of schedules: random programs, and the
// published material that lies beside a checkout.
package scheduletest

import (
	"os"
	"path/filepath"
	"testing"
)

// Shared is the path of published material beside the checkout, which the
// repository does not hold. Without it the test is skipped.
func Shared(t testing.TB, path string) string {
	t.Helper()
	for dir := "../.."; len(dir) < 100; dir += "/.." {
		p := filepath.Join(dir, "shared", path)
		if _, err := os.Stat(p); err == nil {
			return p
		}
	}
	t.Skipf("%s is not beside the checkout", path)
	return ""
}
