package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// A closedOutput stands for a standard output that was closed (>&-).
type closedOutput struct{}

func (closedOutput) Write([]byte) (int, error) {
	return 0, errors.New("standard output is closed")
}

// outputClosed reports whether a shell closed standard output. Go's runtime then has opened
// /dev/null for reading and writing in its place, before main: otherwise the first file that is
// opened would become the output. Programs that are no shells give their children such an output
// too, as Python's subprocess.DEVNULL does, and mean it. Without /proc the answer is false.
func outputClosed() bool {
	const null = "/dev/null, read and written"
	output := func(process string) string {
		target, err := os.Readlink("/proc/" + process + "/fd/1")
		info, infoErr := os.ReadFile("/proc/" + process + "/fdinfo/1")
		_, flags, _ := strings.Cut(string(info), "flags:")
		flags, _, _ = strings.Cut(strings.TrimSpace(flags), "\n")
		mode, parseErr := strconv.ParseUint(flags, 8, 64)
		if errors.Join(err, infoErr, parseErr) == nil && target == os.DevNull && mode&3 == 2 {
			return null
		}
		return target
	}
	if output("self") != null {
		return false
	}
	parent := fmt.Sprint(os.Getppid())
	name, _ := os.ReadFile("/proc/" + parent + "/comm") // "": unknown
	shells := []string{"sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "busybox", "fish"}
	return slices.Contains(shells, strings.TrimSpace(string(name))) && output(parent) != null
}
