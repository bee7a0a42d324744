// Package beforestarlark silences the standard log until package program has been initialized.
//
// The interpreter go.starlark.net reserves 4 GB of addresses when it is initialized, and logs a
// complaint if it cannot, as under "ulimit -v 1000000". It works without them, only slower, and the
// complaint would stand before the output of every command. Go initializes packages in the order of
// their import paths as far as their imports allow, so this one comes before the interpreter.
package beforestarlark

import (
	"io"
	"log"
)

var before = log.Writer()

func init() { log.SetOutput(io.Discard) }

// Restore lets the standard log write again.
func Restore() { log.SetOutput(before) }
