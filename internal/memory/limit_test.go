package memory_test

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/internal/memory"
)

// The line of something too large has the estimate and the limit.
func TestCheck(t *testing.T) {
	if err := memory.Check("nothing", 0); err != nil {
		t.Error(err)
	}
	if memory.Limit().Bytes > 1<<60 {
		t.Skip("the system tells no limit")
	}
	err := memory.Check("a schedule of 9 ranks", 1<<60)
	if err == nil || !strings.Contains(err.Error(), "a schedule of 9 ranks needs about 1024 PiB of memory; the limit is ") {
		t.Error(err)
	}
}

// grown keeps what the test makes.
var grown [][]byte

// A program whose data grow is stopped before the system refuses memory.
func TestWatch(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("no limit to set")
	}
	if os.Getenv("GROW") != "" {
		memory.Watch(func(err error) {
			os.Stdout.WriteString(err.Error())
			os.Exit(1)
		})
		for {
			grown = append(grown, make([]byte, 1<<16))
			runtime.Gosched() // a loaded machine might run this alone until memory is refused
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The race detector reserves terabytes, and cgo's threads a gigabyte.
	grow := exec.Command("sh", "-c", "ulimit -v 3000000 2>/dev/null; exec "+self+" -test.run TestWatch")
	grow.Env = append(os.Environ(), "GROW=1", "GOMAXPROCS=1")
	out, err := grow.Output()
	if err == nil || !strings.Contains(string(out), "this needs more memory than the limit of ") {
		t.Errorf("%v: %q", err, out)
	}
}
