package schedule_test

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule"
)

// FuzzRead reads anything. What can be read must be the same after it was
// written and read, in both forms.
func FuzzRead(f *testing.F) {
	small := []byte("num_ranks 2\nrank 0 {\na: send 1b to 1 tag 2\nl2: calc 5 cpu 3\nl2 irequires a\ncalc 7\n}\nrank 1 {\nl1: recv 1b from -1 tag -1 nic 1\n}\n")
	f.Add(small)
	s, err := schedule.Read(bytes.NewReader(small), "small")
	if err != nil {
		f.Fatal(err)
	}
	var bin bytes.Buffer
	if err := s.WriteBinary(&bin); err != nil {
		f.Fatal(err)
	}
	f.Add(bin.Bytes())
	f.Add([]byte("num_ranks 1 /* */ // \nrank 0 { l3:calc 1\nl1:calc 2\nl1 requires l3\nl3 requires l3\nl3 requires l1\n} "))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := schedule.Read(bytes.NewReader(b), "f")
		if err != nil {
			return
		}
		if again := read(t, text(t, s), "text"); !reflect.DeepEqual(again, s) {
			t.Errorf("another schedule after it was written:\n%s\nthen\n%s", text(t, s), text(t, again))
		}
		var bin bytes.Buffer
		if s.WriteBinary(&bin) != nil {
			return // a label above 255
		}
		first := bytes.Clone(bin.Bytes())
		again := read(t, first, "binary")
		if !reflect.DeepEqual(again.Ops(), s.Ops()) || !reflect.DeepEqual(again.Waits(), s.Waits()) {
			t.Error("other operations from the binary form")
		}
		if !bytes.Equal(binaryForm(t, again), first) {
			t.Error("another binary form after it was read")
		}
	})
}
