package schedule_test

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule"
)

// dissemination of so many ranks: in round k every rank sends to the one 2^k
// after it, having received in the round before.
func dissemination(tb testing.TB, ranks int) *schedule.Schedule {
	tb.Helper()
	b := schedule.NewBuilder(ranks)
	for range ranks {
		r := b.NextRank()
		var last uint32
		for d := 1; d < ranks; d *= 2 {
			send := b.Send(8, uint32((r+d)%ranks), 0)
			if d > 1 {
				b.Requires(send, last)
			}
			last = b.Recv(8, uint32((r-d+ranks)%ranks), 0)
		}
	}
	s, err := b.Build()
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func BenchmarkRead(b *testing.B) {
	s := dissemination(b, 4096)
	var plain, bin, named bytes.Buffer
	if err := s.WriteText(&plain); err != nil {
		b.Fatal(err)
	}
	if err := s.WriteBinary(&bin); err != nil {
		b.Fatal(err)
	}
	for l := range bytes.Lines(plain.Bytes()) {
		named.Write(bytes.ReplaceAll(l, []byte("l"), []byte("op_")))
	}
	for _, form := range []struct {
		name string
		b    []byte
	}{{"text", plain.Bytes()}, {"named", named.Bytes()}, {"binary", bin.Bytes()}} {
		b.Run(form.name, func(b *testing.B) {
			b.SetBytes(int64(len(form.b)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := schedule.Read(bytes.NewReader(form.b), "b"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkWrite(b *testing.B) {
	s := dissemination(b, 4096)
	for _, form := range []struct {
		name  string
		write func(io.Writer) error
	}{{"text", s.WriteText}, {"binary", s.WriteBinary}} {
		b.Run(form.name, func(b *testing.B) {
			var size bytes.Buffer
			if err := form.write(&size); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(size.Len()))
			for b.Loop() {
				if err := form.write(io.Discard); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkBuild(b *testing.B) {
	for _, ranks := range []int{64, 4096} {
		b.Run(fmt.Sprint(ranks), func(b *testing.B) {
			n := 0
			for b.Loop() {
				n += len(dissemination(b, ranks).Ops())
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/operation")
		})
	}
}
