package papers

import "testing"

func TestStarTJRIsWhole(t *testing.T) { checkFacts(t, "startjr") }

func TestStarTJRNumbers(t *testing.T) {
	// Table 2: JAM_4's latency comes out exactly, and so do both ends of JAM_n's line.
	computes(t, "jam-1394/jam-4", "one_way(n)", 16, 85, "us")
	computes(t, "jam-1394/jam-n", "send_overhead(n)", 4, 2.0, "us")
	computes(t, "jam-1394/jam-n", "send_overhead(n)", 80, 5.4, "us")
	computes(t, "jam-1394/jam-n", "gap(n)", 80, 42, "us")
	// The receiver paces JAM_mfer, and more than 20 words take a second message.
	computes(t, "jam-1394/mfer", "gap(n)", 64, 69, "us")
	computes(t, "jam-1394/jam-n", "gap(n)", 160, 84, "us")
	// The latency over Arctic, and that of table 3 in cycles.
	computes(t, "jam-arctic", "one_way(n)", 1, 18, "us")
	computes(t, "startjr-tcp", "one_way(n)*clock", 1, 154680, "")
	computes(t, "startjr-cm5", "(o_s + o_r)*clock", 0, 92.8, "")
	computes(t, "startjr-fm", "one_way(n)*clock", 1, 982.5, "")
}
