package message

import (
	"math"
	"testing"

	"github.com/halfpeak/halfpeak/internal/sharedtest"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// Two packets have one threshold: that of the least sum of relative times, searched one by one. The
// packets are those of equation 10, 872 and 3490 bytes for 4 and 64 KiB.
func TestSwitchesBySearch(t *testing.T) {
	const from, to = 4 << 10, 64 << 10
	d := sharedtest.Must(t, platforms.Open, "clip/user-buffer")
	pipe := model.At(d.Layer.Model, to).(*model.Pipeline)
	table := switchesOf([]quantity.Bytes{from, to}, []platforms.Design{d})
	if len(table) != 4 || table[0].Method != "paper-table" || table[2].Method != "equal-table" ||
		table[0].Plan.Largest() != 872 || table[1].Plan.Largest() != 3490 || table[1].Size != to {
		t.Fatalf("%+v", table)
	}
	for first, time := range map[int]func(n, p quantity.Bytes) quantity.Micros{
		0: pipe.PaperBound, 2: pipe.OneWayIn,
	} {
		small, large := table[first].Plan.Largest(), table[first+1].Plan.Largest()
		var messages []quantity.Bytes
		for k := 0; k <= 4*perOctave; k++ {
			messages = append(messages, quantity.Bytes(math.Round(from*math.Exp2(float64(k)/perOctave))))
		}
		best, least := quantity.Bytes(0), math.Inf(1)
		for _, upTo := range messages {
			sum := 0.0
			for _, n := range messages {
				a, b := float64(time(n, small)), float64(time(n, large))
				if n <= upTo {
					sum += a / min(a, b)
				} else {
					sum += b / min(a, b)
				}
			}
			if sum < least {
				best, least = upTo, sum
			}
		}
		if table[first].Size != best {
			t.Errorf("%s: up to %v; want %v", table[first].Method, table[first].Size, best)
		}
	}
}

// A table of our packets loses little to the best packet of each message: at most 2 % from 8 KiB,
// and at most 8 % below, where a message has few packets and a short last one weighs most.
func TestSwitchesLoseLittle(t *testing.T) {
	d := sharedtest.Must(t, platforms.Open, "clip/user-buffer")
	var sizes []quantity.Bytes
	for n := quantity.Bytes(1 << 10); n <= 1<<20; n *= 2 {
		sizes = append(sizes, n)
	}
	pipe := model.At(d.Layer.Model, 1<<20).(*model.Pipeline)
	table := switchesOf(sizes, []platforms.Design{d})
	for n := quantity.Bytes(1 << 10); n <= 1<<20; n = n*9/8 + 1 {
		for _, row := range table {
			if row.Method != "equal-table" || n > row.Size {
				continue
			}
			_, best := pipe.BestPacket(n)
			most := quantity.Micros(1.02)
			if n < 8<<10 {
				most = 1.08
			}
			if got := pipe.OneWayIn(n, row.Plan.Largest()); got > most*best {
				t.Errorf("%v in packets of %v: %v, the best %v", n, row.Plan.Largest(), got, best)
			}
			break
		}
	}
	if one := switchesOf(sizes[:1], []platforms.Design{d}); one != nil {
		t.Errorf("one size: %v", one)
	}
	if none := switchesOf(sizes, []platforms.Design{sharedtest.Must(t, platforms.Open, "hp-lam")}); none != nil {
		t.Errorf("no pipeline: %v", none)
	}
}
