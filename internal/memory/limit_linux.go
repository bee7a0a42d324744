package memory

import (
	"bufio"
	"bytes"
	"os"
	"path"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// available returns the machine's memory, the address space that is left, and the memory of the
// cgroups that the process is in. What cannot be read is left out.
func available() (all []Bound) {
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err == nil {
		total := uint64(info.Totalram) * uint64(info.Unit) // both types differ between processors
		all = append(all, Bound{int64(total), "the machine's memory"})
	}
	var space unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_AS, &space); err == nil && space.Cur < 1<<62 {
		left := max(0, int64(space.Cur)-mapped())
		all = append(all, Bound{left, "the address space that ulimit -v leaves"})
	}
	for _, folder := range cgroups() {
		for _, name := range []string{"memory.max", "memory.limit_in_bytes"} {
			text, err := os.ReadFile(path.Join(folder, name))
			if err != nil {
				continue
			}
			// "max" is no number, and no limit.
			if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil {
				all = append(all, Bound{n, "the memory of the cgroup"})
			}
		}
	}
	return all
}

// mapped returns the bytes of address space in use, 0 if it is not known.
func mapped() int64 {
	text, err := os.ReadFile("/proc/self/statm")
	pages, _, _ := strings.Cut(string(text), " ")
	n, parseErr := strconv.ParseInt(pages, 10, 64)
	if err != nil || parseErr != nil {
		return 0
	}
	return n * int64(os.Getpagesize())
}

// cgroups returns the folders of the process's cgroups with a bound of memory, and of those above
// them: of version 2, and of version 1's controller "memory". In a container the path may be one
// of the host; then the container's own is at the top.
func cgroups() (folders []string) {
	text, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return nil
	}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		// "4:memory:/jobs/17"; of version 2 "0::/jobs".
		parts := strings.SplitN(lines.Text(), ":", 3)
		if len(parts) < 3 || parts[1] != "" && parts[1] != "memory" {
			continue
		}
		top := path.Join("/sys/fs/cgroup", parts[1])
		for at := path.Join("/", parts[2]); ; at = path.Dir(at) {
			folders = append(folders, path.Join(top, at))
			if at == "/" {
				break
			}
		}
	}
	return folders
}
