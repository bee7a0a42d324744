package main

import (
	"math"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/internal/flags"
)

// Each kind of rule, with the command lines that break it and those that do not.
func TestRules(t *testing.T) {
	for _, c := range []struct {
		rule        rule
		line, error string // no error: ""
	}{
		{needs("--a, --b", "--c", ""), "--a=1", "--a requires --c"},
		{needs("--a, --b", "--c", ""), "--a=1 --b=1", "--a and --b require --c"},
		{needs("--a, --b", "--c", ""), "--a=1 --c", ""},
		{needs("--a, --b", "--c", ""), "--c", ""},
		{needs("--a", "--b, --c", "; see {--a}"), "--a=1", "--a requires --b or --c; see 1"},
		{needs("--c", "--a", ""), "--c=false", ""}, // not asked for
		{needs("", "--a, an argument", ""), "", "give --a or an argument"},
		{needs("", "--a, an argument", ""), "x", ""},
		{needs("--list", "one --sizes", ""), "--list=1 --sizes=1,2", "--list requires one --sizes"},
		{needs("--list", "one --sizes", ""), "--list=1 --sizes=1", ""},
		{needs("--a=2", "--b", ""), "--a=2", "--a 2 requires --b"},
		{needs("--a=2", "--b", ""), "--a=3", ""},
		{needs("--a with --b", "--c", ""), "--a=1", ""},
		{needs("--a with --b", "--c", ""), "--a=1 --b=1", "--a with --b requires --c"},
		{excludes("--a", "--b", ""), "--a=1 --b=1", "--a and --b cannot be combined"},
		{excludes("--a", "--b, --c", ""), "--a=1 --c", "--a excludes --b and --c"},
		{excludes("--a, --b", "an argument", "{} of {0}"), "--b=1 x", "--b of x"},
		{excludes("--a", "--b", ""), "--b=1", ""},
		{excludes("--a", "several --list", ""), "--a=1 --list=1", ""},
		{excludes("--a", "several --list", ""), "--a=1 --list=1 --list=2", "--a and several --list cannot be combined"},
		{within("--n", 1, 2, ""), "", ""}, // the default is 0
		{within("--n", 1, 2, ""), "--n=2", ""},
		{within("--n", 1, 2, ""), "--n=3", "--n must be 1 to 2 (got 3)"},
		{within("--x", 0, 1e8, ""), "--x=NaN", "--x must be 0 to 100000000 (got NaN)"},
		{atLeast("--n", 1, "; or omit it"), "--n=0", "--n must be at least 1 (got 0); or omit it"},
		{within("--list", 0, 1, "{n}"), "--list=1 --list=2", "2"},
	} {
		cmd := &cobra.Command{RunE: func(*cobra.Command, []string) error { return nil }, SilenceErrors: true, SilenceUsage: true}
		f := cmd.Flags()
		f.String("a", "", "")
		f.String("b", "", "")
		f.Bool("c", false, "")
		f.StringArray("list", nil, "")
		var sizes []int
		flags.Var(f, &sizes, flags.ParseRanks, "numbers", "sizes", "", "")
		f.Int("n", 0, "")
		f.Float64("x", 0, "")
		obey(cmd, func(args []string) facts { return facts{"an argument": len(args) > 0} }, c.rule)
		cmd.SetArgs(strings.Fields(c.line))
		if err := cmd.Execute(); err == nil && c.error != "" || err != nil && err.Error() != c.error {
			t.Errorf("%+v: %q: %v, want %q", c.rule, c.line, err, c.error)
		}
		if !strings.Contains(cmd.Annotations[rulesAnnotation], c.rule.text(c.rule.these)) {
			t.Errorf("help has %q", cmd.Annotations[rulesAnnotation])
		}
	}
	if text := atLeast("--n", math.MaxInt32, "").text([]string{"--n"}); text != "--n must be at least 2147483647" {
		t.Error(text)
	}
}
