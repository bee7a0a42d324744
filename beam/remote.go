package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/fleet"
)

// remote reports whether a file is in a file system of Beam, such as gs://night/a.log.
func remote(name string) bool { return strings.Contains(name, "://") }

// exists returns an error if a root is not there, or if no file system of Beam reads it.
func exists(ctx context.Context, root string) error {
	if !remote(root) {
		_, err := os.Stat(root)
		return err
	}
	fs, err := filesystem.New(ctx, root)
	if err != nil {
		return fmt.Errorf("%q: this program reads gs://, s3:// and disks; copy the files there, or mount the bucket: %w", root, err)
	}
	return fs.Close()
}

// levels is the number of levels of folders that are read in s3://, each listed by a pattern of its
// own: Beam has no pattern for all of them there.
const levels = 6

// split divides a root into what is listed apart: the subfolders and files of a local folder, the
// levels of a bucket of S3.
func split(f folder, emit func(folder)) error {
	if strings.HasPrefix(f.Top, "s3://") {
		for n := range levels {
			f.Dir = strings.Repeat("*/", n) + "*"
			emit(f)
		}
		return nil
	}
	info, err := os.Stat(f.Top)
	if f.Dir = f.Top; remote(f.Top) {
		f.Dir = "**"
	}
	if remote(f.Top) || err == nil && !info.IsDir() {
		emit(f)
		return nil
	}
	all, err := os.ReadDir(f.Top)
	for _, d := range all {
		if !strings.HasPrefix(d.Name(), ".") {
			f.Dir = filepath.Join(f.Top, d.Name())
			emit(f)
		}
	}
	return err
}

func list(ctx context.Context, f folder, emit func(file)) error {
	if remote(f.Top) {
		return listRemote(ctx, f, emit)
	}
	switch info, err := os.Lstat(f.Dir); {
	case err != nil:
		return err
	case f.Dir == f.Top:
		emit(file{f.Root, f.Before, filepath.Base(f.Dir), f.Dir})
		return nil
	case !info.IsDir(): // a link to a folder is not followed
		if info, err = os.Stat(f.Dir); err == nil && info.Mode().IsRegular() {
			emit(file{f.Root, f.Before, filepath.Base(f.Dir), f.Dir})
		}
		return nil
	}
	entries, err := fleet.List([]string{f.Dir})
	if errors.Is(err, benchfile.ErrNoFiles) {
		return nil
	}
	for _, e := range entries {
		emit(file{f.Root, f.Before, path.Join(filepath.Base(f.Dir), e.Path), e.Source})
	}
	return err
}

func listRemote(ctx context.Context, f folder, emit func(file)) error {
	root := strings.TrimRight(f.Top, "/") + "/"
	fs, err := filesystem.New(ctx, root)
	if err != nil {
		return err
	}
	defer fs.Close()
	names, err := fs.List(ctx, root+f.Dir)
	if err == nil && len(names) == 0 && f.Dir == "**" {
		err = errors.New("the folder has no files")
	}
	if err != nil {
		return fmt.Errorf("%q: %w", root, err)
	}
	for _, name := range names {
		emit(file{f.Root, f.Before, strings.TrimPrefix(name, root), name})
	}
	return nil
}

// readAnywhere reads a local file in place. A remote file is copied first, and the JSON that read
// returns names it as if it had been read where it is.
func readAnywhere(ctx context.Context, source string, read func(source string) ([]byte, error)) ([]byte, error) {
	if !remote(source) {
		return read(source)
	}
	fs, err := filesystem.New(ctx, source)
	if err != nil {
		return nil, err
	}
	defer fs.Close()
	content, err := filesystem.Read(ctx, fs, source)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "halfpeak")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	copied := filepath.Join(dir, path.Base(source))
	if err := os.WriteFile(copied, content, 0o600); err != nil {
		return nil, err
	}
	text, err := read(copied)
	if err != nil {
		return nil, err
	}
	folder, err := json.Marshal(strings.TrimSuffix(source, "/"+path.Base(source)))
	return bytes.ReplaceAll(text, []byte(dir), folder[1:len(folder)-1]), err
}
