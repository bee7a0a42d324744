package schedule_test

import (
	"bytes"
	"io/fs"
	"reflect"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/internal/sharedtest"
)

// published are the schedules with times of LogGOPSim.
func published(t *testing.T, goal fs.FS) []string {
	t.Helper()
	files, err := fs.Glob(goal, "*/*.goal")
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

// Our binary form is txt2bin's, byte for byte, of the published text and of the
// text that we write; and both forms read back as what they were.
func TestPublished(t *testing.T) {
	goal := sharedtest.Goal(t)
	for i, f := range published(t, goal) {
		b, err := fs.ReadFile(goal, f)
		if err != nil {
			t.Fatal(err)
		}
		s := read(t, b, f)
		written := text(t, s)
		if !reflect.DeepEqual(read(t, written, "written"), s) {
			t.Errorf("%s: changes when it is written and read", f)
		}
		bin := binaryForm(t, s)
		if !bytes.Equal(binaryForm(t, read(t, bin, "bin")), bin) {
			t.Errorf("%s: the binary form changes when it is read and written", f)
		}
		if !testing.Short() || i%10 == 0 {
			sharedtest.CheckBinary(t, b, bin)
		}
		if i%10 == 0 {
			sharedtest.CheckBinary(t, written, bin)
		}
	}
}

// The liberties of the grammar that txt2bin takes too. (Blanks before a statement are beyond it.)
func TestLiberties(t *testing.T) {
	const file = "/* a\n comment */\nnum_ranks 2\r\n// so many\r\n" +
		"rank 0 {\nfirst:send10bto 1tag 3cpu\t255nic 255\r\n" +
		"recv 18446744073709551615b from -1 tag -1\n" +
		"send 1b to 1 tag -1 nic 3\n\n" +
		"l2 : calc 7 cpu 2\n" +
		"calc 8\n" +
		"requires : calc 9\n" +
		"/* a */\nrequires requires first\n" +
		"l2 irequires requires\n" +
		"l2 requiresl2\n" +
		"}\nrank 1 {\n}"
	sharedtest.CheckBinary(t, []byte(file), binaryForm(t, read(t, []byte(file), "f")))
}
