package schedule_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/schedule/scheduletest"
)

// published are the schedules that lie beside the checkout.
func published(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(scheduletest.Shared(t, "data/goal"), "*/*.goal"))
	if err != nil || len(files) < 200 {
		t.Fatalf("%d schedules: %v", len(files), err)
	}
	return files
}

func read(t *testing.T, b []byte, name string) *schedule.Schedule {
	t.Helper()
	s, err := schedule.Read(bytes.NewReader(b), name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func text(t *testing.T, s *schedule.Schedule) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := s.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func binaryForm(t *testing.T, s *schedule.Schedule) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := s.WriteBinary(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestPublished(t *testing.T) {
	for _, f := range published(t) {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		s := read(t, b, f)
		again := read(t, text(t, s), "written")
		if !reflect.DeepEqual(s, again) {
			t.Errorf("%s: changes when it is written and read", f)
		}
		bin := binaryForm(t, s)
		if !bytes.Equal(binaryForm(t, read(t, bin, "bin")), bin) {
			t.Errorf("%s: the binary form changes when it is read and written", f)
		}
		out := filepath.Join(t.TempDir(), "x.bin")
		cmd := exec.Command(scheduletest.Shared(t, "peers/loggopsim/txt2bin"), "-i", f, "-o", out)
		if m, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %s", f, m)
		}
		want, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(bin, want) {
			t.Errorf("%s: not as txt2bin", f)
		}
	}
}
