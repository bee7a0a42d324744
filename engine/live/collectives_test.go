//go:build linux

package live

import (
	"testing"

	"github.com/halfpeak/halfpeak/engine"
	"github.com/halfpeak/halfpeak/engine/programs"
)

// All collectives move their data through shared memory.
func TestCollectives(t *testing.T) {
	for _, c := range programs.Collectives {
		if !c.Takes(nodes) {
			t.Logf("%s %s: not among %d nodes", c.Collective, c.Name, nodes)
			continue
		}
		err := Run(Shm, engine.Options{}, func(ep *engine.Endpoint) error {
			team := programs.NewTeam(ep)
			for _, n := range []int{4 * nodes, 64 << 10 * nodes} {
				for root := range nodes {
					if err := c.Run(team, root, n); err != nil {
						return err
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Errorf("%s %s: %v", c.Collective, c.Name, err)
		}
	}
}
