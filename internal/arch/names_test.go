package arch

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestNamesOnce holds that a name of a collective, an algorithm, a library or a form of rules is
// looked up where it enters, in a flag, a file or a call of the library, and travels from there as
// its row of the registry.
func TestNamesOnce(t *testing.T) {
	const registry = module + "/engine/schedule/collective"
	lookups := map[string][]string{
		registry:            {"Find", "Of", "FindLibrary"},
		registry + "/rules": {"FindForm"},
	}
	enter := []string{
		"halfpeak.go", "ask/collectives/algorithms.go", "ask/collectives/chosen.go", // calls
		"internal/reports/tune/library.go", "internal/reports/tune/map.go", // questions of tune
		"internal/fits/measured.go", "internal/calibrate/algorithm.go", "platforms/tables.go",
		"platforms/measured_tables.go", "internal/program/collectives.go", // files
		"engine/schedule/collective/rules/form.go", "internal/fitted/forms.go", // own tables
	}
	set, seen := token.NewFileSet(), map[string]bool{}
	for _, f := range sources(t, set) {
		if strings.HasPrefix(f.dir, "cmd/") || strings.HasPrefix(f.dir, "internal/evidence") {
			continue
		}
		finds := map[string][]string{} // by the name of an import
		for _, spec := range f.Imports {
			path, _ := strconv.Unquote(spec.Path.Value)
			name := path[strings.LastIndex(path, "/")+1:]
			if spec.Name != nil {
				name = spec.Name.Name
			}
			if lookups[path] != nil {
				finds[name] = lookups[path]
			}
		}
		ast.Inspect(f.File, func(n ast.Node) bool {
			s, is := n.(*ast.SelectorExpr)
			if !is {
				return true
			}
			x, is := s.X.(*ast.Ident)
			if !is || !slices.Contains(finds[x.Name], s.Sel.Name) {
				return true
			}
			if seen[f.path] = true; !slices.Contains(enter, f.path) {
				t.Errorf("%s: %s.%s; hand the entry down from where the name enters",
					set.Position(s.Pos()), x.Name, s.Sel.Name)
			}
			return true
		})
	}
	for _, path := range enter {
		if !seen[path] {
			t.Errorf("%s looks up no name; take it off the list", path)
		}
	}
}
