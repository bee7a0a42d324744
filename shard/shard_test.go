package shard

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	check := func(text string, want Shard, message string) {
		t.Helper()
		got, err := Parse(text)
		if got != want || message == "" && err != nil || message != "" && (err == nil || !strings.Contains(err.Error(), message)) {
			t.Errorf("%q: %v, %v, want %v, %q", text, got, err, want, message)
		}
	}
	check("1/1", Shard{1, 1}, "")
	check("3/64", Shard{3, 64}, "")
	check("64/64", Shard{64, 64}, "")
	check("0/64", Shard{}, "add 1 to an index that counts from 0")
	check("65/64", Shard{}, "from 1 to 64")
	check("-1/64", Shard{}, "from 1 to 64")
	check("1/0", Shard{}, "1 to 100000 shards")
	check("1/100001", Shard{}, "1 to 100000 shards")
	for _, text := range []string{"", "3", "/", "3/", "/64", "3/64/1", "a/b", "3 / 64", "1/99999999999999999999"} {
		check(text, Shard{}, "as in 3/64")
	}
}

// Every file is in one shard.
func TestDivision(t *testing.T) {
	const files = 64_000
	counts := make([]int, 64)
	for f := range files {
		path, in := fmt.Sprintf("night-%d/nccl_n%03d_n%03d.log", f/10_000, f/100%100, f%100), 0
		for i := range counts {
			if (Shard{i + 1, 64}).Has(path) {
				counts[i]++
				in++
			}
		}
		if in != 1 || !(Shard{}).Has(path) {
			t.Fatalf("%s is in %d shards", path, in)
		}
	}
	// A thousand files in each on average; six standard deviations of √1000.
	if least, most := slices.Min(counts), slices.Max(counts); least < 810 || most > 1190 {
		t.Errorf("%d to %d files in a shard, want about 1000", least, most)
	}
}

func part(t testing.TB, h Header, records ...string) []byte {
	t.Helper()
	var e Encoder
	text, err := Head(h)
	for _, r := range records {
		if err == nil {
			text, err = e.Append(text, []byte(r))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return e.End(text)
}

func header(index, count int) Header {
	return Header{json.RawMessage(`{"Platform":"clip"}`), Shard{index, count}}
}

// read returns the records of a part.
func read(text []byte) (records []string, h Header, err error) {
	r, err := NewReader(bytes.NewReader(text))
	if err != nil {
		return nil, h, err
	}
	for {
		record, err := r.Next()
		if err == io.EOF {
			return records, r.Header, nil
		}
		if err != nil {
			return records, r.Header, err
		}
		records = append(records, string(record))
	}
}

func TestPart(t *testing.T) {
	want := []string{"one", "", strings.Repeat("three", 1<<19), "\x00"}
	text := part(t, header(3, 64), want...)
	got, h, err := read(text)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got) + cmp.Diff(header(3, 64), h); diff != "" {
		t.Error(diff)
	}
	// No byte can change, and none can be missing or too many.
	small := part(t, header(3, 64), "one", "", "three")
	for i := range small {
		for bit := range 8 {
			bad := bytes.Clone(small)
			bad[i] ^= 1 << bit
			_, _, err := read(bad)
			known := false
			for _, e := range []error{ErrNoPart, ErrVersion, ErrTruncated, ErrDamaged} {
				known = known || errors.Is(err, e)
			}
			if !known {
				t.Fatalf("bit %d of byte %d changed: %v", bit, i, err)
			}
		}
		want := ErrTruncated
		if i < len(form) {
			want = ErrNoPart
		}
		if _, _, err := read(small[:i]); !errors.Is(err, want) {
			t.Fatalf("%d bytes: %v, want %v", i, err, want)
		}
	}
	if _, _, err := read(append(small, 0)); !errors.Is(err, ErrDamaged) {
		t.Errorf("a byte more: %v", err)
	}
	// A record that is left out, or comes twice.
	var e Encoder
	head, _ := Head(header(1, 1))
	one, _ := e.Append(nil, []byte("one"))
	two, _ := e.Append(nil, []byte("two"))
	if _, _, err := read(e.End(slices.Concat(head, one, two, one))); !errors.Is(err, ErrDamaged) {
		t.Errorf("a record again: %v", err)
	}
	for _, record := range [][]byte{make([]byte, mostRecord+1), []byte("two\nlines"), []byte(end)} {
		if _, err := e.Append(nil, record); err == nil {
			t.Errorf("a record of %d bytes that fits into no line", len(record))
		}
	}
}

func TestMerge(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, text []byte) string {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			t.Fatal(err)
		}
		return filepath.Join(dir, name)
	}
	random := rand.New(rand.NewPCG(1, 0))
	for _, count := range []int{1, 7, 64} {
		var paths, want []string
		for i := 1; i <= count; i++ {
			records := []string{fmt.Sprint("a", i), fmt.Sprint("b", i)}[:1+i%2]
			want = append(want, records...)
			paths = append(paths, write(fmt.Sprint("part-", i), part(t, header(i, count), records...)))
		}
		paths = append(paths, write("part-1.partial.state", nil))
		for range 3 {
			random.Shuffle(len(paths), func(i, j int) { paths[i], paths[j] = paths[j], paths[i] })
			p, err := Merge(paths)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for r, err := range p.Records() {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, string(r))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatal(diff)
			}
		}
	}

	one, two, three := write("1", part(t, header(1, 3), "x")), write("2", part(t, header(2, 3))), write("3", part(t, header(3, 3)))
	check := func(paths []string, want ...string) {
		t.Helper()
		_, err := Merge(paths)
		got := ""
		if err != nil {
			got = strings.ReplaceAll(err.Error(), dir+"/", "")
		}
		if diff := cmp.Diff(strings.Join(want, "\n"), got); diff != "" {
			t.Error(diff)
		}
	}
	check([]string{three, one, two})
	check(nil, "no part is given")
	check([]string{one, three}, "shard 2/3 is missing; compute it, and merge with its part")
	again := write("again", part(t, header(2, 3)))
	check([]string{one, two, three, again}, `duplicate shard 2/3: "2" and "again"; pass only one`)
	whole := part(t, header(2, 3), "record")
	cut := write("cut", whole[:len(whole)-1])
	check([]string{one, cut, three}, `"cut" is truncated: the shard was interrupted or the file was cut off; run shard 2/3 again`)
	whole[len(whole)-20] ^= 1
	damaged := write("damaged", whole)
	check([]string{one, damaged, three}, `"damaged" is damaged: its checksum is wrong; run shard 2/3 again`)
	whole[len(magic)-2]++
	later := write("later", whole)
	check([]string{one, later, three}, `"later" was written by another version of halfpeak; use one version for all shards`,
		"shard 2/3 is missing; compute it, and merge with its part")
	other := header(2, 3)
	other.Asked = json.RawMessage(`{"Platform":"hp-lam"}`)
	check([]string{one, write("other", part(t, other)), two, three}, `"other" belongs to another command than "1": platform is "hp-lam", not "clip"; merge the parts of one command`)
	check([]string{one, write("seven", part(t, header(2, 7))), two, three}, `"seven" is shard 2/7, but "1" is one of 3; merge the parts of one division`)
	check([]string{one, write("text", []byte("size,time_us\n8,1\n")), two, three}, `"text" is not a halfpeak part file`)
	check([]string{one, dir + "/none", two, three}, `"none" cannot be read: no such file or directory`)
	check([]string{one, dir, two, three}, fmt.Sprintf("%q cannot be read: is a directory", dir))
	_, err := Merge([]string{write("many", part(t, header(1, Most)))})
	if lines := strings.Split(err.Error(), "\n"); len(lines) != mostNamed+1 || lines[mostNamed] != "and 99979 more shards are missing" {
		t.Errorf("%d lines, the last %q", len(lines), lines[len(lines)-1])
	}
}

// FuzzReader reads anything as a part, and what is one as what was written.
func FuzzReader(f *testing.F) {
	f.Add(part(f, header(3, 64), "one", "", "three"), []byte("two"))
	f.Add([]byte(magic+"00000000 {}\n"), []byte{})
	f.Fuzz(func(t *testing.T, text, record []byte) {
		if records, h, err := read(text); err == nil {
			// The only part with these records and this header, but for the units and the JSON's
			// form.
			for _, r := range records {
				if len(r) > len(text) {
					t.Error("a record longer than its part")
				}
			}
			if !h.valid() {
				t.Errorf("%+v", h)
			}
		}
		one, two := strconv.Quote(string(record)), strconv.Quote(string(text)) // of one line
		whole := part(t, header(1, 2), one, two)
		got, _, err := read(whole)
		if err != nil || got[0] != one || got[1] != two {
			t.Errorf("%q %v", got, err)
		}
		at := len(record) * 7919 % len(whole)
		whole[at] ^= 1 + byte(len(text)%255)
		if _, _, err := read(whole); err == nil {
			t.Errorf("byte %d changed, and nobody saw it", at)
		}
	})
}

// Of a part that is whole or cut off the records are kept that can be read, and of no other file.
func TestKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "part")
	whole := part(t, header(1, 2), "one", "two", "three")
	kept := func(text []byte, h Header) (all string) {
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
		for record := range Kept(path, h) {
			all += string(record) + " "
		}
		return all
	}
	for want, got := range map[string]string{
		"one two three ": kept(whole, header(1, 2)),
		"one two ":       kept(whole[:len(whole)-20], header(1, 2)),
		"":               kept(whole, header(2, 2)) + kept([]byte("size,time\n"), header(1, 2)) + kept(nil, header(1, 2)),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
