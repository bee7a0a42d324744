package platforms

import (
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/internal/sharedtest"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// 1000 bytes in 10 µs are 100 MB/s; the factors are those of nccl-tests' doc/PERFORMANCE.md.
func TestBandwidths(t *testing.T) {
	for _, c := range []struct {
		of       Timed
		alg, bus quantity.MBps
	}{
		{Timed{Of: Collective, Collective: "allreduce", Ranks: 8}, 100, 175},
		{Timed{Of: Collective, Collective: "iallreduce", Ranks: 8}, 100, 175},
		{Timed{Of: Collective, Collective: "allgather", Ranks: 8}, 100, 87.5},
		{Timed{Of: Collective, Collective: "allgather", Ranks: 8, PerRank: true}, 800, 700},
		{Timed{Of: Collective, Collective: "alltoall", PerRank: true}, 0, 0},
		{Timed{Of: Collective, Collective: "alltoall", Ranks: 4}, 100, 75},
		{Timed{Of: Collective, Collective: "reduce_scatter", Ranks: 2}, 100, 50},
		{Timed{Of: Collective, Collective: "bcast", Ranks: 8}, 100, 100},
		{Timed{Of: Collective, Collective: "reduce"}, 100, 100},
		{Timed{Of: Collective, Collective: "allreduce"}, 100, 0},
		{Timed{Of: Collective, Collective: "neighbor_allgather", Ranks: 8}, 100, 0},
		{Timed{Of: Operation}, 0, 0},
		{Timed{Of: Message}, 0, 0},
	} {
		if alg, bus := c.of.Bandwidths(1000, 10); math.Abs(float64(alg-c.alg)) > 1e-9 ||
			math.Abs(float64(bus-c.bus)) > 1e-9 {
			t.Errorf("%+v: %v and %v, want %v and %v", c.of, alg, bus, c.alg, c.bus)
		}
	}
}

// What nccl-tests itself printed beside its times, in GB/s with two digits behind the point. Its
// times have four digits, which is half a part in a thousand.
func TestBandwidthsPublished(t *testing.T) {
	text, err := os.ReadFile(sharedtest.Path(t,
		"data/formats/nccl-tests/allreduce_superbench_8a100.log"))
	if err != nil {
		t.Fatal(err)
	}
	of, rows := Timed{Of: Collective, Collective: "allreduce", Ranks: 8}, 0
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) < 7 || words[2] != "float" {
			continue
		}
		var v [4]float64 // size, time, algbw, busbw
		for i, k := range []int{0, 4, 5, 6} {
			if v[i], err = strconv.ParseFloat(words[k], 64); err != nil {
				t.Fatal(err)
			}
		}
		rows++
		alg, bus := of.Bandwidths(quantity.Bytes(v[0]), quantity.Micros(v[1]))
		for i, got := range []quantity.MBps{alg, bus} {
			if want := v[2+i]; math.Abs(float64(got)/1000-want) > 0.0051+5e-4*want {
				t.Errorf("%g bytes: %.4f GB/s, printed %.2f", v[0], float64(got)/1000, want)
			}
		}
	}
	if rows < 20 {
		t.Errorf("%d rows", rows)
	}
}

func TestTimed(t *testing.T) {
	line := "model = \"linear\"\nbeta = \"1us\"\ntau = \"1us/KiB\"\nsource = \"x\"\n"
	for _, c := range []struct{ text, want string }{
		{"times_of = \"strem\"\n",
			`x.toml:6:1: layer.a.times_of: "strem": one of message, stream, operation, ` +
				`collective; did you mean "stream"?`},
		{"ranks = \"8\"\n",
			`x.toml:6:1: layer.a.ranks: is for the times of a collective; add times_of = ` +
				`"collective"`},
		{"times_of = \"collective\"\nranks = \"0\"\n",
			`x.toml:7:1: layer.a.ranks: "0": ranks must be a whole number from 1 to 1073741824`},
		{"times_of = \"stream\"\n[layer.b]\nmodel = \"series\"\nbelow = \"a\"\nbeta = " +
			"\"1us\"\ntau = \"0us/KiB\"\nsource = \"x\"\n",
			`its times are of: message; the times of its part "a" are of: gap of a stream; ` +
				`give both the same times_of`},
		{"times_of = \"collective\"\ncollective = \"allreduce\"\nranks = \"8\"\n", ""},
	} {
		p, err := Parse("x.toml", []byte("[layer.a]\n"+line+c.text))
		switch {
		case c.want == "" &&
			(err != nil ||
				p.Layers[0].Timed != Timed{Of: Collective, Collective: "allreduce", Ranks: 8}):
			t.Errorf("%+v, %v", p, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%v\nwant %s", err, c.want)
		}
	}
}
