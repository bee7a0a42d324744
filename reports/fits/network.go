package fits

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/benchmarks"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

//go:embed networks.csv
var networksFile string

// A network is what was published of messages between two ranks of a machine.
type network struct {
	fabric string // a name of fabrics
	link   quantity.MBps
	small  quantity.Micros // one way, of 8 bytes or fewer; 0: not published
	rate   quantity.MBps   // at the largest size; 0: not published
}

// A fabric is a kind of network, by its name in networks.csv, with what a user calls it.
type fabric struct{ name, called string }

var fabrics = []fabric{
	{"node", "within a node"}, {"InfiniBand", "InfiniBand"},
	{"RoCE", "Ethernet by RDMA"}, {"EFA", "EFA"}, {"Slingshot", "Slingshot"},
	{"TCP", "Ethernet by TCP"},
}

// enough is the number of machines below which a range says nothing.
const enough = 3

// publishedNetworks returns the published networks. The file is part of the program, so an error is
// a fault of ours.
func publishedNetworks() (all []network) {
	in := csv.NewReader(strings.NewReader(networksFile))
	in.Comment = '#'
	rows, err := in.ReadAll()
	if err != nil {
		panic(err)
	}
	number := func(text string) float64 {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil && text != "" {
			panic(err)
		}
		return v
	}
	for _, r := range rows[1:] {
		all = append(all, network{r[2], quantity.MBps(number(r[3]) * 1000 / 8),
			quantity.Micros(number(r[4])), quantity.MBps(number(r[5]))})
	}
	return all
}

// messages are what a table of messages between ranks comes to: the time of small ones, and the
// highest rate.
type messages struct {
	benchmarks.Source
	small   quantity.Micros // one way; 0: it has none, as a stream
	smallAt quantity.Bytes
	best    quantity.MBps // of all pairs in one direction
	at      quantity.Bytes
	sizes   int
	rising  float64 // from the size before the largest to the largest, as a fraction
}

// messagesOf returns the messages of a table; false if it is of something else.
func messagesOf(s benchmarks.Source) (m messages, ok bool) {
	m.Source = s
	ways := quantity.Micros(1)
	switch s.Table.Kind {
	case benchfile.OneWay, benchfile.Gap, benchfile.SharedGap:
	case benchfile.RoundTrip:
		ways = 2
	default:
		return m, false
	}
	pairs := quantity.MBps(max(1, s.Table.Pairs))
	var rates []quantity.MBps
	for _, sample := range s.Table.Samples {
		took := sample.Mean / ways
		if !(took > 0) {
			continue
		}
		if sample.Size <= 8 && !streams(s.Table.Kind) {
			m.small, m.smallAt = took, sample.Size
		}
		if sample.Size <= 0 {
			continue
		}
		rate := sample.Size.Over(took) * pairs
		rates = append(rates, rate)
		if rate > m.best {
			m.best, m.at = rate, sample.Size
		}
	}
	m.sizes = len(rates)
	if last := m.sizes - 1; last > 0 {
		m.rising = float64(rates[last]/rates[last-1]) - 1
	}
	return m, m.small > 0 || m.sizes > 0
}

// streams reports whether times of this kind are of messages behind each other.
func streams(k benchfile.Kind) bool { return k == benchfile.Gap || k == benchfile.SharedGap }

// messageVerdicts says, if the links of a node are given, of each table of messages what part of
// the links it reaches, and where that and the time of small messages lie among published networks.
func messageVerdicts(sources []benchmarks.Source, l Links) (said []verdict) {
	if l.number == 0 {
		return nil
	}
	several := len(sources) > 1
	for _, s := range sources {
		m, ok := messagesOf(s)
		if !ok {
			continue
		}
		text := ""
		if several {
			text = s.Table.Name() + ": "
		}
		if m.small > 0 {
			text += m.smallText(l) + " "
		}
		if m.sizes == 0 {
			said = append(said, verdict{text: strings.TrimSpace(text)})
			continue
		}
		share := float64(m.best / l.total())
		said = append(said, judge(text+m.rateText(l, share), share, m.undecided(share), ""))
	}
	return said
}

// smallText says among which published networks the time of a small message lies. Times on
// InfiniBand are those at the rate of the links, if enough machines have it.
func (m messages) smallText(l Links) string {
	var published, few, among []string
	below, above := "", "" // the fabrics whose ranges end before the time, and begin behind it
	fastest, slowest := quantity.Micros(math.Inf(1)), quantity.Micros(0)
	for _, f := range fabrics {
		called, times := f.called, f.times(l.rate)
		if f.name == "InfiniBand" && len(times) >= enough {
			called += " at " + gigabits(l.rate)
		} else {
			times = f.times(0)
		}
		switch n := len(times); {
		case n == 0:
			continue
		case n < enough:
			few = append(few, fmt.Sprintf("%s (%d)", called, n))
			continue
		}
		low, high := slices.Min(times), slices.Max(times)
		text := fmt.Sprintf("%s %s to %s (%d)", called, low, high, len(times))
		if f.name == "node" { // the slowest pair of cores of each machine; others are faster
			low, text = 0, fmt.Sprintf("%s up to %s (%d)", called, high, len(times))
		}
		published = append(published, text)
		switch {
		case high < m.small && high >= slowest:
			below, slowest = called, high
		case low > m.small && low < fastest:
			above, fastest = called, low
		case low <= m.small && m.small <= high:
			among = append(among, called)
		}
	}
	where := "among those of " + strings.Join(among, " and ")
	switch {
	case len(among) > 0:
	case above == "":
		where = "above all of them"
	default:
		where = fmt.Sprintf("above those of %s and below those of %s", below, above)
	}
	return fmt.Sprintf("%s at %s lies %s. Published, with the number of machines: %s; too few to "+
		"say: %s.", m.small, m.smallAt, where, strings.Join(published, ", "),
		strings.Join(few, ", "))
}

// times returns the published times of small messages on a fabric, on links of a rate, or of any
// if it is 0.
func (f fabric) times(rate quantity.MBps) (times []quantity.Micros) {
	for _, n := range publishedNetworks() {
		if n.fabric == f.name && n.small > 0 && (rate == 0 || alike(n.link, rate)) {
			times = append(times, n.small)
		}
	}
	return times
}

// alike reports whether two rates of links are the same one: 12.5 GB/s and 100 Gbit/s.
func alike(a, b quantity.MBps) bool { return math.Abs(float64(a/b)-1) < 0.05 }

// rateText says what part of the links the rate is, and what was published.
func (m messages) rateText(l Links, share float64) string {
	given := gigabits(l.rate)
	if l.number > 1 {
		given = fmt.Sprintf("%d × %s", l.number, given)
	}
	return fmt.Sprintf("%s at %s are %s of %s. %s. ", m.best, m.at,
		table.PercentError(100*share), given, publishedShares(l))
}

// undecided says why the links do not decide on a share of them; empty if they do. A message at a
// time that fills the links is as good as a stream.
func (m messages) undecided(share float64) string {
	switch {
	case m.rising > flat:
		return fmt.Sprintf("it rises by %.0f %% to the largest size; measure larger messages",
			100*m.rising)
	case share > carried:
		return "the links cannot carry this; there may be more of them, or the ranks are on one " +
			"node"
	case !streams(m.Table.Kind) && share < usual:
		return "one message at a time need not fill the links; measure a stream"
	}
	return ""
}

// publishedShares returns the range of the shares that published machines reach of links of the
// rate, or of all links if those are too few.
func publishedShares(l Links) string {
	var same, all []float64
	for _, n := range publishedNetworks() {
		if n.rate == 0 || n.link == 0 {
			continue
		}
		share := 100 * float64(n.rate/n.link)
		if all = append(all, share); alike(n.link, l.rate) {
			same = append(same, share)
		}
	}
	text := ""
	if len(same) < enough {
		text = fmt.Sprintf("%d machines were published with links of %s, too few to say; with "+
			"links of all rates", len(same), gigabits(l.rate))
		same = all
	} else {
		text = "Published with links of " + gigabits(l.rate)
	}
	return fmt.Sprintf("%s: %.0f to %.0f %% (%d machines)", text, slices.Min(same),
		slices.Max(same), len(same))
}

// gigabits returns the rate of a link in the unit in which links are sold.
func gigabits(rate quantity.MBps) string {
	return fmt.Sprintf("%.4g Gbit/s", float64(rate)*8/1000)
}
