package page_test

import (
	"fmt"
	"math"
	"os"
	"strings"

	"github.com/chromedp/chromedp/kb"

	"github.com/halfpeak/halfpeak/model/quantity"
)

const lamAt64KiB = "#v=curves&q=latency&s=65536&r=1..1048576&d=hp-lam/gam"

// Each change is a step of the history: Back undoes one, and Forward does it again.
func (b *browser) undo() {
	b.goTo(lamAt64KiB)
	value := func(path string) string { return fmt.Sprintf(`document.getElementById("p-%s").value`, path) }
	// Values are waited for, and not a time, which a busy machine needs more of.
	want := func(step, l, o string) {
		b.t.Helper()
		shown := fmt.Sprintf(`[%s, %s].join()`, value("layer_gam_L"), value("layer_gam_o_s"))
		if got := b.until(shown, l+","+o); got != l+","+o {
			b.t.Errorf("%s: L and o_s are %q; want %s and %s", step, got, l, o)
		}
	}
	before := js[string](b, value("layer_gam_L"))
	steps := js[int](b, `history.length`)
	for _, change := range [][2]string{{"layer_gam_L", "9us"}, {"layer_gam_o_s", "4us"}} {
		address := js[string](b, `location.hash`)
		js[any](b, fmt.Sprintf(`(() => { const e = document.getElementById("p-%s"); e.value = %q; e.dispatchEvent(new Event("change")); })()`, change[0], change[1]))
		b.until(fmt.Sprintf(`String(location.hash !== %q)`, address), "true")
	}
	want("changed", "9 µs", "4 µs")
	if n := js[int](b, `history.length`) - steps; n != 2 {
		b.t.Errorf("two changes are %d steps of the history", n)
	}
	for _, step := range [][3]string{{"back", "9 µs", "2.9 µs"}, {"back", before, "2.9 µs"}, {"forward", "9 µs", "2.9 µs"}} {
		js[any](b, fmt.Sprintf(`history.%s()`, step[0]))
		want(step[0], step[1], step[2])
	}
}

// redo undoes the steps of one slider at once, by key and by button, and does them again. The thumb
// follows, although it has the focus. The page has just been opened, and has no history yet.
func (b *browser) redo() {
	const slider = `document.querySelector("#sliders input[type=range]")`
	shown := slider + `.value + " " + ` + slider + `.getAttribute("aria-valuetext")`
	disabled := `["undo", "redo"].map(id => document.getElementById(id).disabled).join()`
	want := func(what, value, buttons string) {
		b.t.Helper()
		if got := b.until(shown, value); got != value {
			b.t.Errorf("%s: the slider is at %s; want %s", what, got, value)
		}
		if got := b.until(disabled, buttons); got != buttons {
			b.t.Errorf("%s: undo and redo are disabled: %s; want %s", what, got, buttons)
		}
	}
	before := js[string](b, shown)
	want("opened", before, "true,true")
	js[any](b, slider+`.focus()`)
	for range 3 {
		address := js[string](b, `location.hash`)
		b.press(kb.ArrowRight)
		b.until(fmt.Sprintf(`String(location.hash !== %q)`, address), "true")
	}
	after := js[string](b, shown)
	if after == before {
		b.t.Fatalf("the keys leave the slider at %s", before)
	}
	want("moved", after, "false,true")
	key := func(shift bool) {
		js[any](b, fmt.Sprintf(`document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "z", ctrlKey: true, shiftKey: %t, bubbles: true, cancelable: true }))`, shift))
	}
	key(false)
	want("Ctrl+Z", before, "true,false")
	key(true)
	want("Ctrl+Shift+Z", after, "false,true")
	js[any](b, `document.getElementById("undo").click()`)
	want("Undo", before, "true,false")
	js[any](b, `document.getElementById("redo").click()`)
	want("Redo", after, "false,true")
}

// streams looks at a platform whose times are the gaps of a stream: no view gives a command that is
// refused.
func (b *browser) streams() {
	b.goTo("")
	js[any](b, `program.add({ name: "s.toml", toml: '[layer.fit]\nmodel = "linear"\nbeta = "0.2us"\ntau = "0.08us/KiB"\ntimes_of = "stream"\nsource = "x"\n' })`)
	const at = "&s=65536&r=1..1048576&d=s.toml/fit"
	for _, view := range []string{"packets", "collectives"} {
		b.visit("#v=" + view + at)
		if command := js[string](b, `document.getElementById("command").textContent`); !strings.HasPrefix(strings.TrimSpace(command), "halfpeak predict s.toml/fit") {
			b.t.Errorf("%s: the command is %q", view, command)
		}
	}
	// Its curves are named by what was measured, and have a value at the size.
	for quantity, title := range map[string]string{"latency": "Gap between messages", "bandwidth": "Throughput"} {
		b.visit("#v=curves&q=" + quantity + at)
		if shown := js[string](b, `document.getElementById("charts").textContent`); !strings.Contains(shown, title) {
			b.t.Errorf("%s of a stream: no title %q in %q", quantity, title, shown)
		}
		if value := js[string](b, `document.querySelector("#charts svg").getAttribute("aria-valuetext")`); !strings.Contains(value, "/s") && !strings.Contains(value, "µs") {
			b.t.Errorf("%s of a stream: the value is %q", quantity, value)
		}
	}
}

// until waits for an expression to have a value, and returns the last one after a minute, when the
// page will not have it any more.
func (b *browser) until(expression, want string) string {
	b.t.Helper()
	return js[string](b, fmt.Sprintf(`new Promise(resolve => {
		const end = performance.now() + 60000;
		const look = () => { const now = %s; if (now === %q || performance.now() > end) resolve(now); else setTimeout(look, 20); };
		look();
	})`, expression, want))
}

// The formula has the numbers that add up to the time, in the colours of the shares; its words are
// explained by the keyboard and by a touch.
func (b *browser) formula() {
	b.goTo("")
	for _, ref := range []string{"hp-lam/gam", "clip/system-buffer", "mpc/mpi", "parnass/mpi-bullfrog"} {
		b.visit("#v=curves&q=latency&s=65536&r=1..1048576&d=" + ref)
		sum := js[[]float64](b, `[...document.querySelectorAll("#formula .numbers b")].map(e => { const all = e.textContent.match(/[\d.]+$/); return all ? Number(all[0]) : NaN; })`)
		total := 0.0
		for _, v := range sum {
			total += v
		}
		text := js[string](b, `document.querySelector("#formula .numbers").textContent`)
		var want float64
		_, after, _ := strings.Cut(text[strings.LastIndex(text, "= "):], "= ")
		if _, err := fmt.Sscanf(after, "%f", &want); err != nil || len(sum) < 2 || math.Abs(total-want) > 0.005*float64(len(sum)+1) { // two decimals each
			b.t.Errorf("%s: %q: the terms are %v in sum (%v)", ref, text, total, err)
		}
		first := b.table("values")[1]
		shown, err := quantity.ParseMicros(first[1]) // with four digits
		if err != nil || math.Abs(float64(shown)-want) > 0.0006*want {
			b.t.Errorf("%s: the sum is %.2f; the table has %q (%v)", ref, want, first, err)
		}
	}
	b.visit(lamAt64KiB)
	if a, c := js[string](b, `document.querySelector("#formula [data-symbol=G]").style.color`), js[string](b, `[...document.querySelectorAll(".param")].find(e => e.textContent.includes("gap per byte")).querySelector(".owns b").style.background`); a == "" || a != c {
		b.t.Errorf("G has the colour %q in the formula and %q in its share", a, c)
	}
	if first := js[string](b, `document.querySelector("#sliders .param").textContent`); !strings.Contains(first, "gap per byte") {
		b.t.Errorf("the first slider is %q; G has the largest share", first)
	}
	explained := `(() => { const e = document.getElementById("explain"); return e.hidden ? "" : e.textContent; })()`
	// A page without a window gets no focus of its own.
	js[any](b, `document.querySelector("#formula [data-symbol=L]").dispatchEvent(new FocusEvent("focusin", { bubbles: true }))`)
	if said := js[string](b, explained); !strings.Contains(said, "latency") {
		b.t.Errorf("the focus on L explains %q", said)
	}
	b.press(kb.Escape)
	if said := js[string](b, explained); said != "" {
		b.t.Errorf("Escape leaves %q", said)
	}
	js[any](b, `document.querySelector("#formula [data-symbol=o_r]").dispatchEvent(new PointerEvent("click", { bubbles: true, cancelable: true, pointerType: "touch" }))`)
	if said := js[string](b, explained); !strings.Contains(said, "receive overhead") {
		b.t.Errorf("a touch of o_r explains %q", said)
	}
	b.press(kb.Escape)
	// A threshold is named as in the field, and not by its place in the file.
	b.visit("#v=curves&d=clip/system-buffer")
	if names := js[string](b, `document.getElementById("sliders").textContent`); !strings.Contains(names, "pio up to") || strings.Contains(names, "branches") {
		b.t.Errorf("the sliders are %.300q", names)
	}
	// Without a pipeline, the command is one that works.
	b.visit("#v=packets&d=hp-lam/gam")
	b.sh(b.t.TempDir(), js[string](b, `document.getElementById("command").textContent`))
	// No tab is cut off on a telephone.
	b.view(360, 780)
	b.goTo("")
	if cut := js[bool](b, `[...document.querySelectorAll(".tabs button")].some(e => e.getBoundingClientRect().right > innerWidth - 8 || e.scrollWidth > e.clientWidth + 1)`); cut {
		b.t.Error("a tab is cut off at 360 pixels")
	}
}

// The ratio of a changed design to before is that of the times.
func (b *browser) ratio() {
	b.goTo(lamAt64KiB + ";layer.gam.G=82us/KiB")
	if js[bool](b, `document.getElementById("ratio-field").hidden`) {
		b.t.Fatal("a changed design offers no ratio")
	}
	js[any](b, `document.getElementById("ratio").click()`)
	b.settle()
	if title := js[string](b, `document.querySelector("#charts text[font-weight]").textContent`); !strings.Contains(title, "against before") {
		b.t.Errorf("the title is %q", title)
	}
	if n := js[int](b, `document.querySelectorAll("#charts path.line").length`); n != 1 {
		b.t.Errorf("%d lines; want that of the changed design", n)
	}
	// Names stand at the ends of curves where there is room.
	b.goTo("#v=curves&q=latency&d=hp-lam/gam&d=clip/system-buffer")
	if text := js[string](b, `document.getElementById("charts").textContent`); !strings.Contains(text, "hp-lam/gam") || !strings.Contains(text, "clip/system-buffer") {
		b.t.Errorf("the curves are not named: %.300q", text)
	}
}

// A fitted platform has one band, that of its next measurement, also after the samples are in.
func (b *browser) oneBand() {
	data, err := os.ReadFile("../../fit/benchfile/testdata/netpipe-3.7.2-openmpi-4.1.4-sm.np.out")
	b.check(err)
	b.goTo("")
	b.dropFile("np.out", data)
	js[any](b, `document.getElementById("fit-use").click()`)
	b.settle()
	at := js[int](b, `(() => { const x = 100; return [...document.querySelectorAll("#charts path.band:not(.beyond)")].length; })()`)
	if at != 1 {
		b.t.Errorf("%d bands over the measured sizes; want 1", at)
	}
	if notes := js[string](b, `document.getElementById("curve-notes").textContent`); strings.Contains(notes, "by the intervals of the parameters") {
		b.t.Errorf("the notes speak of a second band: %q", notes)
	}
}
