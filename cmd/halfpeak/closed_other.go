//go:build !linux

package main

import "io"

// isClosed cannot be told here.
func isClosed(io.Writer) bool { return false }
