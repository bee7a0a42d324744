package fleet

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Group is what comparable curves have in common: only curves of equal groups are compared.
type Group struct {
	// Benchmark is the format and the title of the table.
	Benchmark string
	Kind      benchfile.Kind
	// Ranks took part, on Nodes nodes; 0 if the file does not say.
	Ranks, Nodes int
	// Labels are the other dimensions, of file names and columns: "gpus=4, transport=rc".
	Labels string
	// First and Last are the smallest and the largest size above 0; Sizes is their number.
	First, Last quantity.Bytes
	Sizes       int
}

// ranksPerNode returns the ranks of a node; 0 if that is not known, or not whole:
// then a node has more ranks than another one.
func (g Group) ranksPerNode() int {
	if g.Nodes == 0 || g.Ranks%g.Nodes != 0 {
		return 0
	}
	return g.Ranks / g.Nodes
}

// String describes the group in one line, without what most groups share: its sizes.
func (g Group) String() string {
	parts := []string{g.short()}
	// A title, or that of a job of many ranks, says what the times are.
	titled := strings.Contains(parts[0], " ") || g.Ranks > 0
	if g.Kind != benchfile.Collective && !titled {
		parts = append(parts, g.Kind.String())
	}
	switch n := g.ranksPerNode(); {
	case n == 1:
		parts = append(parts, "1 rank a node")
	case n > 1:
		parts = append(parts, strconv.Itoa(n)+" ranks a node")
	case g.Ranks > 0:
		parts = append(parts, strconv.Itoa(g.Ranks)+" ranks")
	}
	if g.Labels != "" {
		parts = append(parts, g.Labels)
	}
	return strings.Join(parts, ", ")
}

// short returns the benchmark without the words that all titles have: "osu latency" of "osu OSU MPI
// Latency Test v5.9".
func (g Group) short() string {
	format, title, _ := strings.Cut(g.Benchmark, " ")
	if format != "osu" {
		return strings.TrimPrefix(g.Benchmark, "csv ")
	}
	words := slices.DeleteFunc(strings.Fields(title), func(word string) bool {
		version := strings.TrimLeft(word, "v.0123456789") == ""
		return version || slices.Contains([]string{"OSU", "MPI", "OMB", "Test", "Benchmark"}, word)
	})
	return strings.ToLower(strings.Join(slices.Insert(words, 0, format), " "))
}

// title returns the group's name for a picture, without the format of a file that names no
// benchmark.
func (g Group) title() string { return strings.TrimPrefix(g.String(), "csv, ") }

// compare orders groups for tables. The sizes come last, so that groups of one benchmark stand
// together.
func (g Group) compare(o Group) int {
	return cmp.Or(
		strings.Compare(g.Benchmark, o.Benchmark),
		cmp.Compare(g.Kind, o.Kind),
		cmp.Compare(g.Nodes, o.Nodes),
		cmp.Compare(g.Ranks, o.Ranks),
		strings.Compare(g.Labels, o.Labels),
		cmp.Compare(g.First, o.First),
		cmp.Compare(g.Last, o.Last),
		cmp.Compare(g.Sizes, o.Sizes),
	)
}

// A curveSummary holds what the analysis needs of one measured curve, without its
// samples: a fleet may have a million files. Values that are not identifiable are 0.
type curveSummary struct {
	Group Group
	Nodes []string // as the file names them
	// Latency is the time at Group.First.
	Latency quantity.Micros
	// Longest is the time at the largest size.
	Longest quantity.Micros
	// Beta and Tau are of the line through the sizes; see [fit.Line]. Where the sizes span less
	// than a factor of 8, β is not identifiable, and Tau is the median of time over size.
	Beta quantity.Micros
	Tau  quantity.MicrosPerByte
}

// lineIdentifiable reports whether the sizes of a group suffice to fit both β and τ.
func (g Group) lineIdentifiable() bool { return g.Sizes >= 3 && g.Last >= minSpan*g.First }

// minSpan is the factor between the smallest and the largest size at or above which a line
// is fitted. At this factor [fit] stops warning that β and τ are hardly identifiable.
const minSpan = 8

// summarise returns the summary of a table, and false if it has no times of messages.
// Labels come from the file's name; columns name the nodes. A round trip becomes
// half of itself, and a repeat has the title of the first table, so that curves that
// can be compared share a group.
func summarise(t *benchfile.Table, nodes, labels, columns []string) (c curveSummary, ok bool) {
	if t.Kind == benchfile.Interval { // the gap between messages is not a cost of one
		return c, false
	}
	scale := quantity.Micros(1)
	c.Group.Kind = t.Kind
	if t.Kind == benchfile.RoundTrip { // half of it, so that both kinds can be compared
		scale, c.Group.Kind = 0.5, benchfile.OneWay
	}
	var rates []float64
	for _, s := range t.Samples {
		if s.Size <= 0 {
			continue // systems send empty messages by another path
		}
		if c.Group.Sizes++; c.Group.Sizes == 1 {
			c.Group.First = s.Size
			// The median, where the benchmark prints it: one disturbed message moves a mean.
			c.Latency = scale * cmp.Or(s.Median, s.Mean)
		}
		c.Group.Last, c.Longest = s.Size, scale*cmp.Or(s.Median, s.Mean)
		rates = append(rates, float64(scale*s.Mean)/float64(s.Size))
	}
	switch {
	case c.Group.Sizes == 0:
		return c, false
	case c.Group.lineIdentifiable():
		var err error
		if c.Beta, c.Tau, err = fit.Line(t); err != nil {
			return c, false
		}
	case c.Group.Sizes > 1: // β is hidden, and most of each time is proportional to the bytes
		slices.Sort(rates)
		c.Tau = quantity.MicrosPerByte(stats.Quantile(rates, 0.5))
	}
	// Runs of one measurement are one group. Only later runs of a table without a title have one,
	// which is the format and their number.
	title := t.FirstName()
	if title == t.Format {
		title = ""
	}
	names := make([]string, len(columns))
	// Each row of a table by columns has its own curve and labels; the title would
	// divide them again.
	if t.Labels != nil {
		title = ""
	}
	for _, l := range t.Labels {
		if i := slices.Index(columns, l.Column); i >= 0 {
			names[i] = l.Value
			continue
		}
		labels = append(labels, l.Column+"="+l.Value)
	}
	// A pattern of file names comes first, since the user gave it; then columns; then the hosts
	// that the output itself lists.
	if c.Nodes = nodes; c.Nodes == nil && !slices.Contains(names, "") && len(names) > 0 {
		c.Nodes = names
	}
	if c.Nodes == nil {
		c.Nodes = t.Hosts
	}
	c.Group.Benchmark = strings.TrimSpace(t.Format + " " + title)
	// Its titles name the program, as in sendrecv_perf.
	if t.Format == "nccl-tests" {
		c.Group.Benchmark = title
	}
	// Sorted: two files may have their columns in different orders.
	c.Group.Labels = strings.Join(stats.Ascending(labels), ", ")
	c.Group.Ranks, c.Group.Nodes = t.Collective.Ranks, len(c.Nodes)
	return c, true
}

// A Quantity is a quantity of curves that is compared. A larger value is slower.
type Quantity string

// The quantities.
const (
	Latency Quantity = "latency" // the time at the smallest size, in µs
	Beta    Quantity = "beta"    // β of the line, in µs
	Tau     Quantity = "tau"     // τ of the line, in µs/B: r∞ is 1/τ
)

// quantities lists the quantities in the order of the tests.
var quantities = []Quantity{Latency, Beta, Tau}

// value returns the quantity of a curve, in µs or µs/B; NaN if it is not
// identifiable. A β of 0 is a value, where the line meets the axis at 0; a latency or
// τ of 0 is a column without a number.
func (q Quantity) value(c *curveSummary) float64 {
	var v float64
	switch q {
	case Latency:
		v = float64(c.Latency)
	case Beta:
		if c.Group.lineIdentifiable() {
			return float64(c.Beta)
		}
	case Tau:
		v = float64(c.Tau)
	}
	if !(v > 0) {
		return math.NaN()
	}
	return v
}

// A line is β in µs and τ in µs/B.
type line struct{ beta, tau float64 }

func (l line) time(n quantity.Bytes) float64 { return l.beta + l.tau*float64(n) }

// quantityWord returns the quantity's name for people. Programs read the plain words
// of [Quantity].
func quantityWord(q Quantity) string {
	return map[Quantity]string{Latency: "small message", Beta: "β", Tau: "τ"}[q]
}
