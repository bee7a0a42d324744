package check_test

// This file rewrites the formulas of a package so that any one of their terms can be
// scaled while the program runs. A test builds a program from the rewritten source, scales the
// terms one by one, and sees whether the checks of the program notice.
//
// A formula is a function that the named ones reach inside the package. A term is
//
//   - an operand of + or −, and the right side of += and −=,
//   - an argument of max or min,
//   - a result that is neither,
//
// if it has a floating-point type and is not a constant. The syntax tree is rewritten once, so that
// all mutants share one build.

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/format"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A mutant is a term that can be scaled.
type mutant struct {
	Func string // "Linear.OneWay", or "packets" for a function without a receiver
	Term string // as in the source: "l.Tau.Times(n)"
	At   string // "layer_linear.go:23"
}

func (m mutant) name() string { return m.Func + ": " + m.Term }

// A rewriting is a package with mutants.
type rewriting struct {
	Mutants []mutant
	Files   map[string][]byte // new source by path
}

// hook is added to the rewritten package. Each term v becomes halfpeakMutant(k, v).
const hook = `package %s

// ActiveMutant is the number of the term that is scaled, −1 for none, and MutantFactor its
// factor. MutantsMet, if not nil, learns which terms were computed.
var (
	ActiveMutant = -1
	MutantFactor = 1.2
	MutantsMet   map[int]bool
)

func halfpeakMutant[T ~float64](k int, v T) T {
	if MutantsMet != nil {
		MutantsMet[k] = true
	}
	if k == ActiveMutant {
		return v * T(MutantFactor)
	}
	return v
}
`

// Package rewrites formulas of the package in dir: those that functions and methods with these
// names reach, except the functions in without and those that only they reach.
func rewritePackage(dir string, methods []string, without ...string) (rewriting, error) {
	p, err := load(dir)
	if err != nil {
		return rewriting{}, err
	}
	reached := p.reach(methods, without)
	r := rewriting{Files: map[string][]byte{}}
	for _, f := range p.files {
		before := len(r.Mutants)
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil && reached[p.info.Defs[fn.Name]] {
				p.rewrite(fn, &r.Mutants)
			}
		}
		if len(r.Mutants) == before {
			continue
		}
		var b bytes.Buffer
		if err := format.Node(&b, p.fset, f); err != nil {
			return rewriting{}, err
		}
		r.Files[p.fset.Position(f.Pos()).Filename] = b.Bytes()
	}
	r.Files[filepath.Join(p.dir, "halfpeak_mutants.go")] = fmt.Appendf(nil, hook, p.name)
	return r, nil
}

// Overlay writes the new files into a folder, with the JSON that go build -overlay takes, and
// returns the path of the JSON. More adds files that are not in the tree.
func (r rewriting) Overlay(folder string, more map[string][]byte) (string, error) {
	replace := map[string]string{}
	k := 0
	for _, files := range []map[string][]byte{r.Files, more} {
		for path, text := range files {
			to := filepath.Join(folder, fmt.Sprintf("%d_%s", k, filepath.Base(path)))
			if err := os.WriteFile(to, text, 0o666); err != nil {
				return "", err
			}
			replace[path] = to
			k++
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, "overlay.json")
	return path, os.WriteFile(path, text, 0o666)
}

// source is a package with its types.
type source struct {
	dir, name string
	fset      *token.FileSet
	files     []*ast.File
	info      *types.Info
}

func load(dir string) (*source, error) {
	cmd := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Dir,Name,Export,GoFiles", ".")
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list in %s: %w: %s", dir, err, stderr.String())
	}
	type listed struct {
		ImportPath, Dir, Name, Export string
		GoFiles                       []string
	}
	exports := map[string]string{}
	var last listed // -deps lists the package after its imports
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		last = listed{}
		if err := dec.Decode(&last); err != nil {
			return nil, err
		}
		exports[last.ImportPath] = last.Export
	}
	p := &source{dir: last.Dir, name: last.Name, fset: token.NewFileSet(), info: &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
	}}
	for _, name := range last.GoFiles {
		f, err := parser.ParseFile(p.fset, filepath.Join(last.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		p.files = append(p.files, f)
	}
	lookup := func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }
	config := types.Config{Importer: importer.ForCompiler(p.fset, "gc", lookup)}
	_, err = config.Check(last.ImportPath, p.fset, p.files, p.info)
	return p, err
}

// reach returns the functions that those with these names call, directly or not.
func (p *source) reach(methods, without []string) map[types.Object]bool {
	calls := map[types.Object][]types.Object{}
	reached := map[types.Object]bool{}
	var next []types.Object
	for _, f := range p.files {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			self := p.info.Defs[fn.Name]
			if slices.Contains(methods, fn.Name.Name) {
				next = append(next, self)
			}
			ast.Inspect(fn.Body, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					if called, ok := p.info.Uses[id].(*types.Func); ok {
						calls[self] = append(calls[self], called.Origin())
					}
				}
				return true
			})
		}
	}
	for len(next) > 0 {
		fn := next[0]
		next = next[1:]
		if !reached[fn] && !slices.Contains(without, fn.Name()) {
			reached[fn] = true
			next = append(next, calls[fn]...)
		}
	}
	return reached
}

// rewrite wraps the terms of a function.
func (p *source) rewrite(fn *ast.FuncDecl, mutants *[]mutant) {
	name := fn.Name.Name
	if fn.Recv != nil {
		name = types.ExprString(fn.Recv.List[0].Type) + "." + name
	}
	wrap := func(e *ast.Expr) {
		if !p.isTerm(*e) {
			return
		}
		at := p.fset.Position((*e).Pos())
		*mutants = append(*mutants, mutant{strings.TrimPrefix(name, "*"), types.ExprString(*e), fmt.Sprintf("%s:%d", filepath.Base(at.Filename), at.Line)})
		*e = &ast.CallExpr{Fun: ast.NewIdent("halfpeakMutant"), Args: []ast.Expr{&ast.BasicLit{Kind: token.INT, Value: fmt.Sprint(len(*mutants) - 1)}, *e}}
	}
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if n.Op == token.ADD || n.Op == token.SUB {
				wrap(&n.X)
				wrap(&n.Y)
			}
		case *ast.AssignStmt:
			if n.Tok == token.ADD_ASSIGN || n.Tok == token.SUB_ASSIGN {
				wrap(&n.Rhs[0])
			}
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && (id.Name == "max" || id.Name == "min") {
				for i := range n.Args {
					wrap(&n.Args[i])
				}
			}
		case *ast.ReturnStmt:
			for i := range n.Results {
				wrap(&n.Results[i])
			}
		}
		return true
	})
}

// isTerm reports whether the expression is a term and contains none.
func (p *source) isTerm(e ast.Expr) bool {
	t, known := p.info.Types[e]
	if !known || t.Value != nil {
		return false
	}
	if b, ok := t.Type.Underlying().(*types.Basic); !ok || b.Info()&types.IsFloat == 0 {
		return false
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.BinaryExpr:
		return e.Op != token.ADD && e.Op != token.SUB
	case *ast.CallExpr:
		id, ok := e.Fun.(*ast.Ident)
		return !ok || id.Name != "max" && id.Name != "min" && id.Name != "halfpeakMutant"
	}
	return true
}

// callsOf lists the functions and methods of the package at path that the package in dir uses, each
// once, by name: "Cost.Of", "packets".
func callsOf(dir, path string) ([]string, error) {
	p, err := load(dir)
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for _, o := range p.info.Uses {
		fn, ok := o.(*types.Func)
		if !ok || fn.Pkg() == nil || fn.Pkg().Path() != path {
			continue
		}
		name := fn.Name()
		if recv := fn.Signature().Recv(); recv != nil {
			t := recv.Type()
			if pointer, ok := t.(*types.Pointer); ok {
				t = pointer.Elem()
			}
			if named, ok := t.(*types.Named); ok {
				name = named.Obj().Name() + "." + name
			}
		}
		names[name] = true
	}
	return slices.Sorted(maps.Keys(names)), nil
}
