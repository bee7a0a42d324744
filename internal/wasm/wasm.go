// Package wasm provides the WebAssembly of cmd/explorer. A program built with the tag explorer
// contains it; any other builds it from the module's source with the Go tool chain.
package wasm

import (
	"bytes"
	"compress/gzip"
	"context"
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

//go:generate go run generate.go

const module = "github.com/halfpeak/halfpeak"

// Program returns the embedded program, or else builds it. Only the first build takes long, since
// the Go tool chain keeps what it compiled. Each error is one line: no Go, no source, a failed
// build, or the end of the context. If the build takes longer than a moment, say gets a line about
// that.
func Program(ctx context.Context, say func(string)) (page.Program, error) {
	if len(embedded.WASM) > 0 {
		return embedded, nil
	}
	defer time.AfterFunc(2*time.Second, func() {
		say("building the page's program from source; the first time takes half a minute or more")
	}).Stop()
	return Build(ctx, "")
}

// Build builds the program from the module's source in a folder or, if the folder is empty, from
// the source of this program.
func Build(ctx context.Context, source string) (page.Program, error) {
	tool, err := exec.LookPath("go")
	if err != nil {
		return page.Program{},
			errors.New("this halfpeak does not contain the page's WebAssembly, and there is no " +
				"go to build it: install Go (https://go.dev/dl), or take a halfpeak that was " +
				"built with -tags explorer")
	}
	if source == "" {
		if source, err = ownSource(ctx, tool); err != nil {
			return page.Program{}, err
		}
	}
	// The script must be that of the Go which compiles: their interface changes with Go's version.
	root, err := output(ctx, tool, source, "env", "GOROOT")
	if err != nil {
		return page.Program{}, err
	}
	var p page.Program
	if p.Exec, err = os.ReadFile(filepath.Join(root, "lib", "wasm", "wasm_exec.js")); err != nil {
		return p, fmt.Errorf("this Go has no WebAssembly support: %w", err)
	}
	dir, err := os.MkdirTemp("", "halfpeak-*")
	if err != nil {
		return p, err
	}
	defer os.RemoveAll(dir)
	// Without paths and symbols: the page carries the program as text, and nobody debugs it there.
	built := filepath.Join(dir, "explorer.wasm")
	if _, err := output(ctx, tool, source, "build", "-trimpath", "-ldflags=-s -w", "-o", built,
		"./cmd/explorer"); err != nil {
		return p, err
	}
	text, err := os.ReadFile(built)
	if err != nil {
		return p, err
	}
	p.WASM, err = packed(text)
	return p, err
}

// ownSource returns the folder of this program's source: the one where it was built, if
// it still exists, the checkout around the working directory, or the release of the same
// version, which go fetches. A version with changes that were not committed is not fetched,
// since the page would differ from the program.
func ownSource(ctx context.Context, tool string) (string, error) {
	// With -trimpath the name of this file is no path of a disk.
	if _, file, _, ok := runtime.Caller(0); ok && filepath.IsAbs(file) {
		if root := filepath.Dir(filepath.Dir(filepath.Dir(file))); isSource(root) {
			return root, nil
		}
	}
	if dir, err := os.Getwd(); err == nil {
		for ; !isSource(dir) && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		}
		if isSource(dir) {
			return dir, nil
		}
	}
	lost := errors.New("this halfpeak was built without the page; run it in a clone of its " +
		"source, or there: go generate ./internal/wasm && " +
		"go build -tags explorer ./cmd/halfpeak")
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Path != module || !strings.HasPrefix(info.Main.Version, "v") ||
		strings.Contains(info.Main.Version, "+dirty") {
		return "", lost
	}
	text, err := output(ctx, tool, "", "mod", "download", "-json", module+"@"+info.Main.Version)
	if errors.Is(err, errInterrupted) {
		return "", err
	}
	var of struct{ Dir string }
	if err != nil || json.Unmarshal([]byte(text), &of) != nil || of.Dir == "" {
		return "", fmt.Errorf("%w; go does not fetch its version %s", lost, info.Main.Version)
	}
	return of.Dir, nil
}

// isSource says whether a folder is the module's root: another module may lie there by now.
func isSource(dir string) bool {
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	return err == nil && bytes.HasPrefix(text, []byte("module "+module+"\n"))
}

var errInterrupted = errors.New("interrupted")

// patience returns the longest time of one run of go, which retries for long without
// a network. A first build may have to compile the standard library for WebAssembly.
func patience(command string) time.Duration {
	if command == "build" {
		return 15 * time.Minute
	}
	return time.Minute
}

// output runs go for the target in a folder. The error is the first line of go's
// messages that is not a remark about packages: the rest would fill the screen of
// somebody who only wanted a page. The environment is cleared of what changes the
// target, such as GOFLAGS of the user's own projects.
func output(ctx context.Context, tool, dir string, args ...string) (string, error) {
	if ctx.Err() != nil {
		return "", errInterrupted
	}
	caller := ctx
	ctx, stop := context.WithTimeout(ctx, patience(args[0]))
	defer stop()
	cmd := exec.CommandContext(ctx, tool, args...)
	cmd.Dir = dir
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // go ends its children
	// A child of go that ignores the interrupt keeps its output open; then it is killed.
	cmd.WaitDelay = 10 * time.Second
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=",
		"GOWORK=off")
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
		return "",
			fmt.Errorf("go %s for the page is not done after %v; is there a network to fetch "+
				"modules from?", args[0], patience(args[0]))
	}
	reason := err.Error()
	for _, line := range strings.Split(said.String(), "\n") {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") &&
			!strings.HasPrefix(line, "go: downloading") {
			reason = line
			break
		}
	}
	return "", fmt.Errorf("go %s for the page: %q", args[0], reason)
}

// packed compresses the program, which browsers decompress: the page is one file, which people
// mail.
func packed(program []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(program); err != nil {
		return nil, err
	}
	err = w.Close()
	return b.Bytes(), err
}
