package summary

import (
	"bytes"
	"flag"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "draw docs/report.png anew")

// docs/report.png is the top of the report of five systems, as Chromium draws it: `halfpeak report
// clip hp-lam parnass mpc jam-1394`. Squares of 32 pixels are compared, since versions of Chromium
// smooth letters and lines differently. An error bar more changes one by 0.03.
func TestReportPicture(t *testing.T) {
	t.Parallel()
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("chromium is not installed (apt-get install chromium)")
	}
	if testing.Short() {
		t.Skip("starts a browser")
	}
	if font, err := exec.Command("fc-match", "system-ui").Output(); err != nil ||
		!bytes.Contains(font, []byte("DejaVu Sans")) {
		t.Skip("the picture is drawn with DejaVu Sans, which is not this machine's font")
	}
	dir := t.TempDir()
	page, drawn := filepath.Join(dir, "report.html"), filepath.Join(dir, "report.png")
	if err := os.WriteFile(page, reportHTML(t, five...), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
		"--no-first-run", "--disable-background-networking", "--disable-component-update",
		"--disable-sync", "--user-data-dir="+dir, "--hide-scrollbars", "--window-size=1280,914",
		"--blink-settings=preferredColorScheme=1", "--virtual-time-budget=5000",
		"--screenshot="+drawn, "file://"+page)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("chromium: %v\n%s", err, out)
	}
	const kept = "../../docs/report.png"
	text, err := os.ReadFile(drawn)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(kept, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got := squares(t, text)
	text, err = os.ReadFile(kept)
	if err != nil {
		t.Fatal(err)
	}
	want := squares(t, text)
	if len(got) != len(want) {
		t.Fatalf("%d squares, want %d", len(got), len(want))
	}
	worst := 0.0
	for i := range got {
		worst = max(worst, math.Abs(got[i]-want[i]))
	}
	if t.Logf("the largest difference of a square is %.3f", worst); worst > 0.02 {
		t.Errorf("%s is not what its command draws: a square differs by %.3f; with -update it is, "+
			"and then look at it", kept, worst)
	}
}

// squares returns the brightness of the squares of 32 pixels of a picture, from 0 to 1.
func squares(t *testing.T, text []byte) (all []float64) {
	t.Helper()
	picture, err := png.Decode(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	const side = 32
	b := picture.Bounds()
	for y := b.Min.Y; y+side <= b.Max.Y; y += side {
		for x := b.Min.X; x+side <= b.Max.X; x += side {
			all = append(all, brightness(picture, image.Rect(x, y, x+side, y+side)))
		}
	}
	return all
}

func brightness(picture image.Image, of image.Rectangle) (sum float64) {
	for y := of.Min.Y; y < of.Max.Y; y++ {
		for x := of.Min.X; x < of.Max.X; x++ {
			sum += float64(color.GrayModel.Convert(picture.At(x, y)).(color.Gray).Y) / 255
		}
	}
	return sum / float64(of.Dx()*of.Dy())
}
