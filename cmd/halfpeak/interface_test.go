package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/halfpeak/halfpeak/reports/fits"
)

// runOutput runs a command and returns what it prints; the exit status must be 0.
func runOutput(t *testing.T, args ...string) []byte {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if status := run(args, strings.NewReader(""), &stdout, &stderr); status != 0 {
		t.Fatalf("halfpeak %s: status %d: %s", strings.Join(args, " "), status, stderr.String())
	}
	return stdout.Bytes()
}

// Every command says what it is for, shows an example if it takes arguments,
// and explains every flag.
func TestHelp(t *testing.T) {
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		if cmd.Short == "" || strings.HasSuffix(cmd.Short, ".") {
			t.Errorf("%s: short description %q", cmd.CommandPath(), cmd.Short)
		}
		if strings.ContainsAny(cmd.Use, " ") && cmd.Example == "" && !cmd.Hidden {
			t.Errorf("%s takes arguments and has no example", cmd.CommandPath())
		}
		for line := range strings.Lines(cmd.Long + "\n" + cmd.Example) {
			if !strings.Contains(line, "  ") && len([]rune(line)) > 120 {
				t.Errorf("%s: %q is wider than a terminal", cmd.CommandPath(), line)
			}
		}
		help := string(runOutput(t, append([]string{"help", "--all"},
			strings.Fields(cmd.CommandPath())[1:]...)...))
		for name := range strings.FieldsSeq(usualFlags[cmd.Name()]) {
			if cmd.Flags().Lookup(name) == nil {
				t.Errorf("%s has no flag --%s", cmd.CommandPath(), name)
			}
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Usage == "" || !strings.Contains(help, "--"+f.Name) {
				t.Errorf("%s: no help about --%s", cmd.CommandPath(), f.Name)
			}
		})
		for _, c := range cmd.Commands() {
			walk(c)
		}
	}
	walk(newRoot())
}

// Each example in the help is a command line that parses: known commands,
// known flags, fitting values.
func TestExamplesParse(t *testing.T) {
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		for line := range strings.Lines(strings.ReplaceAll(cmd.Example, "\\\n", "")) {
			line, _, _ = strings.Cut(strings.TrimSpace(line), " #")
			if line == "" {
				continue
			}
			args := strings.Fields(strings.ReplaceAll(line, "'", ""))
			if args[0] != "halfpeak" {
				t.Errorf("%s: example %q does not start with halfpeak", cmd.CommandPath(), line)
				continue
			}
			found, rest, err := newRoot().Find(args[1:])
			if err != nil || found.CommandPath() != cmd.CommandPath() {
				t.Errorf("%s: example %q is of %s (%v)", cmd.CommandPath(), line, found.CommandPath(), err)
				continue
			}
			if strings.Contains(line, "'") {
				continue // a shell's quotes
			}
			if err := found.ParseFlags(rest); err != nil {
				t.Errorf("%s: example %q: %v", cmd.CommandPath(), line, err)
			} else if found.Args != nil {
				if err := found.Args(found, found.Flags().Args()); err != nil {
					t.Errorf("%s: example %q: %v", cmd.CommandPath(), line, err)
				}
			}
		}
		for _, c := range cmd.Commands() {
			walk(c)
		}
	}
	walk(newRoot())
}

// Every command belongs to a chapter of the help, and each chapter's title shows a command of it.
func TestChapters(t *testing.T) {
	root := newRoot()
	for _, c := range root.Commands() {
		if c.GroupID == "" && topics[c.Name()] == nil {
			t.Errorf("%s is in no chapter", c.Name())
		}
	}
	for _, c := range chapters() {
		found, _, err := root.Find(strings.Fields(c.example)[1:])
		if err != nil || found.GroupID != c.title {
			t.Errorf("%s: the example %q is of %q (%v)", c.title, c.example, found.GroupID, err)
		}
		if title := c.title + ": " + c.example; len(title) > helpWidth {
			t.Errorf("%q is wider than %d columns", title, helpWidth)
		}
	}
}

// The help of fit explains each word that --model takes.
func TestModelsAreExplained(t *testing.T) {
	help := newFit().Long
	for _, name := range fits.Models {
		if !strings.Contains(help, "\n  "+name+" ") {
			t.Errorf("docs/commands.md, fit: no line explains the model %s", name)
		}
	}
}

// Each flag whose help says that a file is written is known to the guard of input files.
func TestOutputsAreGuarded(t *testing.T) {
	outputs := 0
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			_, guarded := f.Annotations[writesFile]
			says := strings.Contains(f.Usage, "`file`") && (strings.HasPrefix(f.Usage, "write ") || strings.HasPrefix(f.Usage, "draw ") || strings.Contains(f.Usage, ": write "))
			if says != guarded {
				t.Errorf("%s --%s: writes a file by its help: %v, is declared by outputFlag: %v", cmd.CommandPath(), f.Name, says, guarded)
			}
			if guarded {
				outputs++
			}
		})
		for _, c := range cmd.Commands() {
			walk(c)
		}
	}
	walk(newRoot())
	if outputs < 10 {
		t.Errorf("only %d outputs seen", outputs)
	}
}

func TestExitStatus(t *testing.T) {
	for command, want := range map[string]int{
		"version":                        0,
		"predict clip --size 1":          0,
		"help":                           0,
		"predict absent.toml --size 1":   1,
		"fit absent.out":                 1,
		"predict clip --size 1 --format": 2,
		"predict clip --siez 1":          2,
		"predict":                        2,
		"prdict clip":                    2,
	} {
		var stdout, stderr bytes.Buffer
		if got := run(strings.Fields(command), strings.NewReader(""), &stdout, &stderr); got != want {
			t.Errorf("halfpeak %s: status %d, want %d: %s", command, got, want, stderr.String())
		}
		if (want == 0) != (stderr.Len() == 0) || (want == 0) != (stdout.Len() > 0) {
			t.Errorf("halfpeak %s: status %d, %d bytes on stdout, and on stderr %q", command, want, stdout.Len(), stderr.String())
		}
	}
}
