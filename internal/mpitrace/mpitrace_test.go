package mpitrace_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/internal/mpitrace"
)

func count(s *schedule.Schedule) (n [schedule.Calc + 1]int) {
	for _, op := range s.Ops() {
		n[op.Kind]++
	}
	return n
}

// sources are files in memory, by name.
func sources(files ...string) []mpitrace.Source {
	var all []mpitrace.Source
	for i, f := range files {
		all = append(all, mpitrace.Source{Name: fmt.Sprintf("r%d", i), Open: func() (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader(f)), nil
		}})
	}
	return all
}

func goal(t *testing.T, o mpitrace.Translation, files ...string) string {
	t.Helper()
	s, _, err := mpitrace.Read(sources(files...), o)
	if err != nil {
		t.Fatal(err)
	}
	for i := range s.Ops() { // GOAL has no word for them
		s.Ops()[i].Context = 0
	}
	var b bytes.Buffer
	if err := s.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A region has the calls and computations between its marks, other marks of its kind included.
func TestRegion(t *testing.T) {
	trace := recordedTrace(0, 1, "Barrier 1000 1 0 0 0", "Barrier 2000 1 0 0 0",
		"Barrier 4000 1 0 0 0", "Send 8000 1 0 8 -2 5 0 0")
	for region, want := range map[string]uint64{"barrier:1..2": 2000, "barrier:1..3": 6000,
		"barrier:2..": 12010} {
		o := mpitrace.Defaults
		var err error
		if o.Region, err = mpitrace.ParseRegion(region); err != nil {
			t.Fatal(err)
		}
		if o.Region.String() != region {
			t.Errorf("%q is written as %q", region, o.Region)
		}
		s, _, err := mpitrace.Read(sources(trace), o)
		if err != nil {
			t.Fatalf("%s: %v", region, err)
		}
		var sum uint64
		for _, op := range s.Ops() {
			sum += op.Size
		}
		if sum != want {
			t.Errorf("%s: %d ns, want %d", region, sum, want)
		}
	}
	o := mpitrace.Defaults
	o.Region = mpitrace.Region{Call: "barrier", From: 3, To: 4}
	if _, _, err := mpitrace.Read(sources(trace), o); err == nil || !strings.Contains(err.Error(),
		"the region barrier:3..4 is not whole: rank 0 has 3 calls of barrier") {
		t.Errorf("error %v", err)
	}
	for _, text := range []string{"", "barrier", "barrier:1", "barrier:0..", "barrier:2..2",
		"send:1..2", "barrier:x..2", "barrier:1..x"} {
		if _, err := mpitrace.ParseRegion(text); err == nil {
			t.Errorf("no error of %q", text)
		}
	}
}

// A barrier of a part of the ranks is not a mark.
func TestRegionOfAllRanks(t *testing.T) {
	o := mpitrace.Defaults
	o.Region = mpitrace.Region{Call: "barrier", From: 1, To: 2}
	s, _, err := mpitrace.Read(sources(
		recordedTrace(0, 2, "comm 2 0 0", "Comm_split 1 1 0 2", "Barrier 1 1 0 0 2",
			"Barrier 1 1 0 0 0", "Bcast 1 1 32 0 0", "Barrier 1 1 0 0 0"),
		recordedTrace(1, 2, "comm 2 0 1", "Comm_split 1 1 0 2", "Barrier 1 1 0 0 0",
			"Bcast 1 1 32 0 0", "Barrier 1 1 0 0 0")), o)
	if err != nil {
		t.Fatal(err)
	}
	if n := count(s); n[schedule.Send] != 1 || n[schedule.Recv] != 1 {
		t.Errorf("%d sends and %d receives, want the one of the broadcast", n[schedule.Send],
			n[schedule.Recv])
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		files []string
		want  string
	}{
		{nil, "mpitrace: no trace files"},
		{[]string{""}, "r0:1: not the trace of a rank; leave it out"},
		{[]string{dumpiTrace(0), "/* a program */\n"}, "r1: not the trace of a rank; leave it out"},
		{[]string{recordedTrace(0, 1, "Send 1 1 0 9223372036854775807 0 5 0 0")},
			`r0:2: Send: argument bytes: "9223372036854775807" is not a whole number`},
		{[]string{recordedTrace(0, 1, "Send 1 1 0 8 0 -1 0 0")},
			"r0:2: Send: tags must be 0 to 2147483647 (got -1)"},
		{[]string{recordedTrace(0, 1, "Bcast 1 1 8 1 0")},
			"r0:2: Bcast: the root must be 0 to 0 (got 1)"},
		{[]string{dumpiTrace(0) + strings.Repeat("x", 1<<17)},
			"r0:11: the line is longer than 65536 bytes"},
	} {
		_, _, err := mpitrace.Read(sources(c.files...), mpitrace.Defaults)
		if err == nil || err.Error() != c.want {
			t.Errorf("%.100q:\n got %v\nwant %s", c.files, err, c.want)
		}
	}
	for _, scale := range []float64{-1, math.NaN(), math.Inf(1)} {
		o := mpitrace.Defaults
		o.Scale = scale
		if _, _, err := mpitrace.Read(sources(recordedTrace(0, 1)), o); err == nil {
			t.Errorf("no error of %g", scale)
		}
	}
	if _, _, err := mpitrace.Read(mpitrace.Files("no/such/file"), mpitrace.Defaults); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v, want that the file does not exist", err)
	}
}

// A receive into memory that was sent since is a relay, a send of memory that the tracer saw changed
// is fresh; a second receive into the same memory, other memory and unknown addresses are plain.
func TestMemoryOfMessages(t *testing.T) {
	s, _, err := mpitrace.Read(sources(recordedTrace(0, 2,
		"Send 1 1 1000 64 1 5 0 0", "Recv 1 1 1000 64 1 5 0", "Recv 1 1 1000 64 1 5 0",
		"Send 1 1 1000 64 1 5 0 1", "Send 1 1 1000 64 1 5 0 0", "Recv 1 1 1020 64 1 5 0",
		"Recv 1 1 2000 64 1 5 0", "Send 1 1 0 64 1 5 0 0", "Recv 1 1 0 64 1 5 0"),
		recordedTrace(1, 2)), mpitrace.Defaults)
	if err != nil {
		t.Fatal(err)
	}
	var got []schedule.Memory
	for _, op := range s.Ops() {
		if op.Kind != schedule.Calc {
			got = append(got, op.Memory)
		}
	}
	want := []schedule.Memory{schedule.Plain, schedule.Relay, schedule.Plain, schedule.Fresh, schedule.Plain, schedule.Relay,
		schedule.Plain, schedule.Plain, schedule.Plain}
	if !slices.Equal(got, want) {
		t.Errorf("memory is %v, want %v", got, want)
	}
}

func TestFiles(t *testing.T) {
	var got []string
	for _, s := range mpitrace.Files("t-10.gz", "t-9.gz", "t-1.gz", "t-010b", "s-11", "t-01.gz") {
		got = append(got, s.Name)
	}
	if want := []string{"s-11", "t-01.gz", "t-1.gz", "t-9.gz", "t-10.gz", "t-010b"}; !slices.Equal(got, want) {
		t.Errorf("order %q, want %q", got, want)
	}
}

func FuzzDumpi(f *testing.F) {
	f.Add(dumpiTrace(0, "Isend", dumpiMessage(1)+"MPI_Request request=[3]\n", "Waitany", "MPI_Request requests[1]=[3]\nint index=0\n"),
		dumpiTrace(1, "Recv", strings.Replace(dumpiMessage(0), "dest=0", "source=-1 (MPI_ANY_SOURCE)", 1)))
	f.Fuzz(fuzz)
}

func fuzz(t *testing.T, first, second string) {
	for _, files := range [][]string{{first, second}, {first}, {first + "\n" + second}} {
		s, _, err := mpitrace.Read(sources(files...), mpitrace.Defaults)
		if err != nil {
			continue
		}
		for i := range s.Ops() { // GOAL has no word for them
			s.Ops()[i].Memory, s.Ops()[i].Context = schedule.Plain, 0
		}
		var b bytes.Buffer
		if err := s.WriteText(&b); err != nil {
			t.Fatal(err)
		}
		written := b.String()
		again, err := schedule.Read(&b, "written")
		if err != nil {
			t.Fatal(err)
		}
		b.Reset()
		if err := again.WriteText(&b); err != nil {
			t.Fatal(err)
		}
		if b.String() != written || !slices.Equal(again.Ops(), s.Ops()) {
			t.Error("another schedule after it was written and read")
		}
	}
}
