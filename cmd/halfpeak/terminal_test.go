package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mattn/go-runewidth"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/halfpeak/halfpeak/docs"
	"github.com/halfpeak/halfpeak/internal/demo"
	"github.com/halfpeak/halfpeak/reports/table"
)

// On a terminal no line is wider than it, nothing is broken within a word, and heads and errors
// have colours; elsewhere nothing depends on a width.
func TestTerminal(t *testing.T) {
	on := func(term terminal, line string) (stdout, stderr string) {
		t.Helper()
		var out, errs bytes.Buffer
		runIn(term, strings.Fields(line), strings.NewReader(""), &out, &errs)
		return out.String(), errs.String()
	}
	words := func(s string) map[string]bool {
		m := map[string]bool{}
		for _, w := range strings.Fields(s) {
			m[w] = true
		}
		return m
	}
	for _, line := range []string{
		"predict clip hp-lam", "whatif clip --set host-dma.tau=3.8us/KiB", "whatif uncertainty hp-lam --assume 5", "compare clip hp-lam",
		"packet clip --size 64KiB", "platforms", "platforms show clip", "whatif breakdown hp-lam", "whatif sensitivity clip",
		"fit ../../fit/benchfile/testdata/netpipe-3.7.2-openmpi-4.1.4-sm.np.out",
	} {
		wide, _ := on(terminal{}, line)
		if strings.Contains(wide, "\x1b") {
			t.Errorf("%s: colours without a terminal", line)
		}
		known := words(wide)
		for _, width := range []int{80, 60} {
			narrow, _ := on(terminal{Width: width}, line)
			more := false
			for shown := range strings.Lines(narrow) {
				shown = strings.TrimSuffix(shown, "\n")
				if n := runewidth.StringWidth(shown); n > width && strings.Contains(strings.TrimSpace(shown), " ") {
					t.Errorf("%s at %d: %d columns: %q", line, width, n, shown)
				}
				if more = more || strings.HasPrefix(shown, "more: "); more || strings.Trim(shown, "─") == "" {
					continue
				}
				for w := range words(strings.TrimSuffix(shown, "\\")) {
					if !known[w] && !known[w+","] {
						// a scale of fewer digits would be a fault too
						t.Errorf("%s at %d: %q is no word of the whole", line, width, w)
					}
				}
			}
		}
	}
	for _, cmd := range append(newRoot().Commands(), newRoot()) {
		help, _ := on(terminal{}, "help --all"+strings.TrimPrefix(cmd.CommandPath(), "halfpeak"))
		for line := range strings.Lines(help) {
			if n := runewidth.StringWidth(strings.TrimSuffix(line, "\n")); n > helpWidth {
				t.Errorf("%s --help: %d columns: %q", cmd.CommandPath(), n, line)
			}
		}
	}
	if out, _ := on(terminal{Width: 80, Color: true}, "predict hp-lam"); !strings.HasPrefix(out, "\x1b[1mplatform") {
		t.Errorf("the heads are not bold: %q", out)
	}
	if _, errs := on(terminal{Errors: true}, "predict clop"); !strings.HasPrefix(errs, "\x1b[1;31mhalfpeak:\x1b[0m ") {
		t.Errorf("the error is not red: %q", errs)
	}
}

// An answer stays on a screen of 24 lines, one of which is for what is typed next, also if the
// question has many rows.
func TestScreen(t *testing.T) {
	t.Chdir(t.TempDir())
	fleet := strings.Builder{}
	fleet.WriteString("node_a,node_b,test,bytes,time_us\n")
	for group := range 12 {
		for a := range 10 {
			for b := range a {
				for _, size := range []float64{1024, 65536, 1 << 20} {
					time := 2 + float64(group) + size/10000*(1+0.001*float64((a*7+b*3)%5))
					if a == 9 {
						time *= 1.3
					}
					fmt.Fprintf(&fleet, "n%d,n%d,test %d,%g,%.3f\n", a, b, group, size, time)
				}
			}
		}
	}
	if err := os.WriteFile("pairs.csv", []byte(fleet.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("marks.star", []byte("def main(mpi):\n    for m in range(9):\n"+
		"        mpi.mark(str(m))\n        mpi.allreduce(8)\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, ranks := range []int{4, 16} {
		var runs strings.Builder
		for range 20 {
			for _, test := range []string{"Allreduce Latency", "Latency"} {
				fmt.Fprintf(&runs, "srun -n %d ./osu\n# OSU MPI %s Test v5.8\n# Size  Latency (us)\n",
					ranks, test)
				for size := 8; size <= 1<<20; size *= 8 {
					fmt.Fprintf(&runs, "%d %.2f\n", size, float64(ranks)+float64(size)/1000)
				}
			}
		}
		name := fmt.Sprintf("lassen_osu_%d_nodes.out", ranks)
		if err := os.WriteFile(name, []byte(runs.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, line := range []string{
		"fit lassen_osu_4_nodes.out lassen_osu_16_nodes.out",
		"demo samples", "fit samples/latency.txt --save my.toml", "",
		"fit samples/allreduce.csv --save reduce.toml", "collective allreduce reduce.toml --size 1..1MiB",
		"fit samples/fleet.csv --model linear", "simulate marks.star --ranks 2,4,8 --machine clip",
		"schedule allreduce", "whatif sensitivity mpi-fragments",
		"predict my.toml clip --size 1..1MiB", "compare my.toml clip --crossovers",
		"fit samples/latency.txt samples/bandwidth.txt samples/nccl.log",
		"reproduce", "validate clip hp-lam --size 4,16KiB", "packet clip",
		"simulate samples/jacobi.star --ranks 64 --machine clip --critical-path",
		"simulate samples/jacobi.star --ranks 64 --machine my.toml --critical-path",
		"fleet samples/fleet.csv", "fleet pairs.csv --columns group=test",
		"collective allreduce clip --ranks 64", "predict my.toml --size 1..16KiB",
	} {
		var out, errs bytes.Buffer
		status := runIn(terminal{Width: 80, Height: 24}, strings.Fields(line),
			strings.NewReader(""), &out, &errs)
		if n := strings.Count(out.String(), "\n"); status != 0 || n > 23 {
			t.Errorf("%s: status %d, %d lines: %s%s", line, status, n, errs.String(), out.String())
		}
	}
}

// What was asked for one by one is printed on any screen: the best algorithm of each call, and all
// segments of it.
func TestAskedRows(t *testing.T) {
	for line, want := range map[string]struct {
		pattern string
		rows    int
	}{
		"collective allreduce clip --ranks 16,64 --size 1KiB,2KiB,4KiB,8KiB,16KiB,32KiB,64KiB," +
			"128KiB,256KiB,512KiB,1MiB,2MiB": {`(?m)  (16|64)  .*  yes  `, 24},
		"collective bcast clip --ranks 16 --size 1MiB --segment 1KiB,8KiB,32KiB,64KiB,128KiB": {
			`(?m)  (yes|no) +(1|8|32|64|128) KiB  `, 5},
	} {
		var out, errs bytes.Buffer
		status := runIn(terminal{Width: 80, Height: 24}, strings.Fields(line),
			strings.NewReader(""), &out, &errs)
		rows := regexp.MustCompile(want.pattern).FindAllString(out.String(), -1)
		if status != 0 || len(rows) != want.rows {
			t.Errorf("%s: status %d, %d rows, want %d: %s%s", line, status, len(rows), want.rows,
				errs.String(), out.String())
		}
	}
}

// Logs of GPUs answer what their user asks on one screen: the line and the highest busbw of each
// number of ranks, by no algorithm that NCCL lacks; and so does a prediction from one of them.
func TestScreenGPUs(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := demo.Write("samples"); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("samples/nccl.log")
	if err != nil {
		t.Fatal(err)
	}
	second := bytes.Index(text[1:], []byte("# Collective test starting")) + 1
	if err := os.WriteFile("one.log", text[:second], 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ line, want, not string }{
		{"fit samples/nccl.log --save gpus.toml", "busbw peaks at 343.9 GB/s at 1 GiB on 32 ranks",
			"rabenseifner"},
		{"fit samples/nccl.log", "α (95 %)", "recursive"},
		{"fit one.log --save one.toml", "busbw peaks at 418.6 GB/s at 1 GiB on 8 ranks", "weight"},
		{"predict one.toml --size 4KiB,1MiB,500MiB", "busbw", "algbw  "},
		{"collective allreduce gpus.toml --nodes 8 --size 1GiB", "library's", "measured  "},
	} {
		var out, errs bytes.Buffer
		status := runIn(terminal{Width: 80, Height: 24}, strings.Fields(c.line),
			strings.NewReader(""), &out, &errs)
		flat := strings.Join(strings.Fields(out.String()), " ")
		if n := strings.Count(out.String(), "\n"); status != 0 || n > 23 ||
			!strings.Contains(flat, c.want) || strings.Contains(out.String(), c.not) {
			t.Errorf("%s: status %d, %d lines: %s%s", c.line, status, n, errs.String(), out.String())
		}
	}
}

// The help of each command, but not of topics, stays on a screen, with an example on platforms and files of demo.
func TestScreenHelp(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "samples")
	if err := demo.Write(folder); err != nil {
		t.Fatal(err)
	}
	input := regexp.MustCompile(`^[a-z]+/?$|^[a-z.]+\.(txt|csv|log|star|goal|toml|out)$`)
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		for _, c := range cmd.Commands() {
			walk(c)
		}
		var out bytes.Buffer
		line := append(strings.Fields(cmd.CommandPath())[1:], "--help")
		runIn(terminal{Width: 80, Height: 24}, line, strings.NewReader(""), &out, &out)
		if n := strings.Count(out.String(), "\n"); n > screenHeight && cmd.Runnable() {
			t.Errorf("%s: %d lines", line, n)
		}
		if n := strings.Count(out.String(), "\n  --"); n > screenFlags {
			t.Errorf("%s: %d flags", line, n)
		}
		own := 0
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Name != "help" && !slices.Contains(tableFlags, f.Name) {
				own++
			}
		})
		if own > screenFlags && usualFlags[cmd.Name()] == "" {
			t.Errorf("%s: %d flags, and no row of usualFlags says which are shown", line, own)
		}
		if piped := string(runOutput(t, line...)); cmd.Runnable() && piped != out.String() {
			t.Errorf("%s: a pipe has another help: %s", line, piped)
		}
		for _, word := range strings.Fields(strings.Join(examplesOf(cmd)[:min(1, len(examplesOf(cmd)))], "")) {
			_, err := os.Stat(filepath.Join(folder, word))
			if strings.ContainsAny(word, "./") && input.MatchString(word) && err != nil {
				t.Errorf("%s: the example needs %s", line, word)
			}
		}
	}
	walk(newRoot())
}

// docs/commands.md ends with the table of all units, which "halfpeak help units" prints.
func TestUnitsDocument(t *testing.T) {
	const path = "../../docs/commands.md"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text, _, found := strings.Cut(string(page), "| unit | is | also read |")
	if !found {
		t.Fatalf("%s has no table of units", path)
	}
	b := bytes.NewBufferString(text)
	if err := (table.Printer{Format: table.Markdown}).Write(b, unitRows()); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if string(page) != b.String() {
		t.Errorf("%s does not end with the table of units; go test ./cmd/halfpeak -run TestUnitsDocument -update writes it", path)
	}
}

// Each section of docs/commands.md is the help of a command or a topic.
func TestCommandsDocument(t *testing.T) {
	known := map[string]bool{}
	var walk func(path string, cmd *cobra.Command)
	walk = func(path string, cmd *cobra.Command) {
		known["## "+path+cmd.Use] = true
		if cmd.HasParent() {
			path += cmd.Name() + " "
		}
		for _, c := range cmd.Commands() {
			walk(path, c)
		}
	}
	walk("", newRoot())
	for line := range strings.Lines(docs.Commands) {
		if line = strings.TrimSuffix(line, "\n"); strings.HasPrefix(line, "## ") && !known[line] {
			t.Errorf("no command has the help %q", line)
		}
	}
}

// The line of a command without a bar is erased before the first output, and never drawn again.
func TestWaiting(t *testing.T) {
	var out strings.Builder
	l := newWaiting(&out)
	l.draw(l.begun.Add(3 * time.Second))
	s := sink{w: &out, waits: l}
	for range 2 {
		_, _ = s.Write([]byte("answer\n"))
		l.draw(l.begun.Add(4 * time.Second))
	}
	if want := eraseLine + "working for 3 s" + eraseLine + "answer\nanswer\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}
