package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Statistics have few constants: each one was chosen on some machines, and is wrong on others. The
// packages that predict from measurements have at most this many numbers written in their files,
// but for those that every program has. What is learned from measurements is in a data file, which
// a program writes.
func TestLiterals(t *testing.T) {
	common := []string{"0", "1", "2", "0.5", "10", "64", "0.0", "1.0", "2.0"}
	for folder, most := range map[string]int{
		"fit":                   44,
		"internal/fitted":       46,
		"internal/tuner":        16,
		"internal/forecast":     19,
		"internal/reports/tune": 11,
	} {
		files, err := filepath.Glob(filepath.Join("../..", folder, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			set := token.NewFileSet()
			tree, err := parser.ParseFile(set, file, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(tree, func(n ast.Node) bool {
				l, ok := n.(*ast.BasicLit)
				if ok && (l.Kind == token.INT || l.Kind == token.FLOAT) &&
					!slices.Contains(common, l.Value) {
					p := set.Position(l.Pos())
					found = append(found, filepath.Base(p.Filename)+" "+l.Value)
				}
				return true
			})
		}
		t.Logf("%s: %d numbers", folder, len(found))
		if len(found) > most {
			t.Errorf("%s has %d numbers, more than %d: %q", folder, len(found), most, found)
		}
	}
}
