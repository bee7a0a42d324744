//go:build linux

package live

import (
	"testing"

	"github.com/halfpeak/halfpeak/internal/engine"
	"github.com/halfpeak/halfpeak/internal/engine/programs"
)

// The collectives move their data through shared memory, which they check.
func TestCollectives(t *testing.T) {
	for _, name := range []string{"bcast", "reduce", "allreduce", "allgather", "alltoall", "barrier"} {
		p, err := programs.Find(name, programs.Real)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{4 * nodes, 64 << 10 * nodes} {
			err := Run(Shm, engine.Options{}, func(ep *engine.Endpoint) error {
				_, err := p.Run(ep, programs.Args{Size: n, Count: 2})
				return err
			})
			if err != nil {
				t.Errorf("%s of %d bytes: %v", name, n, err)
			}
		}
	}
}
