package tune

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// decided returns the decisions of a map.
func decided(t *testing.T, m *Map) []Decision {
	t.Helper()
	all, err := m.Decisions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s = %v, want %v ± %v", what, got, want, tolerance)
	}
}

func question() Question {
	return Question{Collectives: []string{"allreduce", "bcast"}, Library: "openmpi",
		Ranks: []int{4, 16}, PerNode: 4, Sizes: []quantity.Bytes{8, 65536}}
}

// All candidates can be asked for but those measured; after all were measured the loss is small.
func TestNext(t *testing.T) {
	m, err := NewMap(context.Background(), question())
	if err != nil {
		t.Fatal(err)
	}
	twice := question()
	twice.Collectives = append(twice.Collectives, "broadcast")
	if o, err := NewMap(context.Background(), twice); err != nil ||
		len(o.Choices) != len(m.Choices) {
		t.Errorf("a collective by two names: %d candidates, want %d; %v", len(o.Choices),
			len(m.Choices), err)
	}
	before := decided(t, m)
	if duels := m.nextDuels(before, 10, 0); len(duels) > 0 {
		t.Errorf("%d duels before any measurement", len(duels))
	}
	seen := map[int]bool{}
	for {
		next, err := m.tuner.Next(t.Context(), 10, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(next) == 0 {
			break
		}
		for _, i := range next {
			if seen[i] {
				t.Fatalf("candidate %d is asked for twice", i)
			}
			seen[i] = true
			c := m.Choices[i]
			m.measure(c, quantity.Micros(10+len(c.Name)))
		}
	}
	all := decided(t, m)
	if before, after := meanLoss(before), meanLoss(all); after > before/5 {
		t.Errorf("expected loss %.2f before and %.2f after everything was measured", before, after)
	}
	// the shortest names are the fastest, and the margin is for the library's choice
	for _, d := range all {
		want := len(d.Name)
		for _, c := range m.Choices {
			if c.Collective == d.Collective && c.Ranks == d.Ranks && c.Size == d.Size {
				want = min(want, len(c.Name))
			}
		}
		if len(d.Name) != want {
			t.Errorf("%s on %d ranks, %v: %s", d.Collective, d.Ranks, d.Size, d.Name)
		}
	}
	if rules := rulesOf(kept(all)); len(rules) != 0 {
		t.Errorf("rules without duels: %v", rules)
	}
	for _, i := range m.nextDuels(all, len(all), 0) {
		m.duels[i] = newDuel([]float64{0.3, 0.31, 0.29, 0.3})
	}
	if rules := rulesOf(kept(decided(t, m))); len(rules) == 0 || rules[0].Of.Name != "ring" {
		t.Errorf("rules after duels that were won: %v", rules)
	}
}

// A choice becomes a rule if the library's takes longer beyond the noise of the rounds, and by the
// margin; a state of the machine that comes and goes is noise.
func TestDuels(t *testing.T) {
	for _, test := range []struct {
		gains []float64
		wins  bool
	}{
		{[]float64{0.3, 0.3, 0.3}, false}, // too few
		{[]float64{0.3, 0.31, 0.29, 0.3}, true},
		{[]float64{0.02, 0.02, 0.02, 0.021}, false},             // within the margin
		{[]float64{0.9, -0.8, 0.05, 0.9, -0.8, 0.06}, false},    // two states
		{[]float64{0.2, 0.05, 0.12, 0.09, 0.15, 0.1}, true},     // noise below the gain
		{[]float64{-0.2, -0.1, -0.15, -0.2, -0.1, -0.1}, false}, // slower
	} {
		if got := newDuel(test.gains); got.wins() != test.wins {
			t.Errorf("%v: %+v", test.gains, got)
		}
	}
}

// Rounds of duels are paired by pass, and are not measurements: only the choice that wins is a rule.
func TestDuelsOfFolder(t *testing.T) {
	q := Question{Collectives: []string{"allreduce"}, Library: "openmpi", Ranks: []int{4}, PerNode: 4,
		Sizes: []quantity.Bytes{8, 65536}}
	folder := t.TempDir()
	write := func(name string, time float64) {
		text := fmt.Sprintf("# OSU MPI Allreduce Latency Test v7.4\n# Size  Avg Latency(us)\n%s   %.2f\n",
			strings.Split(name, ".")[4], time)
		if err := os.WriteFile(filepath.Join(folder, name+".out"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, size := range []string{"8", "65536"} {
		write("allreduce.default.0.4x4."+size+".1", 20)
		write("allreduce.ring.0.4x4."+size+".1", 10)
		for i, state := range []float64{1, 2, 1, 2, 1, 1} { // of the machine, in both launches of a round
			faster := map[string]float64{"8": 0.8, "65536": 1.1}[size]
			write(fmt.Sprintf("allreduce.default.0.4x4.%s.duel2-%d", size, i+1), 20*state)
			write(fmt.Sprintf("allreduce.ring.0.4x4.%s.duel2-%d", size, i+1), 20*state*faster)
		}
	}
	m, err := NewMap(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	if notes, err := m.ReadFolder(folder); err != nil || len(notes) > 0 {
		t.Fatal(notes, err)
	}
	for i, c := range m.Choices { // so that no algorithm without a measurement may be the fastest
		if len(m.measured[i]) == 0 {
			m.measure(c, 40)
		}
	}
	all := decided(t, m)
	near(t, "gain", all[0].Duel.percent(), 25, 0.01)
	if all[0].Name != "ring" || all[1].Name != LibraryChoice {
		t.Errorf("%s and %s; want ring, and the library's choice that ring did not beat", all[0].Name, all[1].Name)
	}
	// By the measurements, the library's choice takes twice as long as ring, and loses 100 %.
	call, own := all[1].Size, m.own(1)
	if before, after := m.tuner.Loss(own), all[1].Loss; before < 0.3 || after > before/2 {
		t.Errorf("%s: the library's choice, which won the duel, loses %.2f, without the duel %.2f", call, after, before)
	}
	var text strings.Builder
	if err := m.writeRules(&text, "rules.conf", all); err != nil ||
		!strings.Contains(text.String(), "8 B: ring, the library's choice takes 25.0 % longer (at least 25.0 %, 6 rounds)") {
		t.Errorf("%v\n%s", err, text.String())
	}
}

// Where the library's choice is as good, there is no rule.
func TestNoRuleWithoutGain(t *testing.T) {
	q := question()
	q.Ranks, q.Sizes = []int{4}, []quantity.Bytes{8}
	m, err := NewMap(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range m.Choices { // the library's choice is measured last
		if i > 0 {
			m.measure(c, quantity.Micros(10+i))
		}
	}
	if rules := rulesOf(decided(t, m)); len(rules) != 0 {
		t.Errorf("rules %v without a time of the library's choice, want none", rules)
	}
	if next, err := m.tuner.Next(t.Context(), 4, nil); err != nil || len(next) == 0 || m.Choices[next[0]].Name != LibraryChoice {
		t.Errorf("next: %v, want the library's choice first", next)
	}
	m.measure(m.Choices[0], 11.1)
	if rules := rulesOf(decided(t, m)); len(rules) != 0 {
		t.Errorf("rules %v against a choice as fast, want none", rules)
	}
}

func TestQuestionErrors(t *testing.T) {
	for want, change := range map[string]func(*Question){
		"no library":            func(q *Question) { q.Library = "openmp" },
		`no collective "redce"`: func(q *Question) { q.Collectives = []string{"redce"} },
		"ranks 3:":              func(q *Question) { q.Ranks = []int{3} },
		"nccl has no algorithm": func(q *Question) {
			q.Library, q.Collectives = "nccl", []string{"gather"}
		},
		"ranks 1: take at least": func(q *Question) { q.Ranks, q.PerNode = []int{1}, 0 },
	} {
		q := question()
		change(&q)
		if _, err := NewMap(context.Background(), q); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// OSU's reductions add numbers of 4 bytes: it would measure another size, or none.
func TestSizesOfFloats(t *testing.T) {
	q := question()
	q.Collectives, q.Sizes = []string{"allreduce"}, []quantity.Bytes{10}
	m, err := NewMap(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.writeScript(io.Discard, []int{0}, nil, 1, "osu"); err == nil || !strings.Contains(err.Error(), "10 bytes are not a multiple of 4") {
		t.Errorf("error %v", err)
	}
	if err := m.writeScript(io.Discard, []int{0}, nil, 1, "calibrate"); err != nil {
		t.Error(err)
	}
}

// A script names the variables of each library, and a file that is read again.
func TestScript(t *testing.T) {
	for _, c := range []struct{ library, bench, name, want string }{
		{"openmpi", "osu", "ring",
			"measure allreduce.ring.0.16x4.65536 OMPI_MCA_coll_tuned_priority=100 " +
				"OMPI_MCA_coll_tuned_use_dynamic_rules=1 " +
				"OMPI_MCA_coll_tuned_allreduce_algorithm=4 $MPIRUN -n 16 --map-by " +
				"ppr:4:node ${BENCHMARKS}osu_allreduce -m 65536:65536\n"},
		{"mpich", "osu", "ring",
			"MPIR_CVAR_DEVICE_COLLECTIVES=none MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM=ring " +
				"$MPIRUN -n 16 -ppn 4 ${BENCHMARKS}osu_allreduce -m 65536:65536\n"},
		{"nccl", "nccl-tests", "double-tree",
			"NCCL_ALGO=Tree $MPIRUN -n 16 --map-by ppr:4:node ${BENCHMARKS}all_reduce_perf -b " +
				"65536 -e 65536 -g 1\n"},
		{"openmpi", "osu", LibraryChoice, "measure allreduce.default.0.16x4.65536 $MPIRUN"},
	} {
		q := question()
		q.Library, q.Collectives = c.library, q.Collectives[:1]
		m, err := NewMap(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(m.Choices, func(o Choice) bool {
			return o.Name == c.name && o.Ranks == 16 && o.Size == 65536
		})
		var text strings.Builder
		if err := m.writeScript(&text, []int{i}, nil, 1, c.bench); err != nil ||
			!strings.Contains(text.String(), c.want) {
			t.Errorf("%v: the script lacks %q:\n%s", err, c.want, text.String())
		}
		dir := t.TempDir() // a path of the benchmarks is where the user is, not where the script is
		if err := os.MkdirAll(filepath.Join(dir, "results"), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "results", "measure.sh"), []byte(text.String()),
			0o666); err != nil {
			t.Fatal(err)
		}
		script := exec.Command("sh", "results/measure.sh")
		script.Dir, script.Env = dir,
			append(os.Environ(), "MPIRUN=echo", "BENCHMARKS=bench/", "REPEATS=1")
		if out, err := script.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
		started, _ := os.ReadFile(filepath.Join(dir, "results", m.Choices[i].file()+".1.out"))
		if !strings.Contains(string(started), dir+"/bench/") {
			t.Errorf("with BENCHMARKS=bench/ the script starts %s", started)
		}
		back, _, err := choiceOf(m.Choices[i].file() + ".1.out")
		if back.Entry = (collective.Entry{Collective: back.Collective,
			Name: back.Name}); err != nil || back.file() != m.Choices[i].file() {
			t.Errorf("%s is read as %+v, %v", m.Choices[i].file(), back, err)
		}
	}
}

// Each kind of output has one time; what cannot be read is left out with a note.
func TestReadFolder(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"allreduce.ring.0.16x4.65536.1.out": "# OSU MPI Allreduce Latency Test v7.4\n# Size    " +
			"   Avg Latency(us)\n65536                 41.50\n",
		"allreduce.ring.0.16x4.65536.2.out": "# OSU MPI Allreduce Latency Test v7.4\n# Size    " +
			"   Avg Latency(us)\n65536                 31.50\n",
		"bcast.binomial.0.16x4.8.1.out": "# halfpeak calibrate 1\n# 16 ranks\n# Open MPI\n# " +
			"level node holds 4\n" +
			"measure,level,way,pairs,bytes,variant,pass,repeats," +
			"median_us,low_us,high_us,min_us,max_us,average_us,outliers\n" +
			"bcast,,in,16,8,0,1,10,7.5,7,8,7,9,7.6,0\n" +
			"bcast,,in,16,8,0,2,10,7.0,7,8,7,9,7.6,0\n# 0.2 s\n",
		"allreduce.ring.0.16x4.8.1.out": "killed\n",
		"allreduce.ring.0.5x0.8.1.out": "# OSU MPI Allreduce Latency Test v7.4\n# Size   " +
			"    Avg Latency(us)\n8                 31.50\n",
		"notes.out":                          "mine\n",
		"allreduce.ring.0.16x4.8.1.out.part": "half of it",
		"allreduce.ring.0.16x4.8.1.out.err":  "of a measurement that is there\n",
		"allreduce.ring.0.4x4.8.1.out.err":   "no such algorithm\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	m, err := NewMap(context.Background(), question())
	if err != nil {
		t.Fatal(err)
	}
	notes, err := m.ReadFolder(folder)
	if err != nil || len(notes) != 3 || m.Unknown != 1 {
		t.Errorf("%v: notes %q, %d unknown; want 3 and 1", err, notes, m.Unknown)
	}
	if want := "did not end: 1; the first one's errors are in " +
		filepath.Join(folder,
			"allreduce.ring.0.4x4.8.1.out.err"); !strings.Contains(notes[len(notes)-1].Text, want) {
		t.Errorf("the last of %q does not say %q", notes, want)
	}
	for i, c := range m.Choices {
		switch c.file() {
		case "allreduce.ring.0.16x4.65536":
			near(t, "OSU", float64(m.expected(i)), 31.5, 1)
		case "bcast.binomial.0.16x4.8":
			near(t, "calibrate, the faster pass", float64(m.expected(i)), 7, 0.5)
		}
	}
	if len(m.measured) != 2 {
		t.Errorf("%d candidates were measured, want 2", len(m.measured))
	}
}

// Files of benchmarks count as they are: those without a collective are of the one that is asked
// about; ranks are where they were measured, if that is one placement; and the time of a forced
// algorithm that is not known here is not the library's own.
func TestReadFiles(t *testing.T) {
	const rows = `algorithm,%[1]s,bytes,time_us
default,%[2]s,1024,20
ring,%[2]s,1024,40
recursive_doubling,%[2]s,1024,12
swing,%[2]s,1024,4
`
	for _, c := range []struct {
		head, at         string
		perNode          int
		measured, others int
		note             string
	}{
		{"ranks", "8", 0, 3, 0, "can name swing"},
		{"nodes,ranks_per_node", "4,2", 0, 3, 0, "can name swing"},
		{"nodes,ranks_per_node", "4,2", 2, 3, 0, "can name swing"},
		{"nodes,ranks_per_node", "4,2", 4, 0, 3, "3 measurements are of these calls with other numbers"},
		{"ranks", "16", 0, 0, 3, "can name swing"},
	} {
		file := filepath.Join(t.TempDir(), "a.csv")
		if err := os.WriteFile(file, fmt.Appendf(nil, rows, c.head, c.at), 0o600); err != nil {
			t.Fatal(err)
		}
		q := Question{Collectives: []string{"allreduce"}, Library: "openmpi", Ranks: []int{8},
			PerNode: c.perNode, Sizes: []quantity.Bytes{1024}}
		m, err := NewMap(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		notes, err := m.ReadFiles([]string{file}, fit.Options{})
		if err != nil || len(m.measured) != c.measured || m.Unknown != c.others ||
			!strings.Contains(strings.Join(remark.Texts(notes), "\n"), c.note) {
			t.Errorf("%s %s, %d on a node: %v, measured %v, %d of others, notes %q",
				c.head, c.at, c.perNode, err, m.measured, m.Unknown, notes)
		}
		if own := float64(m.expected(m.own(0))); c.measured > 0 {
			near(t, "the library's choice", own, 20, 0.5)
		}
		q.Collectives = append(q.Collectives, "bcast")
		if m, err = NewMap(t.Context(), q); err != nil {
			t.Fatal(err)
		}
		if _, err = m.ReadFiles([]string{file}, fit.Options{}); err == nil {
			t.Error("rows of one of two collectives are no error")
		}
	}
}

// A platform's measured collectives count as files do.
func TestMeasuredOfPlatform(t *testing.T) {
	m, err := NewMap(t.Context(), Question{Collectives: []string{"allreduce"}, Library: "openmpi",
		Ranks: []int{8}, Sizes: []quantity.Bytes{1024}})
	if err != nil {
		t.Fatal(err)
	}
	m.ReadTables(platforms.Platform{Collectives: []platforms.MeasuredCollective{{
		Name: "own", Of: collective.Entry{Collective: "allreduce"}, Statistic: "slowest",
		Ranks: []int{8}, Sizes: []quantity.Bytes{1024}, Times: [][]quantity.Micros{{20}}}}})
	near(t, "the library's choice", float64(m.expected(m.own(0))), 20, 0.5)
}

// Where a library reads its choice with each communicator, a round of a duel is one launch of both.
func TestDuelInOneLaunch(t *testing.T) {
	q := Question{Collectives: []string{"allreduce"}, Library: "openmpi", Ranks: []int{4}, PerNode: 4, Sizes: []quantity.Bytes{8}}
	m, err := NewMap(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	ring := slices.IndexFunc(m.Choices, func(c Choice) bool { return c.Name == "ring" })
	for bench, launches := range map[string]int{"calibrate": 1, "osu": 4} { // two in each order
		var text strings.Builder
		if err := m.writeScript(&text, nil, []int{ring}, 2, bench); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(text.String(), "$MPIRUN -n"); n != launches || launches == 1 &&
			!strings.Contains(text.String(), "--smallest 8 --largest 8 --passes 8 --versus coll_tuned_allreduce_algorithm=4\n") {
			t.Errorf("%s: %d launches, want %d:\n%s", bench, n, launches, text.String())
		}
	}
	folder := t.TempDir()
	for pass := 1; pass <= 4; pass++ {
		text := "# halfpeak calibrate 1\n# 4 ranks\n# Open MPI\n# level node holds 4\n"
		for variant, time := range []int{12, 10} {
			time *= pass // the state of the launch
			text += fmt.Sprintf("allreduce,,in,4,8,%d,1,10,%d,%d,%[2]d,%[2]d,%[2]d,%[2]d,0\n", variant, time, time)
		}
		name := fmt.Sprintf("allreduce.ring.0.4x4.8.duel2-%d.out", pass)
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text+"# 0.2 s\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if notes, err := m.ReadFolder(folder); err != nil || len(notes) > 0 {
		t.Fatal(notes, err)
	}
	if duel := m.duels[ring]; duel.Rounds != 4 || !duel.wins() {
		t.Errorf("%+v; want 4 rounds that are won", duel)
	}
	near(t, "gain", m.duels[ring].percent(), 20, 0.01)
}

// After an interrupt the choices, which are complete, are kept as rules, and no script is written.
func TestInterrupted(t *testing.T) {
	m, err := NewMap(t.Context(), question())
	if err != nil {
		t.Fatal(err)
	}
	all := decided(t, m)
	ctx, cancel := context.WithCancel(t.Context())
	m.Progress = func(done, total int) {
		if done == 2 && total == 8 {
			cancel()
		}
	}
	folder := t.TempDir()
	notes, err := m.WriteFolder(ctx, folder, all, Limits{Points: 8}, "")
	files, _ := filepath.Glob(filepath.Join(folder, "*"))
	if !errors.Is(err, context.Canceled) || len(files) != 1 || filepath.Base(files[0]) != "rules.conf" {
		t.Errorf("%v: %v; want an interrupt, and the rules alone", err, files)
	}
	if len(notes) == 0 || !strings.HasPrefix(notes[0].Text, "Interrupted: no script") {
		t.Errorf("notes %q", notes)
	}
	if _, err := m.Decisions(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("decisions: %v", err)
	}
}

// An algorithm in whose place the library runs another one is no choice: of 8 bytes on 64 ranks,
// rings and Rabenseifner's algorithm are others.
func TestReplacedAlgorithms(t *testing.T) {
	m, err := NewMap(t.Context(), Question{Collectives: []string{"allreduce"}, Library: "openmpi", Ranks: []int{64}, Sizes: []quantity.Bytes{8, 1 << 20}})
	if err != nil {
		t.Fatal(err)
	}
	names := map[quantity.Bytes][]string{}
	for _, c := range m.Choices {
		names[c.Size] = append(names[c.Size], c.Name)
	}
	if got, want := strings.Join(names[8], " "), "default linear reduce-broadcast recursive-doubling"; !strings.HasPrefix(got, want) || strings.Contains(got, "ring") || strings.Contains(got, "rabenseifner") {
		t.Errorf("8 bytes: %s", got)
	}
	if got := strings.Join(names[1<<20], " "); !strings.Contains(got, " ring") || !strings.Contains(got, "rabenseifner") {
		t.Errorf("1 MiB: %s", got)
	}
	for _, d := range decided(t, m) {
		if d.Size == 8 && d.Name != "recursive-doubling" && d.Name != LibraryChoice {
			t.Errorf("8 bytes without a measurement: %s", d.Name)
		}
	}
}

// swept returns a map of broadcasts by three algorithms on some numbers of ranks, neighbours among
// them. The library's own choice was measured on 30.
func swept(t *testing.T, ranks []int, sizes ...quantity.Bytes) *Map {
	t.Helper()
	m, err := NewMap(t.Context(), Question{Collectives: []string{"bcast"}, Library: "openmpi",
		Ranks: ranks, Sizes: sizes})
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Builder{}
	text.WriteString("algorithm,ranks,size,time_us\n")
	for _, n := range []int{2, 6, 14, 28, 30} {
		for size := 1; size <= 1<<20; size *= 8 {
			depth, bytes := math.Log2(float64(n)), float64(size)
			for i, time := range []float64{1 + float64(n)/20 + bytes/400,
				0.6*depth + bytes*depth/2000, 0.5*depth + bytes*depth/1500} {
				fmt.Fprintf(&text, "%d,%d,%d,%.2f\n", []int{2, 5, 6}[i], n, size, time)
			}
			if n == 30 {
				fmt.Fprintf(&text, "default,30,%d,%.2f\n", size, 5+bytes/200)
			}
		}
	}
	file := filepath.Join(t.TempDir(), "bcast.csv")
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	notes, err := m.ReadFiles([]string{file}, fit.Options{})
	if err != nil {
		t.Fatal(notes, err)
	}
	return m
}

// What is said of a call does not depend on the other calls of the question.
func TestCallAlone(t *testing.T) {
	all := decided(t, swept(t, []int{14, 32}, 8, 32768))
	for _, want := range all {
		m := swept(t, []int{want.Ranks}, want.Size)
		got := decided(t, m)[0]
		got.candidate = want.candidate
		if text, wanted := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want); text != wanted {
			t.Errorf("alone\n%s\nbeside others\n%s", text, wanted)
		}
	}
}

// Measured times are shown as they were measured, and the loss of the library's choice is that of
// the file. A time that was not measured has an interval; the library's own choice has none.
func TestMeasuredTimes(t *testing.T) {
	for _, d := range decided(t, swept(t, []int{30}, 8, 32768)) {
		want := map[quantity.Bytes]struct {
			name      string
			own, best float64
		}{8: {"binomial", 5.04, 2.48}, 32768: {"binary", 168.84, 83.34}}[d.Size]
		loss, known := d.OwnLoss()
		if d.Best.Name != want.name || !known || !d.Own.Measured || d.OwnName != LibraryChoice {
			t.Errorf("%v: %+v", d.Size, d)
		}
		near(t, "the fastest", d.BestTime.Value, want.best, 0.01)
		near(t, "the library's", d.Own.Value, want.own, 0.01)
		near(t, "its loss", loss, want.own/want.best-1, 0.01)
		if d.Time.Known() == d.Time.Measured {
			t.Errorf("%v: %+v is measured or has an interval", d.Size, d.Time)
		}
	}
	m := swept(t, []int{32}, 32768)
	d := decided(t, m)[0]
	if d.Own.Measured || d.OwnName != "k-nomial" || !d.Own.Known() || d.Best.Name != "" {
		t.Errorf("the library's choice where nothing was measured: %+v", d)
	}
	if doubts := m.Rows([]Decision{d}).Remarks()[0]; !strings.Contains(doubts,
		"32 (nearest measured: 30)") {
		t.Error(doubts)
	}
}
