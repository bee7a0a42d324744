package summary

import (
	"bytes"
	"context"
	"encoding/json"
	"html"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/halfpeak/halfpeak/internal/sharedtest"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/draw"
)

func reportHTML(t *testing.T, refs ...string) []byte {
	t.Helper()
	doc, err := Question{Refs: refs,
		Sizes: sharedtest.Must(t, quantity.ParseSizes, "1..1MiB/16")}.Ask(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := draw.WriteHTML(&b, doc); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

var five = []string{"clip", "hp-lam", "parnass", "mpc", "jam-1394"}

// sharedReport is the report of these platforms, which two tests read at the same time.
var sharedReport = sync.OnceValues(func() ([]byte, error) {
	sizes, err := quantity.ParseSizes("1..1MiB/16")
	if err != nil {
		return nil, err
	}
	doc, err := Question{Refs: five, Sizes: sizes}.Ask(context.Background())
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = draw.WriteHTML(&b, doc)
	return b.Bytes(), err
})

func reportOfFive(t *testing.T) []byte {
	t.Helper()
	page, err := sharedReport()
	if err != nil {
		t.Fatal(err)
	}
	return page
}

func TestReportIsOneSmallFile(t *testing.T) {
	t.Parallel()
	page := reportOfFive(t)
	if len(page) > 2e6 {
		t.Errorf("five platforms take %d bytes; a report that is sent by mail should stay "+
			"below 2 MB", len(page))
	}
	if !bytes.Equal(page, reportHTML(t, five...)) {
		t.Error("two reports of the same platforms differ")
	}
	reference := regexp.MustCompile(`(?i)(src|href|url|import)\s*[=(]?\s*["'(]?\s*` +
		`(https?:)?//[^\s"']*`)
	for _, outside := range reference.FindAll(page, -1) {
		t.Errorf("the page refers to another: %s", outside)
	}
}

// Every layer has what a report needs. Layers that differ in a setting of one system are one.
func TestReportOfEachLayer(t *testing.T) {
	t.Parallel()
	all, err := platforms.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		for _, l := range p.Layers {
			if l.Setting != "" && l.Name != p.Default {
				continue
			}
			doc, err := Question{Refs: []string{l.Ref()},
				Sizes: sharedtest.Must(t, quantity.ParseSizes, "1,1000,64KiB")}.Ask(t.Context())
			if err != nil {
				t.Errorf("%s: %v", l.Ref(), err)
				continue
			}
			if err := doc.WriteMarkdown(new(bytes.Buffer)); err != nil {
				t.Errorf("%s as Markdown: %v", l.Ref(), err)
			}
			if l.Name != p.Default {
				continue
			}
			if err := draw.WriteHTML(new(bytes.Buffer), doc); err != nil {
				t.Errorf("%s as HTML: %v", l.Ref(), err)
			}
		}
	}
}

// probe opens the report at the width of a telephone and of a desk, uses it,
// and leaves what it saw in its own text.
const probe = `<!DOCTYPE html><body><pre id="seen">nothing</pre><script>
const open = width => new Promise(done => {
	const frame = document.createElement("iframe");
	frame.style.cssText = "border:0;height:900px;width:" + width + "px";
	frame.onload = () => done(frame.contentDocument);
	frame.src = "/report.html";
	document.body.append(frame);
});
const shown = (page, selector) =>
	[...page.querySelectorAll(selector)].filter(e => e.getClientRects().length).length;
(async () => {
	const seen = {};
	const phone = await open(360), desk = await open(1280);
	seen.phoneScroll = phone.documentElement.scrollWidth - phone.documentElement.clientWidth;
	seen.deskScroll = desk.documentElement.scrollWidth - desk.documentElement.clientWidth;
	seen.phoneDrawings = [shown(phone, "svg.narrow") > 0, shown(phone, "svg.wide") > 0];
	seen.deskDrawings = [shown(desk, "svg.narrow") > 0, shown(desk, "svg.wide") > 0];

	// The first table is that of the platforms.
	const table = desk.querySelector("table");
	const heads = [...table.tHead.rows[0].cells];
	const head = heads.find(h => h.textContent.startsWith("one way"));
	const nameIn = row => table.tBodies[0].rows[row].cells[0].textContent;
	const first = () => [head.getAttribute("aria-sort"), nameIn(0), nameIn(4)].join(" ");
	seen.sorts = [first()];
	for (let i = 0; i < 2; i++) { head.querySelector("button").click(); seen.sorts.push(first()); }

	const view = desk.defaultView, figure = desk.querySelectorAll("figure")[2];
	const canvas = figure.querySelector(".canvas"), tip = figure.querySelector(".tip");
	canvas.focus();
	canvas.dispatchEvent(new view.KeyboardEvent("keydown", { key: "End" }));
	seen.keys = tip.hidden ? "hidden" : tip.textContent;
	const box = figure.querySelector("svg.wide").getBoundingClientRect();
	for (let part = 0.3; part < 0.9 && !tip.textContent.includes("measured"); part += 0.005)
		canvas.dispatchEvent(new view.PointerEvent("pointermove",
			{ clientX: box.left + box.width * part, clientY: box.top + 50 }));
	seen.pointer = tip.hidden ? "hidden" : tip.textContent;
	canvas.dispatchEvent(new view.KeyboardEvent("keydown", { key: "Escape" }));
	seen.escape = tip.hidden;
	const figures = [...desk.querySelectorAll("figure")];
	const timeline = figures.find(
		f => f.querySelector("script").textContent.includes("timeline"));
	const home = new view.KeyboardEvent("keydown", { key: "Home" });
	timeline.querySelector(".canvas").dispatchEvent(home);
	seen.timeline = timeline.querySelector(".tip").textContent;

	const ground = () => view.getComputedStyle(desk.querySelector("section")).backgroundColor;
	seen.scheme = [ground()];
	desk.getElementById("scheme").click();
	seen.scheme.push(ground());
	document.getElementById("seen").textContent = JSON.stringify(seen);
})();
</script>`

// TestReportInBrowser opens the report of five platforms in Chromium, where it is installed.
func TestReportInBrowser(t *testing.T) {
	t.Parallel()
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("chromium is not installed (apt-get install chromium)")
	}
	if testing.Short() {
		t.Skip("starts a browser")
	}
	page := reportOfFive(t)
	mux := http.NewServeMux()
	mux.HandleFunc("/report.html", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write(page)
	})
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(probe))
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/favicon.ico" { // of the probe; a report has its own
			t.Errorf("the report asks for %s", r.URL)
		}
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	type seen struct {
		PhoneScroll, DeskScroll     int     // by which the page is too wide
		PhoneDrawings, DeskDrawings [2]bool // narrow, wide
		Sorts                       []string
		Keys, Pointer, Timeline     string
		Escape                      bool
		Scheme                      []string
	}
	const light, dark = "rgb(255, 255, 255)", "rgb(26, 30, 35)"
	want := seen{
		PhoneDrawings: [2]bool{true, false}, DeskDrawings: [2]bool{false, true},
		// One way of a byte: mpc 4.02, clip 9.9, hp-lam 14, parnass 70.37, jam-1394 83.8 µs.
		Sorts:  []string{"none clip jam-1394", "ascending mpc jam-1394", "descending jam-1394 mpc"},
		Escape: true,
	}
	for scheme, setting := range map[string]string{"light": "preferredColorScheme=1",
		"dark": "preferredColorScheme=0"} {
		t.Run(scheme, func(t *testing.T) {
			cmd := exec.Command(chromium, "--headless", "--no-sandbox", "--disable-gpu",
				"--disable-quic", "--no-first-run",
				"--disable-background-networking", "--disable-component-update", "--disable-sync",
				"--user-data-dir="+t.TempDir(),
				"--hide-scrollbars", "--window-size=1400,1000", "--blink-settings="+setting,
				"--enable-logging=stderr", "--virtual-time-budget=20000", "--dump-dom",
				server.URL)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("chromium: %v\n%s", err, stderr.Bytes())
			}
			for line := range strings.Lines(stderr.String()) {
				if strings.Contains(line, "CONSOLE") {
					t.Errorf("on the console: %s", line)
				}
			}
			m := regexp.MustCompile(`<pre id="seen">(.*?)</pre>`).FindSubmatch(out)
			if m == nil {
				t.Fatalf("the probe left nothing: %.2000s", out)
			}
			var got seen
			if err := json.Unmarshal([]byte(html.UnescapeString(string(m[1]))), &got); err != nil {
				t.Fatalf("the probe left %s: %v", m[1], err)
			}
			want := want
			want.Scheme = []string{light, dark}
			if scheme == "dark" {
				want.Scheme = []string{dark, light}
			}
			// Of clip: the bandwidth of the largest message, the first measured point that the
			// pointer meets, and the first packet on its way.
			for what, text := range map[string][2]string{
				"keys":     {got.Keys, "1 MiB" + "clip/system-buffer"},
				"pointer":  {got.Pointer, "clip/system-buffer measured"},
				"timeline": {got.Timeline, "copy-outpacket 1, 0 – "},
			} {
				if !strings.Contains(text[0], text[1]) {
					t.Errorf("%s: %q, want %q in it", what, text[0], text[1])
				}
			}
			got.Keys, got.Pointer, got.Timeline = "", "", ""
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("in the browser (-want +got):\n%s", diff)
			}
		})
	}
}

// A long source that many parameters share stands once, beneath the table.
func TestLongSourceOnce(t *testing.T) {
	source := "me.np.out of 2026-11-22: " + strings.Repeat("fitted over many sizes, ", 4) + "once"
	path := filepath.Join(t.TempDir(), "me.toml")
	text := "[layer.fit]\nmodel = 'linear'\nbeta = '2us'\ntau = '1us/KiB'\nsource = '" + source +
		"'\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(html.UnescapeString(string(reportHTML(t, path))), source); n != 1 {
		t.Errorf("the source stands %d times", n)
	}
}
