package main

import (
	"bytes"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/cmpimg"

	"github.com/halfpeak/halfpeak/engine/schedule/collective/rules"
	"github.com/halfpeak/halfpeak/internal/demo"
)

// The sessions of the documents show what halfpeak prints on a terminal: of 80 columns in the
// README, which people read in one, and of 100 on the pages, where all other text has 100. They run
// in the folder of demo, beside the files that the page shows, so a reader can repeat them. Their
// pictures are those that the sessions draw. The commands of the papers' tables are run too.
func TestPages(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(pages) < 10 {
		t.Fatalf("only %d pages (%v)", len(pages), err)
	}
	drawn := map[string]bool{
		"report.png":    true, // reports/summary draws it in a browser
		"pipelines.png": true, // internal/evidence/pipelines draws it
	}
	pages = append(pages, "../../README.md")
	ran := 0
	for _, path := range pages {
		page := strings.ReplaceAll(strings.TrimPrefix(filepath.ToSlash(path), "../../"), "/", " ")
		t.Run(page, func(t *testing.T) {
			width := 100
			if page == "README.md" {
				width = 80
			}
			dir := scratch(t)
			document(t, path, dir, width)
			if page == "docs papers.md" {
				tableOfCommands(t, path, dir)
			}
			pictures(t, dir, drawn)
			ran++
		})
	}
	if ran < len(pages) {
		return // -run has selected some
	}
	kept, err := filepath.Glob("../../docs/*.png")
	if err != nil || len(kept) == 0 {
		t.Fatalf("no pictures (%v)", err)
	}
	for _, path := range kept {
		if !drawn[filepath.Base(path)] {
			t.Errorf("no page draws %s", path)
		}
	}
}

// docs/export.md lists the forms of rules by the names that the program takes.
func TestRulesPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/export.md")
	if err != nil {
		t.Skip(err)
	}
	names := rules.FormNames
	last := len(names) - 1
	want := "formats are `" + strings.Join(names[:last], "`, `") + "` and `" + names[last] + "`."
	if !strings.Contains(strings.ReplaceAll(string(page), "\n", " "), want) {
		t.Errorf("docs/export.md lacks %q", want)
	}
}

// shownFile matches a block that shows a file, whose name stands in a comment in its first line.
var shownFile = regexp.MustCompile("(?m)^```[a-z]+\n# ([a-z-]+\\.[a-z]+)\n((?:[^`].*\n|\n)*)```$")

// document runs the sessions of a page in dir, on a terminal of the width.
func document(t *testing.T, path, dir string, width int) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range shownFile.FindAllStringSubmatch(string(text), -1) {
		show(t, filepath.Join(dir, file[1]), file[2])
	}
	var b strings.Builder
	rest := string(text)
	for {
		before, block, found := strings.Cut(rest, "```console\n")
		b.WriteString(before)
		if !found {
			break
		}
		body, after, closed := strings.Cut(block, "```\n")
		if !closed {
			t.Fatalf("a console block is not closed:\n%s", block)
		}
		b.WriteString("```console\n" + session(t, dir, body, width) + "```\n")
		rest = after
	}
	if got := b.String(); *update && got != string(text) && !t.Failed() {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// show writes a file that a page shows. If demo has written it already, it must be the same.
func show(t *testing.T, path, text string) {
	t.Helper()
	if there, err := os.ReadFile(path); err == nil && string(there) != text {
		t.Errorf("%s is\n%s\nshown is\n%s", filepath.Base(path), there, text)
	} else if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// The commands of the package comment work.
func TestPackageComment(t *testing.T) {
	text, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	var body strings.Builder
	for line := range strings.Lines(string(text)) {
		if shown, ok := strings.CutPrefix(line, "//\t"); ok {
			body.WriteString(shown)
		}
	}
	if body.Len() == 0 {
		t.Fatal("the package comment shows no command")
	}
	session(t, scratch(t), body.String(), 0)
}

// The commands that demo prints work in the folder that it makes, in their order.
func TestDemo(t *testing.T) {
	var commands strings.Builder
	for line := range strings.Lines(demo.Commands) {
		if strings.HasPrefix(line, "halfpeak ") {
			commands.WriteString("$ " + line)
		}
	}
	if n := strings.Count(commands.String(), "\n"); n != 11 {
		t.Errorf("demo lists %d commands, want 11", n)
	}
	session(t, scratch(t), commands.String(), 0)
}

// tableOfCommands runs the commands in the last column of a page's tables.
func tableOfCommands(t *testing.T, path, dir string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var commands strings.Builder
	for _, command := range regexp.MustCompile("(?m)\\| `(halfpeak [^`]+)` \\|$").FindAllSubmatch(text, -1) {
		commands.WriteString("$ " + string(command[1]) + "\n")
	}
	if strings.Count(commands.String(), "\n") < 10 {
		t.Fatalf("%s shows only\n%s", path, commands.String())
	}
	session(t, dir, commands.String(), 0)
}

// pictures compares the pictures in dir with those of the same names in docs, and notes them in
// drawn. A difference of two parts in 100 of a colour is allowed: processors with fused
// multiply-add round edges of lines differently.
func pictures(t *testing.T, dir string, drawn map[string]bool) {
	t.Helper()
	made := map[string]string{} // paths by name; a figure that a command of its own draws counts
	for _, pattern := range []string{"plots/*.png", "*.png"} {
		paths, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			made[filepath.Base(path)] = path
		}
	}
	for name, path := range made {
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		target := filepath.Join("../../docs", name)
		want, err := os.ReadFile(target)
		if err != nil {
			continue // a picture that the page does not show
		}
		drawn[name] = true
		if same, err := cmpimg.EqualApprox("png", got, want, 0.02); same && err == nil {
			continue
		}
		if !*update {
			t.Errorf("%s is not what its command draws; with -update it is, and then look at it", target)
		} else if err := os.WriteFile(target, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// Every picture of the pages for users has a text for those who cannot see it.
func TestAltTexts(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(pages, "../../README.md") {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(text, []byte("![](")) || regexp.MustCompile(`<img(?:[^a]|a[^l])*>`).Match(text) {
			t.Errorf("%s has a picture without a text", path)
		}
	}
}

func scratch(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "samples")
	if err := demo.Write(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A shown command is a line "$ halfpeak …" with the output under it.
type shown struct{ line, want string }

// session runs the commands of a block in dir and compares their output, byte for byte, with that
// on a terminal of the width, or in a pipe if it is 0; a line "..." stands for any number of lines,
// and a blank line before the next command is layout. "$ cat FILE" shows an input, which need not be
// there. A block without any output is a list of commands, which must work. It returns the block as
// it should be.
func session(t *testing.T, dir, block string, width int) string {
	t.Helper()
	var commands []shown
	for line := range strings.Lines(block) {
		switch {
		case strings.HasPrefix(line, "$ "):
			commands = append(commands, shown{line: line})
		case len(commands) == 0:
			t.Errorf("%q stands before the first command", line)
		case strings.HasSuffix(commands[len(commands)-1].line, "\\\n"):
			commands[len(commands)-1].line += line
		default:
			commands[len(commands)-1].want += line
		}
	}
	list := !slices.ContainsFunc(commands, func(c shown) bool { return c.want != "" })
	var b strings.Builder
	for i, c := range commands {
		layout := ""
		if i < len(commands)-1 && strings.HasSuffix("\n"+c.want, "\n\n") {
			c.want, layout = c.want[:len(c.want)-1], "\n"
		}
		line := strings.TrimSuffix(strings.TrimPrefix(c.line, "$ "), "\n")
		if !strings.HasPrefix(line, "halfpeak ") && !strings.HasPrefix(line, "cat ") {
			t.Errorf("%q is no command of halfpeak; show it in a block of sh", line)
			continue
		}
		if file, ok := strings.CutPrefix(line, "cat "); ok {
			show(t, filepath.Join(dir, file), c.want)
		}
		cmd := exec.Command("sh", "-c", line)
		cmd.Dir = dir
		if width > 0 {
			cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", widthVariable, width))
		}
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Run(); err != nil {
			t.Errorf("%s: %v\n%s", line, err, out.String())
			continue
		}
		got := out.String()
		switch {
		case list || matches(got, c.want):
			got = c.want
		case !*update:
			t.Errorf("%s\nprints\n%s\nshown is\n%s\n(go test ./cmd/halfpeak -update shows what it prints)", line, got, c.want)
		case strings.Count("\n"+c.want, "\n...\n") > 1:
			t.Errorf("%s\nprints\n%s\nshown is\n%s", line, got, c.want)
		case strings.Contains("\n"+c.want, "\n...\n"):
			if got = abridged(got, c.want); !matches(out.String(), got) {
				t.Errorf("%s\nprints\n%s\nshown is\n%s", line, out.String(), c.want)
			}
		}
		b.WriteString(c.line + got + layout)
	}
	return b.String()
}

// abridged returns text with as many lines before and after a line "..." as pattern has.
func abridged(text, pattern string) string {
	before, after, _ := strings.Cut("\n"+pattern, "\n...\n")
	lines := slices.Collect(strings.Lines(text))
	first, last := strings.Count(before, "\n"), strings.Count(after, "\n")
	if first+last > len(lines) {
		return text
	}
	kept := slices.Concat(lines[:first], []string{"...\n"}, lines[len(lines)-last:])
	return strings.Join(kept, "")
}

// matches reports whether text is pattern, in which a line "..." stands for any lines.
func matches(text, pattern string) bool {
	before, after, dots := strings.Cut("\n"+pattern, "\n...\n")
	if !dots {
		return text == pattern
	}
	before = strings.TrimPrefix(before+"\n", "\n")
	rest, ok := strings.CutPrefix(text, before)
	if !ok {
		return false
	}
	for {
		if matches(rest, after) {
			return true
		}
		_, next, more := strings.Cut(rest, "\n")
		if !more {
			return false
		}
		rest = next
	}
}

func TestMatches(t *testing.T) {
	check := func(text, pattern string, want bool) {
		t.Helper()
		if got := matches(text, pattern); got != want {
			t.Errorf("matches(%q, %q) = %v", text, pattern, got)
		}
	}
	check("a\nb\n", "a\nb\n", true)
	check("a\nb\n", "a\n", false)
	check("a\nb \n", "a\nb\n", false)
	check("a\nb\nc\n", "...\n", true)
	check("", "...\n", true)
	check("a\nb\nc\n", "a\n...\n", true)
	check("a\nb\nc\n", "...\nc\n", true)
	check("a\nb\nc\n", "a\n...\nc\n", true)
	check("a\nb\nc\n", "a\n...\nb\n", false)
	check("a\nb\nc\nb\n", "a\n...\nb\n", true)
	check("a\nb\nc\n", "b\n...\n", false)
	check("a\nb\nc\nd\n", "...\nb\n...\nd\n", true)
	check("a\nb...\n", "a\n...\nc\n", false)
}

// The index names every command.
func TestIndexHasAllCommands(t *testing.T) {
	text, err := os.ReadFile("../../docs/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range newRoot().Commands() {
		if named := regexp.MustCompile("`" + c.Name() + `\b`); c.IsAvailableCommand() && !named.Match(text) {
			t.Errorf("docs/README.md does not name the command %s", c.Name())
		}
	}
}

// The Go programs of README and docs/library.md stand as gofmt has them, compile as they are, and
// print what their last comment says.
func TestPrograms(t *testing.T) {
	for _, page := range []string{"../../README.md", "../../docs/library.md"} {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		_, program, found := strings.Cut(string(text), "```go\n")
		program, _, closed := strings.Cut(program, "```")
		if !found || !closed {
			t.Errorf("%s has no Go program", page)
			continue
		}
		if formatted, err := format.Source([]byte(program)); err != nil || string(formatted) != program {
			t.Errorf("%s: the program is not as gofmt has it (%v)", page, err)
		}
		_, comment, _ := strings.Cut(program, "\n// Output:\n")
		want := strings.ReplaceAll("\n"+comment, "\n// ", "\n")[1:]
		path := filepath.Join(t.TempDir(), "main.go")
		if err := os.WriteFile(path, []byte(program), 0o666); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("go", "run", path)
		cmd.Dir = "../../internal/demo/files"
		if got, err := cmd.CombinedOutput(); err != nil || string(got) != want {
			t.Errorf("%s: %v: %s, want %q", page, err, got, want)
		}
	}
}
