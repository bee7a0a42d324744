package published

import "testing"

// Bine trees and pipelines over several ports have steps like a schedule's; only some follow it.
func TestNames(t *testing.T) {
	for _, c := range []struct{ collective, algorithm, schedule, follows string }{
		{"allreduce", "rabenseifner_ompi", "rabenseifner", "rabenseifner"},
		{"allreduce", "BINE-L-UTOFU-0-3", "recursive-doubling", ""},
		{"allreduce", "default_ompi", "rabenseifner", ""},
		{"allreduce", "allreduce_hier_bw", "", ""},
		{"allgather", "sparbit_over", "bruck", ""},
		{"bcast", "bine_bdw_remap_over", "scatter-doubling", "binomial"},
		{"bcast", "scatter_allgather_ring_ompi", "scatter-ring", "scatter-ring"},
		{"scatter", "linear_nb_ompi", "linear-nonblocking", "linear-nonblocking"},
		{Collective("reduce_scatter"), "RING-VEC_HALVING_CONT_PERMUTE-UTOFU-0-6", "ring", ""},
	} {
		s, f := Schedule(c.collective, c.algorithm), Follows(c.collective, c.algorithm)
		if s != c.schedule || f != c.follows {
			t.Errorf("%s, %s: schedule %q, follows %q; want %q, %q",
				c.collective, c.algorithm, s, f, c.schedule, c.follows)
		}
	}
}

// A hierarchical allreduce of "2 GiB" is the call of the other algorithms for 512 MiB.
func TestSize(t *testing.T) {
	sizes := map[string]float64{"allreduce_hier_bw": 1 << 29, "allreduce_nccl_ring": 1 << 31}
	for algorithm, want := range sizes {
		c := Call{Algorithm: algorithm, Bytes: 1 << 31, PerNode: 4}
		if got := c.Size(); got != want {
			t.Errorf("%s: %v bytes, want %v", algorithm, got, want)
		}
	}
}
