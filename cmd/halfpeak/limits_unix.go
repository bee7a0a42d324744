//go:build unix

package main

import (
	"fmt"
	"syscall"
)

// minFiles is the number of files that the program and Go's runtime must be able to
// have open at once. With fewer, the runtime dies with a trace before main could
// explain it (6 files were tried).
const minFiles = 16

// checkLimits returns an error where the process may open too few files to run at
// all. An error of the question itself is ignored: the limit then is not known, and
// most likely is none.
func checkLimits() error {
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err == nil && files.Cur < minFiles {
		return fmt.Errorf("at most %d files can be open at once; raise the limit with ulimit -n %d",
			files.Cur, minFiles)
	}
	return nil
}
