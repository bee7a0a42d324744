package message

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/internal/curves"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/table"
)

// The times of a stream are its gaps: 1 µs and 1 µs/KiB make 512 MB/s at 1 KiB. Its curves are named
// after what they show, have its measured points and their band, and it has no latency in a
// comparison.
func TestStream(t *testing.T) {
	text := "[layer.bw]\nmodel='linear'\nbeta='1us'\ntau='1us/KiB'\ntimes_of='stream'\nmeasured='bw'\n" +
		"source='made up'\n[measured.bw]\nsource='made up'\nsizes=['512B','1KiB','2KiB','4KiB','8KiB']\n" +
		"times=['1.5us','2us','3us','5us','9us']\n"
	path := filepath.Join(t.TempDir(), "my.toml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := platforms.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	sizes := []quantity.Bytes{512, 1024, 8192}
	for kind, want := range map[curves.Kind]struct {
		label string
		at    float64 // of 1 KiB
	}{
		curves.Bandwidth: {"throughput", 512}, curves.Throughput: {"throughput", 512},
		curves.Latency: {"gap", 2}, curves.Intervals: {"gap", 2},
	} {
		f, err := curves.Figure(kind, sizes, d)
		if err != nil {
			t.Fatal(kind, err)
		}
		points, band := false, false
		for _, s := range f.Series {
			band = band || s.Kind == table.Band
			for i, x := range s.X {
				if s.Kind == table.Points && x == 1024 {
					points = s.Y[i] == want.at
				}
			}
		}
		if !points || !band || !strings.HasPrefix(f.Y.Label, want.label) {
			t.Errorf("%s: points %t, band %t, axis %q", kind, points, band, f.Y.Label)
		}
	}
	compared, err := CompareQuestion{On: []platforms.Design{d}, Sizes: sizes[1:2]}.Ask(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c := compared.Costs[0]
	if c.OneWay != 0 || c.RTT != 0 || c.Bandwidth != 0 || c.Gap != 2 || c.Throughput != 512 {
		t.Errorf("%+v", c)
	}
}
