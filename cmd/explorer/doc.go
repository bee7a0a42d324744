//go:build !js

// Explorer is the program of the page that `halfpeak explore` writes: build it with GOOS=js and
// GOARCH=wasm.
package main

func main() {}
