// Package api holds the list of what the library exports, and the test that it is current.
package api

import (
	"bytes"
	"flag"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the list of exported names")

const (
	root   = "../.."
	golden = "testdata/exported.txt"
)

// Users compile against exported names: one that goes, or changes, is seen here and belongs into
// CHANGELOG.md. The list has a line for each constant, variable, function, type, field and method
// of the packages that others may import, with the declarations for any system.
func TestExported(t *testing.T) {
	got := strings.Join(exported(t), "\n") + "\n"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	was, is := lines(string(text)), lines(got)
	for _, l := range was {
		if !slices.Contains(is, l) {
			t.Errorf("gone, or changed: %s", l)
		}
	}
	for _, l := range is {
		if !slices.Contains(was, l) {
			t.Errorf("new, or changed: %s", l)
		}
	}
	if t.Failed() {
		t.Log("if that is wanted: go test ./internal/api -update, and a line in CHANGELOG.md for what is gone or changed")
	}
}

func lines(text string) []string { return strings.Split(strings.ReplaceAll(text, "\r", ""), "\n") }

func exported(t *testing.T) []string {
	t.Helper()
	set := token.NewFileSet()
	var all []string
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		if d.IsDir() {
			if strings.HasPrefix(d.Name(), ".") && rel != "." || slices.Contains([]string{"testdata", "vendor", "internal", "tools", "cmd", "examples", "beam", "packaging"}, d.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		if filepath.Ext(p) != ".go" || strings.HasSuffix(p, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(set, p, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		if f.Name.Name == "main" {
			return nil
		}
		for _, line := range declarations(set, f) {
			all = append(all, path.Dir(filepath.ToSlash(rel))+": "+line)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 100 {
		t.Fatalf("only %d names found: this test looks in the wrong place", len(all))
	}
	slices.Sort(all)
	return slices.Compact(all) // a name may be declared for several systems
}

// declarations returns a line for each exported name of a file.
func declarations(set *token.FileSet, f *ast.File) (all []string) {
	text := func(n ast.Node) string {
		var b bytes.Buffer
		if err := printer.Fprint(&b, set, n); err != nil {
			return err.Error()
		}
		return strings.Join(strings.Fields(b.String()), " ")
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && (d.Recv == nil || ast.IsExported(base(d.Recv.List[0].Type))) {
				all = append(all, text(&ast.FuncDecl{Recv: d.Recv, Name: d.Name, Type: d.Type}))
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.ValueSpec:
					for _, n := range s.Names {
						if n.IsExported() {
							all = append(all, strings.TrimSpace(d.Tok.String()+" "+n.Name+" "+typeOf(text, s.Type)))
						}
					}
				case *ast.TypeSpec:
					if s.Name.IsExported() {
						all = append(all, typeLines(text, s)...)
					}
				}
			}
		}
	}
	return all
}

func typeOf(text func(ast.Node) string, e ast.Expr) string {
	if e == nil {
		return ""
	}
	return text(e)
}

// base returns the name of a receiver's type.
func base(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return base(e.X)
	case *ast.IndexExpr:
		return base(e.X)
	case *ast.IndexListExpr:
		return base(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// typeLines returns the line of a type, and of a struct's exported fields and an interface's
// methods.
func typeLines(text func(ast.Node) string, s *ast.TypeSpec) []string {
	head := "type " + s.Name.Name
	if s.TypeParams != nil {
		head += "[" + strings.TrimPrefix(text(&ast.FuncType{Params: s.TypeParams}), "func(")
		head = strings.TrimSuffix(head, ")") + "]"
	}
	if s.Assign.IsValid() {
		head += " ="
	}
	var fields *ast.FieldList
	switch kind := s.Type.(type) {
	case *ast.StructType:
		head, fields = head+" struct", kind.Fields
	case *ast.InterfaceType:
		head, fields = head+" interface", kind.Methods
	default:
		return []string{head + " " + text(s.Type)}
	}
	all := []string{head}
	for _, f := range fields.List {
		if len(f.Names) == 0 && ast.IsExported(base(f.Type)) {
			all = append(all, head+": "+text(f.Type))
		}
		for _, n := range f.Names {
			if n.IsExported() {
				all = append(all, head+": "+n.Name+" "+text(f.Type))
			}
		}
	}
	return all
}
