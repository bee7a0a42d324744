package reports

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
)

// WriteFile puts what write writes into the file at path, whole or not at
// all: it is collected first, written to a new file beside the target, and
// renamed. A file that was there keeps its permissions; a new one has 0644
// less the umask. What is no regular file (/dev/stdout, a named pipe) is
// written directly.
//
// The error of write itself comes back as it is; a fault of the file names
// the path, the reason and what to do.
func WriteFile(path string, write func(io.Writer) error) error {
	var content bytes.Buffer
	if err := write(&content); err != nil {
		return err
	}
	if err := writeFile(path, content.Bytes()); err != nil {
		return fileError(path, err)
	}
	return nil
}

func writeFile(path string, content []byte) error {
	perm := fs.FileMode(0o644)
	info, err := os.Stat(path)
	switch {
	case path == "":
		return errors.New("the name of the file is empty")
	case err == nil && info.IsDir():
		return syscall.EISDIR
	case err == nil && !info.Mode().IsRegular():
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		_, err = f.Write(content)
		return errors.Join(err, f.Close())
	case err == nil:
		perm = info.Mode().Perm()
		// The file behind a link is replaced, not the link.
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return err
		}
	}
	temp := filepath.Join(filepath.Dir(path), fmt.Sprintf(".halfpeak-%016x.tmp", rand.Uint64()))
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	defer os.Remove(temp) // in vain once renamed
	if info != nil {
		err = f.Chmod(perm) // what the umask took
	}
	if err == nil {
		_, err = f.Write(content)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(temp, path)
}

// fileError says in one line what is wrong with path and what helps.
func fileError(path string, err error) error {
	var reason string
	switch dir := filepath.Dir(path); {
	case errors.Is(err, syscall.EISDIR):
		reason = "it is a directory; give the name of a file"
	case errors.Is(err, syscall.ENOTDIR):
		reason = fmt.Sprintf("%s is not a directory", dir)
	case errors.Is(err, fs.ErrNotExist):
		reason = fmt.Sprintf("the directory %s does not exist; create it first", dir)
	case errors.Is(err, fs.ErrPermission):
		reason = "permission denied; choose a place that you may write to"
	case errors.Is(err, syscall.EROFS):
		reason = "the file system is read-only; choose another place"
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		reason = "the disk is full; make room or choose another place"
	case errors.Is(err, syscall.ENAMETOOLONG):
		reason = "the name is too long"
	default:
		// Without the name of the temporary file, which means nothing to anybody.
		if pathErr := new(fs.PathError); errors.As(err, &pathErr) {
			err = pathErr.Err
		} else if linkErr := new(os.LinkError); errors.As(err, &linkErr) {
			err = linkErr.Err
		}
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	return &wrapped{fmt.Sprintf("cannot write %s: %s", path, reason), err}
}

// wrapped is an error in our words that still is err to errors.Is.
type wrapped struct {
	message string
	err     error
}

func (w *wrapped) Error() string { return w.message }
func (w *wrapped) Unwrap() error { return w.err }
