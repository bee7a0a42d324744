// Package arch holds tests of the whole tree: what may import what, and what every package has.
package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	module = "github.com/halfpeak/halfpeak"
	root   = "../.."
)

// below says which packages of the project each package may import: arrows
// point down only. Everybody may import the packages of common.
var below = map[string]string{
	"docs":                             "",
	"internal/ci":                      "",
	"internal/ci/systems":              "",
	"internal/release":                 "",
	"model/quantity":                   "",
	"model":                            "model/quantity",
	"model/machine":                    "model model/quantity",
	"platforms":                        "fit/forecast model model/machine model/quantity",
	"data":                             "fit/forecast platforms model model/machine model/quantity",
	"fit/benchfile":                    "model/quantity",
	"fit/benchfile/internal/lex":       "",
	"fit/benchfile/internal/sums":      "model/quantity",
	"fit/benchfile/internal/column":    "fit/benchfile/internal/lex model/quantity",
	"fit/benchfile/internal/launch":    "fit/benchfile/internal/lex",
	"fit/benchfile/internal/plain":     "fit/benchfile/internal/input fit/benchfile/internal/lex fit/benchfile/internal/sums model/quantity",
	"fit/benchfile/internal/input":     "fit/benchfile/internal/lex",
	"fit/benchfile/internal/jsonscan":  "fit/benchfile/internal/lex",
	"internal/notice":                  "",
	"internal/evidence/pico":           "engine/schedule engine/schedule/collective",
	"fleet":                            "fit fit/benchfile fit/forecast model model/quantity reports",
	"fit":                              "fit/benchfile fit/forecast model model/quantity",
	"fit/contention":                   "fit/forecast engine/schedule engine/schedule/collective engine/simulate model model/machine model/quantity platforms",
	"fit/collective":                   "engine/schedule engine/schedule/collective engine/simulate fit fit/benchfile fit/forecast model model/machine model/quantity platforms",
	"whatif":                           "data engine engine/programs engine/virtual export fit/benchfile fit/forecast model model/machine model/quantity platforms reports study/predict",
	"engine":                           "fit/forecast platforms model model/machine model/quantity",
	"engine/virtual":                   "fit/forecast engine engine/programs fit/benchfile platforms model model/machine model/quantity",
	"engine/live":                      "fit/forecast engine engine/programs fit/benchfile platforms model model/machine model/quantity",
	"engine/programs":                  "fit/forecast engine fit/benchfile platforms model model/machine model/quantity",
	"reports":                          "model/quantity",
	"explore":                          "data engine engine/live engine/programs engine/schedule engine/schedule/collective engine/schedule/collective/rules engine/schedule/mpitrace engine/simulate engine/virtual export fit fit/benchfile fit/collective fit/contention fit/forecast fleet internal/flags internal/release model model/machine model/quantity platforms reports study/collectives study/fits study/predict study/simulations whatif",
	"reports/page":                     "",
	"mpi":                              "",
	"internal/evidence/proof":          "fit/forecast mpi fit/contention engine/schedule/collective engine/schedule engine/schedule/mpitrace engine/simulate platforms model model/machine model/quantity",
	"internal/wasm":                    "reports/page",
	"internal/wasm/generate":           "internal/wasm reports/page",
	"export":                           "model model/quantity",
	"internal/flags":                   "model/quantity",
	"internal/man":                     "",
	"internal/terminal":                "reports model/quantity",
	"engine/schedule":                  "",
	"engine/simulate":                  "fit/forecast engine/schedule platforms model model/machine model/quantity",
	"engine/schedule/collective":       "engine/schedule",
	"engine/schedule/collective/rules": "engine/schedule engine/schedule/collective",
	"engine/schedule/mpitrace":         "engine/schedule engine/schedule/collective",
	"fit/forecast":                     "model/quantity",
	"internal/evidence/forecast":       "fit/benchfile fit/forecast model/quantity",
	"internal/evidence/collectives":    "fit/collective engine/schedule engine/schedule/collective engine/simulate fit fit/forecast model model/machine platforms fit/benchfile model/quantity internal/evidence/pico",
	"study/bench":                      "fit/forecast engine engine/live engine/programs fit/benchfile model model/machine model/quantity platforms reports",
	"study/predict":                    "data engine engine/programs engine/virtual export fit/benchfile fit/forecast model model/machine model/quantity platforms reports",
	"study/fits":                       "engine/schedule engine/schedule/collective engine/simulate fit fit/benchfile fit/collective fit/contention fit/forecast model model/machine model/quantity platforms reports whatif study/predict data engine engine/programs engine/virtual export",
	"study/simulations":                "engine/schedule engine/schedule/collective engine/schedule/mpitrace engine/simulate fit/benchfile fit/forecast model model/machine model/quantity platforms reports whatif study/predict data engine engine/programs engine/virtual export",
	"study/collectives":                "engine/schedule engine/schedule/collective engine/schedule/collective/rules engine/schedule/mpitrace engine/simulate fit fit/benchfile fit/collective fit/contention fit/forecast model model/machine model/quantity platforms reports study/fits study/simulations whatif",
	"study/tune":                       "engine/schedule engine/schedule/collective engine/schedule/collective/rules engine/schedule/mpitrace engine/simulate fit fit/benchfile fit/collective fit/contention fit/forecast model model/machine model/quantity platforms reports study/collectives study/fits study/simulations whatif",
	"internal/evidence/tune":           "engine/schedule engine/schedule/collective engine/schedule/collective/rules engine/schedule/mpitrace engine/simulate fit fit/benchfile fit/collective fit/contention fit/forecast model model/machine model/quantity platforms reports study/collectives study/fits study/simulations whatif study/tune internal/evidence/pico",
	"study/judge":                      "data engine engine/live engine/programs engine/schedule engine/schedule/collective engine/simulate engine/virtual export fit fit/benchfile fit/collective fit/contention fit/forecast model model/machine model/quantity platforms reports study/bench study/fits study/predict whatif",
	"study/report":                     "data engine engine/live engine/programs engine/schedule engine/schedule/collective engine/simulate engine/virtual export fit fit/benchfile fit/collective fit/contention fit/forecast model model/machine model/quantity platforms reports study/bench study/fits study/judge study/predict whatif",
}

// common packages import nothing of the project.
var common = []string{"internal/list", "internal/nearest", "internal/stats", "internal/heap", "internal/limits", "internal/memory", "internal/parallel", "internal/atomicfile", "internal/usage", "internal/sharedtest"}

// A source is a file that is no test.
type source struct {
	path string // below root, with slashes
	dir  string
	*ast.File
}

func sources(t *testing.T, set *token.FileSet) []source {
	t.Helper()
	var all []source
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && p != root && (strings.HasPrefix(d.Name(), ".") || strings.HasPrefix(d.Name(), "_") || d.Name() == "testdata") {
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
		if strings.HasPrefix(f.dir, "cmd/") {
			continue // the top
		}
		list, known := below[f.dir]
		if slices.Contains(common, f.dir) {
			known = true
		}
		if !known {
			t.Errorf("%s: package %s is new here; say in this test what it may import", f.path, f.dir)
			continue
		}
		allowed := strings.Fields(list)
		if !slices.Contains(common, f.dir) {
			allowed = append(allowed, common...)
		}
		for _, spec := range f.Imports {
			name, _ := strconv.Unquote(spec.Path.Value)
			name, ours := strings.CutPrefix(name, module+"/")
			if strings.HasPrefix(name, f.dir+"/internal/") {
				continue // its own: the compiler keeps all others out
			}
			if ours && !slices.Contains(allowed, name) {
				t.Errorf("%s imports %s; %s may import %s", f.path, name, f.dir, strings.Join(allowed, ", "))
			}
		}
	}
}

// Sizes of packages and functions, above which a reader loses the thread.
const (
	maxFiles = 25
	maxLines = 6000 // of a package
	maxFunc  = 70
)

func TestSizes(t *testing.T) {
	set := token.NewFileSet()
	files, lines := map[string]int{}, map[string]int{}
	for _, f := range sources(t, set) {
		files[f.dir]++
		lines[f.dir] += set.Position(f.FileEnd).Line
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok {
				if n := set.Position(d.End()).Line - set.Position(d.Pos()).Line + 1; n > maxFunc {
					t.Errorf("%s: %s has %d lines, more than %d", set.Position(d.Pos()), d.Name.Name, n, maxFunc)
				}
			}
		}
	}
	for dir := range files {
		if files[dir] > maxFiles || lines[dir] > maxLines {
			t.Errorf("package %s has %d files and %d lines; at most %d and %d: move a question of its own into a package of its own, or short files into a related one", dir, files[dir], lines[dir], maxFiles, maxLines)
		}
	}
}

// The table itself has no circle and no way up: what a package may import may
// import no more than the package itself.
func TestTableIsTransitive(t *testing.T) {
	for name, list := range below {
		allowed := strings.Fields(list)
		for _, lower := range allowed {
			for _, lowest := range strings.Fields(below[lower]) {
				if lowest == name || !slices.Contains(allowed, lowest) {
					t.Errorf("%s may import %s, and that %s", name, lower, lowest)
				}
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
			if v, ok := n.(*ast.ValueSpec); ok && f.dir == "data" && v.Names[0].Name == "papers" {
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
		if f.Name.Name == "main" && path.Base(f.path) == "main.go" {
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

// TestMessagesNameNoFlags holds that only cmd knows how its user spells an option. Programs of
// others have flags too, and package explore writes command lines.
func TestMessagesNameNoFlags(t *testing.T) {
	others := []string{"iperf3 --json", "calibrate --passes", "--map-by ppr", "mpirun --mca", "--save-mem", "--token", "validate --live", "--unit"}
	set := token.NewFileSet()
	for _, f := range sources(t, set) {
		if strings.HasPrefix(f.dir, "cmd/") || strings.HasPrefix(f.dir, "internal/") || f.dir == "explore" {
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
