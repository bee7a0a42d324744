// Package atomicfile writes files completely or not at all.
package atomicfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"syscall"
)

// Write stores the output of write in the file at path, as [Create] does. An error of write leaves
// no part of a file. Nor does it leave half an answer in a pipe, for which the output is collected
// first. That error is returned unchanged.
func Write(path string, write func(io.Writer) error) error {
	f, err := Create(path)
	if err != nil {
		return err
	}
	var content bytes.Buffer
	file := bufio.NewWriterSize(f, 1<<16)
	if f.target == "" {
		err = write(&content)
	} else {
		err = write(file)
	}
	if err == nil {
		_, err = file.Write(content.Bytes())
	}
	if err == nil {
		err = file.Flush()
	}
	if err != nil {
		f.Discard()
		return err
	}
	return f.Close()
}

// A File is written under a temporary name beside its target, whose place it takes when it is
// closed. Readers of the target, and other processes that write it, see complete files only.
// Errors of its methods give the path, the reason and a remedy.
type File struct {
	path   string // as the user wrote it
	target string // the file behind a link; "" for a pipe or device, which is written directly
	file   *os.File
	size   int64 // of the completed writes
}

// unfinished has the files that are not closed.
var unfinished struct {
	sync.Mutex
	files    map[*File]bool
	finished []string // paths of files that were closed since [Finished]
}

// Finished returns the paths of the files that were completed since the last call, in their order.
func Finished() (paths []string) {
	unfinished.Lock()
	defer unfinished.Unlock()
	paths, unfinished.finished = unfinished.finished, nil
	return paths
}

// DiscardAll discards all files that are not closed, for a process that ends at once. From then on
// no file is created or gets its name: who tries waits for the end of the process.
func DiscardAll() {
	unfinished.Lock()
	for f := range unfinished.files {
		f.discard()
	}
}

// Create begins a file. An existing file keeps its permissions; a new one has 0644 minus the umask.
// If path is a link, the file behind it is replaced, not the link. If path is neither a file nor a
// folder (/dev/stdout, a named pipe), the output goes there directly.
func Create(path string) (*File, error) {
	f := &File{path: path, target: path}
	if path == "" {
		return nil, FileError(path, errors.New("the name of the file is empty"))
	}
	info, err := os.Stat(path)
	perm := fs.FileMode(0o644)
	switch {
	case errors.Is(err, syscall.ELOOP):
		return nil, FileError(path, err)
	case err != nil: // a new file, or a folder that does not exist, which OpenFile reports
		f.target = behind(path)
	case info.IsDir():
		return nil, FileError(path, syscall.EISDIR)
	case !info.Mode().IsRegular():
		if f.file, err = os.OpenFile(path, os.O_WRONLY, 0); err != nil {
			return nil, FileError(path, err)
		}
		f.target = ""
		return f, nil
	default:
		if err := checkOutput(info); err != nil {
			return nil, err
		}
		perm = info.Mode().Perm()
		if f.target, err = filepath.EvalSymlinks(path); err != nil {
			return nil, FileError(path, err)
		}
	}
	// A name of its own, so that two processes that write the same file do not mix their output.
	name := fmt.Sprintf(".halfpeak-%016x.tmp", rand.Uint64())
	temporary := filepath.Join(filepath.Dir(f.target), name)
	// The file and its entry in the list appear together: DiscardAll may come at any time.
	unfinished.Lock()
	defer unfinished.Unlock()
	f.file, err = os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return nil, FileError(path, err)
	}
	if unfinished.files == nil {
		unfinished.files = map[*File]bool{}
	}
	unfinished.files[f] = true
	if info != nil {
		err = f.file.Chmod(perm) // the umask does not apply to an existing file
	}
	if err != nil {
		f.discard()
		return nil, FileError(path, err)
	}
	return f, nil
}

// behind returns the path to which a link leads that has no file behind it; else the path itself.
func behind(path string) string {
	for range 40 { // as many links as Linux follows
		to, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return path
}

// Write appends text to a file: all of it or, on an error such as a full disk,
// nothing: a sweep ends its partial file with a whole row. What a pipe has taken
// cannot be taken back.
func (f *File) Write(text []byte) (int, error) {
	n, err := f.file.Write(text)
	if err != nil {
		if f.target != "" && n > 0 {
			err = errors.Join(err, f.file.Truncate(f.size))
		}
		return n, FileError(f.path, err)
	}
	f.size += int64(n)
	return n, nil
}

// Close gives the file its name. Only then does anything happen to an existing file.
func (f *File) Close() error { return f.rename(f.target) }

// Keep ends a file that is not complete. What was written is then in the file that it returns,
// NAME.partial.
func (f *File) Keep() (part string, err error) {
	if f.target == "" {
		return f.path, f.rename("")
	}
	if info, err := os.Stat(f.target + partial); err == nil {
		if err := checkOutput(info); err != nil {
			f.Discard()
			return "", err
		}
	}
	return f.target + partial, f.rename(f.target + partial)
}

// rename closes first: a full disk may be reported only then, and Windows renames no
// open file.
func (f *File) rename(to string) error {
	unfinished.Lock()
	defer unfinished.Unlock()
	err := f.file.Close()
	if err == nil && f.target != "" {
		err = os.Rename(f.file.Name(), to)
	}
	if err != nil {
		f.discard()
		return FileError(f.path, err)
	}
	delete(unfinished.files, f)
	if f.target != "" && to == f.target {
		unfinished.finished = append(unfinished.finished, f.path)
	}
	return nil
}

// Discard removes what was written; a pipe is only closed. The caller has an error to report, so
// another one of a file that is of no use does not matter.
func (f *File) Discard() {
	unfinished.Lock()
	defer unfinished.Unlock()
	f.discard()
}

func (f *File) discard() {
	delete(unfinished.files, f)
	_ = f.file.Close()
	if f.target != "" {
		_ = os.Remove(f.file.Name())
	}
}

// FileError describes, in one line, why path cannot be written and what to do. The
// system's own words name the temporary file, which the user never asked for.
func FileError(path string, err error) error {
	var reason string
	switch dir := filepath.Dir(path); {
	case errors.Is(err, syscall.EISDIR):
		reason = "it is a directory; give the name of a file"
	case errors.Is(err, syscall.ENOTDIR):
		reason = fmt.Sprintf("%q is not a directory", dir)
	case errors.Is(err, fs.ErrNotExist):
		reason = fmt.Sprintf("the directory %q does not exist; create it first", dir)
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			reason = fmt.Sprintf("the system does not let a file be created in %q; choose another "+
				"place", dir)
		}
	case errors.Is(err, fs.ErrPermission):
		reason = "permission denied; choose a place that you may write to"
	case errors.Is(err, syscall.EROFS):
		reason = "the file system is read-only; choose another place"
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		reason = "the disk is full; make room or choose another place"
	case errors.Is(err, syscall.ENAMETOOLONG):
		reason = "the name is too long"
	default:
		// Drop the name of the temporary file.
		if pathErr := new(fs.PathError); errors.As(err, &pathErr) {
			err = pathErr.Err
		} else if linkErr := new(os.LinkError); errors.As(err, &linkErr) {
			err = linkErr.Err
		}
		return fmt.Errorf("cannot write %q: %w", path, err)
	}
	return &wrapped{fmt.Sprintf("cannot write %q: %s", path, reason), err}
}

// wrapped has a message of its own, and keeps the cause for errors.Is.
type wrapped struct {
	message string
	err     error
}

func (w *wrapped) Error() string { return w.message }
func (w *wrapped) Unwrap() error { return w.err }
