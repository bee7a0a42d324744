package terminal

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// IsClosed reports whether the program was started without a standard output, as by ">&-". Go opens
// /dev/null in its place, for reading and writing. Few programs open it like this to discard
// output. They are recognised by O_CLOEXEC on older kernels, by a parent whose output is /dev/null
// too, or by a parent that is Python or Node. Where standard error is /dev/null as well, nobody is
// there to be told.
func IsClosed(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok || !isNull(fmt.Sprintf("/proc/self/fd/%d", f.Fd())) || isNull("/proc/self/fd/2") {
		return false
	}
	parent := fmt.Sprintf("/proc/%d", os.Getppid())
	program, _ := os.Readlink(parent + "/exe") // empty for a parent of another user
	for _, name := range []string{"python", "node", "bun", "deno"} {
		if strings.HasPrefix(filepath.Base(program), name) {
			return false
		}
	}
	flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0)
	return err == nil && flags&unix.O_ACCMODE == unix.O_RDWR && flags&unix.O_CLOEXEC == 0 && !isNull(parent+"/fd/1")
}

// isNull reports whether a link of /proc leads to /dev/null.
func isNull(link string) bool {
	to, err := os.Readlink(link)
	return err == nil && to == os.DevNull
}
