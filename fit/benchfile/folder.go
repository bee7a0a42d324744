package benchfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxFiles is the maximum number of files in a folder.
const maxFiles = 2_000_000

// Files returns name itself if it is a file. If it is a folder, Files returns the regular files in
// it and in its subfolders, sorted by path, without hidden files (.name) and without following
// links to folders. Errors are of type [*Error]; a folder without files is an error.
func Files(name string) ([]string, error) {
	if name == "-" {
		return []string{name}, nil
	}
	info, err := os.Stat(name)
	if err != nil {
		return nil, pathError(name, err)
	}
	if !info.IsDir() {
		return []string{name}, nil
	}
	var files []string
	// WalkDir does not follow a link, and the argument may be one.
	err = filepath.WalkDir(strings.TrimRight(name, "/")+"/", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return pathError(path, err)
		case strings.HasPrefix(d.Name(), ".") && filepath.Clean(path) != filepath.Clean(name):
			if d.IsDir() {
				return fs.SkipDir
			}
		case d.Type().IsRegular() || d.Type() == fs.ModeSymlink && isRegular(path):
			if files = append(files, filepath.Clean(path)); len(files) > maxFiles {
				return &Error{File: name, Msg: fmt.Sprintf("more than %d files; name a smaller folder", maxFiles)}
			}
		}
		return nil
	})
	if err == nil && len(files) == 0 {
		err = &Error{File: name, Msg: "the folder has no files; give one that has"}
	}
	if err != nil {
		return nil, err
	}
	return files, nil
}

func isRegular(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// pathError converts an error of the operating system to an [*Error].
func pathError(name string, err error) error {
	if e := (*Error)(nil); errors.As(err, &e) {
		return err
	}
	if e := new(fs.PathError); errors.As(err, &e) {
		err = e.Err
	}
	msg := err.Error()
	if scheme, _, is := strings.Cut(name, "://"); is && errors.Is(err, fs.ErrNotExist) {
		msg = fmt.Sprintf("files are read from disks, not by %s; copy it here first, or mount it", plain(scheme))
	}
	return &Error{File: name, Msg: msg}
}
