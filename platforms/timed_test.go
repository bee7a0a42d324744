package platforms

import (
	"math"
	"strings"
	"testing"

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
// times have four digits, which is half a part in a thousand. The numbers are those of an allreduce
// of 8 GPUs: microsoft/superbenchmark, tests/data/nccl_allreduce.log, from 64 KiB on.
func TestBandwidthsPublished(t *testing.T) {
	of := Timed{Of: Collective, Collective: "allreduce", Ranks: 8}
	for _, v := range [][4]float64{ // size, time, algbw, busbw
		{65536, 37.82, 1.73, 3.03}, {131072, 41.19, 3.18, 5.57},
		{262144, 47.53, 5.52, 9.65}, {524288, 60.32, 8.69, 15.21},
		{1048576, 74.78, 14.02, 24.54}, {2097152, 93.48, 22.43, 39.26},
		{4194304, 112.0, 37.44, 65.52}, {8388608, 162.0, 51.79, 90.63},
		{16777216, 226.0, 74.23, 129.90}, {33554432, 374.3, 89.65, 156.89},
		{67108864, 584.5, 114.81, 200.91}, {134217728, 1162.2, 115.49, 202.11},
		{268435456, 2112.2, 127.09, 222.40}, {536870912, 4200.3, 127.82, 223.68},
		{1073741824, 8159.5, 131.59, 230.29}, {2147483648, 16215, 132.44, 231.76},
		{4294967296, 32070, 133.92, 234.37}, {8589934592, 63896, 134.44, 235.26},
	} {
		alg, bus := of.Bandwidths(quantity.Bytes(v[0]), quantity.Micros(v[1]))
		for i, got := range []quantity.MBps{alg, bus} {
			if want := v[2+i]; math.Abs(float64(got)/1000-want) > 0.0051+5e-4*want {
				t.Errorf("%g bytes: %.4f GB/s, printed %.2f", v[0], float64(got)/1000, want)
			}
		}
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
