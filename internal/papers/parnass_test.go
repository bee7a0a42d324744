package papers

import "testing"

func TestParnassIsWhole(t *testing.T) { checkFacts(t, "parnass") }

func TestParnassNumbers(t *testing.T) {
	// Sec. 4.1.4: the bandwidths at the largest packet come out again.
	computes(t, "parnass/myricom-api", "bandwidth(n)", 8132, 150, "Mbit/s")
	computes(t, "parnass/myricom-api-flow", "bandwidth(n)", 8132, 37, "Mbit/s")
	// 32 · 33⅓ MHz, and 48 cycles of it.
	computes(t, "parnass", `roof("pci")`, 0, 3200./3, "Mbit/s")
	computes(t, "parnass", "pio_access", 0, 1.44, "us")
	// 1/(1/681 + 1/1280 + 1/727) and the same with 338 and 742: stages in series.
	computes(t, "parnass/dma", "r_inf()", 0, 1/(1./681+1./1280+1./727), "Mbit/s")
	computes(t, "parnass/bullfrog-origin", "r_inf()", 0, 1/(1./338+1./1280+1./742), "Mbit/s")
	// Three switches cost 0.7 µs, one 0.1 µs.
	computes(t, "parnass/bullfrog-three-switches", `one_way(n) - one_way("bullfrog", n)`, 4096, 0.6, "us")
	// Beyond the level 2 cache: 16 µs and 2 MiB at 610 Mbit/s.
	computes(t, "parnass/mpi-shared-memory", "one_way(n)", 2<<20, 16+8*(2<<20)/610., "us")
}
