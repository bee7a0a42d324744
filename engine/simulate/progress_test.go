package simulate

import (
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule"
)

// Every operation is counted once, also a rendezvous, which has events of its own, and what waits
// for its processor: a bar of progress ends at 100 %.
func TestProgress(t *testing.T) {
	b := schedule.NewBuilder(2)
	for rank := range uint32(2) {
		b.NextRank()
		kind := schedule.Send
		if rank == 1 {
			kind = schedule.Recv
		}
		for tag := range uint32(40) {
			size := uint64(1)
			if tag%2 == 0 {
				size = 5000 // a rendezvous
			}
			b.Add(schedule.Op{Kind: kind, Size: size, Peer: 1 - rank, Tag: tag})
			b.Calc(1000)
		}
	}
	s, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, rules := range []Rules{Default, LogGOPSim} {
		run, err := p.begin(t.Context(), Setup{Rules: rules,
			LogGOPS: LogGOPS{Latency: 3, Overhead: 2, EagerLimit: 100}})
		if err == nil {
			err = run.loop(run)
		}
		if err != nil {
			t.Fatal(err)
		}
		run.giveBack()
		r := run.end()
		if all := uint64(len(s.Ops())); r.done != all {
			t.Errorf("%v: %d of %d operations are done", rules, r.done, all)
		}
		if rules == Default && uint64(r.num) <= r.done+40 {
			t.Errorf("%d events: no message was a rendezvous", r.num)
		}
	}
}
