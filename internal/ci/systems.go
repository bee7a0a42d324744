package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/analysis/suite/vet"
	"golang.org/x/tools/go/packages"
)

// vetSystems vets packages and their tests for systems, each GOOS/GOARCH, and prints those without
// a finding. It works from source, which takes a tenth of the time of go vet, since go vet first
// compiles Go's library for each system.
func vetSystems(w io.Writer, pattern string, targets []string) error {
	for _, target := range targets {
		found, err := vetSystem(w, target, pattern)
		if err == nil && found > 0 {
			err = fmt.Errorf("%d findings", found)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", target, err)
		}
		fmt.Fprintln(w, target)
	}
	return nil
}

// vetSystem returns the number of findings of go vet, including errors of the
// compiler. Code behind a build tag of another system is compiled nowhere else before
// a release.
func vetSystem(w io.Writer, target, pattern string) (found int, err error) {
	system, arch, _ := strings.Cut(target, "/")
	all, err := packages.Load(&packages.Config{
		Mode:  packages.LoadAllSyntax | packages.NeedModule,
		Env:   append(os.Environ(), "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0"),
		Tests: true,
	}, pattern)
	if err != nil {
		return 0, err
	}
	if found = packages.PrintErrors(all); found > 0 {
		return found, nil
	}
	graph, err := checker.Analyze(vet.Suite, all, nil)
	if err != nil {
		return 0, err
	}
	for act := range graph.All() {
		if !act.IsRoot {
			continue
		}
		if act.Err != nil {
			return 0, fmt.Errorf("%v: %w", act, act.Err)
		}
		for _, d := range act.Diagnostics {
			fmt.Fprintf(w, "%s: %s\n", act.Package.Fset.Position(d.Pos), d.Message)
			found++
		}
	}
	return found, nil
}
