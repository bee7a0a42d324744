package main

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Scripts depend on the keys of JSON and the columns of CSV: those that docs/stability.md promises
// come first and in their order, and both formats have the same.
func TestKeys(t *testing.T) {
	page, err := os.ReadFile("../../docs/stability.md")
	if err != nil {
		t.Fatal(err)
	}
	promised := regexp.MustCompile("(?s)```text\r?\n(.*?)```").FindSubmatch(page)
	if promised == nil {
		t.Fatal("the page promises no keys")
	}
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"times.csv":  "size,time_us\n1024,5\n2048,7\n4096,11\n8192,19\n",
		"there.goal": "num_ranks 2\nrank 0 {\nl1: send 8b to 1\n}\nrank 1 {\nl1: recv 8b from 0\n}\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for line := range strings.Lines(string(promised[1])) {
		command, keys, _ := strings.Cut(strings.TrimSpace(line), ": ")
		args := strings.Fields(command)
		rows := jsonRows(t, runOutput(t, append(args, "--format", "json")...))
		table, err := csv.NewReader(bytes.NewReader(runOutput(t, append(args, "--format", "csv")...))).ReadAll()
		if err != nil {
			t.Errorf("%s: %v", command, err)
			continue
		}
		if len(rows) == 0 || len(rows) != len(table)-1 {
			t.Errorf("%s: %d rows in JSON, %d in CSV", command, len(rows), len(table)-1)
		}
		for i, keys := range rows {
			if !slices.Equal(keys, table[0]) {
				t.Errorf("%s: row %d has keys %q, the CSV columns %q", command, i, keys, table[0])
			}
		}
		want := strings.Fields(keys)
		if got := table[0][:min(len(want), len(table[0]))]; len(want) == 0 || !slices.Equal(got, want) {
			t.Errorf("%s: keys\n  %s\nwant first\n  %s", command, strings.Join(table[0], " "), keys)
		}
	}
}

func TestExitStatus(t *testing.T) {
	for command, want := range map[string]int{
		"version":                        0,
		"predict clip --size 1":          0,
		"help":                           0,
		"predict absent.toml --size 1":   1,
		"fit absent.out":                 1,
		"predict clip --size 1 --format": 2,
		"predict clip --siez 1":          2,
		"predict":                        2,
		"prdict clip":                    2,
	} {
		var stdout, stderr bytes.Buffer
		if got := run(strings.Fields(command), strings.NewReader(""), &stdout, &stderr); got != want {
			t.Errorf("halfpeak %s: status %d, want %d: %s", command, got, want, stderr.String())
		}
		if (want == 0) != (stderr.Len() == 0) || (want == 0) != (stdout.Len() > 0) {
			t.Errorf("halfpeak %s: status %d, %d bytes on stdout, and on stderr %q", command, want, stdout.Len(), stderr.String())
		}
	}
}

// Platform files of older releases are read, with the predictions that they had: the files *.csv
// list them. Layers with measured times are left out, since forecasts get better.
func TestPlatformsOfOlderReleases(t *testing.T) {
	files, err := filepath.Glob("testdata/promise/*.toml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, path := range files {
		runOutput(t, "platforms", "show", path)
		text, err := os.ReadFile(strings.TrimSuffix(path, ".toml") + ".csv")
		if err != nil {
			t.Fatal(err)
		}
		want, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
		if err != nil || len(want) < 2 {
			t.Fatalf("%s has no predictions: %v", path, err)
		}
		for _, row := range want[1:] {
			out := runOutput(t, "predict", path+"/"+row[0], "--size", row[1], "--format", "csv")
			got, err := csv.NewReader(bytes.NewReader(out)).ReadAll()
			if err != nil || len(got) != 2 {
				t.Fatalf("%s: %q: %v", path, out, err)
			}
			i := slices.Index(got[0], "time_us") // of layers of other things than messages
			if i < 0 {
				i = slices.Index(got[0], "one_way_us")
			}
			if i < 0 || got[1][i] != row[2] {
				t.Errorf("%s: %v took %s µs, now %s", path, row[:2], row[2], got)
			}
		}
	}
}
