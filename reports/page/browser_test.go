package page_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	devpage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/halfpeak/halfpeak/internal/wasm"
	"github.com/halfpeak/halfpeak/reports/page"
)

// A browser is a tab of a headless Chromium with the page, as `halfpeak explore` writes it, and the
// command line beside it.
type browser struct {
	t          testing.TB
	ctx        context.Context
	halfpeak   string // the command
	url        string
	loaded     bool
	mu         sync.Mutex
	complaints []string // of the console, and requests
}

// hang is when a page or a Chromium that does nothing is given up. Nothing else depends on the time.
const hang = 25 * time.Minute

// start builds the command and the page, and starts Chromium.
func start(t testing.TB) *browser {
	t.Helper()
	var chromium string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			chromium = path
			break
		}
	}
	switch {
	case testing.Short():
		t.Skip("short: no browser is started")
	case chromium == "":
		t.Skip("no Chromium on this machine")
	}
	dir := t.TempDir()
	b := &browser{t: t, halfpeak: filepath.Join(dir, "halfpeak")}
	if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", b.halfpeak, "../../cmd/halfpeak").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	program, err := wasm.Build(context.Background(), "../..")
	b.check(err)
	var text bytes.Buffer
	b.check(page.Write(&text, program, page.Start{Title: "halfpeak explorer", Show: []string{"clip/system-buffer"}}))
	if text.Len() > 4_000_000 {
		t.Errorf("the page has %d bytes; at most 4 MB", text.Len())
	}
	file := filepath.Join(dir, "page.html")
	b.check(os.WriteFile(file, text.Bytes(), 0o666))
	b.url = "file://" + file

	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WSURLReadTimeout(hang))
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, stop = chromedp.NewContext(ctx)
	t.Cleanup(stop)
	b.ctx, stop = context.WithTimeout(ctx, hang)
	t.Cleanup(stop)
	b.do(chromedp.Navigate("about:blank"))
	return b
}

// The size of a tab, in pixels.
const width, height = 1440, 900

// tab opens a tab with a storage and a history of its own.
func (b *browser) tab(t testing.TB) *browser {
	t.Helper()
	ctx, stop := chromedp.NewContext(b.ctx, chromedp.WithNewBrowserContext())
	t.Cleanup(stop)
	tab := &browser{t: t, ctx: ctx, halfpeak: b.halfpeak, url: b.url}
	tab.do(chromedp.Navigate("about:blank"))
	tab.check(chromedp.Listen(tab.ctx, tab.hear))
	_, err := chromedp.Call(tab.ctx, network.Enable, network.EnableParams{})
	tab.check(err)
	// Each tab acts as if it alone had the focus.
	_, err = chromedp.Call(tab.ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	tab.check(err)
	_, err = chromedp.Call(tab.ctx, devpage.AddScriptToEvaluateOnNewDocument, devpage.AddScriptToEvaluateOnNewDocumentParams{Source: rests})
	tab.check(err)
	tab.view(width, height)
	return tab
}

// hear notes what must not happen.
func (b *browser) hear(event any) {
	said := ""
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		said = "exception: " + e.ExceptionDetails.Text
		if e.ExceptionDetails.Exception != nil {
			said += " " + e.ExceptionDetails.Exception.Description
		}
	case *runtime.EventConsoleAPICalled:
		said = fmt.Sprintf("console.%s", e.Type)
		for _, a := range e.Args {
			said += " " + string(a.Value) + a.Description
		}
	case *network.EventRequestWillBeSent:
		if u := e.Request.URL; !strings.HasPrefix(u, b.url) && u != "data:," && u != "about:blank" && !strings.HasPrefix(u, "blob:") {
			said = "request: " + u
		}
	}
	if said != "" {
		b.mu.Lock()
		b.complaints = append(b.complaints, said)
		b.mu.Unlock()
	}
}

func (b *browser) check(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *browser) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	b.check(chromedp.Do(b.ctx, steps...))
}

// quiet fails the test if the console said something or a request was made.
func (b *browser) quiet() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range b.complaints {
		b.t.Error(c)
	}
	b.complaints = nil
}

// js is the value of an expression, which may be a promise.
func js[T any](b *browser, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// ready waits until the models are unpacked and the first picture is drawn.
const ready = `new Promise(resolve => { const look = () => performance.getEntriesByName("first-curve").length ? resolve(performance.getEntriesByName("first-curve")[0].startTime) : setTimeout(look, 5); look(); })`

// load loads the page anew with a fragment, and returns when its first curve was drawn, in ms.
func (b *browser) load(fragment string) float64 {
	b.t.Helper()
	b.loaded = true
	b.do(chromedp.Navigate("about:blank"), chromedp.Navigate(b.url+fragment))
	return js[float64](b, ready)
}

// goTo has the page as it is when it is loaded with a fragment.
func (b *browser) goTo(fragment string) {
	b.t.Helper()
	if !b.loaded {
		b.load(fragment)
		return
	}
	b.settle()
	b.view(width, height)
	js[any](b, `document.activeElement.blur(), page.notice("")`)
	if fragment == "" {
		fragment = "#"
	}
	for _, key := range []string{"v=curves", "q=bandwidth", "s=65536", "r=1..1048576", "p=65536", "c=bcast,16,4096,", "d=clip/system-buffer"} {
		if !strings.Contains("&"+fragment[1:], "&"+key[:2]) {
			fragment += "&" + key
		}
	}
	b.visit(fragment)
}

// visit follows a link within the open page.
func (b *browser) visit(fragment string) {
	b.t.Helper()
	js[any](b, fmt.Sprintf(`page.visit(%q).then(() => 0)`, fragment))
}

func (b *browser) view(width, height int64) {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(width, height))
}

func (b *browser) press(keys string) {
	b.t.Helper()
	b.do(chromedp.KeyEvent(keys))
}

// table has the cells of a table of the page, heads first.
func (b *browser) table(id string) [][]string {
	b.t.Helper()
	return js[[][]string](b, fmt.Sprintf(`[...document.querySelectorAll("#%s tr")].map(r => [...r.cells].map(c => c.textContent))`, id))
}

// sh runs command lines of the page in a shell, in dir, and returns what they print into a file: all
// columns of a table, also those for which a terminal has no room.
func (b *browser) sh(dir, lines string) string {
	b.t.Helper()
	script := "set -e\n"
	for line := range strings.Lines(lines) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.Contains(line, "--save") && !strings.Contains(line, " -o ") {
			line += " --format text -o answer.txt; cat answer.txt; rm answer.txt"
		}
		script += line + "\n"
	}
	c := exec.Command("sh", "-c", script)
	c.Dir = dir
	c.Env = append(os.Environ(), "PATH="+filepath.Dir(b.halfpeak)+":"+os.Getenv("PATH"))
	var out, fault bytes.Buffer
	c.Stdout, c.Stderr = &out, &fault
	if err := c.Run(); err != nil {
		b.t.Fatalf("%s: %v\n%s", lines, err, fault.String())
	}
	return out.String()
}

// busy is the processor time that the page's thread has spent on scripts, styles and layout, in ms.
func (b *browser) busy() float64 {
	b.t.Helper()
	m, err := chromedp.Call(b.ctx, performance.GetMetrics, cdp.Empty{})
	b.check(err)
	total := 0.0
	for _, v := range m.Metrics {
		switch v.Name {
		case "ScriptDuration", "LayoutDuration", "RecalcStyleDuration":
			total += 1000 * v.Value
		}
	}
	return total
}

// same checks that each cell with a number in a table of the page is in the command's output.
func (b *browser) same(id, printed string) {
	b.t.Helper()
	cells, seen := b.table(id), 0
	for i, row := range cells {
		for j, cell := range row {
			if i == 0 || j == 0 || !strings.ContainsAny(cell, "0123456789") {
				continue
			}
			seen++
			if !regexp.MustCompile(`(^|\s)` + regexp.QuoteMeta(cell) + `(\s|$)`).MatchString(strings.ReplaceAll(printed, "\u00a0", " ")) {
				b.t.Errorf("%s %q of the page is not in what the command prints:\n%s", cells[0][j], cell, printed)
			}
		}
	}
	if seen < 4 {
		b.t.Errorf("only %d numbers in %q", seen, cells)
	}
}

// rests is run before the page's own scripts. It counts what the page has begun and waits for: its
// timers, files that are read or packed, and fits in the worker. Neither the timers of Go's runtime
// count, nor the map of collectives, which fills for seconds beside everything else. The promise
// rests() is kept as soon as there is nothing to wait for, however slow the machine is.
const rests = `globalThis.rests = (() => {
	let begun = 0;
	const timers = new Set(), later = setTimeout, clear = clearTimeout;
	globalThis.setTimeout = (then, ms = 0, ...rest) => {
		const id = later(() => { timers.delete(id); then(...rest); }, ms);
		if (ms < 5000 && !String(then).includes("_resume")) timers.add(id);
		return id;
	};
	globalThis.clearTimeout = id => { timers.delete(id); clear(id); };
	for (const [owner, name] of [[Blob, "arrayBuffer"], [Response, "arrayBuffer"], [ReadableStreamDefaultReader, "read"]]) {
		const does = owner.prototype[name];
		owner.prototype[name] = function (...args) {
			begun++;
			const promise = does.apply(this, args), end = () => { begun--; };
			promise.then(end, end);
			return promise;
		};
	}
	const asked = new Set();
	globalThis.Worker = class extends Worker {
		constructor(...args) {
			super(...args);
			this.addEventListener("message", ({ data }) => asked.delete(data.number));
		}
		postMessage(message, ...rest) {
			if (message.question === "fit") asked.add(message.number);
			super.postMessage(message, ...rest);
		}
	};
	return () => new Promise(resolve => {
		const look = () => begun || timers.size || asked.size ? later(look, 5) : resolve();
		later(look, 0);
	});
})()`

// settle waits until the page has done all that it has begun, such as what follows a slider at rest
// or a dropped file.
func (b *browser) settle() {
	b.t.Helper()
	js[any](b, `rests()`)
}

// measured is what the page's own clock says of something, in ms.
func (b *browser) measured(what string) float64 {
	b.t.Helper()
	return js[float64](b, fmt.Sprintf(`(performance.getEntriesByName(%q)[0] || { duration: -1 }).duration`, what))
}

// dropFile lets a file fall on the page.
func (b *browser) dropFile(name string, data []byte) {
	b.t.Helper()
	text, _ := json.Marshal(string(data))
	js[any](b, fmt.Sprintf(`(() => {
		const t = new DataTransfer();
		t.items.add(new File([%s], %q));
		for (const kind of ["dragenter", "dragover", "drop"]) document.querySelector("main").dispatchEvent(new DragEvent(kind, { dataTransfer: t, bubbles: true, cancelable: true }));
	})()`, text, name))
	b.settle()
}
