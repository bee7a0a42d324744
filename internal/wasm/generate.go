//go:build ignore

// This program writes the files that a build with -tags explorer takes into halfpeak:
//
//	go generate ./internal/wasm && go build -tags explorer ./cmd/halfpeak
//
// It is no package of its own, since it is run from its source alone, in this folder.

package main

import (
	"context"
	"fmt"
	"os"

	"github.com/halfpeak/halfpeak/internal/wasm"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func run() error {
	p, err := wasm.Build(context.Background(), "../..")
	if err != nil {
		return err
	}
	if err := os.WriteFile("explorer.wasm.gz", p.WASM, 0o666); err != nil {
		return err
	}
	return os.WriteFile("wasm_exec.js", p.Exec, 0o666)
}
