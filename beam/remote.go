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

	"github.com/halfpeak/halfpeak/fleet"
)

// remote reports whether a file is in a file system of Beam, as gs://night/a.log.
func remote(name string) bool { return strings.Contains(name, "://") }

// list is fleet.List, also of remote folders.
func list(ctx context.Context, roots []string) (all []fleet.Entry, err error) {
	for _, root := range roots {
		var entries []fleet.Entry
		if entries, err = fleet.List([]string{root}); remote(root) {
			entries, err = listRemote(ctx, strings.TrimRight(root, "/")+"/")
		}
		if err != nil {
			return nil, err
		}
		all = append(all, entries...)
	}
	return all, nil
}

func listRemote(ctx context.Context, root string) (all []fleet.Entry, err error) {
	fs, err := filesystem.New(ctx, root)
	if err != nil {
		return nil, err
	}
	defer fs.Close()
	names, err := fs.List(ctx, root+"**")
	if err == nil && len(names) == 0 {
		err = errors.New("the folder has no files")
	}
	if err != nil {
		return nil, fmt.Errorf("%q: %w", root, err)
	}
	for _, name := range names {
		all = append(all, fleet.Entry{Path: strings.TrimPrefix(name, root), Source: name})
	}
	return all, nil
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
