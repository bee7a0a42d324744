package tune

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/schedule/collective/rules"
	"github.com/halfpeak/halfpeak/internal/atomicfile"
	"github.com/halfpeak/halfpeak/internal/nearest"
	"github.com/halfpeak/halfpeak/study/collectives"
)

// A benchmark measures a collective. Its command gets the ranks' environment, the word of the
// collective, and the size in bytes.
type benchmark struct {
	name  string
	words map[string]string // of the collectives; nil: all, by MPI's words with underscores
	whole []string          // collectives whose size is that of all ranks
	run   string            // the command, of the word and the size
}

var benchmarks = []benchmark{
	{"osu", nil, []string{"reduce-scatter"}, "${BENCHMARKS}osu_%[1]s -m %[2]d:%[2]d"},
	{"calibrate", map[string]string{"bcast": "bcast", "allreduce": "allreduce", "allgather": "allgather", "alltoall": "alltoall", "reduce": "reduce", "barrier": "barrier"}, nil,
		"${BENCHMARKS}calibrate --passes 3 --minutes 0.1 --only-collectives %[1]s --smallest %[2]d --largest %[2]d"},
	{"nccl-tests", map[string]string{"bcast": "broadcast", "allreduce": "all_reduce", "allgather": "all_gather", "reduce": "reduce", "reduce-scatter": "reduce_scatter"},
		[]string{"allgather", "reduce-scatter"}, "${BENCHMARKS}%[1]s_perf -b %[2]d -e %[2]d -g 1"},
}

// Benchmarks returns the names of the benchmarks that scripts can run.
func Benchmarks() (all []string) {
	for _, b := range benchmarks {
		all = append(all, b.name)
	}
	return all
}

// WriteScript writes a shell script that measures candidates in several passes, since disturbances
// last, each time into a file of its own in the script's folder. It leaves out those whose file is
// there; a measurement that fails leaves no such file. An empty bench is the library's usual one.
// It is an error if there is no such benchmark, or if it does not measure a collective.
func (m *Map) WriteScript(w io.Writer, which []int, bench string) error {
	bench = cmp.Or(bench, m.library.benchmark)
	i := slices.IndexFunc(benchmarks, func(b benchmark) bool { return b.name == bench })
	if i < 0 {
		return fmt.Errorf("no benchmark %q%s", bench, nearest.Hint(bench, Benchmarks()))
	}
	b := benchmarks[i]
	var text strings.Builder
	text.WriteString(`#!/bin/sh
# MPIRUN starts the ranks, BENCHMARKS is the path of the benchmarks with its last slash, and REPEATS
# the number of passes over all measurements; the fastest pass of each counts.
: "${MPIRUN:=mpirun}" "${BENCHMARKS:=}" "${REPEATS:=3}"
case $BENCHMARKS in '' | /* | *' '*) ;; *) BENCHMARKS=$PWD/$BENCHMARKS ;; esac
cd "$(dirname "$0")" || exit 1
failed=0
measure() { # NAME VARIABLE… COMMAND…: into the file of this pass, if it is not there
	file=$1.$pass.out
	shift
	[ -e "$file" ] && return
	if env "$@" >"$file.part" 2>"$file.err" </dev/null; then
		mv "$file.part" "$file" && rm -f "$file.err"
	else
		echo "$file: failed, see $file.err" >&2
		failed=1
	fi
}
for pass in $(seq "$REPEATS"); do
`)
	for _, i := range which {
		c := m.Choices[i]
		word := c.word()
		if b.words != nil {
			if word = b.words[c.Collective]; word == "" {
				return fmt.Errorf("%s does not measure %s; it has %s", b.name, c.Collective, strings.Join(slices.Sorted(maps.Keys(b.words)), ", "))
			}
		}
		bytes := uint64(c.Size)
		if slices.Contains(b.whole, c.Collective) {
			bytes = c.total()
		}
		force, place := "", ""
		if c.Name != LibraryChoice {
			force = m.library.force(c) + " "
		}
		if c.PerNode > 0 {
			place = fmt.Sprintf(" "+m.library.perNode, c.PerNode)
		}
		fmt.Fprintf(&text, "measure %s %s$MPIRUN -n %d%s %s\n", c.file(), force, c.Ranks, place, fmt.Sprintf(b.run, word, bytes))
	}
	text.WriteString("done\nexit $failed\n")
	_, err := io.WriteString(w, text.String())
	return err
}

// Seconds returns how long the measurement of a candidate takes, by the prediction: three runs of a
// second to start, and of a thousand calls, or as many as fit in half a second but at least ten.
func (m *Map) Seconds(i int) float64 {
	mean, deviation := m.Predict(i)
	call := 1e-6 * math.Exp(mean+deviation*deviation/2)
	return 3 * (1 + call*max(10, min(1000, 0.5/call)))
}

// Until returns the first candidates that take at most so many seconds, and at least one.
func (m *Map) Until(which []int, seconds float64) []int {
	for k, i := range which {
		if seconds -= m.Seconds(i); seconds < 0 {
			return which[:max(1, k)]
		}
	}
	return which
}

// Rules returns the decisions as [collectives.Times.Rules] does. There is none where the library's
// own choice is the best.
func (m *Map) Rules(decisions []Decision) (all []rules.Rule) {
	of := map[string]*collectives.Times{}
	for _, d := range decisions {
		if of[d.Collective] == nil {
			of[d.Collective] = &collectives.Times{}
		}
		t := of[d.Collective]
		t.Times = append(t.Times, collectives.Timing{Entry: d.Entry, Ranks: d.Ranks, Call: collective.Call{Bytes: uint64(d.Size), Segment: uint64(d.Segment)}})
	}
	for _, name := range slices.Sorted(maps.Keys(of)) {
		all = append(all, of[name].Rules()...)
	}
	return slices.DeleteFunc(all, func(r rules.Rule) bool { return r.Algorithm == LibraryChoice })
}

// WriteRules writes the decisions as the library's file of rules. Comments have its path, how it is
// used, and the expected loss of each decision.
func (m *Map) WriteRules(w io.Writer, path string, decisions []Decision) error {
	if _, err := fmt.Fprintf(w, "# %s\n# %s\n", atomicfile.Imprint, m.Use(path)); err != nil {
		return err
	}
	for _, d := range decisions {
		if _, err := fmt.Fprintf(w, "# %s, %d ranks, %s: %s, expected loss %.1f %%, %d of %d measured\n",
			d.Collective, d.Ranks, d.Size, d.Name, 100*d.Loss, d.Measured, d.Of); err != nil {
			return err
		}
	}
	return m.library.write(m, w, decisions)
}

// RulesFile returns the name of the library's rules file.
func (m *Map) RulesFile() string { return m.library.rules }

// Use says how a program takes the rules file.
func (m *Map) Use(path string) string { return fmt.Sprintf("Use: "+m.library.use, path) }
