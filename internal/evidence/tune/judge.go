package main

import (
	"bufio"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
)

//go:embed c/judge.c
var judgeC string

// launches is the number of launches of judge.c, of which each result is the median.
const launches = 9

// A verdict is what judge.c says of a call.
type verdict struct {
	collective       string
	ranks            int
	size             string
	choice, expected string // as the rules file's comments have them
	argument         string // of judge.c
	gain, null       []float64
	own, forced      []float64 // µs
}

// judge compares the rules that tune wrote for Open MPI with the library's own choices, in launches
// of judge.c, and prints a row for each call of the rules file.
func judge(ctx context.Context, path string, out io.Writer) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	all, err := calls(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	dir, err := os.MkdirTemp("", "judge")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	source, program := filepath.Join(dir, "judge.c"), filepath.Join(dir, "judge")
	if err := os.WriteFile(source, []byte(judgeC), 0o666); err != nil {
		return err
	}
	build := exec.CommandContext(ctx, "mpicc.openmpi", "-O2", source, "-o", program)
	if text, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("mpicc.openmpi: %w\n%s", err, text)
	}
	for range launches {
		if err := launch(ctx, program, all); err != nil {
			return err
		}
	}
	percent := func(ratios []float64) float64 { return 100 * (stats.QuantileOf(ratios, 0.5) - 1) }
	fmt.Fprintln(out, "| collective | ranks | size | default | choice | gain in the duel | "+
		"judge's gain | two defaults |\n|---|---|---|---|---|---|---|---|")
	for _, v := range all {
		fmt.Fprintf(out, "| %s | %d | %s | %.2f µs | %s | %s | %+.1f %% | %+.1f %% |\n",
			v.collective, v.ranks, v.size, stats.QuantileOf(v.own, 0.5), v.choice, v.expected,
			percent(v.gain), percent(v.null))
	}
	return nil
}

// launch runs judge.c once for each number of ranks, and adds its results.
func launch(ctx context.Context, program string, all []*verdict) error {
	of := map[int][]*verdict{}
	for _, v := range all {
		of[v.ranks] = append(of[v.ranks], v)
	}
	for ranks, of := range of {
		args := []string{"-np", strconv.Itoa(ranks), program}
		for _, v := range of {
			args = append(args, v.argument)
		}
		cmd := exec.CommandContext(ctx, "mpirun.openmpi", args...)
		cmd.Env = append(os.Environ(), "OMPI_MCA_coll_tuned_use_dynamic_rules=1",
			"OMPI_MCA_coll_tuned_priority=100", "OMPI_MCA_rmaps_base_oversubscribe=1",
			"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
		text, err := cmd.Output()
		var failed *exec.ExitError
		if errors.As(err, &failed) {
			return fmt.Errorf("mpirun.openmpi: %w\n%s", err, failed.Stderr)
		} else if err != nil {
			return err
		}
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		if len(lines) != len(of) {
			return fmt.Errorf("%d results of %d calls", len(lines), len(of))
		}
		for i, v := range of {
			var x [4]float64
			if _, err := fmt.Sscan(lines[i], &x[0], &x[1], &x[2], &x[3]); err != nil {
				return err
			}
			v.gain, v.null = append(v.gain, x[0]), append(v.null, x[1])
			v.own, v.forced = append(v.own, x[2]), append(v.forced, x[3])
		}
	}
	return nil
}

// calls returns the calls that the comments of a rules file list, each with the algorithm that the
// file's rules give for it.
func calls(text string) (all []*verdict, err error) {
	rules, err := parseRules(text)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(text) {
		// # bcast, 4 ranks, 1 MiB: linear, the library's choice takes 29.4 % longer (…), …
		head, tail, ok := strings.Cut(strings.TrimPrefix(line, "# "), ": ")
		parts := strings.Split(head, ", ")
		if !ok || len(parts) != 3 || !strings.HasSuffix(parts[1], " ranks") {
			continue
		}
		v := &verdict{collective: parts[0], size: parts[2], expected: "–"}
		if v.ranks, err = strconv.Atoi(strings.TrimSuffix(parts[1], " ranks")); err != nil {
			return nil, err
		}
		v.choice, tail, _ = strings.Cut(tail, ", ")
		if _, longer, ok := strings.Cut(tail, "the library's choice takes "); ok {
			v.expected, _, _ = strings.Cut(longer, " longer")
		}
		bytes, err := quantity.ParseBytes(strings.ReplaceAll(parts[2], " ", ""))
		if err != nil {
			return nil, err
		}
		r := rules[parts[0]].at(v.ranks).at(int(bytes))
		if r.algorithm == 0 {
			v.choice = "default"
		}
		v.argument = fmt.Sprintf("%s:%d:%d:%d:%d", parts[0], int(bytes), r.algorithm, r.segment,
			r.fanout)
		all = append(all, v)
	}
	if len(all) == 0 {
		return nil, errors.New("no comments of tune about calls")
	}
	return all, nil
}

// A rule holds from a number of bytes on; algorithm 0 is the library's choice.
type rule struct{ from, algorithm, fanout, segment int }

// ruleList and rankRules are in ascending order: the last entry that begins at or below a value
// holds for it.
type (
	ruleList  []rule
	rankRules []struct {
		from  int
		rules ruleList
	}
)

func (l ruleList) at(bytes int) (r rule) {
	for _, x := range l {
		if x.from <= bytes {
			r = x
		}
	}
	return r
}

func (l rankRules) at(ranks int) (r ruleList) {
	for _, x := range l {
		if x.from <= ranks {
			r = x.rules
		}
	}
	return r
}

// collectiveIDs are Open MPI's numbers of collectives in rules files.
var collectiveIDs = map[int]string{0: "allgather", 2: "allreduce", 3: "alltoall", 7: "bcast",
	11: "reduce"}

// parseRules reads a rules file of Open MPI, by collective.
func parseRules(text string) (map[string]rankRules, error) {
	var words strings.Builder
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		words.WriteString(line + "\n")
	}
	in := bufio.NewReader(strings.NewReader(words.String()))
	failed := error(nil)
	next := func() (n int) {
		if _, err := fmt.Fscan(in, &n); err != nil && failed == nil {
			failed = fmt.Errorf("the rules end early: %w", err)
		}
		return n
	}
	all := map[string]rankRules{}
	for range next() {
		name := collectiveIDs[next()]
		for range next() {
			from, list := next(), ruleList(nil)
			for range next() {
				r := rule{from: next()}
				r.algorithm, r.fanout, r.segment = next(), next(), next()
				list = append(list, r)
			}
			all[name] = append(all[name], struct {
				from  int
				rules ruleList
			}{from, list})
		}
		if failed != nil {
			break
		}
	}
	return all, failed
}
