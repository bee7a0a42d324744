package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/analysis/suite/vet"
	"golang.org/x/tools/go/packages"
)

// vetSystems vets packages below a folder and their tests for systems, each GOOS/GOARCH, and prints
// those without a finding. It works from source: go vet first compiles Go's library and all modules
// for each system.
func vetSystems(w io.Writer, root, pattern string, targets []string) error {
	debug.SetGCPercent(400) // what is loaded stays to the end
	s := sources{root: root + string(os.PathSeparator), fset: token.NewFileSet()}
	for _, target := range targets {
		found, err := s.vet(w, target, pattern)
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

// A sources parses the files of a module, and of all that it imports, once for all systems.
type sources struct {
	root  string // of the module, with a separator at its end
	fset  *token.FileSet
	files sync.Map // parsed by name
}

// parse returns a file. Outside the module it drops bodies of functions and elements of slices and
// maps: only what these packages declare depends on the system and matters to the module, and the
// types in fonts and tables of letters took half of the time.
func (s *sources) parse(fset *token.FileSet, name string, text []byte) (*ast.File, error) {
	if f, known := s.files.Load(name); known {
		return f.(*ast.File), nil
	}
	own := strings.HasPrefix(name, s.root)
	mode := parser.SkipObjectResolution
	if own {
		mode |= parser.AllErrors | parser.ParseComments // comments have directives
	}
	f, err := parser.ParseFile(fset, name, text, mode)
	if err != nil {
		return f, err
	}
	if !own {
		for _, d := range f.Decls {
			declarationOnly(d)
		}
	}
	s.files.Store(name, f)
	return f, nil
}

func declarationOnly(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		d.Body = nil
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			v, _ := spec.(*ast.ValueSpec)
			if v == nil {
				continue
			}
			for _, value := range v.Values {
				lit, _ := value.(*ast.CompositeLit)
				if lit == nil {
					continue
				}
				array, isArray := lit.Type.(*ast.ArrayType)
				_, isMap := lit.Type.(*ast.MapType)
				if isMap || isArray && array.Len == nil { // the elements give no length
					lit.Elts = nil
				}
			}
		}
	}
}

// vet returns the number of errors of the compiler in all packages, or else of findings of go vet
// in packages that have files for some systems alone. Code behind a build tag of another system is
// compiled nowhere else before a release.
func (s *sources) vet(w io.Writer, target, pattern string) (found int, err error) {
	system, arch, _ := strings.Cut(target, "/")
	all, err := packages.Load(&packages.Config{
		Mode:      packages.LoadAllSyntax | packages.NeedModule,
		Dir:       s.root,
		Env:       append(os.Environ(), "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0"),
		Fset:      s.fset,
		ParseFile: s.parse,
		Tests:     true,
	}, pattern)
	if err != nil {
		return 0, err
	}
	packages.Visit(all, nil, func(p *packages.Package) {
		for _, e := range p.Errors {
			// Without bodies, the files of other modules have unused imports.
			if e.Kind != packages.TypeError || strings.HasPrefix(e.Pos, s.root) {
				fmt.Fprintln(w, e)
				found++
			}
		}
		p.IllTyped = false // else nothing that imports such a package is analysed
	})
	if found > 0 {
		return found, nil
	}
	// The host's go vet has read the other packages: they have the same files on all systems.
	divided := slices.DeleteFunc(all, func(p *packages.Package) bool {
		return len(p.IgnoredFiles) == 0
	})
	graph, err := checker.Analyze(vet.Suite, divided, nil)
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
