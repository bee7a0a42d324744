package fits

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/halfpeak/halfpeak/internal/calibrate"
	"github.com/halfpeak/halfpeak/internal/remark"
)

// twoRanks is the beginning of calibrate's output for two ranks of a node, with the time of 1 B.
const twoRanks = calibrate.Header + `
# 2026-11-22, 2 ranks, rank 0 on n0, clock of 0.02 us
# An MPI
# level node holds 2
# places 0,1
measure,level,way,pairs,bytes,variant,pass,repeats,median_us,low_us,high_us,min_us,max_us,average_us,outliers
pingpong,node,in,1,1,0,1,10,0.5,0.5,0.5,0.5,0.5,0.5,0
`

// The output of calibrate is a machine in whatever form it was kept: as it is, gzipped, or in
// UTF-16 as PowerShell's > writes it.
func TestCalibrationForms(t *testing.T) {
	text := twoRanks + `pingpong,node,in,1,65536,0,1,10,7,7,7,7,7,7,0
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
	var want *Machine
	for name, content := range map[string][]byte{"": []byte(text), ".gz": zipped.Bytes(), ".utf16": wide.Bytes()} {
		path := filepath.Join(t.TempDir(), "me.csv"+name)
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		f, err := Question{Files: []string{path}}.Ask(t.Context())
		if err != nil {
			t.Fatalf("me.csv%s: %v", name, err)
		}
		got, ok := f.Result.(*Machine)
		if !ok {
			t.Fatalf("me.csv%s is not taken for calibrate's", name)
		}
		if want == nil {
			want = got
		}
		if !reflect.DeepEqual(got.Fitted, want.Fitted) {
			t.Errorf("me.csv%s: %v, want %v", name, got.Fitted, want.Fitted)
		}
	}
}

// A file that ends after its small messages gives no bandwidth.
func TestCutCalibration(t *testing.T) {
	path := filepath.Join(t.TempDir(), "me.csv")
	text := twoRanks + `pingpong,node,in,1,32,0,1,10,0.51,0.51,0.51,0.51,0.51,0.51,0
`
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := Question{Files: []string{path}}.Ask(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	notes := strings.Join(remark.Texts(f.Notes), "\n")
	if !strings.Contains(notes, "bandwidth unknown: round trips end at 32 B") || strings.Contains(notes, "MB/s") {
		t.Errorf("notes: %s", notes)
	}
}

// Pairs out of a node that were measured at small messages alone have no rate together.
func TestSharedWithoutRate(t *testing.T) {
	text := calibrate.Header + `
# 2026-11-22, 16 ranks, rank 0 on n0, clock of 0.02 us
# An MPI
# level node holds 4
# level cluster holds 4
# places 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
pingpong,node,in,1,1,0,1,10,0.5,0.5,0.5,0.5,0.5,0.5,0
stream,node,in,1,1,0,1,10,0.3,0.3,0.3,0.3,0.3,0.3,0
pingpong,node,in,1,1048576,0,1,10,105,105,105,105,105,105,0
stream,node,in,1,1048576,0,1,10,105,105,105,105,105,105,0
pingpong,cluster,in,1,1,0,1,10,2,2,2,2,2,2,0
stream,cluster,in,1,1,0,1,10,0.3,0.3,0.3,0.3,0.3,0.3,0
pingpong,cluster,in,1,1048576,0,1,10,211,211,211,211,211,211,0
stream,cluster,in,1,1048576,0,1,10,210,210,210,210,210,210,0
stream,node,out,4,8,0,1,10,1.2064,1.2064,1.2064,1.2064,1.2064,1.2064,0
# 60.0 s
`
	path := filepath.Join(t.TempDir(), "me.csv")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := Question{Files: []string{path}}.Ask(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if notes := strings.Join(remark.Texts(f.Notes), "\n"); !strings.Contains(notes, "all out of one together 0.3") || strings.Contains(notes, "Inf") {
		t.Errorf("notes: %s", notes)
	}
}
