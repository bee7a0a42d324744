//go:build !js

// Explorer is the program of the page that `halfpeak explore` writes: build it with GOOS=js and
// GOARCH=wasm. Its tests are in cmd/halfpeak, which compares its answers with those of the command
// in one process.
package main

func main() {}
