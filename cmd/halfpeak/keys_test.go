package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// tables are commands that together print every table, in the folder of [scratch]; a _ stands for a
// space in an argument.
const tables = `
fit latency.txt --save my.toml
fit allreduce.csv --save reduce.toml
fit latency.txt bandwidth.txt --model loggp --save net.toml
fit latency.txt --against intra.txt
fit signature.csv --model logp
fit stages.csv --model pipeline
fit one-size.txt
fit steps.csv --machine flat.toml --program ddp.star --memory 1.5TB/s
fit bandwidth.txt --save stream.toml
predict my.toml rack.toml
predict stream.toml
predict clip --cycles
packet mpi-fragments --size 256KiB
compare clip hp-lam --cycles
compare clip hp-lam --crossovers
plot clip --size 64..1KiB
plot clip --kind timeline --size 16KiB --packet 4096
plot hp-lam --kind ranks --schedule app.goal
whatif clip --set wire.tau*=0.5
whatif sweep clip wire.tau=1us/KiB..8us/KiB/4
whatif target hp-lam rtt(16B)<=40us --solve-for gam.L
whatif sensitivity clip
whatif breakdown clip
whatif thresholds clip
whatif breakdown clip --collective allreduce/ring --ranks 4
whatif uncertainty my.toml clip
whatif clip --collective allreduce/ring --ranks 4 --set wire.tau*=0.5
fleet fleet.csv
fleet fleet.csv --against yesterday.csv --list groups
fleet fleet.csv --list skipped
collective bcast clip --ranks 4,8 --size 64,64KiB
collective bcast clip --ranks 4,8 --size 64,64KiB --crossovers
collective allreduce clip --measured allreduce.csv
collective allreduce clip rack.toml --ranks 16 --size 8
simulate app.goal
simulate app.goal other.goal
simulate app.goal --summary
simulate app.goal --critical-path
simulate app.goal --noise exponential_mean=2us_every=20us --runs 10
simulate trace.* --machine clip --machine hp-lam
simulate jacobi.star --ranks 4,16
simulate count.star --ranks 4,8 --machine flat.toml
simulate --list
schedule
export
export rack.toml --to csv
reproduce --paper CLIP
validate clip --programs latency --size 64
platforms
platforms show clip
version
tune --collective bcast --ranks 4 --size 8 --write rules
`

// units are the ends of keys that name a unit, longer ends before shorter ones.
var units = [][2]string{{"_us_per_kib", "µs/KiB"}, {"_tflop_s", "Tflop/s"}, {"_mb_s", "MB/s"}, {"_bytes", "B"},
	{"_percent", "%"}, {"_cycles", "cycles"}, {"_us", "µs"}, {"_ns", "ns"}}

// endOfInterval matches the key of an interval's end: the name of its quantity and its unit.
var endOfInterval = regexp.MustCompile(`^(.+)_(low|high)(_.*)?$`)

// declared matches a column in the source, with its key. Parameters of platforms have keys, too,
// beside their owner, their text or their value.
var declared = regexp.MustCompile(`(?:[cC]ol|[pP]ercent|percentCol|Key:)(?:\[[^\]]*\])?\(?\s*"([a-z0-9_]+)"`)

// elsewhere matches files whose tables are of pages and reports alone.
var elsewhere = regexp.MustCompile(`_test\.go$|[/\\](page|summary)[/\\]`)

// forPeople are keys of tables that no command prints as CSV: of marks, and behind pictures.
var forPeople = []string{"base", "mark", "mean_percent", "z", "z_quantity",
	"beta", "tau"} // keys of the parameters of platforms that a fit makes

// docs/commands.md lists the keys of all tables with the meanings in testdata/keys.txt: a line has
// keys, a meaning and, if it is theirs alone, commands. Each key that the source declares is printed.
func TestKeys(t *testing.T) {
	meanings, err := os.ReadFile("testdata/keys.txt")
	if err != nil {
		t.Fatal(err)
	}
	source := keysOfSource(t)
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	printed := keysOfTables(t) // commands by key
	t.Chdir(here)

	lines := strings.Split(strings.TrimSpace(string(meanings)), "\n")
	slices.SortStableFunc(lines, func(a, b string) int { // those of single commands first
		return strings.Count(b, "\t") - strings.Count(a, "\t")
	})
	var rows []string
	for _, line := range lines {
		cells := append(strings.Split(line, "\t"), "")
		commands := map[string]bool{}
		for _, only := range strings.Fields(cells[2]) {
			commands[only] = true
		}
		keys := strings.Split(cells[0], ", ")
		for _, key := range keys {
			if cells[2] == "" {
				maps.Copy(commands, printed[key])
			}
			if len(commands) == 0 {
				t.Errorf("no command prints %s", key)
			}
			maps.DeleteFunc(printed[key], func(c string, _ bool) bool { return commands[c] })
		}
		rows = append(rows, keyRow(keys, cells[1], commands))
	}
	slices.Sort(rows)
	const head = "| key | unit | meaning | printed by |\n|:--- |:--- |:--- |:--- |\n"
	table := head + strings.Join(rows, "")
	listed := func(key string) bool { return strings.Contains(table, "`"+key+"`") }
	for key, commands := range printed {
		if end := endOfInterval.FindStringSubmatch(key); len(commands) > 0 &&
			(end == nil || !listed(end[1]+end[3])) {
			t.Errorf("testdata/keys.txt lacks %s, which %v print", key, commands)
		}
	}
	for key := range source {
		end := endOfInterval.FindStringSubmatch(key)
		if !listed(key) && !slices.Contains(forPeople, key) && (end == nil || !listed(end[1]+end[3])) {
			t.Errorf("no table of this test has %s", key)
		}
	}
	const path, next = "../../docs/commands.md", "\n\n## units\n"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(page), head)
	_, after, ends := strings.Cut(rest, next)
	want := before + strings.TrimSuffix(table, "\n") + next + after
	switch {
	case !found || !ends:
		t.Fatalf("%s has no table of keys before that of units", path)
	case want == string(page):
	case !*update:
		t.Errorf("the table of keys in %s differs; -update writes it", path)
	default:
		if err := os.WriteFile(path, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// keyRow returns the row of keys in Markdown.
func keyRow(keys []string, meaning string, commands map[string]bool) string {
	var of []string
	for _, key := range keys {
		i := slices.IndexFunc(units, func(u [2]string) bool { return strings.HasSuffix(key, u[0]) })
		if i >= 0 && !slices.Contains(of, units[i][1]) {
			of = append(of, units[i][1])
		}
	}
	return fmt.Sprintf("| `%s` | %s | %s | %s |\n", strings.Join(keys, "`, `"), strings.Join(of, ", "),
		meaning, strings.Join(slices.Sorted(maps.Keys(commands)), ", "))
}

// keysOfSource returns the keys that package reports/... declares by their names.
func keysOfSource(t *testing.T) map[string]bool {
	keys := map[string]bool{}
	for _, pattern := range []string{"*.go", "*/*.go"} {
		files, err := filepath.Glob(filepath.Join("../../reports", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range files {
			if elsewhere.MatchString(path) {
				continue
			}
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range declared.FindAllSubmatch(text, -1) {
				keys[string(m[1])] = true
			}
		}
	}
	if len(keys) < 100 {
		t.Fatalf("only %d keys found: this test looks in the wrong place", len(keys))
	}
	return keys
}

// keysOfTables runs the commands and returns the keys of their tables, each with the commands.
func keysOfTables(t *testing.T) map[string]map[string]bool {
	t.Chdir(scratch(t))
	for name, text := range map[string]string{
		"app.goal":     "num_ranks 2\nrank 0 {\nsend 8b to 1\n}\nrank 1 {\nrecv 8b from 0\n}\n",
		"other.goal":   "num_ranks 2\nrank 0 {\nsend 9b to 1\n}\nrank 1 {\nrecv 9b from 0\n}\n",
		"one-size.txt": "# OSU MPI Latency Test v5.9\n# Size          Latency (us)\n8 1.60\n",
		"signature.csv": "burst,delta_us,interval_us\n1,0,2\n4,0,4\n16,0,5\n64,0,5\n256,0,5\n" +
			"512,0,5\n1,9,11\n4,9,11\n16,9,11\n64,9,11\n256,9,11\n512,9,11\n",
		"count.star": "def main(mpi):\n    mpi.compute(flops = 1e9)\n    mpi.count('samples', 1)\n",
		"flat.toml": "compute = { flops = '1Tflop/s', memory = '1GB/s' }\n" +
			"[layer.all]\nmodel = 'linear'\nbeta = '1us'\ntau = '0.1ns/B'\n",
		"steps.csv": "ranks,step_ms\n8,260\n",
		"stages.csv": "stage,size_bytes,time_us\nsend,512,2\nsend,1024,3\nreceive,512,1\n" +
			"receive,1024,2\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	printed := map[string]map[string]bool{}
	for line := range strings.Lines(strings.TrimSpace(tables)) {
		args := strings.Fields(line)
		for i, a := range args {
			args[i] = strings.ReplaceAll(a, "_", " ")
		}
		if !slices.Contains(args, "--to") { // which is a format
			args = append(args, "--format", "csv")
		}
		csv := string(runOutput(t, args...))
		header, _, _ := strings.Cut(csv, "\n")
		for key := range strings.SplitSeq(header, ",") {
			if printed[key] == nil {
				printed[key] = map[string]bool{}
			}
			printed[key][args[0]] = true
		}
	}
	return printed
}
