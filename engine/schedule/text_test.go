package schedule_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/halfpeak/halfpeak/engine/schedule"
)

// What the grammar allows: comments, blanks left out, statements beside braces,
// a last line without its newline, Windows' line ends.
func TestText(t *testing.T) {
	const file = "/* a\n comment */ num_ranks 2 // so many\r\n" +
		"rank 0 { first:send10bto 1tag 3cpu\t65535nic 65535\r\n" +
		"recv 18446744073709551615b from -1 tag -1\n" +
		"\tl2 : calc 7 cpu 2\n" +
		"calc 8\n" +
		"requires : calc 9\n" +
		"/* a */ requires requires first\n" +
		"l2 irequires requires\n" +
		"l2 requiresl2\n" +
		"} rank 1 {\n}"
	s := read(t, []byte(file), "f")
	want := []schedule.Op{
		{Kind: schedule.Send, Size: 10, Peer: 1, Tag: 3, CPU: 65535, NIC: 65535},
		{Kind: schedule.Recv, Size: 1<<64 - 1, Peer: schedule.Any, Tag: schedule.Any},
		{Kind: schedule.Calc, Size: 7, CPU: 2},
		{Kind: schedule.Calc, Size: 8},
		{Kind: schedule.Calc, Size: 9},
	}
	if !reflect.DeepEqual(s.Ops(), want) {
		t.Errorf("operations %v, want %v", s.Ops(), want)
	}
	if got := s.AfterDone(0); !reflect.DeepEqual(got, []uint32{4}) {
		t.Errorf("after the send is done: %v, want [4]", got)
	}
	if got := s.AfterStarted(4); !reflect.DeepEqual(got, []uint32{2}) {
		t.Errorf("after the last has started: %v", got)
	}
	for op, want := range []string{"first", "", "l2", "", "requires"} {
		if got := s.Label(uint32(op)); got != want {
			t.Errorf("operation %d has label %q, want %q", op, got, want)
		}
	}
	if s.Ranks() != 2 || s.CPUs() != 65536 || s.NICs() != 65536 {
		t.Errorf("%d ranks, %d CPUs, %d NICs", s.Ranks(), s.CPUs(), s.NICs())
	}
	again := "num_ranks 2\n\nrank 0 {\n" +
		"first: send 10b to 1 tag 3 cpu 65535 nic 65535\n" +
		"recv 18446744073709551615b from -1 tag -1\n" +
		"l2: calc 7 cpu 2\n" +
		"l2 requires l2\n" +
		"calc 8\n" +
		"requires: calc 9\n" +
		"requires requires first\n" +
		"l2 irequires requires\n" +
		"}\n\nrank 1 {\n}\n"
	if got := string(text(t, s)); got != again {
		t.Errorf("written:\n%s\nwant:\n%s", got, again)
	}

	for name, r := range map[string]io.Reader{
		"byte by byte": iotest.OneByteReader(strings.NewReader(file)),
		"with errors":  iotest.DataErrReader(strings.NewReader(file)),
		"compressed":   compressed(t, file),
	} {
		if got, err := schedule.Read(r, name); err != nil || !reflect.DeepEqual(got, s) {
			t.Errorf("%s: %v, or another schedule", name, err)
		}
	}
}

func compressed(t *testing.T, s string) io.Reader {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.WriteString(z, s); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return &b
}

// Lines of one predecessor keep their order, though the first can be written
// only after both of its labels are defined.
func TestOrderOfDependencies(t *testing.T) {
	b := schedule.NewBuilder(1)
	b.NextRank()
	x, y, z, last := b.Calc(1), b.Calc(2), b.Calc(3), b.Calc(4)
	b.Requires(last, x)
	b.Requires(y, x)
	b.IRequires(z, x)
	b.Requires(y, z)
	s, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	if got := read(t, text(t, s), "written"); !reflect.DeepEqual(got, s) {
		t.Errorf("changed:\n%s", text(t, s))
	}
}

func TestTextErrors(t *testing.T) {
	rank := func(s string) string { return "num_ranks 2\nrank 0 {\n" + s + "\n}\nrank 1 {\n}\n" }
	for _, c := range []struct{ file, want string }{
		{"", `f:1:1: the file ends before "num_ranks"; a GOAL schedule begins with it`},
		{"\n\nrank 0 {", `f:3:1: "rank" where "num_ranks" should be`},
		{"num_ranks 0\n", "f:1:1: num_ranks is 0; a schedule has at least one rank"},
		{"num_ranks 4294967296\n", "f:1:11: num_ranks is 4294967296, but at most 4294967295"},
		{"num_ranks\n", "f:1:10: num_ranks, a number is missing at the end of the line"},
		{"num_ranks 1000000000\nrank 0 {\n}\n", "f:4:1: the file ends before rank 1, but num_ranks is 1000000000; is it truncated?"},
		{"num_ranks 2\nrank 0 {\n}\nrank 0 {\n}\n", "f:4:1: rank 0 where rank 1 should be; ranks come in order, none twice, none left out"},
		{"num_ranks 1\nrank 0 {\n}\nrank 1 {\n}\n", `f:4:1: "rank" where the end of the file (num_ranks is 1) should be`},
		{"num_ranks 1\nrank 0 {\ncalc 1", `f:3:7: the file ends inside of rank 0; close it with "}"`},
		{"num_ranks 1\nrank 0 {\n/* calc 1\n", `f:4:1: the file ends in a comment; close it with "*/"`},
		{"num_ranks 1\nrank 0\n{", `f:2:7: "{" is missing at the end of the line`},
		{"num_ranks 1\n\x00\xff", `f:2:1: "\x00" where "rank 0 {" should be`},
		{rank("calc 18446744073709551616"), "f:3:6: the time in ns is larger than 18446744073709551615"},
		{rank("calc -1"), `f:3:6: "-" where the time in ns, a number should be`},
		{rank("calc 1 nic 3"), `f:3:8: "nic" where "cpu" or the end of the line should be`},
		{rank("calc 1 // why"), `f:3:8: "/" where "cpu" or the end of the line should be`},
		{rank("calc 1 }"), `f:3:8: "}" where "cpu" or the end of the line should be`},
		{rank("send 1 to 1"), `f:3:8: "to" where "b" of bytes should be`},
		{rank("send 1b to 2"), "f:3:12: there is no rank 2, only 0 to 1 (num_ranks is 2)"},
		{rank("recv 1b from 4294967295"), "f:3:14: there is no rank 4294967295, only 0 to 1 (num_ranks is 2)"},
		{rank("send 1b to -1"), `f:3:12: "-" where the rank to send to, a number should be`},
		{rank("send 1b from 1"), `f:3:9: "from" where "to" should be`},
		{rank("recv 1b to 1"), `f:3:9: "to" where "from" should be`},
		{rank("send 1b to 1 tag 4294967295"), "f:3:18: the tag is 4294967295, but at most 4294967294"},
		{rank("send 1b to 1 cpu 65536"), "f:3:18: cpu is 65536, but at most 65535"},
		{rank("send 1b to 1 nic 1 cpu 1"), `f:3:20: "cpu" where "tag", "cpu", "nic" (in this order) or the end of the line should be`},
		{rank("l1: calc 1\nl1 requires l2"), `f:4:13: label "l2" is not defined in rank 0 before this line`},
		{rank("l1: calc 1\na requires l1"), `f:4:1: label "a" is not defined in rank 0 before this line`},
		{rank("l1: calc 1\nl1 requires"), "f:4:12: a label is missing at the end of the line"},
		{rank("l1: calc 1\nl1 requires l1 l1"), `f:4:16: "l1" where the end of the line should be`},
		{rank("l1: copy 1"), `f:3:5: "copy" where "send", "recv" or "calc" should be`},
		{rank("a: calc 1\nb: calc 2\na: calc 3"), `f:5:1: schedule: rank 0: label "a" is given twice`},
		{rank("l1: calc 1\nl1: calc 3"), `f:4:1: schedule: rank 0: label "l1" is given twice`},
		{rank("copy 1"), `f:3:6: "1" where ":", "requires" or "irequires" should be`},
		{rank("rank 1 {"), `f:3:1: "rank" where a statement or "}" should be`},
		{rank(" ;"), `f:3:2: ";" where a statement or "}" should be`},
		{rank("// " + strings.Repeat("x", 2<<20)), "f:3:1: the line is longer than 1048576 bytes; every statement ends with its line"},
	} {
		_, err := schedule.Read(strings.NewReader(c.file), "f")
		if err == nil || err.Error() != c.want {
			t.Errorf("%.80q:\n got %v\nwant %s", c.file, err, c.want)
		}
	}
	broken := iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader("num_ranks 1\n")))
	if _, err := schedule.Read(broken, "f"); err == nil {
		t.Error("no error of a reader that fails")
	}
}

// A header's word takes no memory.
func TestHeaderTakesNoMemory(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, file := range []string{
		"num_ranks 4000000000\nrank 0 {\ncalc 1\n}\n",
		"\x7f\x10\x00\x00\x00\x00\x00\x00" + "\xff\xff\xff\xef" + "\x00\x00" + "\x00\x00",
		"\x7f\x10\x00\x00\x00\x00\x00\x00" + "\x01\x00\x00\x00" + "\x00\x00" +
			"\x16\x00\x00\x00\x00\x00\x00\x00" + "\x00\x00\x00\x00\x00\x00\x00\x7f" + "\xff\xff\xff\xff" + "\x00\x00\x00\x00",
	} {
		if _, err := schedule.Read(strings.NewReader(file), "f"); err == nil {
			t.Errorf("%q: no error", file)
		}
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
		t.Errorf("%d bytes allocated", n)
	}
}

// Ranks without labels, with some, and with labels in another order, one after the other: each has
// its own.
func TestLabelsOfRanks(t *testing.T) {
	const file = "num_ranks 4\nrank 0 {\ncalc 1\ncalc 2\n}\nrank 1 {\ncalc 3\na: calc 4\na requires a\n}\n" +
		"rank 2 {\nl2: calc 5\nl1: calc 6\nl3: calc 7\nl3 requires l1\n}\nrank 3 {\nl1: calc 8\nl2: calc 9\na: calc 10\na requires l2\n}\n"
	s := read(t, []byte(file), "f")
	for op, want := range []string{"", "", "", "a", "l2", "l1", "l3", "l1", "l2", "a"} {
		if got := s.Label(uint32(op)); got != want {
			t.Errorf("operation %d has label %q, want %q", op, got, want)
		}
	}
	for before, op := range map[uint32]uint32{3: 3, 5: 6, 8: 9} {
		if got := s.AfterDone(before); !reflect.DeepEqual(got, []uint32{op}) {
			t.Errorf("after %d: %v, want %d", before, got, op)
		}
	}
}

// A compressed file that is cut off says so.
func TestTruncatedFile(t *testing.T) {
	var binary bytes.Buffer
	s, err := schedule.Read(strings.NewReader("num_ranks 1\nrank 0 {\nl1: calc 5\n}\n"), "f")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.WriteBinary(&binary); err != nil {
		t.Fatal(err)
	}
	for head, want := range map[string]string{
		"num_ranks 1\nrank 0 {\nl1: ca":  "f:3:7: the file is truncated here",
		binary.String()[:binary.Len()-1]: "is it truncated?",
	} {
		_, err := schedule.Read(io.MultiReader(strings.NewReader(head), iotest.ErrReader(io.ErrUnexpectedEOF)), "f")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want %q", head, err, want)
		}
	}
}
