package fits

import (
	"encoding/csv"
	"fmt"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/benchmarks"
	"github.com/halfpeak/halfpeak/internal/published"
)

// osuTest returns the output of an OSU test of two columns: values of the sizes from 1 byte on, each
// four times the one before.
func osuTest(title, column string, values ...float64) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# OSU MPI %s Test v7.3\n# Size      %s\n", title, column)
	size := 1
	for _, v := range values {
		fmt.Fprintf(&b, "%-10d%20.2f\n", size, v)
		size *= 4
	}
	return b.String()
}

func osuLatency(us ...float64) string { return osuTest("Latency", "Latency (us)", us...) }

func osuBandwidth(mbps ...float64) string { return osuTest("Bandwidth", "Bandwidth (MB/s)", mbps...) }

func TestMessageVerdicts(t *testing.T) {
	for _, test := range []struct {
		what, link, log, want string
		bad, judged           int
	}{
		// The question of many threads: are 1.9 µs and 11 GB/s normal on 100 Gbit/s?
		{"a stream", "100Gbit/s", osuBandwidth(4, 60, 240, 900, 3000, 7000, 9900, 11000, 11080, 11110),
			"11.11 GB/s at 256 KiB are 89 % of 100 Gbit/s", 0, 1},
		{"usual", "100Gbit/s", osuBandwidth(4, 60, 240, 900, 3000, 7000, 9900, 11000, 11080, 11110),
			"Verdict: usual", 0, 1},
		{"half of the links", "2x100Gbit/s", osuBandwidth(4, 900, 9000, 11000, 11080),
			"are 44 % of 2 × 100 Gbit/s", 1, 1},
		{"slow", "2x100Gbit/s", osuBandwidth(4, 900, 9000, 11000, 11080), "Verdict: slow", 1, 1},
		{"rising", "100Gbit/s", osuBandwidth(4, 60, 240, 900),
			"No verdict: it rises by 275 % to the largest size", 0, 0},
		{"too much", "10Gbit/s", osuBandwidth(4, 900, 9000, 11000, 11080),
			"No verdict: the links cannot carry this", 0, 0},
		{"a message at a time", "100Gbit/s", osuLatency(1.5, 1.5, 1.6, 1.8, 3, 6, 9, 20, 60, 100, 200, 801),
			"No verdict: one message at a time", 0, 0},
		{"InfiniBand", "100Gbit/s", osuLatency(1.2, 1.2, 1.3), "1.2 µs at 4 B lies among those of " +
			"InfiniBand at 100 Gbit/s.", 0, 0},
		{"two fabrics", "100Gbit/s", osuLatency(1.5, 1.5, 1.6), "among those of InfiniBand at 100 " +
			"Gbit/s and Ethernet by RDMA.", 0, 0},
		{"TCP", "100Gbit/s", osuLatency(22, 22, 23), "among those of Ethernet by TCP.", 0, 0},
		{"a node", "100Gbit/s", osuLatency(0.3, 0.3, 0.4), "among those of within a node.", 0, 0},
		{"between", "100Gbit/s", osuLatency(7, 7, 8),
			"lies above those of Ethernet by RDMA and below those of Ethernet by TCP.", 0, 0},
		{"above all", "100Gbit/s", osuLatency(700, 700, 701), "lies above all of them.", 0, 0},
		{"an unusual rate", "400Gbit/s", osuBandwidth(4, 900, 40000, 44000, 46000),
			"0 machines were published with links of 400 Gbit/s, too few to say", 0, 1},
	} {
		l, err := readLinks(test.link)
		if err != nil {
			t.Fatal(err)
		}
		f := read(t, test.log)
		if got := texts(messageVerdicts(f, l)); !strings.Contains(got, test.want) {
			t.Errorf("%s: %q, want %q", test.what, got, test.want)
		}
		a := Answer{Result: &Lines{}, sources: f}
		if err := a.advise(Question{Links: l}); err != nil {
			t.Fatal(err)
		}
		if bad, judged := a.Judged(); bad != test.bad || judged != test.judged {
			t.Errorf("%s: %d of %d are bad, want %d of %d", test.what, bad, judged, test.bad,
				test.judged)
		}
	}
}

// The rate of several pairs is that of the links, not of one pair.
func TestMessagesOfPairs(t *testing.T) {
	log := "# OSU MPI Multiple Bandwidth / Message Rate Test v7.3\n" +
		"# [ pairs: 4 ] [ window size: 64 ]\n# Size   MB/s   Messages/s\n" +
		"1048576 11000.00 10490.42\n2097152 11100.00 5292.89\n4194304 11200.00 2670.29\n"
	m, ok := messagesOf(read(t, log)[0])
	if !ok || m.best < 11199 || m.best > 11201 {
		t.Errorf("%v, %v; want 11200 MB/s", m.best, ok)
	}
}

// Two small machines back to back are not compared with clusters of GPUs.
func TestSmallLinksAreNoClusters(t *testing.T) {
	for link, want := range map[string]bool{"100Gbit/s": false, "2x200Gbit/s": false, "8x400Gbit/s": true} {
		l, err := readLinks(link)
		if err != nil {
			t.Fatal(err)
		}
		text := texts(verdictsOf(read(t, log(2, 10, 11, 11)), l))
		if got := strings.Contains(text, "published clusters"); got != want {
			t.Errorf("%s: %q", link, text)
		}
	}
}

// The table of networks has the numbers of the published curves.
func TestNetworksArePublished(t *testing.T) {
	all, err := published.Curves()
	if err != nil {
		t.Fatal(err)
	}
	small, rate := map[string]float64{}, map[string]float64{}
	for _, c := range all {
		if c.Kind != benchfile.OneWay && c.Kind != benchfile.Gap {
			continue
		}
		m, _ := messagesOf(benchmarks.Source{Table: &c.Table})
		key := c.Machine
		if m.small > 0 {
			small[fmt.Sprintf("%s %.3g", key, float64(m.small))] = 1
		}
		if last := len(c.Samples) - 1; last >= 0 {
			s := c.Samples[last]
			rate[fmt.Sprintf("%s %.3g", key, float64(s.Size.Over(s.Mean)))] = 1
		}
	}
	names := map[string]string{"alaska": "StackHPC alaska", "Azure EDR": "azure-edr",
		"Azure HB": "azure-hb", "Summit": "summit", "ORFEO EPYC": "ORFEO", "Lassen": "Lassen",
		"Grid5000 adonis": "hosts adonis-9", "AWS hpc6a": "AWS EKS hpc6a", "Alps": "CSCS Alps GH200",
		"LUMI": "lumi", "Eiger": "eiger", "LCC2": "lcc2"}
	in := csv.NewReader(strings.NewReader(networksFile))
	in.Comment = '#'
	rows, err := in.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, r := range rows[1:] {
		machine := names[r[1]]
		if machine == "" {
			continue // typed from pages that the tables do not have, or of several files
		}
		for i, of := range []map[string]float64{small, rate} {
			var v float64
			if _, err := fmt.Sscan(r[4+i], &v); err != nil {
				continue
			}
			checked++
			if of[fmt.Sprintf("%s %.3g", machine, v)] == 0 {
				t.Errorf("%s %s: no curve has %v", r[1], r[2], v)
			}
		}
	}
	if checked < 15 {
		t.Errorf("%d numbers checked", checked)
	}
}
