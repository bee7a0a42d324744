package summary

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// fittedDesign is a layer with what it was fitted to: 2 µs + 1 µs/KiB times the factor, bent.
func fittedDesign(t *testing.T, name string, factor float64) platforms.Design {
	t.Helper()
	var sizes, times []string
	for n := 16.; n <= 1<<20; n *= 4 {
		sizes = append(sizes, "'"+quantity.Bytes(n).String()+"'")
		times = append(times,
			"'"+quantity.Micros(factor*(2+n/1024)*(1+0.03*math.Sin(math.Log(n)))).String()+"'")
	}
	text := "[layer.fit]\nmodel = 'linear'\nbeta = '2us ± 0.1us'\ntau = '1us/KiB ± " +
		"0.01us/KiB'\nmeasured = 'fit'\nsource = 'a fit'\n" +
		"[measured.fit]\nsource = 'made up'\nsizes = [" + strings.Join(sizes, ",") +
		"]\ntimes = [" + strings.Join(times, ",") + "]\n"
	path := filepath.Join(t.TempDir(), name+".toml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return designOf(t, path)
}

func designOf(t *testing.T, ref string) platforms.Design {
	t.Helper()
	d, err := platforms.FindDesign(ref)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
