package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite what scripts and README.md show of the output; read the diff before committing it")

// widthVariable has the width of a terminal that sessions of the documents show. If it is 0, lines
// of a pipe have any width.
const widthVariable = "HALFPEAK_TEST_WIDTH"

// TestMain lets scripts run this binary as halfpeak, with the real main.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"halfpeak": func() {
		width, err := strconv.Atoi(os.Getenv(widthVariable))
		if err == nil && width == 0 {
			pipeWidth = 0
		}
		if width == 0 {
			main()
			return
		}
		os.Exit(runIn(terminal{Width: width, Height: 24, Messages: width}, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}})
}

// TestScripts runs testdata/script. What people read is compared whole; of
// long lists, which grow with every platform, the shape.
func TestScripts(t *testing.T) {
	t.Cleanup(func() {
		if t.Failed() {
			t.Log("if the new output is wanted: go test ./cmd/halfpeak -update, then read the diff")
		}
	})
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update,
		Setup: func(env *testscript.Env) error {
			env.Setenv("ESC", "\x1b")
			env.Setenv(widthVariable, "0")
			env.Setenv("BIN", filepath.SplitList(env.Getenv("PATH"))[0]) // where halfpeak alone is
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"fails": fails},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "root":
				return os.Geteuid() == 0, nil
			case "full": // a device that is always full
				_, err := os.Stat("/dev/full")
				return err == nil, nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
	})
}

// TestTestdata fails on files that no test reads.
func TestTestdata(t *testing.T) {
	for _, pattern := range []string{"testdata/*", "testdata/script/*"} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: %v, %v", pattern, paths, err)
		}
		for _, path := range paths {
			read := path == "testdata/script" || path == "testdata/keys.txt"
			if !read && filepath.Ext(path) != ".txtar" {
				t.Errorf("%s: no test reads it", path)
			}
		}
	}
}

// fails is the script command "fails STATUS PROGRAM ARG…": the program must exit with that status
// and one line on stderr (with "try: … --help" after it if the usage was wrong), print nothing on
// stdout but an answer of status 3, and leave no file behind. It appends command, stderr and status to the file transcript,
// which the script prints and compares at its end.
func fails(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: fails STATUS PROGRAM ARG…")
	}
	before := files(ts)
	err := ts.Exec(args[1], args[2:]...)
	status := 0
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		status = exit.ExitCode()
	}
	if fmt.Sprint(status) != args[0] {
		ts.Fatalf("exit status %d, want %s (%v)", status, args[0], err)
	}
	if out := ts.ReadFile("stdout"); (out != "") != (status == 3) { // a change is an answer
		ts.Fatalf("it prints %q on stdout", out)
	}
	if after := files(ts); !slices.Equal(before, after) {
		ts.Fatalf("it leaves files behind: %q, before %q", after, before)
	}
	stderr := ts.ReadFile("stderr")
	lines := 1
	if status == 2 {
		lines = 2
	}
	list := strings.Count(stderr, "\n  ") // its lines are indented
	if got := strings.Count(stderr, "\n") - list; got != lines || !strings.HasSuffix(stderr, "\n") || !strings.HasPrefix(stderr, "halfpeak: ") {
		ts.Fatalf("it prints %d lines, want %d that begin with %q: %q", got, lines, "halfpeak: ", stderr)
	}
	transcript, err := os.OpenFile(ts.MkAbs("transcript"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	ts.Check(err)
	defer transcript.Close()
	text := fmt.Sprintf("$ %s\n%s[%d]\n\n", quoted(args[1:]), stderr, status)
	_, err = transcript.WriteString(strings.ReplaceAll(text, ts.Getenv("WORK"), "$WORK"))
	ts.Check(err)
}

// files lists the files of the script's directory.
func files(ts *testscript.TestScript) []string {
	var paths []string
	ts.Check(filepath.WalkDir(ts.Getenv("WORK"), func(path string, _ fs.DirEntry, err error) error {
		if filepath.Base(path) != "transcript" {
			paths = append(paths, path)
		}
		return err
	}))
	return paths
}

// quoted is a command line as a shell takes it.
func quoted(args []string) string {
	words := slices.Clone(args)
	for i, w := range words {
		if w == "" || strings.ContainsAny(w, " \t\n*?$'\"<>|&;()") {
			words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}
