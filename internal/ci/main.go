// Ci reads the events of go test -json. It prints what go test prints without -json: a line for
// each package, and the output of tests that failed. With -skipped it prints instead the top-level
// tests and scripts that were skipped, a line for each, with the reason.
package main

import (
	"encoding/json"
	"flag"
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
	skipped := flag.Bool("skipped", false, "print the skipped tests and their reasons")
	flag.Parse()
	if err := run(os.Stdin, os.Stdout, *skipped); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

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

// reason returns the message of t.Skip, or of skip in a script, in the output of a test.
func reason(output string) string {
	for _, r := range []*regexp.Regexp{script, said} {
		if all := r.FindAllStringSubmatch(output, -1); len(all) > 0 {
			return strings.TrimSpace(all[len(all)-1][1])
		}
	}
	return "no reason given"
}
