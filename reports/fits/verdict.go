package fits

import (
	_ "embed"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/benchmarks"
	"github.com/halfpeak/halfpeak/internal/formula"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// Links are what a node has towards the network: a number of them, and the rate of each in one
// direction. The zero value is not known.
type Links struct {
	number int
	rate   quantity.MBps
}

// ParseLinks returns links such as "4x200Gbit/s", or the rails of a node of the platform of that
// name. An empty text is the zero value.
func ParseLinks(text string) (l Links, err error) {
	if text == "" {
		return l, nil
	}
	if l, err = readLinks(text); err == nil {
		return l, nil
	}
	d, notFound := platforms.Open(text)
	if notFound == nil {
		notFound = d.Messages()
	}
	if notFound != nil {
		return l, err
	}
	const large = 1 << 30 // whose time is that of its bytes
	levels := d.Machine().Levels
	for i, node := range levels {
		if l.number = node.Rails(); l.number == 0 || i+1 == len(levels) {
			continue
		}
		takes := levels[i+1].Cost(large).Gap / quantity.Micros(l.number)
		if len(node.Port) > 0 {
			takes = node.Port.OneWay(large)
		}
		l.rate = quantity.Bytes(large).Over(takes) / quantity.MBps(l.number)
		return l, nil
	}
	return Links{}, fmt.Errorf("%s has no level with ports or rails towards the network", text)
}

// fastestLink is 1.6 Tbit/s, twice the fastest port of a network adapter of 2026. Faster links are
// bytes written for bits.
const fastestLink quantity.MBps = 200_000

// readLinks reads links such as "4x200Gbit/s", or one as "25GB/s".
func readLinks(given string) (l Links, err error) {
	l.number = 1
	text := given
	if number, rate, several := strings.Cut(text, "x"); several {
		if l.number, err = strconv.Atoi(number); err != nil || l.number < 1 || l.number > 1024 {
			return l, fmt.Errorf("%q: the number of links must be 1 to 1024, "+
				"as in 4x200Gbit/s", text)
		}
		text = rate
	}
	v, err := formula.Eval(text, nil)
	if err != nil && text == "" {
		err = fmt.Errorf("%q: links are a number and a rate, as in 4x200Gbit/s", given)
	}
	if l.rate = quantity.MBps(v.Num); err == nil &&
		(v.Dim != quantity.DimRate || !(v.Num > 0) || math.IsInf(v.Num, 0)) {
		err = fmt.Errorf("%q: links are a number and a rate, as in 4x200Gbit/s", text)
	}
	if err == nil && l.rate > fastestLink {
		err = fmt.Errorf("%q: a link of %s has %.4g Gbit/s, and none has more than %.4g; is "+
			"Gbit/s meant, as in 4x200Gbit/s?", given, text, float64(l.rate)*8/1e3,
			float64(fastestLink)*8/1e3)
	}
	return l, err
}

// total returns the rate of all links of a node.
func (l Links) total() quantity.MBps { return quantity.MBps(l.number) * l.rate }

// A reach is what the bus bandwidth of a table of nccl-tests comes to.
type reach struct {
	benchmarks.Source
	best   quantity.MBps  // the highest
	at     quantity.Bytes // its size
	half   quantity.Bytes // from which all larger sizes have at least half of it
	sizes  int            // number of sizes
	rising float64        // from the size before the largest to the largest, as a fraction
}

// The rules of the verdict. A bandwidth below slow of the links is called slow: without half of
// them some rails do not carry. Above usual it is called usual, and between the two low: published
// clusters in order are found there, too. One that still rises by more than flat in the last step
// has not reached its plateau. Settings that differ by less than same at all large sizes have no
// effect: repeated runs differ by more.
const (
	slow, usual = 0.5, 0.7
	flat        = 0.1
	same        = 0.002
)

// fast is the sum of the links of a node from which on published clusters compare, whose nodes all
// have four to eight links of 400 Gbit/s: two small machines back to back are none of them.
const fast quantity.MBps = 200_000

// carried is the share of the links above which bytes went elsewhere: 2 % are for rounded rates.
const carried = 1.02

// ofNCCLTests reports whether the table is of a collective that nccl-tests measured.
func ofNCCLTests(s benchmarks.Source) bool {
	return s.Table.Format == "nccl-tests" && s.Table.Kind == benchfile.Collective
}

// reachOf returns the reach of a table; false for tables of other benchmarks and operations.
func reachOf(s benchmarks.Source) (r reach, ok bool) {
	c := s.Table.Collective
	if !ofNCCLTests(s) || c.Ranks < 2 {
		return r, false
	}
	timed := platforms.Timed{Of: platforms.Collective, Collective: c.Name, Ranks: c.Ranks}
	bandwidth := func(m benchfile.Sample) quantity.MBps {
		_, bus := timed.Bandwidths(m.Size, m.Mean)
		return bus
	}
	all := slices.DeleteFunc(slices.Clone(s.Table.Samples), func(m benchfile.Sample) bool {
		return !(m.Mean > 0) || !(bandwidth(m) > 0)
	})
	if len(all) == 0 {
		return r, false
	}
	r.Source = s
	for _, m := range all {
		if b := bandwidth(m); b > r.best {
			r.best, r.at = b, m.Size
		}
	}
	for _, m := range slices.Backward(all) {
		if bandwidth(m) < r.best/2 {
			break
		}
		r.half = m.Size
	}
	r.sizes = len(all)
	if last := r.sizes - 1; last > 0 {
		r.rising = float64(bandwidth(all[last])/bandwidth(all[last-1])) - 1
	}
	return r, true
}

// A verdict is what is said of a table beside the links of a node. The last sentence of the text is
// the verdict itself, or why there is none.
type verdict struct {
	text  string
	share float64 // of the links, if they decide; else 0
}

// judge adds the verdict of the links on a share of them. Unless they decide, why says why not;
// more is said behind a verdict.
func judge(text string, share float64, why, more string) verdict {
	if why != "" {
		return verdict{text: text + "No verdict: " + why + "."}
	}
	return verdict{text + "Verdict: " + wordOf(share) + more + ".", share}
}

// verdictsOf says, if the links of a node are given, of each table of nccl-tests what its bus
// bandwidth reaches, what part of the links that is, and what published clusters reach.
func verdictsOf(sources []benchmarks.Source, l Links) (said []verdict) {
	if l.number == 0 {
		return nil
	}
	var all []reach
	for _, s := range sources {
		if r, ok := reachOf(s); ok && !strings.HasPrefix(s.Table.Series, "in-place") {
			all = append(all, r)
		}
	}
	for _, note := range append(standingOut(all), withoutEffect(all)...) {
		said = append(said, verdict{text: note})
	}
	for _, r := range all {
		said = append(said, r.verdict(l))
	}
	return said
}

// verdict describes the reach and judges it.
func (r reach) verdict(l Links) verdict {
	c := r.Table.Collective
	text := fmt.Sprintf("%s, %s: busbw reaches %s at %s", c.Name, placeText(c), gbps(r.best), r.at)
	if r.sizes > 1 {
		text += fmt.Sprintf(", half of it from %s on", r.half)
	}
	if published := comparable(c); published != "" && (c.Nodes == 1 || l.total() >= fast) {
		text += "; " + published
	}
	share := r.share(l)
	more := fmt.Sprintf(", %.0f %% of %d × %s", 100*share, l.number, gbps(l.rate))
	if c.Name == "alltoall" {
		more += fmt.Sprintf(": a node sends %s", gbps(l.total()*quantity.MBps(share)))
	} else if share > 1 {
		more += "; a ring could not exceed 100 %: bytes stay inside the nodes, as with a tree"
	}
	return judge(text+". ", share, r.undecided(l), more)
}

// undecided says why the links do not decide on the reach; empty if they do.
func (r reach) undecided(l Links) string {
	switch c, share := r.Table.Collective, r.share(l); {
	case r.rising > flat:
		return fmt.Sprintf("it rises by %.0f %% to the largest size; measure up to 8 GiB (-e 8G)",
			100*r.rising)
	case c.Nodes == 1:
		return "on one node no byte takes the links between nodes"
	case c.Nodes == 0:
		return "the log does not say how many nodes took part"
	case share == 0:
		return "one rank or one pair of a node sends to others, and not all links carry that"
	case r.fewRanks(l):
		few := c.Ranks / c.Nodes
		return fmt.Sprintf("it is %.0f %% of %d × %s, and %s of a node may use %s alone, of which "+
			"it is %.0f %%", 100*share, l.number, gbps(l.rate), quantity.Plural(few, "rank"),
			quantity.Plural(few, "link"), 100*share*float64(l.number)/float64(few))
	case share > r.possible():
		return fmt.Sprintf("links of %s cannot carry this; there may be more of them, or switches "+
			"that combine", gbps(l.total()))
	}
	return ""
}

// wordOf returns the verdict on a share of the links.
func wordOf(share float64) string {
	switch {
	case share < slow:
		return "slow"
	case share < usual:
		return "low"
	}
	return "usual"
}

// fewRanks reports whether a node has fewer ranks than links, and the bandwidth is not usual for
// all links, but for one link a rank: many libraries give each GPU a link of its own.
func (r reach) fewRanks(l Links) bool {
	c := r.Table.Collective
	if c.Nodes < 2 || c.Ranks >= c.Nodes*l.number {
		return false
	}
	share := r.share(l)
	each := share * float64(l.number*c.Nodes) / float64(c.Ranks)
	return wordOf(share) != "usual" && wordOf(each) == "usual"
}

// share returns the part of the links of a node that the highest bus bandwidth needs; 0 if few
// ranks of a node send to others. Rings carry as many bytes between nodes, over all links, as
// between ranks, which is what bus bandwidth counts. In an alltoall of p ranks, each of the k ranks
// of a node sends (p−k)/p of its bytes to other nodes, and bus bandwidth counts (p−1)/p of one
// rank's.
func (r reach) share(l Links) float64 {
	c := r.Table.Collective
	of := float64(r.best / l.total())
	switch c.Name {
	case "alltoall":
		p, k := float64(c.Ranks), float64(c.Ranks)/float64(max(c.Nodes, 1))
		return of * k * (p - k) / (p - 1)
	case "gather", "scatter", "sendrecv":
		return 0
	}
	return of
}

// possible returns the highest share that links carry, if each byte that leaves a node is sent: an
// allreduce of n bytes then sends at least 2n(N−1)/N of them out of some node of N, and busbw
// counts 2n(p−1)/p.
func (r reach) possible() float64 {
	c := r.Table.Collective
	p, n := float64(c.Ranks), float64(c.Nodes)
	switch c.Name {
	case "allreduce", "allgather", "reduce_scatter":
		return carried * (p - 1) / p * n / (n - 1)
	case "alltoall":
		return carried
	}
	return math.Inf(1)
}

// gbps returns a rate in the unit of nccl-tests.
func gbps(rate quantity.MBps) string { return fmt.Sprintf("%.4g GB/s", float64(rate)/1e3) }

// placeText describes the ranks of an operation.
func placeText(c benchfile.CollectiveOp) string {
	switch {
	case c.Nodes == 1:
		return fmt.Sprintf("%d ranks on 1 node", c.Ranks)
	case c.Nodes > 1:
		return fmt.Sprintf("%d ranks on %d nodes", c.Ranks, c.Nodes)
	}
	return fmt.Sprintf("%d ranks", c.Ranks)
}

//go:embed busbw.csv
var busbw string

// comparable describes what published clusters reach in an operation, on one node or on several;
// empty without any.
func comparable(c benchfile.CollectiveOp) string {
	if c.Nodes == 0 {
		return ""
	}
	var measured, set []float64
	machines := map[string]bool{}
	for line := range strings.Lines(busbw) {
		f := strings.Split(strings.TrimSpace(line), ",")
		if len(f) != 8 || f[5] != strings.ReplaceAll(c.Name, "_", "") {
			continue
		}
		value, err := strconv.ParseFloat(f[7], 64)
		if err != nil || (f[2] == "1") != (c.Nodes == 1) {
			continue
		}
		machines[f[0]+f[1]+f[4]] = true
		if f[6] == "floor" || f[6] == "expected" {
			set = append(set, value)
		} else {
			measured = append(measured, value)
		}
	}
	if len(machines) < 3 {
		return fmt.Sprintf("published for so many nodes: %d clusters, too few to compare",
			len(machines))
	}
	var parts []string
	for _, of := range []struct {
		values []float64
		what   string
	}{{measured, "measured"}, {set, "set by hand as a floor"}} {
		if n := len(of.values); n > 1 {
			parts = append(parts, fmt.Sprintf("%.4g to %.4g GB/s (%d %s)", slices.Min(of.values),
				slices.Max(of.values), n, of.what))
		} else if n == 1 {
			parts = append(parts, fmt.Sprintf("%.4g GB/s (1 %s)", of.values[0], of.what))
		}
	}
	return fmt.Sprintf("%d published clusters of all kinds: %s", len(machines),
		strings.Join(parts, ", "))
}

// standingOut names numbers of ranks that take much longer than the next smaller and the next
// larger one, at the largest size that the three have.
func standingOut(all []reach) (notes []string) {
	type operation struct{ name, algorithm, series string }
	of := map[operation]map[int]*benchfile.Table{}
	tablesOf := func(r reach) map[int]*benchfile.Table {
		c := r.Table.Collective
		key := operation{c.Name, c.Algorithm, r.Table.Series}
		if of[key] == nil {
			of[key] = map[int]*benchfile.Table{}
		}
		return of[key]
	}
	for _, r := range all {
		tablesOf(r)[r.Table.Collective.Ranks] = r.Table
	}
	for _, r := range all {
		c, tables := r.Table.Collective, tablesOf(r)
		ranks := slices.Sorted(maps.Keys(tables))
		i := slices.Index(ranks, c.Ranks)
		if tables[c.Ranks] != r.Table || i == 0 || i == len(ranks)-1 {
			continue
		}
		size, took := quantity.Bytes(0), 0.0
		for _, m := range r.Table.Samples {
			below, above := timeAt(tables[ranks[i-1]], m.Size), timeAt(tables[ranks[i+1]], m.Size)
			if below > 0 && above > 0 && m.Mean > 0 {
				size, took = m.Size, float64(m.Mean/max(below, above))
			}
		}
		if took > 1.5 { // repeats of one call differ by far less
			notes = append(notes, fmt.Sprintf("%s: %d ranks take %.1f times as long as %d and %d, "+
				"at %s", c.Name, c.Ranks, took, ranks[i-1], ranks[i+1], size))
		}
	}
	return notes
}

func timeAt(t *benchfile.Table, size quantity.Bytes) quantity.Micros {
	for _, m := range t.Samples {
		if m.Size == size {
			return m.Mean
		}
	}
	return 0
}

// withoutEffect names files of one call whose bandwidths are the same: if a setting differs between
// them, it had no effect.
func withoutEffect(all []reach) (notes []string) {
	for i, a := range all {
		for _, b := range all[i+1:] {
			ca, cb := a.Table.Collective, b.Table.Collective
			alike := ca.Name == cb.Name && ca.Ranks == cb.Ranks && ca.Nodes == cb.Nodes &&
				a.Table.Series == b.Table.Series && a.File.Name != b.File.Name
			if alike && math.Abs(float64(a.best/b.best)-1) < same {
				notes = append(notes, fmt.Sprintf("%s and %s reach %s and %s: if a setting "+
					"differs between them, it had no effect; no verdict on it",
					a.File.Name, b.File.Name, gbps(a.best), gbps(b.best)))
			}
		}
	}
	return notes
}
