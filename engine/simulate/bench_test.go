//go:build unix

package simulate_test

import (
	"context"
	"fmt"
	"syscall"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/simulate"
)

// Processor time per event of regular patterns against the number of ranks. It makes
// docs/tables/simulate.csv:
//
//	go test ./engine/simulate -run '^$' -bench Events -benchtime 50ms -count 3 | engine/simulate/peers/cost.awk > docs/tables/simulate.csv
func BenchmarkEvents(b *testing.B) {
	for _, pattern := range []struct {
		name  string
		part  collective.Algorithm
		ranks []int
	}{
		{"broadcast", algorithm("bcast", "binomial"), []int{1 << 6, 1 << 8, 1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20}},
		{"dissemination", algorithm("barrier", "dissemination"), []int{1 << 6, 1 << 8, 1 << 10, 1 << 12, 1 << 14, 1 << 16}},
		{"alltoall", algorithm("alltoall", "linear"), []int{1 << 6, 1 << 7, 1 << 8, 1 << 9, 1 << 10}},
	} {
		for _, ranks := range pattern.ranks {
			s := patternOf(b, pattern.part, ranks)
			for _, rules := range []simulate.Rules{simulate.LogGOPSim, simulate.Default} {
				b.Run(fmt.Sprintf("%s/%d/%v", pattern.name, ranks, rules), func(b *testing.B) {
					p := prepare(b, s)
					events := uint64(0)
					b.ResetTimer()
					before := processorTime(b)
					for b.Loop() {
						r, err := p.Run(context.Background(), simulate.Setup{Rules: rules, LogGOPS: simulate.Defaults})
						if err != nil {
							b.Fatal(err)
						}
						events += r.Events
					}
					b.ReportMetric(1e9*(processorTime(b)-before)/float64(events), "cpu-ns/event")
				})
			}
		}
	}
}

// Processor time per event of collectives whose 256 ranks share the ports and memories of the machine in
// docs/machines.md.
func BenchmarkShared(b *testing.B) {
	for _, call := range []struct {
		of, algorithm string
		bytes         uint64
	}{
		{"alltoall", "linear", 64},
		{"alltoall", "linear", 64 << 10},
		{"alltoall", "pairwise", 64 << 10},
		{"allgather", "ring", 64 << 10},
		{"allreduce", "ring", 1 << 20},
	} {
		for _, by := range []string{"core", "node"} {
			b.Run(fmt.Sprintf("%s/%s/%d/%s", call.of, call.algorithm, call.bytes, by), func(b *testing.B) {
				s, err := algorithm(call.of, call.algorithm).Schedule(256, collective.Call{Bytes: call.bytes})
				if err != nil {
					b.Fatal(err)
				}
				p, machine := prepare(b, s), on(b, rack(), by, 256, simulate.NoLimit)
				events := uint64(0)
				b.ResetTimer()
				before := processorTime(b)
				for b.Loop() {
					r, err := p.Run(context.Background(), simulate.Setup{Machine: machine})
					if err != nil {
						b.Fatal(err)
					}
					events += r.Events
				}
				b.ReportMetric(1e9*(processorTime(b)-before)/float64(events), "cpu-ns/event")
			})
		}
	}
}

// What recording costs.
func BenchmarkRecord(b *testing.B) {
	s := patternOf(b, algorithm("barrier", "dissemination"), 1<<12)
	for _, record := range []bool{false, true} {
		b.Run(fmt.Sprint(record), func(b *testing.B) {
			p := prepare(b, s)
			for b.Loop() {
				if _, err := p.Run(context.Background(), simulate.Setup{LogGOPS: simulate.Defaults, Record: record}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func patternOf(b *testing.B, part collective.Algorithm, ranks int) *schedule.Schedule {
	b.Helper()
	s, err := part.Schedule(ranks, collective.Call{Bytes: 8})
	if err != nil {
		b.Fatal(err)
	}
	return s
}

// processorTime is what this process has used so far, in seconds: other load disturbs it less
// than the clock.
func processorTime(b *testing.B) float64 {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Sec) + float64(u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)/1e6
}

// algorithm returns a registered algorithm, or panics.
func algorithm(of, name string) collective.Algorithm {
	e, err := collective.Find(of, name)
	if err != nil {
		panic(err)
	}
	return e.Algorithm
}
