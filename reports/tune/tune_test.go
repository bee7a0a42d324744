package tune

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// pair is two algorithms of one call whose logarithmic times are m and n before a measurement.
func pair(m, n float64) []Candidate {
	return []Candidate{
		{Group: "g", Labels: [labels]string{"a", "a", "a", "a"}, Shared: [shared]string{"n"},
			Ranks: 2, Size: 8, Parts: Parts{math.Exp(m)}},
		{Group: "g", Labels: [labels]string{"a", "a", "b", "b"}, Shared: [shared]string{"n"},
			Ranks: 2, Size: 16, Parts: Parts{math.Exp(n)}},
	}
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s = %v, want %v ± %v", what, got, want, tolerance)
	}
}

// The posterior of two candidates by hand: they share the group, the call, and
// the first two labels.
func TestPosterior(t *testing.T) {
	p := Prior{
		Shared: [shared]float64{1e-6}, Factor: [5]float64{0.5, 0.4, 0.3, 0.2, 0.1},
		Smooth: [5]float64{0.3, 0, 0, 0.2, 0},
		Call:   0.2, Own: 0.1, Noise: 0.05, Octaves: [3]float64{2, 1, 1},
	}
	tuner := New(pair(1, 2), p)
	tuner.Add([]Measurement{{0, math.Exp(1.7)}})
	own := 0.25 + 0.16 + 0.09 + 0.04 + 0.01 + 0.09 + 0.04 + 0.04 + 0.01
	cross := 0.25 + 0.16 + 0.09 + 0.04 + 0.09*math.Exp(-0.5) // an octave of two
	seen := own + 0.0025
	for i, want := range [][2]float64{{1 + own/seen*0.7, own - own*own/seen},
		{2 + cross/seen*0.7, own - cross*cross/seen}} {
		mean, deviation := tuner.predict(i)
		near(t, "mean", mean, want[0], 1e-9)
		near(t, "variance", deviation*deviation, want[1], 1e-9)
	}
}

// Half of the time of the first is bytes, of messages of 16 and of 32 KiB: an octave of four.
func TestMessage(t *testing.T) {
	all := pair(0, 0)
	all[0].Parts = Parts{latency, 0, perByte * 16384}
	all[1].Parts = Parts{2 * latency, 0, perByte * 65536}
	p := Prior{Shared: [shared]float64{1}, Message: [2]float64{0.5, 0.3}, Noise: 0.1,
		Octaves: [3]float64{1, 1, 4}}
	tuner := New(all, p)
	_, a := tuner.base(0)
	_, b := tuner.base(1)
	near(t, "covariance", tuner.kernel(0, 1, &a, &b), 0.34*a[2]*b[2]*math.Exp(-0.25), 1e-12)
}

// Deviations are as large as measurements say: those of a group three times as far from the
// schedules' times as its prior expects grow.
func TestScale(t *testing.T) {
	p := Prior{Shared: [shared]float64{1e-6}, Own: 0.1, Noise: 1e-6, Octaves: [3]float64{1, 1, 1},
		Freedom: 4}
	all := append(pair(0, 0), pair(0, 0)[0])
	tuner := New(all, p)
	tuner.Add([]Measurement{{0, math.Exp(0.3)}, {1, math.Exp(-0.3)}})
	_, deviation := tuner.predict(2)
	near(t, "deviation", deviation, 0.1*math.Sqrt((4+9+9)/6.), 1e-6)
}

// Factors of other machines are in a schedule's expected time.
func TestKnown(t *testing.T) {
	p := Default()
	p.Known = map[string]Parts{"bcast/linear": {0.5}}
	all := pair(0, 0)
	all[1].Shared[4] = "bcast/linear"
	if mean, _ := New(all, p).predict(1); mean != 0.5 {
		t.Errorf("expected logarithm %v, want 0.5", mean)
	}
	if strings.Contains(knownText, "-0.00") {
		t.Error("known.csv has a negative zero")
	}
	for name := range Default().Known {
		if group, schedule, ok := strings.Cut(name, "/"); !ok || collective.Of(group) == nil {
			t.Errorf("known.csv: %s: no collective %q", name, group)
		} else if _, err := collective.Find(group, schedule); err != nil && schedule != "?" {
			t.Errorf("known.csv: %v", err)
		}
	}
}

// Candidates without shared factors have those of their group alone.
func TestNothingShared(t *testing.T) {
	all := pair(0, 0)
	all[0].Shared, all[1].Shared = [shared]string{}, [shared]string{}
	tuner := New(all, Default())
	tuner.Add([]Measurement{{0, 3}})
	if mean, _ := tuner.predict(1); !(mean > 0.1 && mean < math.Log(3)) {
		t.Errorf("the other algorithm takes e^%.2f, want between e^0.1 and 3", mean)
	}
}

// The machine's factors follow measurements of several collectives, and so do those without one.
func TestMachineFactor(t *testing.T) {
	all := pair(0, 0)
	all[1].Group, all[1].Call = "other", 1
	tuner := New(all, Default())
	tuner.Add([]Measurement{{0, 3}})
	if mean, _ := tuner.predict(1); mean < 0.5 || mean > math.Log(3) {
		t.Errorf("the other collective takes e^%.2f, want between e^0.5 and 3", mean)
	}
}

// The expected loss of one of two independent log-normal times is E(e^d − 1)⁺ with normal d.
func TestLoss(t *testing.T) {
	normal := distuv.UnitNormal
	for _, by := range []float64{-0.3, 0, 0.4} {
		tuner := New(pair(1+by, 1),
			Prior{Shared: [shared]float64{1}, Own: 0.3, Noise: 0.1, Octaves: [3]float64{1, 1, 1}})
		s := 0.3 * math.Sqrt2
		want := math.Exp(by+s*s/2)*normal.CDF(by/s+s) - normal.CDF(by/s)
		near(t, "loss", tuner.loss(0), want, 0.06) // 3 deviations of 1,000 draws
	}
}

// The knowledge gradient of an uncertain time beside a known one is 1 − E min(1, e^x)/1.
func TestGain(t *testing.T) {
	for _, s := range []float64{0.2, 0.6} {
		got := gain([]int{0, 1}, []float64{0, 0}, []float64{0, -s * s / 2}, []float64{0, s})
		want := 2*distuv.UnitNormal.CDF(s/2) - 1 // as the price of an option at the money
		near(t, "gain", got, want, 0.12*want)    // seven points at a bend
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
	before := MeanLoss(m.Decisions())
	seen := map[int]bool{}
	for {
		next := m.Next(10)
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
	all := m.Decisions()
	if after := MeanLoss(all); after > before/5 {
		t.Errorf("expected loss %.2f before and %.2f after everything was measured", before, after)
	}
	// the shortest names are the fastest, and the margin is for the library's choice
	for _, d := range all {
		if want := map[string]int{"allreduce": len("ring"),
			"bcast": len("chain")}[d.Collective]; len(d.Name) != want {
			t.Errorf("%s on %d ranks, %v: %s", d.Collective, d.Ranks, d.Size, d.Name)
		}
	}
	if rules := rulesOf(m.Decisions()); len(rules) == 0 || rules[0].Algorithm != "ring" {
		t.Errorf("rules: %v", rules)
	}
}

// Two algorithms of one schedule differ little however uncertain the schedule is, so that the
// gradient prefers a call whose algorithms differ; the fourth measurement is of the uncertain
// choice.
func TestVerify(t *testing.T) {
	p := Prior{Shared: [shared]float64{1}, Factor: [5]float64{0, 2, 0, 0, 0.2}, Own: 0.01,
		Noise: 0.01, Octaves: [3]float64{1, 1, 1}}
	all := []Candidate{
		{Group: "certain", Labels: [labels]string{"a", "", "", "a"}, Ranks: 2, Size: 8,
			Parts: Parts{1}},
		{Group: "uncertain", Call: 1, Labels: [labels]string{"b", "", "", "b"}, Ranks: 2, Size: 8,
			Parts: Parts{1}},
		{Group: "uncertain", Call: 1, Labels: [labels]string{"b", "", "", "c"}, Ranks: 2, Size: 8,
			Parts: Parts{5}},
	}
	for i := range 6 {
		c := all[0]
		c.Labels = [labels]string{fmt.Sprint(i), "", "", fmt.Sprint(i)}
		all = append(all, c)
	}
	if next := New(all, p).Next(verify); len(next) != verify || next[verify-1] != 1 ||
		slices.Contains(next[:verify-1], 1) {
		t.Errorf("next %v, want candidate 1 last", next)
	}
}

// Of two groups, the choice of one call is the least certain, and the choices of two similar calls
// have more variance together.
func TestVerified(t *testing.T) {
	p := Prior{Shared: [shared]float64{1}, Factor: [5]float64{2, 0.5}, Own: 0.01, Noise: 0.01,
		Octaves: [3]float64{1, 1, 1}}
	var all []Candidate
	for call, group := range []string{"alone", "both", "both"} {
		all = append(all,
			Candidate{Group: group, Call: call, Labels: [labels]string{"a"}, Ranks: 2, Size: 8,
				Parts: Parts{1}})
	}
	tuner := New(all, p)
	covs := []*mat.SymDense{mat.NewSymDense(1, []float64{5}),
		mat.NewSymDense(2, []float64{4, 3.9, 3.9, 4})}
	if a, b := tuner.verified(covs, nil, false), tuner.verified(covs, nil, true); a != 0 || b != 1 {
		t.Errorf("the least certain choice is %d, the one that reduces variances most %d; want "+
			"0, 1", a, b)
	}
	if tuner.verified(covs, map[int]bool{0: true, 1: true, 2: true}, true) != -1 {
		t.Error("a choice that is left out is verified")
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
	if rules := rulesOf(m.Decisions()); len(rules) != 0 {
		t.Errorf("rules %v without a time of the library's choice, want none", rules)
	}
	if next := m.Next(4); len(next) == 0 || m.Choices[next[0]].Name != LibraryChoice {
		t.Errorf("next: %v, want the library's choice first", next)
	}
	m.measure(m.Choices[0], 11.1)
	if rules := rulesOf(m.Decisions()); len(rules) != 0 {
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
		if err := m.WriteScript(&text, []int{i}, c.bench); err != nil ||
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
		back, err := choiceOf(m.Choices[i].file() + ".1.out")
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
			"allreduce.ring.0.4x4.8.1.out.err"); !strings.Contains(notes[len(notes)-1], want) {
		t.Errorf("the last of %q does not say %q", notes, want)
	}
	for i, c := range m.Choices {
		mean, _ := m.predict(i)
		switch c.file() {
		case "allreduce.ring.0.16x4.65536":
			near(t, "OSU", math.Exp(mean), 31.5, 1)
		case "bcast.binomial.0.16x4.8":
			near(t, "calibrate, the faster pass", math.Exp(mean), 7, 0.5)
		}
	}
	if len(m.measured) != 2 {
		t.Errorf("%d candidates were measured, want 2", len(m.measured))
	}
}
