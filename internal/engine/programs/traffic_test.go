package programs_test

import (
	"testing"

	"github.com/halfpeak/halfpeak/internal/engine"
	"github.com/halfpeak/halfpeak/internal/engine/programs"
	"github.com/halfpeak/halfpeak/internal/engine/virtual"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// eachLayer calls do for each layer of each platform, and for the sizes that are few packets.
func eachLayer(t *testing.T, sizes []int, do func(p platforms.Platform, l platforms.Layer, n int)) {
	t.Helper()
	all, err := platforms.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		for _, l := range p.Layers {
			l.Protocol.Retry, l.Protocol.Rounds = 0, false // nothing is lost, and what waits is not sent again
			for _, n := range sizes {
				if asks := l.Protocol.EagerThreshold; asks > 0 && quantity.Bytes(n) > asks {
					continue // each message waits for an answer before, which no interval counts
				}
				if piece := int(model.PacketSize(l.Model, quantity.Bytes(n))); n/piece <= 40 {
					do(p, l, n)
				}
			}
		}
	}
}

// When several nodes send to one, the slowest resource decides.
func TestFanInIsTheModels(t *testing.T) {
	eachLayer(t, []int{1, 16, 257, 4096, 10000}, func(p platforms.Platform, l platforms.Layer, n int) {
		for _, nodes := range []int{2, 3, 5} {
			want := model.FanIn(p.Resources(l), nodes-1, quantity.Bytes(n))
			if retry := l.Protocol.Retry; retry > 0 && quantity.Micros(nodes)*want > retry {
				continue // sent again before its turn comes
			}
			got := run(t, p, l, virtual.Config{Nodes: nodes}, func(ep *engine.Endpoint) (quantity.Micros, error) {
				r, err := named(t, "all_to_1").Run(ep, programs.Args{Size: n, Count: 31})
				return r.Time, err
			})
			if !close(got, want, 1e-9) {
				t.Errorf("%s, %d bytes, %d nodes: a message each %v, the model says %v (%+.3g)", l.Ref(), n, nodes, got, want, float64(got/want-1))
			}
		}
	})
}

// In a long stream of requests their replies take their turn on what both ways share. Until replies
// come back as fast as requests go, requests have it to themselves: at most a window of them more
// arrives in the time that is taken, of two thirds of the stream.
func TestRequestsAreTheModels(t *testing.T) {
	const requests = 1000
	exact, all := 0, 0
	eachLayer(t, []int{1, 257}, func(p platforms.Platform, l platforms.Layer, n int) {
		got := run(t, p, l, virtual.Config{Nodes: 2}, func(ep *engine.Endpoint) (quantity.Micros, error) {
			r, err := named(t, "thru_bulk").Run(ep, programs.Args{Size: n, Count: requests})
			return r.Time, err
		})
		s := virtual.Of(p, l)
		want := model.Requests(p.Resources(l), quantity.Bytes(n), s.Options.Credits, l.Model.OneWay)
		if !close(got, want, float64(s.Options.Credits)/(requests*2./3)) {
			t.Errorf("%s, %d bytes: a request each %v, the model says %v (%+.3g)", l.Ref(), n, got, want, float64(got/want-1))
		}
		all++
		if close(got, want, 1e-9) {
			exact++
		}
	})
	if exact < all*8/10 {
		t.Errorf("only %d of %d are exact", exact, all)
	}
}
