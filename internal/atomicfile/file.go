// Package atomicfile writes files completely or not at all, replaces only files that halfpeak
// wrote, and resumes the files of an interrupted run.
package atomicfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Files writes files. It replaces halfpeak's own files, and other files only if Force is set.
// Images, pages, Markdown and TOML contain [Imprint]. Formats without room for it are
// recognized by their columns: a CSV file or a table of text with the same headings as the new one,
// JSON with the same keys.
type Files struct {
	Force bool // replace files that halfpeak did not write
}

// Imprint marks every file whose format has room for a remark.
const Imprint = "Written by halfpeak"

// Write stores the output of write in the file at path, completely or not at all: it collects the
// output, writes it to a new file beside the target, and renames that. An existing file keeps its
// permissions; a new one has 0644 minus the umask. If path is not a regular file (/dev/stdout, a
// named pipe), Write writes to it directly.
//
// An error of write is returned unchanged; an error of the file gives the path, the reason and a
// remedy.
func (f Files) Write(path string, write func(io.Writer) error) error {
	var content bytes.Buffer
	if err := write(&content); err != nil {
		return err
	}
	if ext := strings.ToLower(filepath.Ext(path)); ext == ".md" && !bytes.Contains(content.Bytes(), []byte(Imprint)) {
		content.WriteString("\n<!-- " + Imprint + " -->\n")
	}
	if err := f.check(path, content.Bytes()); err != nil {
		return err
	}
	if err := writeFile(path, content.Bytes()); err != nil {
		return FileError(path, err)
	}
	return nil
}

// check returns an error if content may not replace the file at path.
func (f Files) check(path string, content []byte) error {
	if f.Force {
		return nil
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return nil
	}
	head, tail, err := ends(path, info.Size())
	if err != nil {
		return FileError(path, err)
	}
	if bytes.Contains(head, []byte(Imprint)) || bytes.Contains(tail, []byte(Imprint)) || sameColumns(head, content) {
		return nil
	}
	return fmt.Errorf("%q exists, and is not an earlier output of this kind; choose another name, or replace it with --force", path)
}

func ends(path string, size int64) (head, tail []byte, err error) {
	const most = 64 << 10
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	head, tail = make([]byte, min(size, most)), make([]byte, min(size, most))
	if _, err = file.ReadAt(head, 0); err == nil {
		_, err = file.ReadAt(tail, size-int64(len(tail)))
	}
	if errors.Is(err, io.EOF) { // it shrank meanwhile
		err = nil
	}
	return head, tail, err
}

// sameColumns reports whether two tables have the same keys or headings. An empty list of objects
// can always be replaced.
func sameColumns(old, content []byte) bool {
	if string(old) == "[]\n" {
		return true
	}
	keys, _ := columnsOf(content)
	before, whole := columnsOf(old)
	if !whole && len(before) > 0 && len(before) <= len(keys) { // the first object is only partly read
		keys = keys[:len(before)]
	}
	return len(keys) > 0 && slices.Equal(keys, before)
}

// columnsOf returns the keys of the first object, or the cells of the first line, split at commas
// or spaces. whole is false if the text ends within the object.
func columnsOf(text []byte) (columns []string, whole bool) {
	if keys, whole := firstKeys(text); keys != nil {
		return keys, whole
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	if bytes.ContainsRune(line, ',') {
		return strings.Split(string(line), ","), true
	}
	return strings.Fields(string(line)), true
}

// firstKeys returns the keys of the first object of JSON or JSON Lines; nil if there is none.
func firstKeys(text []byte) (keys []string, whole bool) {
	text = bytes.TrimSpace(text)
	if len(text) == 0 || text[0] != '[' && text[0] != '{' {
		return nil, true
	}
	d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(text, []byte("["))))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, true
	}
	for d.More() {
		key, err := d.Token()
		name, ok := key.(string)
		if err != nil || !ok {
			return keys, false
		}
		keys = append(keys, name)
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return keys, false
		}
	}
	return keys, true
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
		err = f.Chmod(perm) // minus the umask
	}
	if err == nil {
		_, err = f.Write(content)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(temp, path)
}

// FileError describes, in one line, why path cannot be written and what to do.
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
			reason = fmt.Sprintf("the system does not let a file be created in %q; choose another place", dir)
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

type wrapped struct {
	message string
	err     error
}

func (w *wrapped) Error() string { return w.message }
func (w *wrapped) Unwrap() error { return w.err }
