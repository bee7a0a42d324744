package papers

import "testing"

func TestMPCIsWhole(t *testing.T) { checkFacts(t, "mpc") }

func TestMPCNumbers(t *testing.T) {
	// 1 Gbit/s with 8 data bits in 12, a byte per cycle of 80 MHz, and 32 of 33 bytes of it.
	computes(t, "mpc", `roof("link-symbols")`, 0, 1000./12, "MB/s")
	computes(t, "mpc", `roof("link-credits")`, 0, 80*32./33, "MB/s")
	// 1.9 + 1.7 + 0.4 µs, and n½ = 4 µs at 61.25 MB/s.
	computes(t, "mpc/put", "beta", 0, 4, "us")
	computes(t, "mpc/put", "n_half()", 0, 245, "B")
	computes(t, "mpc/slr", "n_half()", 0, 2695, "B")
	computes(t, "mpc/put-next-router", `one_way(n) - one_way("put", n)`, 4, 0.15, "us")
	// 26 µs up to 128 bytes; above, request, answer and PUT.
	computes(t, "mpc/mpi", "one_way(n)", 128, 26, "us")
	computes(t, "mpc/mpi", "one_way(n)", 129, 56+129/61.25, "us")
}
