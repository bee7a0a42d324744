package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	agentsRow = regexp.MustCompile(`(?m)^\| ([A-Z][^|]*\?) \| ([^|]*) \| ([^|]*) \|$`)
	quotedRow = regexp.MustCompile("`([^`]+)`")
)

// The commands of docs/agents.md run, and their JSON has the keys that stand beside them.
func TestAgentsPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/agents.md")
	if err != nil {
		t.Skip(err)
	}
	dir := scratch(t)
	// The page's before.txt and after.txt are two runs of one network.
	runs, err := os.ReadFile(filepath.Join(dir, "latency.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"before.txt", "after.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), runs, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	rows := agentsRow.FindAllStringSubmatch(string(page), -1)
	if len(rows) < 9 {
		t.Fatalf("%d rows of questions", len(rows))
	}
	for _, row := range rows {
		var objects []map[string]any
		commands := quotedRow.FindAllStringSubmatch(row[2], -1)
		if len(commands) == 0 {
			t.Errorf("no command answers %q", row[1])
		}
		for _, c := range commands {
			out, status := runInShell(t, dir, "halfpeak "+c[1]+" --format json")
			if status != 0 && !(status == 3 && strings.Contains(c[1], "--fail-on-change")) {
				t.Errorf("%s: exit status %d: %s", c[1], status, out)
			}
			if err := json.Unmarshal(out, &objects); err != nil {
				t.Errorf("%s: %v in %s", c[1], err, out)
			}
		}
		for _, key := range quotedRow.FindAllStringSubmatch(row[3], -1) {
			if len(objects) == 0 {
				t.Errorf("%s: no object", row[2])
			} else if _, has := objects[0][key[1]]; !has {
				t.Errorf("%s: JSON has no key %s", row[2], key[1])
			}
		}
	}
}

// The exit statuses of docs/agents.md are those of commands that fail in these ways.
func TestAgentsStatuses(t *testing.T) {
	page, err := os.ReadFile("../../docs/agents.md")
	if err != nil {
		t.Skip(err)
	}
	dir := scratch(t)
	for status, command := range map[int]string{
		0: "halfpeak fit latency.txt",
		1: "halfpeak fit nowhere.txt",
		2: "halfpeak fit latency.txt --colour",
		3: "halfpeak fleet fleet.csv --fail-on-change",
	} {
		if _, got := runInShell(t, dir, command); got != status {
			t.Errorf("%s: exit status %d, want %d", command, got, status)
		}
		if row := "\n| " + string(rune('0'+status)) + " | "; !strings.Contains(string(page), row) {
			t.Errorf("docs/agents.md has no row of exit status %d", status)
		}
	}
}

// runInShell runs a command line in dir and returns its standard output and exit status.
func runInShell(t *testing.T, dir, line string) (out []byte, status int) {
	t.Helper()
	var b bytes.Buffer
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir, cmd.Stdout = dir, &b
	exit := new(exec.ExitError)
	if err := cmd.Run(); errors.As(err, &exit) {
		status = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), status
}
