// Ci does what .ci/run needs beside the go command:
//
//	ci tests                        print the output of go test -json as go test has it
//	ci skipped                      print the tests that were skipped, with the reason
//	ci systems PATTERN GOOS/GOARCH… vet packages and their tests for systems
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
)

// An event is a line of go test -json; see go doc test2json.
type event struct {
	Action, Package, Test, Output, ImportPath string
}

func main() {
	if err := command(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func command(args []string) error {
	switch {
	case len(args) == 1 && args[0] == "tests":
		return run(os.Stdin, os.Stdout, false)
	case len(args) == 1 && args[0] == "skipped":
		return run(os.Stdin, os.Stdout, true)
	case len(args) > 2 && args[0] == "systems":
		root, err := os.Getwd()
		if err != nil {
			return err
		}
		return vetSystems(os.Stderr, root, args[1], args[2:])
	}
	return errors.New("usage: ci tests | ci skipped | ci systems PATTERN GOOS/GOARCH…")
}

// run prints a line for each package and the output of tests that failed or, if
// skipped is set, a line for each top-level test that was skipped. The output of a
// test is kept until its end shows whether anybody wants it, and dropped then: a run
// of all tests prints megabytes.
func run(r io.Reader, w io.Writer, skipped bool) error {
	type test struct{ pkg, name string }
	output := map[test]*strings.Builder{}
	for dec := json.NewDecoder(r); ; {
		var e event
		if err := dec.Decode(&e); err == io.EOF {
			return nil
		} else if err != nil {
			return fmt.Errorf("not the output of go test -json: %w", err)
		}
		t := test{e.Package, e.Test}
		switch {
		case e.Action == "output" && e.Test != "":
			if output[t] == nil {
				output[t] = new(strings.Builder)
			}
			output[t].WriteString(e.Output)
		case skipped && e.Action == "skip" && e.Test != "":
			fmt.Fprintf(w, "%s (%s)\n", e.Test, reason(output[t].String()))
		case skipped:
		case e.Action == "fail" && e.Test != "":
			fmt.Fprint(w, output[t].String())
		// Lines of a package are its result; PASS alone repeats it.
		case e.Action == "build-output", e.Action == "output" && e.Test == "" &&
			e.Output != "PASS\n":
			fmt.Fprint(w, e.Output)
		}
		if e.Test != "" && (e.Action == "pass" || e.Action == "fail" || e.Action == "skip") {
			delete(output, t)
		}
	}
}

var (
	said   = regexp.MustCompile(`(?m)^ +[\w.]+_test\.go:\d+: (.*)$`)
	script = regexp.MustCompile(`(?m)^ *> .*\bskip '(.*)'$`)
)

// reason returns the message of t.Skip, or of skip in a script, in the output of a
// test. The last one counts: a test may log before it skips.
func reason(output string) string {
	for _, r := range []*regexp.Regexp{script, said} {
		if all := r.FindAllStringSubmatch(output, -1); len(all) > 0 {
			return strings.TrimSpace(all[len(all)-1][1])
		}
	}
	return "no reason given"
}
