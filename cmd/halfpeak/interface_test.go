package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
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

// Scripts depend on the keys of JSON and the columns of CSV: the promised ones
// come first and in their order, and both formats have the same.
func TestKeys(t *testing.T) {
	times := filepath.Join(t.TempDir(), "times.csv")
	if err := os.WriteFile(times, []byte("size,time_us\n1024,5\n2048,7\n4096,11\n8192,19\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ command, keys string }{
		{"predict clip --size 1,64KiB", "platform layer size_bytes one_way_us rtt_us gap_us bandwidth_mb_s throughput_mb_s packet_bytes regime"},
		{"packet clip --size 64KiB", "platform layer size_bytes method packet_bytes packets one_way_us bandwidth_mb_s"},
		{"fit " + times, "file format model segment from_bytes to_bytes points beta_us beta_low_us beta_high_us tau_us_per_kib tau_low_us_per_kib tau_high_us_per_kib median_error_percent p95_error_percent"},
		{"reproduce", "source place quantity role class printed computed unit error_percent note"},
		{"validate clip --size 1KiB", "platform layer program size_bytes quantity model engine measured unit error_percent"},
		{"compare clip hp-lam", "platform layer size_bytes"},
		{"platforms", "platform layer default model"},
		{"platforms show clip", "platform parameter value base_value base_unit source"},
		{"version", "version revision go"},
	} {
		args := strings.Fields(c.command)
		rows := jsonRows(t, runOutput(t, append(args, "--format", "json")...))
		table, err := csv.NewReader(bytes.NewReader(runOutput(t, append(args, "--format", "csv")...))).ReadAll()
		if err != nil {
			t.Errorf("%s: %v", c.command, err)
			continue
		}
		if len(rows) == 0 || len(rows) != len(table)-1 {
			t.Errorf("%s: %d rows in JSON, %d in CSV", c.command, len(rows), len(table)-1)
		}
		for i, keys := range rows {
			if !slices.Equal(keys, table[0]) {
				t.Errorf("%s: row %d has keys %q, the CSV columns %q", c.command, i, keys, table[0])
			}
		}
		want := strings.Fields(c.keys)
		if got := table[0][:min(len(want), len(table[0]))]; !slices.Equal(got, want) {
			t.Errorf("%s: keys\n  %s\nwant first\n  %s", c.command, strings.Join(table[0], " "), c.keys)
		}
	}
}

// jsonRows returns the keys of each object of an array, in their order. The
// objects are flat: a value is a number, a text, a bool, null, or a list of numbers.
func jsonRows(t *testing.T, text []byte) (rows [][]string) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	token := func() json.Token {
		k, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	if token() != json.Delim('[') {
		t.Fatal("no array")
	}
	for d.More() {
		var keys []string
		if token() != json.Delim('{') {
			t.Fatal("no object")
		}
		for d.More() {
			keys = append(keys, token().(string))
			switch token() {
			case json.Delim('{'):
				t.Fatalf("%q is an object", keys[len(keys)-1])
			case json.Delim('['):
				for d.More() {
					if v, ok := token().(float64); !ok {
						t.Fatalf("%q lists %v", keys[len(keys)-1], v)
					}
				}
				token()
			}
		}
		token()
		rows = append(rows, keys)
	}
	return rows
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
		help := string(runOutput(t, append(strings.Fields(cmd.CommandPath())[1:], "--help")...))
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
		for line := range strings.Lines(cmd.Example) {
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
