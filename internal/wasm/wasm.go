// Package wasm has the WebAssembly of cmd/explorer: the one that was put into this program when it
// was built with the tag explorer (see Embed), or one that the Go tool chain builds now from the
// module's own source.
package wasm

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/halfpeak/halfpeak/reports/page"
)

//go:generate go run ./generate

const module = "github.com/halfpeak/halfpeak"

// Program returns the embedded program, or else builds it. Only the first build takes long: Go
// rebuilds only changes, and the packed program is kept in the user's cache. Errors are one line
// each: no Go, no source, a failed build, or the end of the context.
//
// If it is built for more than a moment, say gets a line about that.
func Program(ctx context.Context, say func(string)) (page.Program, error) {
	if len(embedded.WASM) > 0 {
		return embedded, nil
	}
	defer time.AfterFunc(2*time.Second, func() {
		say("building the page's program from source, once; this takes half a minute or more")
	}).Stop()
	return Build(ctx)
}

// Build builds the program from source.
func Build(ctx context.Context) (page.Program, error) {
	tool, err := exec.LookPath("go")
	if err != nil {
		return page.Program{}, errors.New("this halfpeak has no WebAssembly in it, and there is no go to build it with: " +
			"install Go (https://go.dev/dl), or take a halfpeak that was built with -tags explorer")
	}
	source, err := source(ctx, tool)
	if err != nil {
		return page.Program{}, err
	}
	cache, err := cacheDir()
	if err != nil {
		return page.Program{}, err
	}
	root, err := output(ctx, tool, source, "env", "GOROOT")
	if err != nil {
		return page.Program{}, err
	}
	var p page.Program
	if p.Exec, err = os.ReadFile(filepath.Join(root, "lib", "wasm", "wasm_exec.js")); err != nil {
		return p, fmt.Errorf("this Go has no WebAssembly support: %w", err)
	}
	// Beside the cached file, so that two at a time do not write the same one.
	built, err := os.CreateTemp(cache, "build-*.wasm")
	if err != nil {
		return p, err
	}
	built.Close()
	defer os.Remove(built.Name())
	if _, err := output(ctx, tool, source, "build", "-trimpath", "-ldflags=-s -w", "-o", built.Name(), "./cmd/explorer"); err != nil {
		return p, err
	}
	text, err := os.ReadFile(built.Name())
	if err != nil {
		return p, err
	}
	p.WASM, err = packed(cache, text)
	return p, err
}

// source is the folder of the module's source: where this program was built, if that is still
// there, or the release of the same version, which go fetches.
func source(ctx context.Context, tool string) (string, error) {
	if _, file, _, ok := runtime.Caller(0); ok && filepath.IsAbs(file) {
		root := filepath.Dir(filepath.Dir(filepath.Dir(file)))
		if text, err := os.ReadFile(filepath.Join(root, "go.mod")); err == nil && bytes.HasPrefix(text, []byte("module "+module+"\n")) {
			return root, nil
		}
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Path != module || !strings.HasPrefix(info.Main.Version, "v") || strings.Contains(info.Main.Version, "+dirty") {
		return "", errors.New("the source that this halfpeak was built from is not here: build halfpeak in its checkout, or with -tags explorer")
	}
	text, err := output(ctx, tool, "", "mod", "download", "-json", module+"@"+info.Main.Version)
	if err != nil {
		return "", err
	}
	var of struct{ Dir string }
	if err := json.Unmarshal([]byte(text), &of); err != nil || of.Dir == "" {
		return "", fmt.Errorf("go mod download said nothing of %s@%s", module, info.Main.Version)
	}
	return of.Dir, nil
}

var errInterrupted = errors.New("interrupted")

// patience returns the longest time of one run of go, which retries for long without a network.
func patience(command string) time.Duration {
	if command == "build" {
		return 15 * time.Minute
	}
	return time.Minute
}

// output runs go for the target in a folder. The error is the first line that go said and that is
// no remark about packages.
func output(ctx context.Context, tool, dir string, args ...string) (string, error) {
	if ctx.Err() != nil {
		return "", errInterrupted
	}
	caller := ctx
	ctx, stop := context.WithTimeout(ctx, patience(args[0]))
	defer stop()
	cmd := exec.CommandContext(ctx, tool, args...)
	cmd.Dir = dir
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // go ends its own children then
	cmd.WaitDelay = 10 * time.Second
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off")
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err == nil {
		return strings.TrimSpace(string(out)), nil
	}
	if caller.Err() != nil {
		return "", errInterrupted
	}
	if ctx.Err() != nil {
		return "", fmt.Errorf("go %s for the page is not done after %v; is there a network to fetch modules from?", args[0], patience(args[0]))
	}
	reason := err.Error()
	for _, line := range strings.Split(said.String(), "\n") {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "go: downloading") {
			reason = line
			break
		}
	}
	return "", fmt.Errorf("go %s for the page: %q", args[0], reason)
}

func cacheDir() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	cache = filepath.Join(cache, "halfpeak")
	return cache, os.MkdirAll(cache, 0o777)
}

// kept is the number of packed programs that the cache holds.
const kept = 4

// packed is the program packed by gzip, from the cache if it is there.
func packed(cache string, program []byte) ([]byte, error) {
	path := filepath.Join(cache, fmt.Sprintf("explorer-%x.wasm.gz", sha256.Sum256(program)))
	if text, err := os.ReadFile(path); err == nil && whole(text, program) {
		return text, nil
	}
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(program); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	forget(cache)
	if f, err := os.CreateTemp(cache, "pack-*"); err == nil { // without a writable cache, nothing is kept
		_, err = f.Write(b.Bytes())
		if f.Close() != nil || err != nil || os.Rename(f.Name(), path) != nil {
			os.Remove(f.Name())
		}
	}
	return b.Bytes(), nil
}

// whole reports whether a packed file has the program in it.
func whole(text, program []byte) bool {
	r, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		return false
	}
	var b bytes.Buffer
	_, err = b.ReadFrom(r)
	return err == nil && bytes.Equal(b.Bytes(), program)
}

// forget removes the oldest of the packed programs, and what killed programs have left behind.
func forget(cache string) {
	for _, pattern := range []string{"build-*.wasm", "pack-*"} {
		left, _ := filepath.Glob(filepath.Join(cache, pattern)) // the pattern is good
		for _, path := range left {
			if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) > 2*patience("build") {
				os.Remove(path) // no other halfpeak builds for so long
			}
		}
	}
	all, err := filepath.Glob(filepath.Join(cache, "explorer-*.wasm.gz"))
	if err != nil || len(all) < kept {
		return
	}
	oldest := all[0]
	age := func(path string) int64 {
		if info, err := os.Stat(path); err == nil {
			return info.ModTime().UnixNano()
		}
		return 0
	}
	for _, path := range all {
		if age(path) < age(oldest) {
			oldest = path
		}
	}
	os.Remove(oldest)
}
