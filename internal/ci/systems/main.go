// Systems vets packages and their tests for other systems: systems PATTERN GOOS/GOARCH…, in the
// module's folder. It reports the findings of go vet, including errors of the compiler. It works
// from source, which takes a tenth of the time of go vet, since go vet first compiles Go's library
// for each system.
package main

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/analysis/suite/vet"
	"golang.org/x/tools/go/packages"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: systems PATTERN GOOS/GOARCH…")
		os.Exit(2)
	}
	for _, target := range os.Args[2:] {
		found, err := check(target, os.Args[1])
		if err == nil && found > 0 {
			err = fmt.Errorf("%d findings", found)
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", target, err)
			os.Exit(1)
		}
		fmt.Println(target)
	}
}

func check(target, pattern string) (found int, err error) {
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
			fmt.Fprintf(os.Stderr, "%s: %s\n", act.Package.Fset.Position(d.Pos), d.Message)
			found++
		}
	}
	return found, nil
}
