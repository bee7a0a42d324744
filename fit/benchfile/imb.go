package benchfile

import (
	"bytes"
	"cmp"
	"regexp"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/internal/lex"
)

// imb reads the Intel MPI Benchmarks: a title, the number of processes, a header of "#bytes
// #repetitions" and columns by benchmark, and rows. From IMB 2019 update 5:
//
//	#---------------------------------------------------
//	# Benchmarking PingPong
//	# #processes = 2
//	#---------------------------------------------------
//	       #bytes #repetitions      t[usec]   Mbytes/sec
//	            0         1000         1.12         0.00
//	            1         1000         1.12         0.89
//
// Collectives have "t_min[usec]  t_max[usec]  t_avg[usec]" and print no rate. A suite in one file
// has such a block for each benchmark and each number of processes, and a Barrier without "#bytes".
//
// IMB-NBC prints "t_ovrl[usec] t_pure[usec] t_CPU[usec] overlap[%]": the time is t_pure, the
// communication alone. With checks, a column "defects" follows.
//
// PingPong prints half of a round trip. PingPing, Sendrecv and Exchange send in both directions;
// they print the time of the whole operation, as for collectives. Uniband and Biband print rates
// and no times: the time is the gap, the inverse of the message rate, which adds up all pairs and
// in Biband both directions. Mbytes/sec are of 2²⁰ bytes before 2018 and 10⁶ since, and are
// not used. Tables that were made a CSV are read too, "#bytes,#repetitions,t[usec],Mbytes/sec"; the
// benchmark is then taken from an earlier command line.
//
// Tested with IMB 4.1, 2017 update 2, 2019 updates 5 and 6, and CSV files of PingPong.
type imb struct {
	title, mode string
	processes   int
	command     string // the benchmark of a command line
	grid        *grid
	commas      bool
}

var (
	imbTitle     = regexp.MustCompile(`^# ?Benchmarking:? +(\S+)`)
	imbProcesses = regexp.MustCompile(`^# ?#processes = +(\d+)`)
	imbMode      = regexp.MustCompile(`^# +MODE: +(\S+)`)
	imbCommand   = regexp.MustCompile(
		`IMB-\S+\s(?:.*\s)?(?i:(PingPong|PingPing|Sendrecv|Exchange|Uniband|Biband|Bcast|` +
			`Allreduce|Allgatherv?|Alltoallv?|Reduce|Reduce_scatter|Gatherv?|Scatterv?))\b`)
	// Processes that a benchmark does not use wait in a barrier; IMB says so under the title.
	imbWaiting = regexp.MustCompile(`^# ?\( *\d+ additional process`)
)

var imbColumns = []gridRule{
	// t_ovrl of a non-blocking collective includes the computation that it overlaps.
	{name: regexp.MustCompile(`(?i)^t_pure\[usec\]$`), is: gridTime},
	{name: regexp.MustCompile(`(?i)^t(_avg|_ovrl)?\[usec\]$`), is: gridTime},
	// Without an average over the ranks, the slowest rank stands for the operation.
	{name: regexp.MustCompile(`(?i)^t_max\[usec\]$`), is: gridTime},
	{name: regexp.MustCompile(`(?i)^t_min\[usec\]$`), is: gridMin},
	{name: regexp.MustCompile(`(?i)^t_max\[usec\]$`), is: gridMax},
	{name: regexp.MustCompile(`(?i)^msg/sec$`), is: gridRate, rateUnit: 1e-6, messages: true},
	{name: regexp.MustCompile(`(?i)^mbytes/sec$`), is: gridRate2},
	{name: regexp.MustCompile(`(?i)^defects$`), is: gridValid},
	{name: regexp.MustCompile(`(?i)^(#?repetitions|t_.*\[usec\]|overlap\[%\])$`), is: gridOther},
}

func (f *imb) take(p *parser, line []byte) bool {
	if f.grid != nil && f.grid.take(p, f.blanks(line)) {
		return true
	}
	// A command line is kept for tables that have lost their title; the expression is slow, so a
	// word excludes most lines.
	if len(line) < maxHeader && bytes.Contains(line, []byte("IMB-")) {
		if m := imbCommand.FindSubmatch(line); m != nil {
			f.command = string(m[1])
		}
	}
	if line[0] != '#' {
		return false
	}
	if m := imbTitle.FindSubmatch(line); m != nil {
		// A benchmark begins with nothing of the one before: some titles have no line of processes.
		f.title, f.processes, f.mode, f.grid, f.commas = string(m[1]), 0, "", nil, false
		return true
	}
	if bytes.HasPrefix(line, []byte("#bytes,#repetitions,")) {
		f.commas = true
		f.title = cmp.Or(f.command, "IMB")
		line = f.blanks(line)
	}
	if f.title == "" {
		return false
	}
	if m := imbProcesses.FindSubmatch(line); m != nil {
		// The bound keeps a number without meaning from overflowing an int of 32 bits.
		v, _ := lex.Parse(m[1])
		f.processes = int(min(v.Value, 1e9))
		return true
	}
	if m := imbMode.FindSubmatch(line); m != nil {
		f.mode = ", " + strings.ToLower(string(m[1]))
		return true
	}
	if imbWaiting.Match(line) || strings.Trim(string(line), "#- ") == "" {
		return true
	}
	names := strings.Fields(string(line))
	hasSize := names[0] == "#bytes"
	if !hasSize && names[0] != "#repetitions" {
		return false
	}
	return f.header(p, names, hasSize)
}

func (f *imb) header(p *parser, names []string, hasSize bool) bool {
	g := newGrid(names, imbColumns)
	f.grid = g
	title := f.title
	// The number of processes distinguishes the tables of a suite, which have one title.
	if f.processes > 0 {
		title += ", " + strconv.Itoa(f.processes) + " processes"
	}
	title += f.mode
	if !g.usable(p, title, hasSize) {
		return true
	}
	t := Table{Format: "imb", Title: title, Kind: Operation}
	switch name := strings.ToLower(f.title); {
	case !g.hasTimes():
		t.warn("no times: they are the inverse of the message rate")
		// Half of the processes send to the other half.
		g.streams(&t, f.title, f.processes/2)
	// Also PingPongSpecificSource and PingPongAnySource.
	case strings.HasPrefix(name, "pingpong"):
		// IMB prints half of the round trip for it, and the time of the call for all others.
		t.Kind = OneWay
	default:
		if c, ok := collectiveNamed(f.title); ok {
			t.Kind, t.Collective = Collective, c.perRank()
			t.Collective.Ranks = cmp.Or(f.processes, p.placeOf().Ranks)
			t.Collective.Algorithm = p.algorithmOf(c.Name)
			t.Series = strings.TrimPrefix(f.mode, ", ")
		}
	}
	g.b = p.begin(t)
	if f.title == "IMB" {
		g.b.table.warn("no command line says which benchmark of IMB this is: the times are taken " +
			"as those of an operation")
	}
	return true
}

// blanks returns a line of CSV with its commas replaced by blanks, as IMB itself prints it.
func (f *imb) blanks(line []byte) []byte {
	if !f.commas {
		return line
	}
	return bytes.ReplaceAll(line, []byte(","), []byte(" "))
}
