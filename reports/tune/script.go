package tune

import (
	"cmp"
	_ "embed"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/template"

	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/usage"
)

// A benchmark is a program that measures a collective. Names and the meaning of sizes
// differ between them: whole lists the collectives whose size is that of all ranks'
// blocks.
type benchmark struct {
	name   string
	words  map[string]string // its names of collectives; nil: all, by MPI's names with underscores
	whole  []string          // collectives with the size of all ranks' blocks in its command
	floats []string          // collectives that it runs on whole numbers of floatBytes alone
	run    string            // command with the collective's name and the size in bytes
}

var scripted = []benchmark{
	{
		name: "osu", whole: []string{"reduce-scatter"},
		floats: []string{"allreduce", "reduce", "reduce-scatter"},
		run:    "${BENCHMARKS}osu_%[1]s -m %[2]d:%[2]d",
	},
	{
		name: "calibrate",
		words: map[string]string{
			"bcast": "bcast", "allreduce": "allreduce", "allgather": "allgather",
			"alltoall": "alltoall", "reduce": "reduce", "barrier": "barrier",
		},
		run: "${BENCHMARKS}calibrate --passes 3 --minutes 0.1" +
			" --only-collectives %[1]s --smallest %[2]d --largest %[2]d",
	},
	{
		name: "nccl-tests", whole: []string{"allgather", "reduce-scatter"},
		words: map[string]string{
			"bcast": "broadcast", "allreduce": "all_reduce", "allgather": "all_gather",
			"reduce": "reduce", "reduce-scatter": "reduce_scatter",
		},
		run: "${BENCHMARKS}%[1]s_perf -b %[2]d -e %[2]d -g 1",
	},
}

// floatBytes is the size of a C float, on which OSU's reductions work.
var floatBytes = uint64(binary.Size(float32(0)))

// Benchmarks are the names of the benchmarks that scripts can run.
var Benchmarks = list.Map(scripted, func(b benchmark) string { return b.name })

//go:embed script.sh.tmpl
var scriptText string

var scriptTemplate = template.Must(template.New("script").Parse(scriptText))

// A duelLines holds the commands of a round: of the choice and of the library's own, or if one
// launch measures both, of the choice alone.
type duelLines struct{ Choice, Own string }

// writeScript writes a shell script, of this number, that measures candidates in several passes,
// since disturbances last, and then runs the duels of others in rounds. Each measurement has its
// own file in the script's folder, unless it fails; if the file exists, the script skips the
// measurement. If bench is empty, it runs the library's default benchmark. The errors are unknown
// benchmarks, and collectives that a benchmark does not measure.
func (m *Map) writeScript(w io.Writer, candidates, duels []int, number int,
	bench string) error {
	bench = cmp.Or(bench, m.library.benchmark)
	i := slices.IndexFunc(scripted, func(b benchmark) bool { return b.name == bench })
	if i < 0 {
		return fmt.Errorf("no benchmark %q%s", bench, usage.Hint(bench, Benchmarks))
	}
	b := scripted[i]
	script := struct {
		Number       int
		Measurements []string
		Duels        []duelLines
	}{Number: number}
	for _, i := range candidates {
		line, err := m.command(b, i, false)
		if err != nil {
			return err
		}
		script.Measurements = append(script.Measurements, line)
	}
	together := m.library.versus != nil && b.name == "calibrate"
	for _, i := range duels {
		choice, err := m.command(b, i, together)
		if err != nil {
			return err
		}
		lines := duelLines{Choice: choice}
		if !together {
			if lines.Own, err = m.command(b, m.own(m.callOf(i)), false); err != nil {
				return err
			}
		}
		script.Duels = append(script.Duels, lines)
	}
	return scriptTemplate.Execute(w, script)
}

// command returns the name of a candidate's file, and the command that measures the candidate with
// a benchmark, alone or together with the library's own choice.
func (m *Map) command(b benchmark, i int, together bool) (string, error) {
	c := m.Choices[i]
	word := c.word()
	if b.words != nil {
		if word = b.words[c.Collective]; word == "" {
			known := strings.Join(slices.Sorted(maps.Keys(b.words)), ", ")
			return "", fmt.Errorf("%s does not measure %s; it has %s", b.name, c.Collective, known)
		}
	}
	bytes := uint64(c.Size)
	if slices.Contains(b.whole, c.Collective) {
		bytes = c.total()
	}
	if bytes%floatBytes != 0 && slices.Contains(b.floats, c.Collective) {
		return "", fmt.Errorf("%s runs %s on numbers of %d bytes, and %d bytes are not a multiple "+
			"of %[3]d; give other sizes, or choose another benchmark", b.name, c.Collective,
			floatBytes, bytes)
	}
	force, place := "", ""
	run := fmt.Sprintf(b.run, word, bytes)
	switch {
	case together:
		environment, variables := m.library.versus(c)
		force, run = environment+" ", run+" --passes 8 --versus "+variables
	case c.Name != LibraryChoice:
		force = m.library.force(c) + " "
	}
	if c.PerNode > 0 {
		place = fmt.Sprintf(" "+m.library.perNode, c.PerNode)
	}
	return fmt.Sprintf("%s %s$MPIRUN -n %d%s %s", c.file(), force, c.Ranks, place, run), nil
}

// callOf returns the call of a candidate.
func (m *Map) callOf(candidate int) int { return m.candidates[candidate].Call }

// seconds returns the expected duration of a candidate's measurement: three runs that take a second
// to start and have a thousand calls, or as many as fit in half a second but at least ten.
func (m *Map) seconds(i int) float64 {
	const micro = 1e-6
	call := micro * float64(m.expected(i))
	return 3 * (1 + call*max(10, min(1000, 0.5/call)))
}

// until returns the first candidates, at least one, whose measurements together take at most the
// given seconds.
func (m *Map) until(candidates []int, seconds float64) []int {
	for k, i := range candidates {
		if seconds -= m.seconds(i); seconds < 0 {
			return candidates[:max(1, k)]
		}
	}
	return candidates
}
