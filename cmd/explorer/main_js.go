package main

import (
	"runtime/debug"
	"syscall/js"

	"github.com/halfpeak/halfpeak/reports/page"
)

// main defines the JavaScript function halfpeakAsk(question, json), which returns JSON (see package
// explore), and calls halfpeakReady().
func main() {
	debug.SetGCPercent(400) // the thread that draws also collects: memory is cheaper than pauses
	x := page.New()
	js.Global().Set("halfpeakAsk", js.FuncOf(func(_ js.Value, args []js.Value) any {
		if len(args) != 2 || args[0].Type() != js.TypeString || args[1].Type() != js.TypeString {
			return `{"error":"halfpeakAsk takes a question and its request as JSON, both text"}`
		}
		return string(x.Ask(args[0].String(), []byte(args[1].String())))
	}))
	if ready := js.Global().Get("halfpeakReady"); ready.Type() == js.TypeFunction {
		ready.Invoke()
	}
	select {}
}
