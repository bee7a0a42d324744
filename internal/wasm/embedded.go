//go:build explorer

package wasm

import (
	_ "embed"

	"github.com/halfpeak/halfpeak/reports/page"
)

// The files are written by go generate and stay out of the repository.
//
//go:embed explorer.wasm.gz
var program []byte

//go:embed wasm_exec.js
var script []byte

var embedded = page.Program{WASM: program, Exec: script}
