//go:build !explorer

package wasm

import "github.com/halfpeak/halfpeak/reports/page"

var embedded page.Program // none: it is built when it is asked for
