//go:build !explorer

package wasm

import "github.com/halfpeak/halfpeak/internal/reports/page"

var embedded page.Program // none: it is built when it is asked for
