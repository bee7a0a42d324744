package export

import (
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"flag"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

var update = flag.Bool("update", false, "write testdata anew; read the diff before committing it")

// layer is one of the embedded platforms', as in "hp-lam/gam".
func layer(t testing.TB, ref string) model.Layer {
	t.Helper()
	all, err := platforms.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		for _, l := range p.Layers {
			if l.Ref() == ref {
				return l.Model
			}
		}
	}
	t.Fatalf("no layer %s", ref)
	return nil
}

var everySize = Sizes{1, 4 << 20}

func machineOf(name string, levels ...machine.Level) Machine {
	return Machine{Name: name, Machine: machine.Machine{Levels: levels}}
}

// flat is a machine of one level.
func flat(t testing.TB, ref string, ranks int) Machine {
	return machineOf(ref, machine.Level{Name: "all", Arity: ranks, Layer: layer(t, ref)})
}

// twoLevels is a made cluster: 4 nodes of 8 ranks.
func twoLevels() Machine {
	network := &model.LogGP{
		LogP: model.LogP{Latency: 1.5, SendOverhead: 0.25, ReceiveOverhead: 0.25,
			GapTime: 0.5},
		GapPerByte: 2e-4,
	}
	return machineOf("cluster",
		machine.Level{Name: "node", Arity: 8, Layer: &model.Linear{Beta: 0.5, Tau: 1e-4}},
		machine.Level{Name: "cluster", Arity: 4, Layer: network})
}

// Every format of two machines, as it is written.
func TestGolden(t *testing.T) {
	for _, c := range []struct {
		file string
		m    Machine
		s    Sizes
	}{
		{"hp-lam", flat(t, "hp-lam/gam", 8), Sizes{1, 64 << 10}},
		{"cluster", twoLevels(), everySize},
	} {
		var b strings.Builder
		for _, target := range Targets {
			f, err := target.Write(c.m, c.s)
			if err != nil {
				fmt.Fprintf(&b, "== %s: %v\n", target.Name, err)
				continue
			}
			fmt.Fprintf(&b, "== %s\n%s", target.Name, f.Text)
			for _, l := range f.Lost {
				fmt.Fprintf(&b, "-- %s\n", l)
			}
		}
		path := filepath.Join("testdata", c.file+".golden")
		if *update {
			if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if b.String() != string(want) {
			t.Errorf("%s differs; go test ./export -update writes it anew", path)
		}
	}
}

// All formats parse as what they claim to be, for every layer that there is, with sizes up to 4 MiB
// for each platform's own layer and up to 128 KiB for the rest.
func TestWellFormed(t *testing.T) {
	all, err := platforms.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		for _, l := range p.Layers {
			sizes := everySize
			if l.Name != p.Default {
				sizes.To = 8 << 10 // a line ends as at 128 KiB
			}
			m := machineOf(l.Ref()+" <&---\">",
				machine.Level{Name: "all", Arity: 4, Layer: l.Model})
			for _, target := range Targets {
				f, err := target.Write(m, sizes)
				if err != nil {
					continue // its message is in the goldens
				}
				for _, line := range f.Lost {
					if strings.Contains(line, "NaN") || strings.Contains(line, "Inf") {
						t.Errorf("%s, %s: %s", l.Ref(), target.Name, line)
					}
				}
				if strings.Contains(f.Text, "NaN") || strings.Contains(f.Text, "Inf\"") ||
					strings.Contains(f.Text, "+Inf") {
					t.Errorf("%s, %s: %s", l.Ref(), target.Name, f.Text)
				}
				switch target.Name {
				case "simgrid":
					err = wholeXML(f.Text)
				case "calculon", "inference-sim", "perfetto":
					if !json.Valid([]byte(f.Text)) {
						err = fmt.Errorf("no JSON")
					}
				case "csv":
					_, err = csv.NewReader(strings.NewReader(f.Text)).ReadAll()
				case "loggopsim":
					err = integers(f.Text)
				}
				if err != nil {
					t.Errorf("%s, %s: %v\n%s", l.Ref(), target.Name, err, f.Text)
				}
			}
		}
	}
}

func wholeXML(text string) error {
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		if _, err := d.Token(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// integers checks that the parameters are 32-bit integers that are not negative.
func integers(text string) error {
	words := strings.Fields(text)
	for i := 1; i < len(words); i += 2 {
		if v, err := strconv.ParseInt(words[i], 10, 32); err != nil || v < 0 {
			return fmt.Errorf("%s %s", words[i-1], words[i])
		}
	}
	return nil
}

// A time that no integer of LogGOPSim's holds is an error.
func TestTooLong(t *testing.T) {
	target, err := Find("loggopsim")
	if err != nil {
		t.Fatal(err)
	}
	m := machineOf("slow", machine.Level{Name: "all", Arity: 2, Layer: &model.Linear{Beta: 3e6}})
	if f, err := target.Write(m, everySize); err == nil {
		t.Errorf("3 s make %q", f.Text)
	}
}

// What fit reads of the table of CODES are the layer's times.
func TestCodesReadBack(t *testing.T) {
	m := flat(t, "hp-lam/gam", 2)
	target, err := Find("codes")
	if err != nil {
		t.Fatal(err)
	}
	f, err := target.Write(m, everySize)
	if err != nil {
		t.Fatal(err)
	}
	file, err := benchfile.Read(strings.NewReader(f.Text), "loggp.out", benchfile.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, f.Text)
	}
	l := m.Levels[0].Layer
	read := 0
	for _, table := range file.Tables {
		for _, p := range table.Samples {
			send, _ := l.Overheads(p.Size)
			want, judged := map[benchfile.Kind]quantity.Micros{
				benchfile.OneWay: l.OneWay(p.Size), benchfile.RoundTrip: 2 * l.OneWay(p.Size),
				benchfile.Gap: l.Gap(p.Size), benchfile.SendOverhead: send,
			}[table.Kind]
			if !judged {
				continue
			}
			read++
			// Round trips are printed with seven digits, and others are the difference of two.
			allowed := 1e-6*float64(2*l.OneWay(p.Size)) + 1e-6*float64(want)
			if math.Abs(float64(p.Mean-want)) > allowed {
				t.Errorf("%v of %s: %v, want %v", table.Kind, p.Size, p.Mean, want)
			}
		}
	}
	if read < 3 {
		t.Errorf("%d times were read of\n%s", read, f.Text)
	}
}

// SMPI itself takes as long as the layer says, within what the file says that it lost.
func TestSimGridRuns(t *testing.T) {
	for _, tool := range []string{"smpirun", "smpicc"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("no %s: SimGrid is not installed", tool)
		}
	}
	if testing.Short() {
		t.Skip("it compiles a program with smpicc")
	}
	dir := t.TempDir()
	program, platform, hosts := filepath.Join(dir, "pingpong"), filepath.Join(dir, "machine.xml"),
		filepath.Join(dir, "hosts")
	if out, err := exec.Command("smpicc", "-O1", "testdata/pingpong.c", "-o",
		program).CombinedOutput(); err != nil {
		t.Fatalf("smpicc: %v\n%s", err, out)
	}
	if err := os.WriteFile(hosts, []byte("node-0\nnode-3\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	sizes := []string{"1", "100", "1000", "4096", "65535", "65536", "65537", "1048576", "4194304"}
	for _, c := range []struct {
		ref  string
		lost float64
	}{
		{"hp-lam/gam", 1e-5},        // two straight lines: what seven digits and SMPI's 1 ns leave
		{"mpc/mpi", 1e-3},           // the tolerance of the sections
		{"parnass/bullfrog", 0.026}, // it says that it is off by up to 2.6 %
	} {
		m := flat(t, c.ref, 4)
		target, err := Find("simgrid")
		if err != nil {
			t.Fatal(err)
		}
		f, err := target.Write(m, everySize)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(platform, []byte(f.Text), 0o644); err != nil {
			t.Fatal(err)
		}
		run := exec.Command("smpirun",
			append([]string{"-np", "2", "-platform", platform, "-hostfile", hosts,
				"--cfg=smpi/host-speed:1Gf", "--cfg=smpi/wtime:0",
				"--cfg=smpi/simulate-computation:no",
				program}, sizes...)...)
		out, err := run.Output()
		if err != nil {
			t.Fatalf("smpirun: %v\n%s", err, out)
		}
		got := strings.Fields(string(out))
		if len(got) != 2*len(sizes) {
			t.Fatalf("smpirun printed %q", out)
		}
		for i, size := range sizes {
			n, _ := strconv.ParseFloat(size, 64)
			us, err := strconv.ParseFloat(got[2*i+1], 64)
			want := float64(m.Levels[0].Layer.OneWay(quantity.Bytes(n)))
			if err != nil || got[2*i] != size || math.Abs(us/want-1) > c.lost {
				t.Errorf("%s, %s B: SMPI takes %v µs, the layer says %v", c.ref, size, got[2*i+1],
					want)
			}
		}
	}
}

// LogGOPSim itself, with the exported line, ends a message when the layer says.
func TestLogGOPSimRuns(t *testing.T) {
	dir := os.Getenv("LOGGOPSIM")
	if dir == "" {
		t.Skip("LOGGOPSIM is no folder with LogGOPSim")
	}
	m := flat(t, "hp-lam/gam", 2)
	target, err := Find("loggopsim")
	if err != nil {
		t.Fatal(err)
	}
	f, err := target.Write(m, everySize)
	if err != nil {
		t.Fatal(err)
	}
	text, binary := filepath.Join(t.TempDir(), "a.goal"), filepath.Join(t.TempDir(), "a.bin")
	for _, n := range []int{1, 1000, 65536} {
		goal := fmt.Sprintf("num_ranks 2\nrank 0 {\nl1: send %db to 1 tag 0\n}\nrank 1 {\nl1: "+
			"recv %db from 0 tag 0\n}\n", n, n)
		if err := os.WriteFile(text, []byte(goal), 0o644); err != nil {
			t.Fatal(err)
		}
		os.Remove(binary)
		if out, err := exec.Command(filepath.Join(dir, "txt2bin"), "-i", text, "-o",
			binary).CombinedOutput(); err != nil {
			t.Fatalf("txt2bin: %v: %s", err, out)
		}
		out, err := exec.Command(filepath.Join(dir, "LogGOPSim"),
			append([]string{"-f", binary, "-b"}, strings.Fields(f.Text)...)...).Output()
		if err != nil {
			t.Fatalf("LogGOPSim: %v: %s", err, out)
		}
		_, after, _ := strings.Cut(string(out), "host 1: ")
		var ticks float64
		_, err = fmt.Sscan(after, &ticks)
		// A tick is 1 ns, as of GOAL's calc; G is rounded by 0.8 %.
		want := float64(m.Levels[0].Layer.OneWay(quantity.Bytes(n)))
		if us := ticks * 1e-3; err != nil || math.Abs(us/want-1) > 0.009 {
			t.Errorf("%d B: LogGOPSim ends at %v µs, the layer says %v; %s", n, us, want, out)
		}
	}
}

// The gap of LogGOPSim is its NIC's: the processor's time is o.
func TestLogGOPSimGap(t *testing.T) {
	l := &model.LogGP{LogP: model.LogP{Latency: 1, SendOverhead: 10, ReceiveOverhead: 10,
		GapTime: 1}, GapPerByte: 0.01}
	for _, low := range []quantity.Bytes{1, 1000} {
		f, err := Target{Name: "loggopsim",
			write: loggopsim}.Write(machineOf("x", machine.Level{Name: "all", Arity: 2, Layer: l}),
			Sizes{low, 64 << 10})
		if want := "-L 1000 -o 10000 -g 1000 -G 10 -O 0 -S 2147483647\n"; err != nil ||
			f.Text != want {
			t.Errorf("from %v: %q, %v; want %q", low, f.Text, err, want)
		}
	}
}

// GOAL's calc is in ns, and so is the line, unless that leaves too little of a parameter; then it
// says by what calc has to be multiplied.
func TestLogGOPSimUnit(t *testing.T) {
	for _, c := range []struct {
		perByte    quantity.MicrosPerByte
		text, lost string
	}{
		{0.0424, "-L 5000 -o 1000 -g 2000 -G 42 ", "digits of G, which is rounded by 0.95 %"},
		{0.00006, "-L 500000 -o 100000 -g 200000 -G 6 ",
			"multiply calc in GOAL, which is in ns, by 100"},
	} {
		l := &model.LogGP{LogP: model.LogP{Latency: 5, SendOverhead: 1, ReceiveOverhead: 1,
			GapTime: 2}, GapPerByte: c.perByte}
		f, err := Target{Name: "loggopsim",
			write: loggopsim}.Write(machineOf("x", machine.Level{Name: "all", Arity: 2, Layer: l}),
			Sizes{1, 64 << 10})
		if err != nil || !strings.HasPrefix(f.Text, c.text) ||
			!strings.Contains(strings.Join(f.Lost, "\n"), c.lost) {
			t.Errorf("%q, %q, %v; want %q and %q", f.Text, f.Lost, err, c.text, c.lost)
		}
	}
}

// Calculon's loader takes these keys of a network and no others, and operations of two numbers.
func TestCalculonKeys(t *testing.T) {
	target, err := Find("calculon")
	if err != nil {
		t.Fatal(err)
	}
	f, err := target.Write(flat(t, "hp-lam/gam", 8), everySize)
	if err != nil {
		t.Fatal(err)
	}
	var got struct{ Networks []map[string]any }
	if err := json.Unmarshal([]byte(f.Text), &got); err != nil {
		t.Fatal(err)
	}
	keys := slices.Sorted(maps.Keys(got.Networks[0]))
	if want := []string{"bandwidth", "efficiency", "latency", "must_be_filled", "ops",
		"processor_usage", "size"}; !slices.Equal(keys, want) {
		t.Errorf("keys %q, want %q", keys, want)
	}
	want := map[string]any{"p2p": []any{1., nil}, "reduce_scatter": []any{1., -1.},
		"all_gather": []any{1., -1.}, "all_reduce": []any{2., -1.}}
	if diff := cmp.Diff(want, got.Networks[0]["ops"]); diff != "" {
		t.Errorf("ops (-want +got):\n%s", diff)
	}
}

// Sections of SMPI are few, none of single bytes about a step of a curve, and near the layer.
func TestSections(t *testing.T) {
	for ref, most := range map[string]float64{"clip/system-buffer": 0.015, "clip/user-buffer": 0.071, "hp-lam/bulk": 0.011, "parnass/bullfrog": 0.026, "parnass/mpi-bullfrog": 0.023} {
		l := flat(t, ref, 2).Levels[0].Layer
		all := pieces(l, Sizes{1, 4 << 20}, maxSections)
		off := 0.0
		for _, p := range all {
			if p.from == p.to {
				t.Errorf("%s: a section of %s alone", ref, p.from)
			}
			off = max(off, p.way.error(l, Sizes{p.from, p.to}))
		}
		if len(all) > maxSections || off > most {
			t.Errorf("%s: %d sections, off by %.3g", ref, len(all), off)
		}
	}
}

// A range that lies between two sizes of the grid has both its ends.
func TestNarrowRange(t *testing.T) {
	for _, s := range []Sizes{{1000, 1001}, {5000, 5002}, {1, 1}, {1, 3}, {4096, 1 << 20}} {
		all := nodes(&model.Linear{Beta: 1, Tau: 1}, s)
		if all[0].size != s.From || all[len(all)-1].size != s.To {
			t.Errorf("%v: from %v to %v", s, all[0].size, all[len(all)-1].size)
		}
	}
}
