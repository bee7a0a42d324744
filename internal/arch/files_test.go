package arch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A listed package is a package as the go command lists it, with its export data.
type listed struct {
	Dir, ImportPath, Export string
	GoFiles, CgoFiles       []string
}

// uses maps each file of a package to the files whose functions, types, variables or constants it
// names, and these to one such name.
type uses map[string]map[string]string

func TestFilesPointDown(t *testing.T) {
	list := exec.Command("go", "list", "-export", "-deps", "-json=Dir,ImportPath,Export,GoFiles,CgoFiles", "./...")
	list.Dir, list.Stderr = root, os.Stderr
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	exports, ours := map[string]string{}, []listed{}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		exports[p.ImportPath] = p.Export
		if (p.ImportPath == module || strings.HasPrefix(p.ImportPath, module+"/")) && len(p.CgoFiles) == 0 {
			ours = append(ours, p)
		}
	}
	set := token.NewFileSet()
	imports := importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})
	for _, p := range ours {
		used, err := filesUsed(set, imports, p)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(p.ImportPath, module+"/")
		if circle := used.circle(); circle != nil {
			t.Errorf("package %s: files use each other in a circle: %s; move what both need into a file below them", name, used.describe(circle))
		}
	}
}

// filesUsed type-checks p and reads which of its files use which.
func filesUsed(set *token.FileSet, imports types.Importer, p listed) (uses, error) {
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(set, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	conf := types.Config{Importer: imports}
	pkg, err := conf.Check(p.ImportPath, set, files, info)
	if err != nil {
		return nil, err
	}
	used := uses{}
	for id, o := range info.Uses {
		f, isFunc := o.(*types.Func)
		method := isFunc && f.Signature().Recv() != nil
		if o.Pkg() != pkg || o.Parent() != pkg.Scope() && !method {
			continue // another package's, a field or a local name
		}
		from := filepath.Base(set.Position(id.Pos()).Filename)
		to := filepath.Base(set.Position(o.Pos()).Filename)
		if from == to {
			continue
		}
		if used[from] == nil {
			used[from] = map[string]string{}
		}
		if name, known := used[from][to]; !known || o.Name() < name {
			used[from][to] = o.Name()
		}
	}
	return used, nil
}

// circle returns a shortest circle of files, nil if there is none.
func (u uses) circle() []string {
	var shortest []string
	for _, start := range u.sorted() {
		from := map[string]string{start: ""} // by file: the previous file on the way from start
		queue := []string{start}
		for len(queue) > 0 && from[start] == "" {
			at := queue[0]
			queue = queue[1:]
			for to := range u[at] {
				if to == start {
					from[start] = at
				} else if _, known := from[to]; !known {
					from[to] = at
					queue = append(queue, to)
				}
			}
		}
		if from[start] == "" {
			continue
		}
		way := []string{start}
		for at := from[start]; at != start; at = from[at] {
			way = append(way, at)
		}
		slices.Reverse(way[1:])
		if shortest == nil || len(way) < len(shortest) {
			shortest = way
		}
	}
	return shortest
}

func (u uses) sorted() []string {
	var names []string
	for name := range u {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (u uses) describe(circle []string) string {
	var b strings.Builder
	for i, from := range circle {
		to := circle[(i+1)%len(circle)]
		fmt.Fprintf(&b, "%s → (%s) → ", from, u[from][to])
	}
	return b.String() + circle[0]
}
