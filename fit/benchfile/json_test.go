package benchfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The same rows in every shape are the same tables, however they are broken into lines and pieces.
func TestJSONShapes(t *testing.T) {
	want := []string{"nodes=2: 8=1.5 64=2.5", "nodes=4: 8=3.5 64=4.5", `- column "nodes" separates tables (2, 4); pool=nodes merges them`}
	rows := []string{
		`{"nodes":2,"size_bytes":8,"time_us":1.5}`, `{"nodes":2,"size_bytes":64,"time_us":2.5}`,
		`{"nodes":4,"size_bytes":8,"time_us":3.5}`, `{"nodes":4,"size_bytes":64,"time_us":4.5}`,
	}
	array := "[" + strings.Join(rows, ",") + "]"
	spread := strings.NewReplacer("[", "[\n  ", "{", "{\n    ", ",", ",\n    ", ":", " :\n", "}", "\n  }", "]", "\n]").Replace(array)
	for _, text := range []string{
		array, array + "\n", strings.Join(rows, "\n"), strings.Join(rows, ""), strings.Join(rows, ",\n"), spread,
		"[\n" + strings.Join(rows, ",\n") + "\n]", strings.ReplaceAll(array, ":", " : "), "\n\n  " + array,
		strings.ReplaceAll(array, "2.5}", `2.5,"x":[[{"y":"]}\"\\"}]],"z":null}`),
		strings.ReplaceAll(array, "size_bytes", `size\u005fbytes`),
		`{"nodes":[2,2,4,4],"size_bytes":[8,64,8,64],"time_us":[1.5,2.5,3.5,4.5],"site":"a"}`,
		`{"time_us":{"0":1.5,"1":2.5,"2":3.5,"3":4.5},"nodes":{"0":2,"1":2,"2":4,"3":4},"size_bytes":{"0":8,"1":64,"2":8,"3":64}}`,
		`[{"nodes":2,"size_bytes":[8,64],"time_us":[1.5,2.5]},{"nodes":4,"size_bytes":[8,64],"time_us":[3.5,4.5]}]`,
		"job starts\n[0] a warning\n[node-1:12] another\n{\n" + array + "\ndone\n",
	} {
		for _, piece := range []int{1 << 20, 1} {
			f, err := Read(&slowReader{strings.NewReader(text), piece}, "x", Options{})
			if err != nil {
				t.Errorf("%q: %v", text, err)
				break
			}
			if diff := cmp.Diff(want, tablesOf(f)); diff != "" {
				t.Errorf("%q:\n%s", text, diff)
			}
		}
	}
}

// A slowReader gives so many bytes at a time.
type slowReader struct {
	in   io.Reader
	most int
}

func (r *slowReader) Read(b []byte) (int, error) { return r.in.Read(b[:min(len(b), r.most)]) }

// Two arrays are two experiments. Keys may be missing, in any order, and come later.
func TestJSONTables(t *testing.T) {
	check := func(text string, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, tablesOf(read(t, text, Options{}))); diff != "" {
			t.Errorf("%q:\n%s", text, diff)
		}
	}
	check(`[{"size":8,"time_us":1}] [{"size":8,"time_us":3}]`, "json: 8=1", "json (2): 8=3")
	check(`[{"size":8,"time_us":1,"p50_us":1},{"time_us":2,"size":64}]`, "json: 8=1 64=2")
	check(`[{"size":8,"time_us":1},{"time_us":2,"size":64,"net":"ib"},{"time_us":3,"size":128}]`, "json: 8=1 64=2 128=3")
	check(`[{"size":8,"time_us":1},{"size":8,"time_us":2,"net":"ib"},{"size":64,"time_us":3},{"net":"ib","size":64,"time_us":4}]`,
		"net=none: 8=1 64=3", "net=ib: 8=2 64=4", `- column "net" separates tables (none, ib); pool=net merges them`)
	check(`{"size":8,"time_us":1} {"bytes":8,"latency_us":2}`, "json: 8=1", "json (2): 8=2")
	check(`[{"size":8,"time_us":[1,3]}]`, "json: 8=2")
	for _, cut := range []string{`, {"size":64`, `,{"si`, `,`, "\n, {\"size\":64, \"t"} { // the whole objects count, beside an error
		text := `[{"size":8,"time_us":1}` + cut
		_, err := Read(strings.NewReader(text), "x", Options{})
		damaged := new(Damaged)
		if !errors.As(err, &damaged) || !strings.HasSuffix(err.Error(), ": the JSON that begins in line 1 does not end: the file is cut off") {
			t.Errorf("%q: %v", text, err)
		} else if diff := cmp.Diff([]string{"json: 8=1"}, tablesOf(damaged.File)); diff != "" {
			t.Errorf("%q:\n%s", text, diff)
		}
	}
	check(`[{"size":8,"time":1,"unit":"ms"},{"size":64,"time":3,"unit":"us"}]`, "json: 8=1000 64=3")
	for _, note := range []string{"1 NaN dropped", `\"x\\`, ` \", NaN: \"`, "[-Infinity", strings.Repeat(`, NaN \"`, 200_000)} { // a string is no number
		check(`[{"note":"`+note+`","size":8,"time_us":1},{"note":"`+note+`","x":NaN,"size":64,"time_us":3}]`, "json: 8=1 64=3")
	}
}

// One line of 64 MB is read, and in little memory: see the report of bytes.
func BenchmarkJSONLine(b *testing.B) {
	row := `{"size_bytes": 1024, "time_us": 12.345}, `
	n := 100_000
	b.SetBytes(int64(n * len(row)))
	b.ReportAllocs()
	for b.Loop() {
		r := io.MultiReader(strings.NewReader("["), strings.NewReader(strings.Repeat(row, n)), strings.NewReader(`{"size_bytes": 2048, "time_us": 13}]`))
		f, err := Read(r, "x", Options{})
		if err != nil || f.Tables[0].Rows != int64(n)+1 {
			b.Fatal(err)
		}
	}
}

func TestJSONErrors(t *testing.T) {
	check := func(text, want string) {
		t.Helper()
		f, err := Read(strings.NewReader(text), "x.json", Options{})
		if err == nil || err.Error() != want {
			t.Errorf("%.60q: %+v\n got %v\nwant %s", text, f, err, want)
		}
	}
	check(`[{"size":1,"time_us":2},{"size":2,"time_us":NaN}]`, `x.json:1: object 2: time "NaN" is not a number; mend or remove the row`)
	check(`[{"size":1,"time_us":2},{"size":2,"time_us":-3}]`, `x.json:1: object 2: time -3 is not above 0; mend or remove the row`)
	check("{\"size\":1,\"time_us\":2}\n{\"size\":2,\"time_us\":}\n", `x.json:2: broken JSON; mend or remove the object`)
	check(`{"results":{"a":[{"size":1,"time_us":2}]}}`, `x.json:1: JSON with objects inside "results"; give an array of flat objects such as {"size_bytes": 8, "time_us": 1.5}`)
	check(`{"size":1,"time_us":2,"time_us":3}`, `x.json:1: columns "time_us", "time_us" may each be the one that is meant; choose one with y=2`)
	check(`[[1,2],[3,4]]`, `x.json:1: JSON with arrays in arrays has no names; give objects such as {"size_bytes": 8, "time_us": 1.5}`)
	check(`{"size":[1,2,3],"time_us":[1,2]}`, `x.json:1: 3 values of "size" and 2 values of "time_us"; mend the arrays`)
	check(`{"size":[1,2],"time":[1,2]}`, `x.json:1: column "time" has no unit; write it as "time_us", or give the unit with y=time:us`)
	check(`{"size":1,`, `x.json:1: the JSON that begins in line 1 does not end: the file is cut off`)
	check(`{"size":1 "time_us":2}`, `x.json:1: broken JSON; mend it, or give the text that the benchmark printed`)
	check(strings.Repeat("[", 100_000), `x.json:1: JSON with arrays in arrays has no names; give objects such as {"size_bytes": 8, "time_us": 1.5}`)
	check(strings.Repeat(`{"a":`, 100_000), `x.json:1: broken JSON; mend it, or give the text that the benchmark printed`)
	check(`{"size":[`+strings.Repeat("1,", maxValues)+`1],"time_us":[1]}`, "x.json:1: "+tooBig)
}

// Text from a file reaches no terminal as it is: not in errors, warnings, notes or titles.
func TestEscapes(t *testing.T) {
	const evil = "\x1b]0;owned\x07\u009b31m\u202e"
	var texts []string
	for _, text := range []string{
		"size,time_us\n1," + evil + "\n", "size,t" + evil + "\n1,2\n", "size,time_us\n" + evil + ",2\n", "size,time" + evil + "_us\n1,2\n",
		"size,time_us," + evil + "\n1,2,3\n1,4,5\n", "size,time_us,stage\n1,2," + evil + "\n", "# OSU MPI " + evil + " Latency Test\n# Size Latency (us)\n1 2\n",
		"# OSU MPI " + evil + " Latency Test\n# Avg Latency(us)\n1 2\n", `[{"size":1,"time_us":2,"\u001b[31m":1},{"size":1,"time_us":2,"\u001b[31m":2}]`,
		`{"\u001b[31m":[[{"size":1}]]}`, "size,time_us,unit\n1,2," + evil + "\n", "size,late" + evil + "ncy,time\n1,2,3\n",
	} {
		f, err := Read(strings.NewReader(text), "x"+evil, Options{})
		if err != nil {
			texts = append(texts, err.Error())
			continue
		}
		texts = append(append(texts, f.Warnings...), f.Notes...)
		for _, table := range f.Tables {
			texts = append(append(texts, table.Name(), table.Collective.Name, table.Collective.Algorithm), table.Warnings...)
		}
	}
	_, err := Open("nosuch"+evil, Options{})
	texts = append(texts, err.Error(), (&Damaged{&File{Name: evil}, io.ErrUnexpectedEOF}).Error())
	for _, text := range texts {
		if strings.ContainsAny(text, "\x1b\x07\n\u009b\u202e") {
			t.Errorf("%q", text)
		}
	}
}

func TestFolder(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("b/two.csv", "size,time_us\n1,2\n")
	write("a.csv", "size,time_us\n1,1\n")
	write("run.sh", "#!/bin/sh\n./benchmark > a.csv\n")
	write("picture.png", "\x89PNG\x00")
	write(".hidden/c.csv", "size,time_us\n1,x\n")
	write(".d.csv", "size,time_us\n1,x\n")
	if err := os.Symlink(dir, filepath.Join(dir, "b", "loop")); err != nil {
		t.Skip(err)
	}
	for _, name := range []string{dir, dir + "/"} {
		files, err := Files(name)
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range files {
			files[i] = strings.TrimPrefix(f, dir)
		}
		if diff := cmp.Diff([]string{"/a.csv", "/b/two.csv", "/picture.png", "/run.sh"}, files); diff != "" {
			t.Error(diff)
		}
	}
	for name, none := range map[string]bool{"picture.png": true, "run.sh": true, "nosuch": false} {
		var e *Error
		if _, err := Open(filepath.Join(dir, name), Options{}); !errors.As(err, &e) || e.NoTable != none {
			t.Errorf("%s: %v, without a table: want %v", name, err, none)
		}
	}
	empty := t.TempDir()
	for name, want := range map[string]string{
		empty:             empty + ": the folder has no files; give one that has",
		empty + "/nosuch": empty + "/nosuch: no such file or directory",
	} {
		if _, err := Files(name); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if files, err := Files("-"); err != nil || len(files) != 1 {
		t.Error(files, err)
	}
}

// Objects inside of a row are its columns; a name that two of them have is a question.
func TestFolded(t *testing.T) {
	check(t, `{"size":8,"latency":{"avg_us":1.5,"max_us":3}}`+"\n"+`{"size":64,"latency":{"avg_us":2,"max_us":4}}`+"\n", "json: one-way time 8=1.5 64=2")
	check(t, `{"size":8,"latency_us":{"mean":1.5,"max":3}}`+"\n"+`{"size":64,"latency_us":{"mean":2,"max":4}}`+"\n", "json: one-way time 8=1.5 64=2")
	check(t, `{"host":"a","runs":[{"params":{"bytes":8},"result":{"time_us":1.5}},{"params":{"bytes":64},"result":{"time_us":2}}]}`, "json: one-way time 8=1.5 64=2")
	check(t, `{"size":8,"send":{"avg_us":1.5},"recv":{"avg_us":2}}`+"\n",
		`error: x:1: columns "send_avg_us", "recv_avg_us" may each be the one that is meant; choose one with y=send_avg_us`)
}
