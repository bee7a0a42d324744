package atomicfile

import (
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/halfpeak/halfpeak/internal/usage"
)

// partial ends the name of a file that is not complete.
const partial = ".partial"

// A reservation is an existing file that the process is going to replace.
type reservation struct {
	path string // as the user wrote it
	info os.FileInfo
	read atomic.Bool // somebody tried
}

func (r *reservation) err() error {
	return usage.Error{Err: fmt.Errorf("%q is also an input; choose another name for the output",
		r.path)}
}

var reserved atomic.Pointer[[]*reservation]

// Reserve declares the files that the process is going to write. From then on [Open] refuses them,
// so that no command replaces a file that it reads, however its name reached the command. After
// that, [Create] refuses them too: a reader of many files may leave one out and go on. A later call
// replaces the list. It is an error, of type [usage.Error], if two paths are one file.
func Reserve(paths []string) error {
	var all []*reservation
	seen := map[string]bool{}
	for _, path := range paths {
		full, err := filepath.Abs(path)
		if err == nil && seen[full] {
			return usage.Error{
				Err: fmt.Errorf("two results would be written to %q; choose two names", path),
			}
		}
		seen[full] = true
		// The second name is that of a file that was not completed; see Keep.
		for _, name := range []string{path, path + partial} {
			// A file that does not exist is no input; a pipe or a device is not replaced.
			info, err := os.Stat(name)
			if err != nil || !info.Mode().IsRegular() {
				continue
			}
			for _, other := range all {
				if os.SameFile(info, other.info) {
					return usage.Error{
						Err: fmt.Errorf("%q and %q are the same file; choose two names for two "+
							"results", other.path, path),
					}
				}
			}
			all = append(all, &reservation{path: name, info: info})
		}
	}
	reserved.Store(&all)
	return nil
}

// Open opens a file as an input. It is an error, of type [usage.Error], if [Reserve] has the file.
// All files that a user names are opened here; a test of the whole tree holds that.
func Open(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err := CheckInput(f); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// CheckInput returns an error as [Open] does for a file that is open already: standard input.
func CheckInput(f *os.File) error {
	all := reserved.Load()
	if all == nil || len(*all) == 0 {
		return nil
	}
	info, err := f.Stat()
	if err != nil {
		return nil // a closed standard input: reading says so
	}
	for _, r := range *all {
		// Files are compared by identity: a link, or another spelling of the path, is the same
		// file.
		if os.SameFile(info, r.info) {
			r.read.Store(true)
			return r.err()
		}
	}
	return nil
}

// checkOutput returns the error of [Open] for a file that it has refused.
func checkOutput(info os.FileInfo) error {
	if all := reserved.Load(); all != nil {
		for _, r := range *all {
			if r.read.Load() && os.SameFile(info, r.info) {
				return r.err()
			}
		}
	}
	return nil
}
