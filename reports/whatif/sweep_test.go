package whatif

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

func sweep(t testing.TB, ref string, sizes []quantity.Bytes, names []string, ranges ...string) *Sweep {
	t.Helper()
	s := &Sweep{Design: find(t, ref), Sizes: sizes}
	var err error
	if s.Quantities, err = s.Design.Quantities(names...); err != nil {
		t.Fatal(err)
	}
	for _, text := range ranges {
		r, err := s.Design.Searched(text)
		if err != nil {
			t.Fatal(err)
		}
		s.Ranges = append(s.Ranges, r)
	}
	return s
}

// Every row of a sweep is what the design says with its parameters set one by one.
func TestSweep(t *testing.T) {
	check := func(ref string, ranges ...string) {
		t.Helper()
		sizes := []quantity.Bytes{100, 65536}
		s := sweep(t, ref, sizes, []string{"one_way", "gap", "bandwidth", "n_half"}, ranges...)
		var rows [][]float64
		next := int64(0)
		err := s.Run(context.Background(), nil, func(b *Block) error {
			if b.First != next {
				t.Errorf("row %d after row %d", b.First, next)
			}
			next += int64(b.Rows)
			width := len(b.Values) / b.Rows
			for i := range b.Rows {
				rows = append(rows, append([]float64(nil), b.Values[i*width:(i+1)*width]...))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(rows) != int(s.Count()) {
			t.Fatalf("%d rows, want %v", len(rows), s.Count())
		}
		for i, row := range rows {
			if i%37 != 0 {
				continue
			}
			d := s.Design
			for k, r := range s.Ranges {
				unit := map[quantity.Dimension]string{quantity.DimTime: "us", quantity.DimInverse: "us/KiB", quantity.DimSize: "B", quantity.DimRate: "MB/s"}[r.Param.Value.Dim]
				if d, err = d.Set(fmt.Sprintf("%s=%.17g%s", r.Param.Path, row[k], unit)); err != nil {
					t.Fatal(err)
				}
			}
			n := sizes[i%2]
			half, _ := Design{}.quantityOf("n_half", 1)
			l := d.Layer.Model
			want := []float64{float64(n), float64(l.OneWay(n)), float64(l.Gap(n)), float64(n.Over(l.OneWay(n))), half.In(platforms.Costs{Layer: l})}
			for k, w := range want {
				if got := row[len(s.Ranges)+k]; math.Abs(got/w-1) > 1e-12 {
					t.Errorf("%s %v: row %v, want %v", ref, ranges, row, want)
					break
				}
			}
		}
	}
	check("clip", "host-dma.tau=1us/KiB..12us/KiB/30", "wire.beta=0us..3us/30")
	check("clip", "packets=256..16KiB/40/log")
	check("hp-lam", "o_r=0us..10us/7", "o_s=0us..10us/8", "G=1ns/B..1us/B/9/log")
	check("hp-lam/bulk", "mtu=1KiB..64KiB/50", "bulk_bandwidth=10MB/s..90MB/s/3")
}

// Machines that divide a sweep compute parts of it, which begin and end at any row.
func TestSweepInParts(t *testing.T) {
	s := sweep(t, "hp-lam", []quantity.Bytes{16, 256, 4096}, []string{"rtt"}, "o_r=1us..2us/100", "o_s=1us..2us/100")
	encode := func(text []byte, row []float64) []byte { return fmt.Appendln(text, row) }
	var whole string
	err := s.Run(context.Background(), encode, func(b *Block) error { whole += string(b.Text); return nil })
	if err != nil {
		t.Fatal(err)
	}
	evaluate, total := s.Evaluator(encode), int64(s.Count())
	for _, first := range []int64{1, 3, 8192, 10000, 29999} {
		var before, rest Block
		evaluate(&rest, first, total-first)
		evaluate(&before, 0, first)
		if string(before.Text)+string(rest.Text) != whole {
			t.Errorf("%d rows and the others are not all of them", first)
		}
	}
}

func TestSweepStops(t *testing.T) {
	s := sweep(t, "hp-lam", []quantity.Bytes{16}, []string{"rtt"}, "o_r=1us..2us/100000000")
	wrong := errors.New("wrong")
	if err := s.Run(context.Background(), nil, func(*Block) error { return wrong }); err != wrong {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	if err := s.Run(ctx, nil, func(*Block) error { cancel(); return nil }); err != context.Canceled {
		t.Error(err)
	}
}

// Two ranges of 2^40 values multiply beyond an int64. As the number of rows, that would be negative,
// and the sweep empty.
func TestSweepOfTooManyRows(t *testing.T) {
	s := sweep(t, "hp-lam", []quantity.Bytes{16}, []string{"rtt"},
		"o_r=1us..2us/1099511627776", "o_s=1us..2us/1099511627776")
	err := s.Run(t.Context(), nil, nil)
	if err == nil || !strings.Contains(err.Error(), "at most 1e+10 rows (got 1.21e+24)") {
		t.Errorf("error %v", err)
	}
}

func TestParseRangeErrors(t *testing.T) {
	check := func(ref, text, want string) {
		t.Helper()
		_, err := find(t, ref).Searched(text)
		if err == nil || err.Error() != text+": "+want {
			t.Errorf("got  %v\nwant %s: %s", err, text, want)
		}
	}
	check("hp-lam", "o_r=0us/0..1us", `"0us/0": a time must be finite`)
	check("hp-lam", "o_r=1us..1us", "the range is empty: it begins and ends at 1 µs")
	check("hp-lam", "o_r=2us..1us/5", "the range runs backwards; write o_r=1us..2us")
	check("hp-lam", "o_r=1us..2us/2.0", "2.0 steps; a range has a whole number of 2 to 1099511627776 values")
	check("hp-lam", "o_r=1us..2us/1", "1 steps; a range has a whole number of 2 to 1099511627776 values")
	check("hp-lam", "o_r=1us..2us/2000000000000",
		"2000000000000 steps; a range has a whole number of 2 to 1099511627776 values")
	check("hp-lam", "o_r=0us..2us/5/log", "a range with /log must begin above 0")
	check("hp-lam", "o_r=1us", "no range; write NAME=FROM..TO/STEPS, as in host-dma.tau=1us/KiB..8us/KiB/100")
	check("hp-lam", "o_r=1us..2B", `"2B" is a size; layer.gam.o_r takes a time here`)
	check("hp-lam", "o_x=1us..2us", `hp-lam/gam has no parameter "o_x"; did you mean "o_s"?`)
}

func TestSweepErrors(t *testing.T) {
	check := func(ref, name, want string, ranges ...string) {
		t.Helper()
		err := sweep(t, ref, []quantity.Bytes{16}, []string{name}, ranges...).Run(context.Background(), nil, func(*Block) error { return nil })
		if err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
	check("hp-lam", "rtt", "layer.gam.o_r has two ranges; give one", "o_r=1us..2us", "o_r=1us..2us")
	check("hp-lam", "packet", "hp-lam/gam has no packet(16B): its messages are not cut into packets", "o_r=1us..2us")
	check("hp-lam/card-accesses", "n_half", "hp-lam/card-accesses has no n_half: no cost is per byte, so bandwidth has no peak", "L=1us..2us")
	check("clip/pio", "send_overhead", "clip/pio has no send_overhead(16B): the times of messages on the processors are unknown", "beta=1us..2us")
}

// Where a parameter has no place there is no number: L = 5.3 µs stays, but a size of
// 2.5 bytes, or a latency below zero, is none.
func TestImpossible(t *testing.T) {
	s := sweep(t, "hp-lam/segment", []quantity.Bytes{16}, []string{"rtt"}, "bulk_bandwidth=100MB/s..1000MB/s/10")
	err := s.Run(context.Background(), nil, func(b *Block) error {
		for i := 0; i < len(b.Values); i += 3 {
			// G = (4KiB/bulk_bandwidth - g)/…, which is negative from 4096/8.7 = 471 MB/s on.
			if none := math.IsNaN(b.Values[i+2]); none != (b.Values[i] > 471) {
				t.Errorf("at %v MB/s the RTT is %v", b.Values[i], b.Values[i+2])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func BenchmarkSweep(b *testing.B) {
	s := sweep(b, "hp-lam", []quantity.Bytes{65536}, []string{"one_way", "gap", "bandwidth"}, "o_r=1us..10us/1000", "o_s=1us..10us/1000")
	for b.Loop() {
		if err := s.Run(context.Background(), nil, func(*Block) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}
