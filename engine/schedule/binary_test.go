package schedule_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule"
)

// A binary that was cut anywhere is an error that names where it ends; one with
// another byte is an error that names a place, or another schedule that is whole.
func TestDamagedBinary(t *testing.T) {
	bin := binaryForm(t, random(t))
	place := regexp.MustCompile(`^f:\d+: `)
	for n := range bin {
		_, err := schedule.Read(bytes.NewReader(bin[:n]), "f")
		switch {
		case err == nil:
			t.Fatalf("no error after %d of %d bytes", n, len(bin))
		case n >= 8 && !strings.HasPrefix(err.Error(), "f:") || n >= 8 && !strings.Contains(err.Error(), "is it truncated?"):
			t.Fatalf("after %d of %d bytes: %v", n, len(bin), err)
		}
	}
	r := rand.New(rand.NewPCG(1, 1))
	errors := 0
	for range 3000 {
		b := bytes.Clone(bin)
		at := 8 + r.IntN(len(b)-8)
		b[at] ^= 1 << r.IntN(8)
		s, err := schedule.Read(bytes.NewReader(b), "f")
		if err == nil {
			if !bytes.Equal(binaryForm(t, s), b) {
				t.Fatalf("bit of byte %d: read as something else", at)
			}
			continue
		}
		if errors++; !place.MatchString(err.Error()) {
			t.Fatalf("no place in %v", err)
		}
	}
	if errors < 500 {
		t.Errorf("only %d errors", errors)
	}
}

// The same of a text: an error names line and column.
func TestDamagedText(t *testing.T) {
	whole := text(t, random(t))
	place := regexp.MustCompile(`^f:\d+:\d+: `)
	check := func(b []byte) (failed bool) {
		t.Helper()
		s, err := schedule.Read(bytes.NewReader(b), "f")
		if err != nil && !place.MatchString(err.Error()) {
			t.Fatalf("no place in %v", err)
		}
		if err == nil && !reflect.DeepEqual(read(t, text(t, s), "again"), s) {
			t.Fatalf("read as something else:\n%s", b)
		}
		return err != nil
	}
	for n := range len(whole) - 1 { // the last newline may be missing
		if !check(whole[:n]) {
			t.Fatalf("no error after %d of %d bytes", n, len(whole))
		}
	}
	r := rand.New(rand.NewPCG(1, 1))
	errors := 0
	const instead = "\x00\n 0-9al{}/*:\xff"
	for range 3000 {
		b := bytes.Clone(whole)
		b[r.IntN(len(b))] = instead[r.IntN(len(instead))]
		if check(b) {
			errors++
		}
	}
	if errors < 500 {
		t.Errorf("only %d errors", errors)
	}
}

func TestBinaryErrors(t *testing.T) {
	const head = "\x7f\x10\x00\x00\x00\x00\x00\x00" + "\x01\x00\x00\x00" + "\x00\x00"
	for _, c := range []struct{ file, want string }{
		{"\x26\x09\x00\x00\x00\x00\x00\x00", "f:0: a simulator has used this binary schedule up, since it counts in the file (LogGOPSim --save-mem); convert the text again"},
		{"\x7f\x10\x00\x00\x00\x00\x00\x00" + "\x00\x00\x00\x00\x00\x00", "f:8: the number of ranks is 0; a schedule has at least one"},
		{head, "f:14: the file ends in the table of ranks; is it truncated?"},
		{head + "\x16\x00\x00\x00\x00\x00\x00\x00\x1e\x00\x00\x00\x00\x00\x00\x00", "f:30: the file ends in rank 0; is it truncated?"},
		{head + "\x16\x00\x00\x00\x00\x00\x00\x00\x1e\x00\x00\x00\x00\x00\x00\x00" + strings.Repeat("\x00", 9), "f:38: the last rank ends here, but the file goes on"},
		{head + "\x17\x00\x00\x00\x00\x00\x00\x00\x1e\x00\x00\x00\x00\x00\x00\x00", "f:14: rank 0 should begin at 22 and end after that, but is from 23 to 30"},
	} {
		_, err := schedule.Read(strings.NewReader(c.file), "f")
		if err == nil || err.Error() != c.want {
			t.Errorf("%q:\n got %v\nwant %s", c.file, err, c.want)
		}
	}
	b := schedule.NewBuilder(1)
	b.NextRank()
	b.Add(schedule.Op{Kind: schedule.Calc, Size: 1, CPU: 256})
	s, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	const want = `schedule: l1 of rank 0 ("calc 1 cpu 256") has a cpu or nic above 255, the largest that the binary form can hold; write text`
	if err := s.WriteBinary(new(bytes.Buffer)); err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}

// random is a schedule with a bit of everything.
func random(t *testing.T) *schedule.Schedule {
	t.Helper()
	b, err := os.ReadFile("testdata/random.goal")
	if err != nil {
		t.Fatal(err)
	}
	return read(t, b, "random.goal")
}
