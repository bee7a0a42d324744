package terminal

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// IsClosed reports whether the program was started without a standard output, as by ">&-". Go
// opens /dev/null in its place before any of our code runs, for reading and writing, where a
// shell's ">/dev/null" is for writing alone. A parent
// that discards output by such a /dev/null, as Python's subprocess.DEVNULL does, looks the same; the
// error message says what to do. If standard error is /dev/null too, nobody would read an error; if the
// parent's own standard output is, it was inherited.
func IsClosed(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok || !isNull(fmt.Sprintf("/proc/self/fd/%d", f.Fd())) || isNull("/proc/self/fd/2") || isNull(fmt.Sprintf("/proc/%d/fd/1", os.Getppid())) {
		return false
	}
	flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0)
	return err == nil && flags&unix.O_ACCMODE == unix.O_RDWR
}

// isNull reports whether a link of /proc leads to /dev/null.
func isNull(link string) bool {
	to, err := os.Readlink(link)
	return err == nil && to == os.DevNull
}
