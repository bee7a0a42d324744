package benchfile

import (
	"bytes"
	"cmp"
	"regexp"
	"strings"

	"github.com/halfpeak/halfpeak/internal/lex"
)

// osu reads the OSU micro-benchmarks (OMB): a title, a header, and rows, with more columns by
// version and option. Two tables, of OMB 5.6.2 and of OMB 5.7 with -f:
//
//	# OSU MPI Latency Test v5.6.2
//	# Size          Latency (us)
//	0                       1.38
//	1                       1.38
//
//	# OSU MPI-CUDA Allreduce Latency Test v5.7
//	# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations
//	4                      34.31             33.27             35.07        1000
//
// Other lines that real files have between them: "# [ pairs: 32 ] [ window size: 64 ]" of
// osu_mbw_mr, "# Datatype: MPI_CHAR." of OMB 7, and whatever mpirun prints.
//
// The latency tests print half of a round trip. The bandwidth tests have a window
// of messages under way: the time is the gap. osu_bibw and osu_put_bibw count both directions,
// osu_mbw_mr adds up all pairs. The time of a non-blocking collective is "Pure Comm.", the
// communication alone. OSU does not print the number of ranks of a collective: it is taken from the
// command line before it, or from the file's name.
//
// Tested with OMB 5.6.2, 5.7, 5.7.1, 5.8 and 7.5.
type osu struct {
	title string
	pairs [2]string // "32", and "window size: 64"
	grid  *grid
}

var (
	// A copy of the output may have lost the #.
	osuTitle = regexp.MustCompile(`^#?\s*(OSU .*(Test|Benchmark|v\d).*)$`)
	osuPairs = regexp.MustCompile(`^# \[ pairs: (\d+) \] \[ (window size: \d+) \]`)
	// Titles of collectives: "OSU MPI Allreduce Latency Test v5.8", "OSU MPI Non-blocking
	// Alltoall Latency Test v5.9", "OSU MPI All-to-All Personalized Exchange Latency Test v5.7",
	// "OSU MPI Neighborhood Allgather Latency Test v7.3".
	osuOperation = regexp.MustCompile(
		`^OSU \S+(?i: (non-?blocking))?(?: Persistent)? ((?:Neighbor(?:hood)? )?[A-Za-z_-]+?)` +
			`(?: Personalized Exchange)?(?: Persistent)? Latency`)
	// Latencies between pairs of ranks. What is left, such as osu_get_latency, is the time of a
	// call.
	osuOneWay = regexp.MustCompile(
		`^OSU \S+ ((Multi|Multi-threaded|Multi-process|Persistent|Congestion|Put) )?Latency|` +
			`MPI_Put.* Latency`)
)

var osuColumns = []gridRule{
	// The first rule that matches counts. "Overall" of a non-blocking collective includes the
	// computation that it overlaps, so the pure communication stands before it.
	{name: regexp.MustCompile(`(?i)^purecomm.*\(us\)`), is: gridTime},
	{name: regexp.MustCompile(`(?i)^(latency|avglat|overall).*\(us\)`), is: gridTime},
	{name: regexp.MustCompile(`(?i)^min.*\(us\)`), is: gridMin},
	{name: regexp.MustCompile(`(?i)^max.*\(us\)`), is: gridMax},
	{name: regexp.MustCompile(`(?i)^p50.*\(us\)`), is: gridMedian},
	{name: regexp.MustCompile(`(?i)^messages/s`), is: gridRate, rateUnit: 1e-6, messages: true},
	{name: regexp.MustCompile(`(?i)^(mb/s$|(avg)?bandwidth\(mb/s\))`), is: gridRate, rateUnit: 1},
	{name: regexp.MustCompile(`(?i)^(mb/s$|(avg)?bandwidth\(mb/s\))`), is: gridRate2, rateUnit: 1},
	{name: regexp.MustCompile(`(?i)^validation$`), is: gridValid},
	{name: regexp.MustCompile(
		`(?i)^(iterations|p\d+.*|(init|test|wait|overall|compute|coll\.?init|mpi_.*)\(us\)|` +
			`overlap\(%\)|.*(bandwidth|lat|latency).*|messages/s)$`), is: gridOther},
}

func (f *osu) take(p *parser, line []byte) bool {
	if f.grid != nil && f.grid.take(p, line) {
		return true
	}
	// One byte excludes nearly all other lines of a log.
	if c := line[0]; c != '#' && c != 'O' {
		return false
	}
	if m := osuTitle.FindSubmatch(line); m != nil {
		f.title, f.pairs, f.grid = strings.TrimSpace(string(m[1])), [2]string{}, nil
		return true
	}
	if line[0] != '#' {
		return false
	}
	if f.title != "" {
		if m := osuPairs.FindSubmatch(line); m != nil {
			f.pairs = [2]string{string(m[1]), string(m[2])}
			return true
		}
	} else if !bytes.Contains(bytes.ToLower(line), []byte("size")) {
		return false
	}
	// A comment that names a size may be a header of any version.
	names := headerNames(line)
	if len(names) == 0 { // a # alone
		return false
	}
	first := strings.ToLower(names[0])
	// OMB 7 prints "# Datatype: MPI_CHAR." between the title and the header. The line belongs to
	// the output, but names no column.
	if strings.HasPrefix(first, "datatype") && f.title != "" {
		return true
	}
	// Without a size, as of a barrier, a header counts only under a title. A header alone is read
	// if it has sizes: copied tables often lose their title.
	isSize := first == "size" || first == "msg size" || first == "message size"
	if !isSize && (f.title == "" || !strings.Contains(first, "(us)")) || isSize && len(names) < 2 {
		return false
	}
	return f.header(p, names, isSize)
}

func (f *osu) header(p *parser, names []string, hasSize bool) bool {
	g := newGrid(names, osuColumns)
	title := cmp.Or(f.title, "OSU")
	// A header without a title that has neither times nor rates is another program's.
	if f.title == "" && !g.hasTimes() && g.at[gridRate] < 0 {
		return false
	}
	f.grid = g
	if !g.usable(p, title, hasSize) {
		return true
	}
	t := Table{Format: "osu", Title: title, Kind: Operation}
	if f.pairs[0] != "" {
		t.Title += ", pairs: " + f.pairs[0] + ", " + f.pairs[1]
	}
	switch {
	case !g.hasTimes():
		// The rates of osu_mbw_mr add up its pairs. The number is 0, unknown, if the line that
		// names it is missing.
		pairs := 1
		if f.pairs[0] != "" || strings.Contains(title, "Multiple Bandwidth") ||
			f.title == "" && g.messages {
			pairs = lex.Count(f.pairs[0])
		}
		g.streams(&t, title, pairs)
	case osuOneWay.MatchString(title) || f.title == "" &&
		strings.HasPrefix(strings.ToLower(names[1]), "latency"):
		t.Kind = OneWay
	default:
		if m := osuOperation.FindStringSubmatch(title); m != nil {
			if m[1] != "" {
				// MPI prefixes the names of its non-blocking collectives: MPI_Iallreduce.
				m[2] = "i" + m[2]
			}
			if c, ok := collectiveNamed(m[2]); ok {
				t.Kind, t.Collective = Collective, c.perRank()
				at := p.placeOf()
				t.Collective.Ranks, t.Collective.PerNode = at.Ranks, at.PerNode
				t.Collective.Nodes = at.Nodes
				t.Collective.Algorithm = p.algorithmOf(c.Name)
				if words := strings.Fields(title); len(words) > 1 { // MPI or MPI-CUDA
					t.Series = words[1]
				}
			}
		}
	}
	// Sizes rise within a run. Where runs follow each other without a header, a smaller size marks
	// the next one.
	g.rising = true
	g.b = p.begin(t)
	return true
}
