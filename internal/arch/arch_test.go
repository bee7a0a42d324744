// Package arch holds tests of the whole tree: what may import what, and what every package has.
package arch

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

const (
	module = "github.com/halfpeak/halfpeak"
	root   = "../.."
)

// layers are the floors of the house, from the ground up: a package imports packages of its own
// layer and of lower ones. A row names packages, and NAME/... the packages below NAME. Packages of
// internal/ that no row names serve every layer, so they import nothing but each other and the
// units.
var layers = [][]string{
	{"model/quantity"},
	{"model", "model/machine", "internal/forecast"},
	{"platforms", "internal/export", "data", "internal/papers", "docs", "fit/benchfile",
		"engine/schedule", "engine/schedule/...",
		"internal/published", "internal/calls", "internal/program", "internal/mpitrace"},
	{"fit", "engine/...", "internal/engine", "internal/engine/...", "internal/placed"},
	{"internal/fitted", "internal/calibrate", "internal/study", "internal/benchmarks"},
	{"internal/collectives"},
	{"reports/table"},
	{"internal/curves"},
	{"reports/..."},
	{"."},
	{"reports/summary", "reports/page", "reports/draw"},
	{"cmd/...", "internal/evidence/...", "internal/wasm"},
}

// serving is the layer of packages of internal/ that no row names.
const serving = -1

// layerOf returns the index of the package's layer, by the longest name that fits.
func layerOf(dir string) (layer int, known bool) {
	layer, known = serving, strings.HasPrefix(dir, "internal/")
	longest := -1
	for i, names := range layers {
		for _, name := range names {
			below, group := strings.CutSuffix(name, "/...")
			if (dir == name || group && strings.HasPrefix(dir, below+"/")) && len(below) > longest {
				layer, known, longest = i, true, len(below)
			}
		}
	}
	return layer, known
}

// A source is a file that is no test.
type source struct {
	path string // below root, with slashes
	dir  string
	*ast.File
}

// made is the folder of what a release is made of, with copies of other modules.
var made = filepath.Join(root, "packaging", "stage")

func sources(t *testing.T, set *token.FileSet) []source {
	t.Helper()
	var all []source
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && p != root && (strings.HasPrefix(d.Name(), ".") || strings.HasPrefix(d.Name(), "_") || d.Name() == "testdata" || p == made) {
			return filepath.SkipDir
		}
		if filepath.Ext(p) != ".go" || strings.HasSuffix(p, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(set, p, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		all = append(all, source{rel, path.Dir(rel), f})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 50 {
		t.Fatalf("only %d files found: this test looks in the wrong place", len(all))
	}
	return all
}

func TestImportsPointDown(t *testing.T) {
	for _, f := range sources(t, token.NewFileSet()) {
		from, known := layerOf(f.dir)
		if !known {
			t.Errorf("%s: package %s is in no layer; place it in one of this test", f.path, f.dir)
			continue
		}
		for _, spec := range f.Imports {
			name, _ := strconv.Unquote(spec.Path.Value)
			name, ours := strings.CutPrefix(name, module)
			name = cmp.Or(strings.TrimPrefix(name, "/"), ".")
			to, _ := layerOf(name)
			switch {
			case !ours || to == serving || from == serving && name == "model/quantity":
			case to > from:
				t.Errorf("%s imports %s, which is in a layer above", f.path, name)
			case f.dir == "reports/table" && name != "model/quantity" && name != "internal/remark":
				t.Errorf("%s imports %s; table knows units and remarks alone, no platform and no question", f.path, name)
			}
		}
	}
}

// Files that a user names are opened by one function, which refuses those that the command replaces.
func TestInputsAreOpenedInOnePlace(t *testing.T) {
	set := token.NewFileSet()
	proc := []string{"cmd/halfpeak/stdout.go", "internal/memory/limit_linux.go"} // read /proc alone
	for _, f := range sources(t, set) {
		tool := strings.HasPrefix(f.dir, "internal/evidence") || slices.Contains([]string{"internal/ci", "internal/notice", "internal/wasm", "internal/sharedtest", "internal/atomicfile"}, f.dir)
		if tool || slices.Contains(proc, f.path) {
			continue
		}
		ast.Inspect(f.File, func(n ast.Node) bool {
			s, is := n.(*ast.SelectorExpr)
			if !is || !slices.Contains([]string{"Open", "OpenFile", "ReadFile", "DirFS"}, s.Sel.Name) {
				return true
			}
			if x, is := s.X.(*ast.Ident); is && x.Name == "os" {
				t.Errorf("%s: os.%s; use atomicfile.Open, so that a command cannot replace its input", set.Position(s.Pos()), s.Sel.Name)
			}
			return true
		})
	}
}

// TestColumns holds that a line can be read without scrolling; a tab counts as four columns. An
// expression that needs more wants a name.
func TestColumns(t *testing.T) {
	for _, f := range sources(t, token.NewFileSet()) {
		text, err := os.ReadFile(filepath.Join(root, f.path))
		if err != nil {
			t.Fatal(err)
		}
		number := 0
		for line := range strings.Lines(string(text)) {
			number++
			line = strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "\t", "    ")
			if n := utf8.RuneCountInString(line); n > maxColumns {
				t.Errorf("%s:%d: %d columns, more than %d", f.path, number, n, maxColumns)
			}
		}
	}
}

func TestOnePackageComment(t *testing.T) {
	comments := map[string][]string{}
	for _, f := range sources(t, token.NewFileSet()) {
		comments[f.dir] = append(comments[f.dir], "")
		if f.Doc != nil {
			comments[f.dir] = append(comments[f.dir], f.path)
			want := "Package " + f.Name.Name + " "
			if f.Name.Name == "main" {
				want = strings.ToUpper(path.Base(f.dir)[:1]) + path.Base(f.dir)[1:] + " "
			}
			if !strings.HasPrefix(f.Doc.Text(), want) {
				t.Errorf("%s: the package comment does not start with %q", f.path, want)
			}
		}
	}
	for dir, files := range comments {
		files = slices.DeleteFunc(files, func(f string) bool { return f == "" })
		if len(files) != 1 {
			t.Errorf("package %s has %d package comments, want 1: %s", dir, len(files), strings.Join(files, ", "))
		}
	}
}

// Adding a platform is adding a file: no code knows one by its name.
func TestNoCodeNamesAPlatform(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, "platforms", "*.toml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no platforms: %v", err)
	}
	set := token.NewFileSet()
	for _, f := range sources(t, set) {
		ast.Inspect(f.File, func(n ast.Node) bool {
			if v, ok := n.(*ast.ValueSpec); ok && f.dir == "internal/papers" && v.Names[0].Name == "papers" {
				return false // short names of papers, by the prefixes of their files
			}
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(lit.Value)
			if err != nil {
				t.Fatal(err)
			}
			for _, file := range files {
				name := strings.TrimSuffix(filepath.Base(file), ".toml")
				if text == name || strings.HasPrefix(text, name+"/") {
					t.Errorf("%s names the platform %q", set.Position(lit.Pos()), text)
				}
			}
			return true
		})
	}
}

// What prints and what ends the process is main; everything else can be called
// by tests and by other programs.
func TestOnlyMainPrints(t *testing.T) {
	set := token.NewFileSet()
	for _, f := range sources(t, set) {
		base := path.Base(f.path)
		if f.Name.Name == "main" && (base == "main.go" || base == "generate.go") {
			continue
		}
		ast.Inspect(f.File, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			x, ok := s.X.(*ast.Ident)
			if !ok {
				return true
			}
			switch name := x.Name + "." + s.Sel.Name; name {
			case "os.Exit", "os.Stdout", "os.Stderr", "log.Fatal", "log.Fatalf", "log.Print", "log.Printf", "fmt.Print", "fmt.Printf", "fmt.Println":
				t.Errorf("%s: %s; write to the io.Writer of the caller, and return an error", set.Position(s.Pos()), name)
			}
			return true
		})
	}
}

// namesFlag matches a flag in a message, such as "give --nodes".
var namesFlag = regexp.MustCompile(`(^|[ (])--[a-z]`)

// TestMessagesNameNoFlags holds that what Go programs import does not speak of options. Programs of
// others have flags too. Answers (reports/...) name the option that says more.
func TestMessagesNameNoFlags(t *testing.T) {
	others := []string{"iperf3 --json", "calibrate --passes", "--passes 8 --versus", "--only-collectives", "--map-by ppr", "--mca ", "--save-mem", "--token-file", "validate --live", "--unit"}
	set := token.NewFileSet()
	for _, f := range sources(t, set) {
		if strings.HasPrefix(f.dir, "reports/") || strings.HasPrefix(f.dir, "cmd/") ||
			strings.HasPrefix(f.dir, "internal/") {
			continue
		}
		ast.Inspect(f.File, func(n ast.Node) bool {
			s, ok := n.(*ast.BasicLit)
			if ok && s.Kind == token.STRING && namesFlag.MatchString(strings.Trim(s.Value, "\"`")) &&
				!slices.ContainsFunc(others, func(o string) bool { return strings.Contains(s.Value, o) }) {
				t.Errorf("%s names a flag: %s; see usage.Fields", set.Position(s.Pos()), s.Value)
			}
			return true
		})
	}
}
