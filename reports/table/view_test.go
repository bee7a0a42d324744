package table

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mattn/go-runewidth"

	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/model/quantity"
)

var wide = Rows{
	Columns: []Column{
		{Key: "layer", Head: "layer"},
		{Key: "size_bytes", Head: "size"},
		{Key: "one_way_us", Head: "one way"},
		{Key: "gap_us", Head: "gap", Rank: 1},
		{Key: "bandwidth_mb_s", Head: "bandwidth", Rank: 2},
		{Head: "95 %", Rank: 2},
		{Head: "with --set", Rank: 1},
	},
	Data: [][]any{
		{"clip/system-buffer", quantity.Bytes(1), quantity.Micros(9.9), quantity.Micros(9.9),
			quantity.MBps(0.101),
			interval(9.9, 9.5, 10.25), Change{quantity.DimTime, 9.9, 8.1}},
		{"clip/system-buffer", quantity.Bytes(65536), quantity.Micros(589.3),
			quantity.Micros(504.7), quantity.MBps(111.21),
			interval(589.3, 570, 600), Change{quantity.DimTime, 589.3, 589.3}},
	},
	Notes: []Note{{Text: "clip/system-buffer: r∞ = 134.74 MB/s, n½ = 3755 B, as its file says, and " +
		"this is a long note."}},
}

func TestView(t *testing.T) {
	check := func(v Printer, want string) {
		t.Helper()
		var b strings.Builder
		if err := v.Write(&b, wide); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.TrimPrefix(want, "\n"), b.String()); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", v, diff)
		}
		for line := range strings.Lines(b.String()) {
			plain := strings.NewReplacer("\x1b[1m", "", "\x1b[0m",
				"").Replace(strings.TrimSuffix(line, "\n"))
			if n := runewidth.StringWidth(plain); v.Width > 0 && n > v.Width {
				t.Errorf("%+v: %q has %d columns", v, line, n)
			}
		}
	}
	check(Printer{}, `
layer                 size  one way      gap   bandwidth  95 %                    with --set
───────────────────────────────────────────────────────────────────────────────────────────────────────────
clip/system-buffer     1 B  9.90 µs  9.90 µs  0.101 MB/s  9.90 µs (9.50 to 10.2)  9.90 → 8.10 µs, −18.2 %
clip/system-buffer  64 KiB   589 µs   505 µs    111 MB/s  589 µs (570 to 600)     589 µs

clip/system-buffer: r∞ = 134.74 MB/s, n½ = 3755 B, as its file says, and this is a long note.
`)
	check(Printer{Width: 80}, `
layer                 size  one way      gap  with --set
─────────────────────────────────────────────────────────────────────
clip/system-buffer     1 B  9.90 µs  9.90 µs  9.90 → 8.10 µs, −18.2 %
clip/system-buffer  64 KiB   589 µs   505 µs  589 µs

layer                 size   bandwidth  95 %
──────────────────────────────────────────────────────────────
clip/system-buffer     1 B  0.101 MB/s  9.90 µs (9.50 to 10.2)
clip/system-buffer  64 KiB    111 MB/s  589 µs (570 to 600)

clip/system-buffer: r∞ = 134.74 MB/s, n½ = 3755 B, as its file says, and this is
a long note.
`)
	check(Printer{Width: 40, Color: true, Brief: "--notes"}, "\x1b[1m"+`layer                 size  one way`+"\x1b[0m"+`
───────────────────────────────────
clip/system-buffer     1 B  9.90 µs
clip/system-buffer  64 KiB   589 µs

more: --notes
`)
	check(Printer{Width: 32}, `
layer       clip/system-buffer
size        1 B
one way     9.90 µs
gap         9.90 µs
bandwidth   0.101 MB/s
95 %        9.90 µs (9.50 to
            10.2)
with --set  9.90 → 8.10 µs,
            −18.2 %

layer       clip/system-buffer
size        64 KiB
one way     589 µs
gap         505 µs
bandwidth   111 MB/s
95 %        589 µs (570 to 600)
with --set  589 µs

clip/system-buffer: r∞ = 134.74
MB/s, n½ = 3755 B, as its file
says, and this is a long note.
`)
	units, err := quantity.ParseUnits("ms,Gbit/s")
	if err != nil {
		t.Fatal(err)
	}
	check(Printer{Units: units, Format: Markdown}, `
| layer | size | one way | gap | bandwidth | 95 % | with --set |
|:--- | ---:| ---:| ---:| ---:|:--- |:--- |
| clip/system-buffer | 1 B | 0.00990 ms | 0.00990 ms | 0.000808 Gbit/s | 0.00990 ms (0.00950 to 0.0103) | 0.00990 → 0.00810 ms, −18.2 % |
| clip/system-buffer | 64 KiB | 0.589 ms | 0.505 ms | 0.890 Gbit/s | 0.589 ms (0.570 to 0.600) | 0.589 ms |

- clip/system-buffer: r∞ = 134.74 MB/s, n½ = 3755 B, as its file says, and this is a long note.
`)
}

// A column that tells rows apart stays where others go, text is folded before a record takes many
// lines, and what is empty in all rows is not there.
func TestNarrow(t *testing.T) {
	r := Rows{
		Columns: []Column{{Head: "platform", Rank: 3}, {Head: "layer", Rank: 4}, {Head: "size"},
			{Head: "packets", Rank: 2}, {Head: "note", Rank: 5}, {Head: "source"}},
		Data: [][]any{
			{"clip", "user-buffer", quantity.Bytes(1), 7, "", "Table 4.2 of it"},
			{"clip", "system-buffer", quantity.Bytes(1), 8, nil, "–"},
		},
	}
	check := func(width int, want string) {
		t.Helper()
		var b strings.Builder
		if err := (Printer{Width: width, Brief: "--notes"}).Write(&b, r); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.TrimPrefix(want, "\n"), b.String()); diff != "" {
			t.Errorf("at %d (-want +got):\n%s", width, diff)
		}
	}
	check(100, `
platform  layer          size  packets  source
───────────────────────────────────────────────────────
clip      user-buffer     1 B        7  Table 4.2 of it
clip      system-buffer   1 B        8  –
`)
	check(40, `
layer          size  source
────────────────────────────────────
user-buffer     1 B  Table 4.2 of it
system-buffer   1 B  –

more: --notes
`)
	check(32, `
layer          size  source
────────────────────────────────
user-buffer     1 B  Table 4.2
                     of it
system-buffer   1 B  –

more: --notes
`)
	r.Data[1][0] = "paragon" // tells the rows apart, so that the layer need not
	check(32, `
platform  size  source
───────────────────────────────
clip       1 B  Table 4.2 of it
paragon    1 B  –

more: --notes
`)
}

// A text that is not brief has the columns that do not fit in further tables, each beside the
// columns that tell its rows apart, and none wider than the terminal where that is possible.
func TestAllColumns(t *testing.T) {
	var b strings.Builder
	if err := (Printer{Width: 40}).Write(&b, wide); err != nil {
		t.Fatal(err)
	}
	for _, c := range wide.Columns {
		if n := strings.Count(b.String(), c.Head); n == 0 {
			t.Errorf("no column %q in\n%s", c.Head, b.String())
		}
	}
	for line := range strings.Lines(b.String()) {
		if n := runewidth.StringWidth(strings.TrimSuffix(line, "\n")); n > 40 {
			t.Errorf("%q has %d columns", line, n)
		}
	}
}

// A closing line has up to three values, of more the range and the least certain; each is printed as
// in the table above it.
func TestClosing(t *testing.T) {
	value := func(v, low, high float64) any {
		return Shown(quantity.DimTime, quantity.Interval{Value: v, Low: low, High: high})
	}
	c := Closing{Subject: "times", Changes: "ring to the end", Error: "an error", Next: "measure"}
	for i, v := range []any{value(2.5, 2.25, 2.75), quantity.Micros(5000), value(10, 5, 30),
		value(7, 6, 8)} {
		c.Values = append(c.Values, Closed{Of: quantity.Bytes(int(1) << i), Value: v})
	}
	r := Rows{Columns: []Column{{Key: "time_us", Head: "time", Digits: 4}},
		Data: [][]any{{quantity.Micros(2.5)}, {quantity.Micros(5000)}}}
	for n, want := range map[int]string{
		0: "",
		2: "times: 1 B: 2.500 µs, 2.250 to 2.750; 2 B: 5000 µs; an error; measure",
		4: "times: 1 B to 8 B: 2.500 µs to 5000 µs; least certain at 4 B: 10.00 µs, 5.000 to " +
			"30.00; ring to the end; an error; measure",
	} {
		said := c
		said.Values = c.Values[:n]
		if got := said.Say().in(nil, r.scaling(nil)); n > 0 && got != want {
			t.Errorf("%d values: %q, want %q", n, got, want)
		} else if n == 0 && said.Say().format != "" {
			t.Errorf("no value is the sentence %q", got)
		}
	}
	changes := Closing{Values: []Closed{{Of: "a", Value: Change{quantity.DimTime, 4, 3}},
		{Of: "b", Value: Change{quantity.DimTime, 4, 1}}, {Of: "c", Value: Change{quantity.DimTime, 4, 4}},
		{Of: "d", Value: Change{quantity.DimTime, 4, 5}}}}
	if got, want := changes.Say().in(nil, Rows{}.scaling(nil)), "most at b: 4.00 → 1.00 µs, −75.0 %"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// What a spreadsheet would compute is text.
func TestCSVIsHarmless(t *testing.T) {
	r := Rows{Columns: []Column{{Key: "a"}}}
	for _, v := range []any{"=1+1", "+cmd", "-2", "-x", "@sum", "\tx", "a=b", -2.5} {
		r.Data = append(r.Data, []any{v})
	}
	var b strings.Builder
	if err := writeTable(&b, CSV, r); err != nil {
		t.Fatal(err)
	}
	if want := "a\n'=1+1\n'+cmd\n-2\n'-x\n'@sum\n'\tx\na=b\n-2.5\n"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}

func TestFold(t *testing.T) {
	check := func(s string, width int, want string) {
		t.Helper()
		if got := Fold(s, width); got != want {
			t.Errorf("Fold(%q, %d) = %q, want %q", s, width, got, want)
		}
	}
	check("", 10, "")
	check("one two", 7, "one two")
	check("one two", 6, "one\ntwo")
	check("  one two", 8, "  one\n  two")
	check("a    one two three", 12, "a    one two\n     three")
	check("overlong word", 4, "overlong\nword")
	check("µµµ µµµ", 7, "µµµ µµµ")
	check("a b\n\nc d", 2, "a\nb\n\nc\nd")
}

func TestPercent(t *testing.T) {
	check := func(got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	check(PercentError(3.456), "3.5 %")
	check(PercentError(123.4), "120 %")
	check(PercentError(0.0), "0 %")
	check(PercentError(1.5e-14), "0 %")
	check(PercentError(1.5e-6), "0.0000015 %")
	check(PercentChange(-0.251), "−25.1 %")
	check(PercentShare(61.7), "62 %")
}

// On a narrow terminal intervals go below their values before columns are left out.
func TestIntervalsBelow(t *testing.T) {
	interval := interval(2.05, 1.94, 2.16)
	rows := Rows{
		Columns: []Column{{Key: "size", Head: "size"}, {Head: "prediction interval of it"},
			{Key: "n", Head: "n½", Rank: 1}},
		Data: [][]any{{1, interval, 96}, {2, interval, 97}},
	}
	var b strings.Builder
	if err := (Printer{Width: 28}).Write(&b, rows); err != nil {
		t.Fatal(err)
	}
	want := `size  prediction      n½
      interval of it
────────────────────────
   1  2.05 µs         96
      (1.94 to 2.16)
   2  2.05 µs         97
      (1.94 to 2.16)
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func interval(value, low, high float64) Interval {
	return Interval{quantity.DimTime, quantity.Interval{Value: value, Low: low, High: high}}
}

// A brief text has two notes of all tables, each once, by their kind and not by their place, and ends with
// the verdict of the last table that has one, in the printer's units.
func TestBrief(t *testing.T) {
	column := []Column{{Key: "time_us", Head: "time"}}
	tables := []Rows{
		{Columns: column, Data: [][]any{{quantity.Micros(2)}}, Verdict: Say("not the last")},
		{Columns: column, Data: [][]any{{quantity.Micros(3)}},
			Verdict: Say("%v: %v", quantity.KiB, Interval{quantity.DimTime,
				quantity.Interval{Value: 20, Low: 10, High: 30}})},
	}
	note := func(k remark.Kind, text string) Note { return Note{Kind: k, Text: text} }
	tables[0].Add(note(remark.Reading, "what it is"), note(remark.Advice, "next"), note(remark.Doubt, "doubt 1"))
	tables[1].Add(note(remark.Doubt, "doubt 2"), note(remark.Doubt, "doubt 1"), note(remark.Doubt, "doubt 3"))
	units, err := quantity.ParseUnits("ms")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := (Printer{Width: 40, Brief: "--notes", Color: true, Units: units}).Write(&b, tables...); err != nil {
		t.Fatal(err)
	}
	_, got, _ := strings.Cut(b.String(), "0.00300 ms\n")
	want := `
doubt 1
doubt 2
more: --notes
` + "\x1b[1m1 KiB: 0.0200 ms, 0.0100 to 0.0300\x1b[0m\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	b.Reset()
	if err := (Printer{Width: 40}).Write(&b, tables...); err != nil {
		t.Fatal(err)
	}
	for _, note := range slices.Concat(tables[0].Remarks(), tables[1].Remarks()) {
		if !strings.Contains(b.String(), note+"\n") {
			t.Errorf("%q is missing in %s", note, b.String())
		}
	}
	if !strings.HasSuffix(b.String(), "\n\n1 KiB: 20.0 µs, 10.0 to 30.0\n") {
		t.Errorf("the end is not the verdict: %s", b.String())
	}
}

// Rows that no rank orders are left out by their sizes, evenly and at each size for all systems; the
// first and the last size stay, and a list stays whole.
func TestFewer(t *testing.T) {
	r := Rows{Columns: []Column{{Key: "platform", Head: "platform"}, {Key: "size_bytes", Head: "size"}}}
	for _, name := range []string{"a", "b"} {
		for i := range 9 {
			r.Data = append(r.Data, []any{name, quantity.Bytes(int(1) << i)})
		}
	}
	text := func(r Rows) string {
		var b strings.Builder
		if err := (Printer{Width: 80, Height: 14, Brief: "--notes"}).Write(&b, r); err != nil {
			t.Fatal(err)
		}
		return strings.TrimPrefix(b.String(), "platform   size\n───────────────\n")
	}
	const want = `a           1 B
a           4 B
a          32 B
a         256 B
b           1 B
b           4 B
b          32 B
b         256 B

more: --notes
`
	if diff := cmp.Diff(want, text(r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	r.List = true
	if got := text(r); strings.Count(got, "\n") != 18 {
		t.Errorf("a list of 18 rows is printed as %s", got)
	}
}
