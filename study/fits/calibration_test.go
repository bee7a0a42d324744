package fits

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"unicode/utf16"

	"github.com/halfpeak/halfpeak/fit/contention"
)

// The output of calibrate is a machine in whatever form it was kept: as it is, gzipped, or in
// UTF-16 as PowerShell's > writes it.
func TestCalibrationForms(t *testing.T) {
	text := contention.CalibrationHeader + `
# 2026-11-22, 2 ranks, rank 0 on n0, clock of 0.02 us
# An MPI
# level node holds 2
# places 0,1
measure,level,way,pairs,bytes,variant,pass,repeats,median_us,low_us,high_us,min_us,max_us,average_us,outliers
pingpong,node,in,1,1,0,1,10,0.5,0.5,0.5,0.5,0.5,0.5,0
pingpong,node,in,1,65536,0,1,10,7,7,7,7,7,7,0
`
	var zipped, wide bytes.Buffer
	z := gzip.NewWriter(&zipped)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for _, u := range utf16.Encode([]rune("\ufeff" + text)) {
		wide.Write([]byte{byte(u), byte(u >> 8)})
	}
	var want *Fitted
	for name, content := range map[string][]byte{"": []byte(text), ".gz": zipped.Bytes(), ".utf16": wide.Bytes()} {
		path := filepath.Join(t.TempDir(), "me.csv"+name)
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		f, err := Fit([]string{path}, Options{})
		if err != nil {
			t.Fatalf("me.csv%s: %v", name, err)
		}
		if f.calibrated == nil {
			t.Fatalf("me.csv%s is not taken for calibrate's", name)
		}
		if want == nil {
			want = f
		}
		if !reflect.DeepEqual(f.calibrated.machine, want.calibrated.machine) {
			t.Errorf("me.csv%s: %v, want %v", name, f.calibrated.machine, want.calibrated.machine)
		}
	}
}
