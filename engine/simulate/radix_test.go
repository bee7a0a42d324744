package simulate_test

import (
	"context"
	"fmt"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// HP-LAM's radix sort (table 4.3) as a schedule. The report prints neither keys, nor processors,
// nor messages. So the messages M and the cycles C of a phase come from the times on the two Suns,
// which [platforms.FitPhase] divides into cycles and overheads, and processors are two. Each computes
// and sends to the other M times: in coalesce without waiting, as writes to remote memory do; in
// wave-scan each message waits for the one before, which passes from processor to processor. The
// closed form knows o_s + o_r only; the simulation also L and g, and who waits for whom.
//
// The simulation is further from the measurements than the closed form. The number of messages
// comes from the closed form, which takes all that the Suns spent on them for overhead, waiting
// included; the schedule waits once more. In wave-scan a chain of so many messages would take three
// times as long as the phase did, so that most of them cannot have waited for each other.
func Example_radixSort() {
	hp, layer := find("hp-lam")
	ss20, ss20Layer := find("sun-lam-ss20")
	ultra, ultraLayer := find("sun-lam-ultra1")
	machine, err := simulate.FromLayer(layer, simulate.NoLimit)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("phase          messages  measured  closed form   simulated")
	for _, row := range []struct {
		name            string
		hp, ss20, ultra float64 // s, table 4.3
		chain           bool
	}{
		{"1 fill", 0.14, 0.56, 0.13, false}, {"1 wave-scan", 1.04, 0.88, 0.95, true}, {"1 coalesce", 9.84, 8.99, 7.78, false},
		{"2 fill", 0.12, 0.25, 0.09, false}, {"2 wave-scan", 1.03, 0.80, 0.93, true}, {"2 coalesce", 0.65, 1.18, 0.27, false},
	} {
		fit, err := platforms.FitPhase(platforms.PhaseOn{Clock: ss20.Clock, Layer: ss20Layer.Model, Time: quantity.Micros(row.ss20 * 1e6)},
			platforms.PhaseOn{Clock: ultra.Clock, Layer: ultraLayer.Model, Time: quantity.Micros(row.ultra * 1e6)})
		if err != nil {
			fmt.Println(err)
			return
		}
		closed := float64(fit.Time(hp.Clock, layer.Model)) / 1e6
		simulated := float64(radix(machine, fit, hp.Clock, row.chain)) / 1e6
		off := func(t float64) string { return fmt.Sprintf("%5.2f s %+4.0f %%", t, 100*(t/row.hp-1)) }
		fmt.Printf("%-12s %10.0f  %6.2f s %s %s\n", row.name, fit.Messages, row.hp, off(closed), off(simulated))
	}
	// Output:
	// phase          messages  measured  closed form   simulated
	// 1 fill                0    0.14 s  0.20 s  +43 %  0.20 s  +43 %
	// 1 wave-scan      122098    1.04 s  1.19 s  +15 %  3.55 s +241 %
	// 1 coalesce       904963    9.84 s  9.88 s   +0 % 12.67 s  +29 %
	// 2 fill             2694    0.12 s  0.12 s   +2 %  0.12 s   +2 %
	// 2 wave-scan      122801    1.03 s  1.17 s  +13 %  3.54 s +243 %
	// 2 coalesce            0    0.65 s  0.42 s  -36 %  0.42 s  -36 %
}

func find(name string) (platforms.Platform, platforms.Layer) {
	d, err := platforms.Open(name)
	if err != nil {
		panic(err) // a platform of this program
	}
	p, l := d.Platform, d.Layer
	return p, l
}

// radix is the time of a phase on two processors with this clock in MHz. Of many messages it runs
// 10,000 and multiplies: the first ones, which find nothing to wait for, do not matter then.
func radix(m simulate.Machine, of platforms.Phase, clock float64, chain bool) quantity.Micros {
	const most = 10_000
	messages := min(int(of.Messages), most)
	scale := 1.0
	if messages > 0 {
		scale = of.Messages / float64(messages)
	}
	compute := of.Cycles / clock * 1e3 / scale / float64(max(messages, 1)) // ns before each message
	b := schedule.NewBuilder(2)
	for rank := range uint32(2) {
		b.NextRank()
		last := b.Calc(0)
		for range max(messages, 1) {
			work := b.Calc(uint64(compute))
			b.Requires(work, last)
			last = work
			if messages == 0 {
				break
			}
			send, recv := b.Send(1, 1-rank, 0), b.Recv(1, 1-rank, 0)
			b.Requires(send, work)
			last = send
			if chain {
				if rank == 0 { // it sends, and goes on with what comes back
					b.Requires(recv, send)
					last = recv
				} else { // it waits, and sends
					b.Requires(send, recv)
				}
			}
		}
	}
	s, err := b.Build()
	if err != nil {
		panic(err)
	}
	p, err := simulate.New(s)
	if err != nil {
		panic(err)
	}
	r, err := p.Run(context.Background(), simulate.Setup{Machine: m})
	if err != nil {
		panic(err)
	}
	t, _ := r.Finish()
	return t * quantity.Micros(scale)
}
