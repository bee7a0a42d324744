// Package whatif shows how message costs change when a platform's parameters change: the answers of
// package ask/whatif as tables and pictures.
//
// Files for sweeps and targets are left out of the page's WebAssembly, which does not ask for them
// (go:build !js).
package whatif
