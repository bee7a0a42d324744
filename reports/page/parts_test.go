package page_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// A part looks at one thing on the page.
type part struct {
	name string
	test func(*browser)
}

// The parts follow each other on one page: to load it takes two seconds of a processor.
func TestBrowser(t *testing.T) {
	b := start(t).tab(t)
	for _, part := range []part{
		{"opens", (*browser).opens},
		{"redo", (*browser).redo},
		{"undo", (*browser).undo}, // a browser counts no more than 50 steps
		{"keyboard", (*browser).keyboard},
		{"numbers", (*browser).numbers},
		{"slider", (*browser).slider},
		{"typing", (*browser).typing},
		{"packets", (*browser).packets},
		{"drag", (*browser).drag},
		{"tour", (*browser).tour},
		{"saving", (*browser).saving},
		{"formula", (*browser).formula},
		{"streams", (*browser).streams},
		{"ratio", (*browser).ratio},
		{"collectives", (*browser).collectives},
		{"drop", (*browser).drop},
		{"files", (*browser).files},
		{"oneBand", (*browser).oneBand},
		{"reload", (*browser).reload},
		{"hostile", (*browser).hostile},
		{"widths", (*browser).widths},
		{"dark", (*browser).dark},
	} {
		t.Run(part.name, func(t *testing.T) {
			b.t = t
			part.test(b)
			b.quiet()
		})
	}
}

func (b *browser) opens() {
	at := b.load("")
	b.t.Logf("first curve %.0f ms after the page was opened", at)
	if js[int](b, `document.querySelectorAll("#charts path.line").length`) != 1 {
		b.t.Error("no curve is drawn")
	}
	if n := js[int](b, `performance.getEntriesByType("resource").length`); n != 0 {
		b.t.Errorf("the page loaded %d resources", n)
	}
	// An arm towards a bound that the axis cannot show is short: one up to the edge is a line.
	if high := js[int](b, `Math.max(...[...document.querySelectorAll("#charts path.bar")].flatMap(e => [...e.getAttribute("d").matchAll(/ ([\d.]+)V([\d.]+)/g)].map(m => Math.round(Math.abs(m[1] - m[2])))))`); high <= 0 || high > 120 {
		b.t.Errorf("the longest error bar is %d px", high)
	}
}

// numbers compares the table of values with what the command line prints, to the last digit.
func (b *browser) numbers() {
	b.goTo("")
	for ref, sizes := range map[string][]string{"clip/system-buffer": {"8", "1000", "65536"}, "clip/user-buffer": {"8"}, "hp-lam/gam": {"1000"}, "parnass/mpi-bullfrog": {"65536"}, "mpc/mpi": {"8"}} {
		for _, size := range sizes {
			b.visit(fmt.Sprintf("#v=curves&q=bandwidth&s=%s&r=1..1048576&d=%s", size, ref))
			b.same("values", b.sh(b.t.TempDir(), "halfpeak predict "+ref+" --size "+size))
		}
	}
}

// slider moves one by keys, and runs the command that the page gives.
func (b *browser) slider() {
	b.goTo("")
	before := b.table("values")
	js[any](b, `document.querySelector("#sliders input[type=range]").focus()`)
	for range 10 {
		b.press(kb.ArrowRight)
	}
	b.settle()
	after, command := b.table("values"), js[string](b, `document.getElementById("command").textContent`)
	if before[1][1] == after[1][1] {
		b.t.Errorf("one way is still %s", after[1][1])
	}
	if !strings.Contains(command, "--set") {
		b.t.Fatalf("the command does not say what changed: %s", command)
	}
	b.same("values", b.sh(b.t.TempDir(), command))
	// Back to the paper with one click.
	js[any](b, `document.querySelector("#sliders .param button").click()`)
	b.settle()
	if back := b.table("values"); back[1][1] != before[1][1] {
		b.t.Errorf("back at the paper one way is %s, before %s", back[1][1], before[1][1])
	}
}

func (b *browser) typing() {
	b.goTo("")
	enter := func(text string) {
		b.t.Helper()
		js[any](b, fmt.Sprintf(`(() => { const e = document.querySelector("#sliders input[type=text]"); e.value = %q; e.dispatchEvent(new Event("change")); })()`, text))
	}
	enter("6 µs")
	if v := js[string](b, `document.querySelector("#sliders input[type=text]").value`); !strings.HasPrefix(v, "6") {
		b.t.Errorf("6 µs became %q", v)
	}
	was := b.table("values")[1][1]
	enter("six apples")
	if e := js[string](b, `document.querySelector("#sliders .param .error").textContent`); e == "" {
		b.t.Error("six apples are no error")
	}
	if now := b.table("values")[1][1]; now != was {
		b.t.Errorf("six apples changed one way from %s to %s", was, now)
	}
}

// keyboard uses nothing else.
func (b *browser) keyboard() {
	b.goTo("")
	js[any](b, `document.body.focus()`)
	want := js[int](b, `[...document.querySelectorAll("button, input, select, summary, [tabindex='0']")].filter(e => e.checkVisibility() && !e.disabled && e.tabIndex >= 0 && !(e.type === "radio" && !e.checked)).length`)
	js[any](b, `globalThis.reached = new Set(), document.addEventListener("focusin", e => reached.add(e.target))`)
	b.press(strings.Repeat(kb.Tab, want+10))
	if seen := js[int](b, `reached.size`); seen < want {
		b.t.Errorf("the Tab key reached %d of %d controls", seen, want)
	}
	// The arrow keys move the size on the curve.
	js[any](b, `document.querySelector("#charts svg").focus()`)
	size := js[string](b, `document.getElementById("values").caption.textContent`)
	b.press(kb.ArrowRight)
	b.settle()
	if now := js[string](b, `document.getElementById("values").caption.textContent`); now == size || now != "At 128 KiB" {
		b.t.Errorf("an arrow key went from %q to %q", size, now)
	}
	if said := js[string](b, `document.querySelector("#charts svg").getAttribute("aria-valuetext")`); !strings.Contains(said, "128 KiB") {
		b.t.Errorf("a screen reader hears %q", said)
	}
	// And from tab to tab.
	js[any](b, `document.getElementById("tab-curves").focus()`)
	b.press(kb.ArrowRight)
	if !js[bool](b, `!document.getElementById("view-packets").hidden && document.activeElement.id === "tab-packets"`) {
		b.t.Error("an arrow key did not choose the next tab")
	}
	if nameless := js[[]string](b, `[...document.querySelectorAll("button, input, select")].filter(e => e.checkVisibility() && !(e.textContent.trim() || e.getAttribute("aria-label") || (e.labels && e.labels.length && [...e.labels].some(l => l.textContent.trim())))).map(e => e.outerHTML)`); len(nameless) > 0 {
		b.t.Errorf("controls without a name: %q", nameless)
	}
}

func (b *browser) packets() {
	b.goTo("#v=packets&p=65536,4096&d=clip")
	// README and DESIGN: 589.3 µs in packets of 4096 bytes, and the best unequal plan 556.53 µs.
	text := js[string](b, `document.getElementById("timeline").textContent`)
	for _, want := range []string{"589.3 µs", "567 µs", "557 µs"} {
		if !strings.Contains(text, want) {
			b.t.Errorf("no %s among the timelines: %s", want, text)
		}
	}
	b.same("packet-table", b.sh(b.t.TempDir(), "halfpeak packet clip --size 64KiB"))
	// Each stage of three plans of more than 30 packets has numbers up to 20 at least, or none.
	b.visit("#v=packets&p=65536,2000&d=clip/user-buffer")
	b.view(1280, height)
	b.settle()
	if n := js[[]int](b, `["3", "20"].map(n => [...document.querySelectorAll("#timeline text")].filter(e => e.textContent === n).length)`); n[0] == 0 || n[0] != n[1] {
		b.t.Errorf("packet 3 is numbered in %d stages, packet 20 in %d", n[0], n[1])
	}
}

func (b *browser) collectives() {
	b.goTo("#v=collectives&c=bcast,8,8,&d=hp-lam")
	b.sameTimes(b.sh(b.t.TempDir(), "halfpeak collective bcast hp-lam --ranks 8 --size 8"))
	if notes := js[string](b, `document.getElementById("collective-notes").textContent`); !strings.Contains(notes, "No collective was measured on this machine") {
		b.t.Errorf("the caveat of the command is not there: %q", notes)
	}
	if n := js[int](b, `document.querySelectorAll("#tree circle").length`); n < 8 {
		b.t.Errorf("%d nodes are drawn for 8 ranks", n)
	}
	// A machine with levels.
	rack, err := os.ReadFile("../../internal/demo/files/rack.toml")
	b.check(err)
	b.dropFile("rack.toml", rack)
	b.visit("#v=collectives&c=bcast,64,1048576,&d=rack.toml")
	dir := b.t.TempDir()
	b.check(os.WriteFile(filepath.Join(dir, "rack.toml"), rack, 0o644))
	printed := b.sh(dir, js[string](b, `document.getElementById("command").textContent`))
	b.sameTimes(printed)
	best := regexp.MustCompile(`(?m)^.* MiB +(\S+ µs) .* yes `).FindStringSubmatch(printed)
	if best == nil {
		b.t.Fatalf("no best algorithm in:\n%s", printed)
	}
	if said := js[string](b, `document.getElementById("platform").value + ": " + document.getElementById("tree-caption").textContent`); !strings.HasPrefix(said, "rack.toml: ") || !strings.Contains(said, best[1]) {
		b.t.Error(said)
	}
}

// sameTimes checks that the times of algorithms are those that the command prints.
func (b *browser) sameTimes(printed string) {
	b.t.Helper()
	rows := b.table("algorithms")
	if len(rows) < 4 {
		b.t.Errorf("%d algorithms", len(rows)-1)
	}
	for i, row := range rows {
		if i > 0 && !regexp.MustCompile(`(?m)^`+regexp.QuoteMeta(row[0])+` .*\b`+regexp.QuoteMeta(row[1])).MatchString(printed) {
			b.t.Errorf("%q of the page is not in what the command prints:\n%s", row[:2], printed)
		}
	}
}

const netpipe = "../../fit/benchfile/testdata/netpipe-3.7.2-openmpi-4.1.4-sm.np.out"

func (b *browser) drop() {
	b.goTo("")
	data, err := os.ReadFile(netpipe)
	b.check(err)
	b.dropFile("np.out", data)
	dir := b.t.TempDir()
	b.check(os.WriteFile(filepath.Join(dir, "np.out"), data, 0o644))
	printed := b.sh(dir, "halfpeak fit np.out")
	lines := b.table("fit-lines")
	if len(lines) < 2 {
		b.t.Fatalf("no lines: %q; the page says %q", lines, js[string](b, `document.getElementById("notice").textContent`))
	}
	for _, line := range lines[1:] {
		for _, cell := range line[1:] {
			if !strings.Contains(printed, cell) {
				b.t.Errorf("%q of the page is not in what the command prints:\n%s", cell, printed)
			}
		}
	}
	if n := js[int](b, `document.querySelectorAll("#fit-chart path.dot").length`); n == 0 {
		b.t.Error("no points are drawn")
	}
	// It becomes a platform with sliders.
	js[any](b, `document.getElementById("fit-use").click()`)
	b.settle()
	size := js[string](b, `document.getElementById("values").caption.textContent`)
	if size != "At 64 KiB" || js[int](b, `document.querySelectorAll("#sliders .param").length`) == 0 {
		b.t.Fatalf("%s, %q", size, b.table("values"))
	}
	js[any](b, `document.querySelector("#designs .remove").click()`) // the platform that the page began with
	b.settle()
	b.same("values", b.sh(dir, js[string](b, `document.getElementById("command").textContent`)))
}

// files drops one of a single size, others after it, and several at once; and follows a broken
// link.
func (b *browser) files() {
	b.goTo("#d=clip&d=nothing.toml")
	if said := js[string](b, `document.getElementById("notice").textContent`); !strings.Contains(said, "nothing.toml") {
		b.t.Errorf("a broken link: %q", said)
	}
	dir := b.t.TempDir()
	one := []byte("size,time_us\n0,1.2\n1024,3.4\n")
	b.check(os.WriteFile(filepath.Join(dir, "one.csv"), one, 0o644))
	b.dropFile("one.csv", one)
	b.same("fit-lines", b.sh(dir, "halfpeak fit one.csv"))
	title := func() string { return js[string](b, `document.getElementById("fit-title").textContent`) }
	drawn := func() int {
		return js[int](b, `document.querySelectorAll("#fit-chart path.dot").length * document.getElementById("fit-chart").checkVisibility()`)
	}
	if title() != "one.csv" || drawn() != 0 {
		b.t.Errorf("%s: %d sets of points", title(), drawn())
	}
	b.dropFile("more.csv", []byte("size,time_us\n1,1\n1024,2\n2048,3\n4096,5\n"))
	if cells := b.table("fit-lines"); title() != "more.csv" || drawn() != 1 || !strings.Contains(fmt.Sprint(cells), "4 KiB") {
		b.t.Errorf("after a file of one size %s: %d sets of points, %q", title(), drawn(), cells)
	}
	js[any](b, `(() => {
		const t = new DataTransfer();
		for (const k of [1, 2]) t.items.add(new File(["size,time_us\n1," + k + "\n1024,2\n2048,3\n4096,5\n8192,9\n"], "file" + k + ".csv"));
		document.querySelector("main").dispatchEvent(new DragEvent("drop", { dataTransfer: t, bubbles: true, cancelable: true }));
	})()`)
	b.settle()
	if drawn() != 2 || js[int](b, `document.getElementById("fit-table").options.length`) != 2 {
		b.t.Errorf("two files are %d curves", drawn())
	}
	js[any](b, `document.getElementById("fit-example").click()`)
	b.settle()
	if title() != "example.out" || drawn() != 1 {
		b.t.Errorf("the example: %s, %d", title(), drawn())
	}
}

// drag moves the n½ of a curve and a threshold, and looks at the formula beside the sliders.
func (b *browser) drag() {
	const move = `(find => {
		const svg = document.querySelector("#charts svg"), at = document.querySelector(find).getBoundingClientRect();
		const x = at.left + at.width / 2, y = at.top + at.height / 2;
		svg.setPointerCapture = () => {};
		const tell = (name, dx) => svg.dispatchEvent(new PointerEvent(name, { clientX: x + dx, clientY: y, pointerId: 1, bubbles: true }));
		tell("pointerdown", 0);
		for (let k = 1; k <= 10; k++) tell("pointermove", 6 * k);
		tell("pointerup", 60);
	})`
	command := func() string {
		b.settle()
		return js[string](b, `document.getElementById("command").textContent`)
	}
	b.goTo("#d=hp-lam/gam&q=bandwidth")
	half := func() float64 {
		return js[float64](b, `program.ask("platform", state.request()).peak.n_half_bytes`)
	}
	before := half()
	js[any](b, move+`("#charts path.dot:has(title)")`)
	if said := command(); !strings.Contains(said, "--set 'layer.gam.o") || half() < 1.3*before {
		b.t.Errorf("n½ went from %v to %v: %s", before, half(), said)
	}
	b.visit("#d=clip&q=latency")
	js[any](b, move+`("#charts path.switch")`)
	if said := command(); !strings.Contains(said, "up_to=") {
		b.t.Errorf("the threshold: %s", said)
	}
	b.visit("#d=hp-lam/gam")
	js[any](b, `document.querySelectorAll("#sliders .param")[1].dispatchEvent(new Event("pointerenter"))`)
	if lit := js[string](b, `[...document.querySelectorAll("#formula [data-on]")].map(e => e.textContent).join()`); lit != "o_r,5.80" {
		b.t.Errorf("of %s, %q lights up", js[string](b, `document.getElementById("formula").textContent`), lit)
	}
}

// hostile tries to bring markup and nonsense in.
func (b *browser) hostile() {
	b.goTo("")
	scripts := js[int](b, `document.scripts.length`)
	b.dropFile("evil.toml", []byte(`title = "<script>globalThis.bad = 1</script><img src=x onerror='globalThis.bad = 2'>"
[layer.evil]
title = "<script>globalThis.bad = 3</script>"
model = "linear"
beta = "2us"
tau = "1us/KiB"
source = "<b onclick=bad()>here</b>"
note = "<iframe src=javascript:bad()></iframe>"
`))
	if !js[bool](b, `document.body.textContent.includes("<script>globalThis.bad")`) {
		b.t.Error("the title is not on the page as it is")
	}
	if js[int](b, `document.scripts.length + document.querySelectorAll("iframe, img, b[onclick]").length`) != scripts {
		b.t.Error("markup of a platform became markup of the page")
	}
	for i, fragment := range []string{
		"#<script>globalThis.bad=4</script>&v=<img src=x onerror=bad()>&q=__proto__&s=-1&r=9..1&d=constructor;__proto__=1&a=99&p=1e9,0&c=;,<b>,0&t=1000&f=x~AAAA",
		"#d=" + strings.Repeat("clip;", 30000), "#f=evil.toml~" + strings.Repeat("A", 100000), "#%E0%A4%A", "#s=999999999999999&r=1..2&d=../../etc/passwd",
	} {
		if i == 0 { // what the page does when it is opened
			b.load(fragment)
		} else {
			b.visit(fragment)
		}
		if got := b.table("values")[1]; !strings.Contains(got[0], "clip") {
			b.t.Errorf("after the fragment %.40q the page shows %q", fragment, got)
		}
	}
	if js[string](b, `String(globalThis.bad)`) != "undefined" {
		b.t.Error("text from outside was run")
	}
	b.dropFile("noise.bin", bytes.Repeat([]byte{0, 255, '<', 7}, 5000))
	if js[string](b, `document.getElementById("notice").textContent`) == "" {
		b.t.Error("a file of noise is no error")
	}
}

// reload finds everything again.
func (b *browser) reload() {
	b.goTo("")
	js[any](b, `document.getElementById("keep").click()`)
	js[any](b, `(() => { const e = document.querySelector("#sliders input[type=text]"); e.value = "12us"; e.dispatchEvent(new Event("change")); document.querySelector("input[value=latency]").click(); })()`)
	data, err := os.ReadFile(netpipe)
	b.check(err)
	b.dropFile("np.out", data)
	js[any](b, `document.getElementById("fit-use").click()`)
	b.settle()
	was, fragment := b.table("values"), js[string](b, `location.hash`)
	b.load(fragment)
	if now := b.table("values"); fmt.Sprint(now) != fmt.Sprint(was) {
		b.t.Errorf("after a reload:\n%q, before\n%q", now, was)
	}
	if len(was) != 4 || !js[bool](b, `document.querySelector("input[value=latency]").checked`) {
		b.t.Errorf("designs: %q", was)
	}
	b.t.Logf("a link with three designs, one of them fitted: %d letters", len(fragment))
}

func (b *browser) tour() {
	b.goTo("")
	js[any](b, `document.getElementById("tour-start").click()`)
	steps := 0
	for ; steps < 30 && !js[bool](b, `document.getElementById("tour").hidden`); steps++ {
		if n := js[string](b, `document.getElementById("notice").textContent + [...document.querySelectorAll(".empty")].filter(e => e.checkVisibility()).map(e => e.textContent).join()`); n != "" {
			b.t.Errorf("step %d: %s", steps+1, n)
		}
		if !js[bool](b, `[...document.querySelectorAll("[role=tabpanel]")].some(p => p.checkVisibility() && p.querySelector("svg path"))`) {
			b.t.Errorf("step %d draws nothing", steps+1)
		}
		js[any](b, `document.getElementById("tour-next").click()`)
	}
	if steps < 7 {
		b.t.Errorf("the tour has %d steps", steps)
	}
	b.settle()
}

// saving makes every file, and looks into it.
func (b *browser) saving() {
	b.goTo("")
	js[any](b, `globalThis.saved = []; URL.createObjectURL = (make => blob => { saved.push(blob); return make.call(URL, blob); })(URL.createObjectURL)`)
	// A PNG is made from a blob with the SVG.
	text := func(what, kind string) string {
		b.t.Helper()
		return js[string](b, fmt.Sprintf(`(saved.length = 0, document.querySelector("[data-save=%s]").click(), new Promise(resolve => {
			const look = () => { const made = saved.find(blob => blob.type === %q); if (made) resolve(made.text()); else setTimeout(look, 5); };
			look();
		}))`, what, kind))
	}
	if svg := text("svg", "image/svg+xml"); !strings.HasPrefix(svg, "<svg") || !strings.Contains(svg, "n½") || strings.Contains(svg, "var(") {
		b.t.Errorf("the SVG: %.300s", svg)
	}
	if png := text("png", "image/png"); !strings.Contains(png[:min(len(png), 8)], "PNG") {
		b.t.Errorf("the PNG: %.20q", png)
	}
	if csv := text("csv", "text/csv"); !strings.Contains(csv, "clip/system-buffer") || strings.Count(csv, "\n") < 50 {
		b.t.Errorf("the CSV: %.200s", csv)
	}
	toml := text("toml", "application/toml")
	dir := b.t.TempDir()
	b.check(os.WriteFile(filepath.Join(dir, "saved.toml"), []byte(toml), 0o644))
	b.same("values", b.sh(dir, "halfpeak predict saved.toml/system-buffer --size 64KiB"))
}

// widths looks for sideways scrolling, from a telephone to a wall.
func (b *browser) widths() {
	b.goTo("")
	for _, fragment := range []string{"#v=curves&q=four", "#v=packets&p=65536", "#v=collectives&c=bcast,32,4096,&d=hp-lam", "#v=fit", "#t=1&v=curves"} {
		b.visit(fragment)
		for _, w := range []int64{360, 768, 1280, 3840} {
			b.view(w, 800)
			if wide := js[int64](b, `document.documentElement.scrollWidth`); wide > w {
				b.t.Errorf("%s is %d wide on a screen of %d; it is %s", fragment, wide, w, js[string](b, fmt.Sprintf(`[...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > %d && e.checkVisibility()).map(e => e.tagName + "." + e.className).slice(0, 5).join()`, w)))
			}
			// A finger needs 24 px; words in a text are exempt (WCAG 2.5.8).
			for _, small := range js[[]string](b, `[...document.querySelectorAll("button, select, input, summary, label.button, .choice span")].filter(e => e.checkVisibility() && !e.closest(".hidden, .choice label > input")).map(e => [e, (e.type === "checkbox" ? e.parentElement : e).getBoundingClientRect()]).filter(([, r]) => Math.min(r.width, r.height) < 23.99).map(([e, r]) => e.tagName + "#" + e.id + " " + e.textContent.slice(0, 20) + " " + r.width.toFixed() + "×" + r.height.toFixed())`) {
				b.t.Errorf("%s, %d px: a target below 24 px: %s", fragment, w, small)
			}
		}
	}
}

// dark looks at the contrast of all text, as WCAG 2 defines it: 4.5 to 1 at least.
func (b *browser) dark() {
	const contrast = `(() => {
		const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
		const rgb = c => { pen.clearRect(0, 0, 1, 1); pen.fillStyle = c; pen.fillRect(0, 0, 1, 1); return [...pen.getImageData(0, 0, 1, 1).data]; };
		const lum = c => { const [r, g, b] = c.map(v => { v /= 255; return v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; }); return .2126 * r + .7152 * g + .0722 * b; };
		const ground = e => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c[3] > 250) return c; } return [255, 255, 255]; };
		const bad = [];
		for (const e of document.querySelectorAll("body *")) {
			const own = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
			if (!own || !e.checkVisibility() || e.closest(".sr, .skip, script, noscript, :disabled, #map, #timeline")) continue;
			const style = getComputedStyle(e), a = lum(rgb(e instanceof SVGElement ? style.fill : style.color).slice(0, 3)), g = lum(ground(e).slice(0, 3));
			const ratio = (Math.max(a, g) + .05) / (Math.min(a, g) + .05);
			if (ratio < 4.5) bad.push(ratio.toFixed(2) + " " + e.tagName + " " + e.textContent.slice(0, 30));
		}
		return bad;
	})()`
	b.goTo("")
	for _, scheme := range []string{"light", "dark"} {
		_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		b.check(err)
		for _, fragment := range []string{"", "#v=packets", "#v=collectives", "#v=fit"} {
			b.visit(fragment)
			for _, bad := range js[[]string](b, contrast) {
				b.t.Errorf("%s %s: contrast %s", scheme, fragment, bad)
			}
		}
		ground := js[string](b, `getComputedStyle(document.documentElement).backgroundColor`)
		js[any](b, `document.getElementById("scheme").click()`)
		if js[string](b, `getComputedStyle(document.documentElement).backgroundColor`) == ground {
			b.t.Errorf("%s: the button does not change the colours", scheme)
		}
		js[any](b, `localStorage.clear()`)
	}
}

// BenchmarkBrowser measures the page, by the clock and in processor time of the page's thread.
func BenchmarkBrowser(t *testing.B) {
	b := start(t).tab(t)
	b.goTo("#v=curves&q=bandwidth&d=clip&d=hp-lam&d=parnass/mpi-bullfrog&d=mpc/mpi&d=clip/user-buffer&a=4")
	_, err := chromedp.Call(b.ctx, performance.Enable, performance.EnableParams{TimeDomain: performance.EnableTimeDomainThreadTicks})
	b.check(err)
	before := b.busy()
	moves := js[[]float64](b, `(() => {
		const e = document.querySelector("#sliders input[type=range]"), all = [];
		for (let k = 0; k < 60; k++) {
			const begun = performance.now();
			e.value = 300 + 5 * k;
			e.dispatchEvent(new Event("input", { bubbles: true }));
			document.body.getBoundingClientRect();
			all.push(performance.now() - begun);
		}
		return all.sort((a, b) => a - b);
	})()`)
	busy := (b.busy() - before) / float64(len(moves))
	points := js[int](b, `document.querySelector("#charts path.line").getAttribute("d").split("L").length`)
	// A slider moves 5 curves; layout is in the times, painting is not.
	t.ReportMetric(float64(points), "points/curve")
	t.ReportMetric(moves[len(moves)/2], "ms/move")
	t.ReportMetric(moves[len(moves)-1], "ms-worst/move")
	t.ReportMetric(busy, "cpu-ms/move")
	var file strings.Builder
	file.WriteString("size_bytes,time_us\n")
	for k := range 1000 { // 100 sizes, ten times each, as benchmarks print them
		n := 1 + (k%100)*(k%100)*50
		fmt.Fprintf(&file, "%d,%.3f\n", n, 2+0.001*float64(n)*(1+0.01*float64(k%7)))
	}
	b.dropFile("thousand.csv", []byte(file.String()))
	first, all := b.measured("first-fit"), b.measured("fit")
	t.ReportMetric(first, "ms/first-fit") // of a file of 1,000 rows
	t.ReportMetric(all, "ms/fit")         // all models compared
	b.quiet()
}
