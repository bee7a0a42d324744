package papers

import (
	"testing"

	"github.com/halfpeak/halfpeak/model/quantity"
)

func TestCLIPIsWhole(t *testing.T) { checkFacts(t, "clip") }

// The seven points of the adaptive column, table 5.1 and the peak at 64 KiB, are
// within one tick of the clock.
func TestCLIPAdaptiveColumn(t *testing.T) {
	results, err := Reproduce()
	if err != nil {
		t.Fatal(err)
	}
	sizes := map[quantity.Bytes]bool{}
	for _, r := range results {
		if r.Paper == "CLIP" && r.Role == Measured && r.Layer == "clip/system-buffer" && r.Formula == "bandwidth(n)" {
			sizes[r.Size] = true
			if !r.Met || r.Bar != "10us" {
				t.Errorf("%s: %s is %.4g MB/s, outside [%.4g, %.4g]", r.At, r.ID, r.Computed, r.Within.Low, r.Within.High)
			}
		}
	}
	for n := quantity.Bytes(1024); n <= 64<<10; n *= 2 {
		if !sizes[n] {
			t.Errorf("no measured point at %s", n)
		}
	}
	if len(sizes) != 7 {
		t.Errorf("%d points; want 7", len(sizes))
	}
}

func TestCLIPNumbers(t *testing.T) {
	// Sums of table 4.2 by hand: 5.4 + 4·28.6 µs for the first packet of 4 KiB, 15 times 31.3 more.
	computes(t, "clip", "one_way_in(n, 4096B)", 64<<10, 589.3, "us")
	// §4.2.2.2 after eq. 10, and eq. 8 there: 13.2 + 27·4 + 16·(4.9 + 30.4).
	computes(t, "clip/user-buffer", "paper_packet(n)", 64<<10, 3490, "B")
	computes(t, "clip/user-buffer", "paper_bound(n, 4096B)", 64<<10, 686, "us")
	// The one entry of table 5.1 that the polling cost is derived from, 32 KiB at 96.47 MB/s.
	computes(t, "clip/no-snoop", "bandwidth(n)", 32<<10, 96.47, "MB/s")
	// Hence per packet (32768/96.47 − 308.0)/8.
	computes(t, "clip/no-snoop", `stage("wire-polled", "beta") - stage("wire", "beta")`, 0, (32768/96.47-308.0)/8, "us")
	// What its column's other entries are predicted from: 1 KiB in one packet, 4.9 + 21 + 3.96.
	computes(t, "clip/no-snoop", "one_way(n)", 1024, 25.9+(32768/96.47-308.0)/8, "us")
	// §2.2.2: 5.6 + 13.8 + 8.1.
	computes(t, "am-enterprise5000", "one_way(n)", 1, 27.5, "us")
	// §3.1.1.1, footnote 3: 48 of 53 bytes of a cell.
	computes(t, "atm", `roof("oc3-cells")`, 0, 155.52*48/53, "Mbit/s")
	// Table 3.2's latencies are for 4 bytes; table 3.3's bandwidth of BIP is at 64 KB.
	computes(t, "atm/aal5", "one_way(n)", 4, 869, "us")
	computes(t, "bip", "bandwidth(n)", 64<<10, 1005, "Mbit/s")
	computes(t, "bip", "one_way(n)", 127, 5, "us")
	computes(t, "fm-1", "one_way(n)", 127, 25, "us")
	computes(t, "fm-1", "r_inf()", 0, 19.6, "MB/s")
}
