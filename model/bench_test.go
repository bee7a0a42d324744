package model

import (
	"testing"

	"github.com/halfpeak/halfpeak/model/quantity"
)

func BenchmarkOneWay(b *testing.B) {
	for _, c := range []struct {
		name  string
		layer Layer
	}{
		{"linear", &Linear{Beta: 3, Tau: 7.6 / 1024}},
		{"logp", &hpLAM},
		{"loggp", &hpLAMLong},
		{"switch", &clipAll},
		{"pipeline-fixed", cut(clip(4), CutFixed, 4096)},
		{"pipeline-paper", clipPaper},
		{"fragmented", &Fragmented{&hpLAMLong, 4096, 8}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.layer.OneWay(65537)
			}
		})
	}
}

func BenchmarkBestPacket64KiB(b *testing.B) {
	l := clip(4)
	for b.Loop() {
		l.BestPacket(64 << 10)
	}
}

func BenchmarkIdealPlanOf64(b *testing.B) {
	l := clip(4)
	for b.Loop() {
		l.idealPlanOf(64<<10, 64)
	}
}

func BenchmarkBestPlan(b *testing.B) {
	l := clip(4)
	for _, n := range []quantity.Bytes{4 << 10, 64 << 10, 1 << 20} {
		b.Run(n.String(), func(b *testing.B) {
			for b.Loop() {
				l.BestPlan(n)
			}
		})
	}
}
