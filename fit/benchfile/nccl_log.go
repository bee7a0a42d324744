package benchfile

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/internal/lex"
)

// An ncclLog reads the lines that NCCL_DEBUG=INFO mixes with the rows of nccl-tests. A row is
// printed in three pieces: its size before it is measured, and the times of each of the two
// operations after that. What NCCL logs meanwhile, through the same stream, stands between them:
//
//	131072  32768  float  sum  -1a:49:49 [0] NCCL INFO AllReduce: 131072 Bytes -> Algo RING …
//	345.6   0.38   0.71   0a:49:49 [0] NCCL INFO AllReduce: 131072 Bytes -> Algo RING …
//	344.1   0.38   0.71   0
//
// NCCL up to 2.22 does not name the collective there, and numbers algorithms and protocols: "131072
// Bytes -> Algo 1 proto 1 time 51.603912". These lines belong to the subsystem TUNING.
type ncclLog struct {
	pending []byte // the pieces of the open row; nil if none is open
	from    int    // the line of its first piece
	cut     int    // number of rows that did not go on
	cutAt   int    // the line of the first of them
	at      int    // the last line that was the log's or a piece of a row

	op         string             // the collective, as in [CollectiveOp.Name]; "" if unknown
	algorithms map[float64]string // by the bytes of the log
	last       float64            // the bytes of the last choice
	perRank    bool               // the log counts the block of a rank, and rows that of all
}

// ncclLine matches what NCCL puts before each line of its log: host, process, thread and device.
// The host's name may follow a number of the row without a blank.
var ncclLine = lex.NewPattern(`[^\s\[\]]*:\d+:\d+ \[\d+\] NCCL (?:INFO|WARN|TRACE|VERSION)\b`)

// ncclChoice matches the line with the algorithm that NCCL has chosen.
var ncclChoice = lex.NewPattern(`(?:(\w+): +)?(\d+) Bytes -> Algo (\w+) proto `)

// ncclAlgorithms are the algorithms by their numbers in the log, as NCCL_ALGO names them.
var ncclAlgorithms = []string{
	"tree", "ring", "collnetdirect", "collnetchain", "nvls", "nvlstree", "pat",
}

// take reads a line while tables of one or two groups of columns are open. It returns a row that
// this line completes, and whether the line is one of NCCL's log.
func (l *ncclLog) take(line []byte, number, groups int) (row []byte, isLog bool) {
	at := []int(nil)
	// The word excludes nearly all lines before the expression runs.
	if bytes.Contains(line, []byte("] NCCL ")) {
		at = ncclLine().FindIndex(line)
	}
	if at == nil {
		if l.pending == nil {
			return nil, false
		}
		return l.join(line, number, groups), false
	}
	l.at = number
	l.choose(line[at[1]:])
	piece := bytes.TrimSpace(line[:at[0]])
	switch {
	case len(piece) == 0:
	// srun -l puts a rank before the host, and NCCL a time.
	case piece[len(piece)-1] == ']':
		piece = bytes.TrimSpace(piece[:max(0, bytes.LastIndexByte(piece, '['))])
	// The match has swallowed the last field of the piece: a root, or a number of errors. Neither
	// is read.
	default:
		piece = append(bytes.Clone(piece), " 0"...)
	}
	return l.join(piece, number, groups), true
}

// join adds a piece of a row to those before, and returns the row if it is complete.
func (l *ncclLog) join(piece []byte, number, groups int) (row []byte) {
	fields := bytes.Fields(piece)
	if len(fields) < 3 || fields[0][0] < '0' || fields[0][0] > '9' {
		return nil
	}
	// The count of elements behind a size is a whole number, the bandwidth behind a time is not.
	if _, err := strconv.Atoi(string(fields[1])); err == nil {
		l.drop()
		l.pending, l.from = bytes.Clone(piece), number
	} else if l.pending == nil || len(fields)%4 != 0 {
		return nil
	} else {
		l.pending = append(append(l.pending, ' '), piece...)
	}
	l.at = number
	// Before the groups of four stand 3 to 5 fields.
	if len(bytes.Fields(l.pending)) < 3+4*groups {
		return nil
	}
	row, l.pending = l.pending, nil
	return row
}

// drop counts the open row, if there is one, as cut off.
func (l *ncclLog) drop() {
	if l.pending != nil {
		l.cutAt = cmp.Or(l.cutAt, l.from)
		l.cut++
		l.pending = nil
	}
}

// choose remembers the algorithm that a line of the log names.
func (l *ncclLog) choose(text []byte) {
	if !bytes.Contains(text, []byte(" Bytes -> Algo ")) {
		return
	}
	m := ncclChoice().FindSubmatch(text)
	if m == nil {
		return
	}
	if op, ok := collectiveNamed(string(m[1])); ok {
		l.op = op.Name
	}
	name := strings.ReplaceAll(strings.ToLower(string(m[3])), "_", "")
	if n, err := strconv.Atoi(name); err == nil {
		if n < 0 || n >= len(ncclAlgorithms) {
			return
		}
		name = ncclAlgorithms[n]
	}
	size, err := strconv.ParseFloat(string(m[2]), 64)
	// As many sizes as tables: a damaged log must not fill the memory.
	if err != nil || len(l.algorithms) >= maxTables {
		return
	}
	if l.algorithms == nil {
		l.algorithms = map[float64]string{}
	}
	l.algorithms[size], l.last = name, size
}

// algorithm returns the algorithm that the log names for a row of that size; "" if it names none.
func (l *ncclLog) algorithm(op CollectiveOp, size float64) string {
	if l.op != "" && op.Name != "" && l.op != op.Name {
		return ""
	}
	// For allgather and reduce_scatter, newer versions log the block of one rank.
	ranks := float64(max(1, op.Ranks))
	switch l.last {
	case size:
		l.perRank = false
	case size / ranks:
		l.perRank = true
	}
	if l.perRank {
		size /= ranks
	}
	return l.algorithms[size]
}

// ncclName returns the program that a line names: "# Collective test starting: sendrecv_perf",
// "# NCCL Tests: …", or its name alone behind the "# "; else nil. An output has a few dozen lines
// with a "#": expressions would take longer than all else.
func ncclName(line []byte) []byte {
	for _, before := range []string{"# Collective test starting: ", "# NCCL Tests: ", "# "} {
		if rest, ok := bytes.CutPrefix(line, []byte(before)); ok {
			name, _, _ := bytes.Cut(rest, []byte(" "))
			if bytes.HasSuffix(name, []byte("_perf")) {
				return name
			}
			return nil
		}
	}
	return nil
}

// maxGroups is the maximum number of groups, and of their hosts, as maxHosts in nccl.go.
const maxGroups = 1 << 12

// ncclGroups are the groups into which NCCL_TESTS_SPLIT divides the ranks.
type ncclGroups struct {
	ranks int             // of the first rank's group
	hosts []string        // theirs
	first string          // the first rank's group
	here  map[string]bool // the groups of the first rank's host
	other bool            // there is another group
}

// add adds a rank of a host.
func (g *ncclGroups) add(group []byte, host string) {
	if g.here == nil {
		g.first, g.here, g.hosts = string(group), map[string]bool{}, []string{host}
	}
	g.other = g.other || string(group) != g.first
	if host == g.hosts[0] && len(g.here) < maxGroups {
		g.here[string(group)] = true
	}
	if string(group) == g.first {
		g.ranks++
		if !slices.Contains(g.hosts, host) && len(g.hosts) < maxGroups {
			g.hosts = append(g.hosts, host)
		}
	}
}

// place sets the ranks and nodes of an operation to those of a group, if there are several.
func (g *ncclGroups) place(op *CollectiveOp) {
	if g.other {
		op.Ranks, op.Nodes, op.Groups = g.ranks, len(g.hosts), len(g.here)
	}
}

// ncclRank parses "#  Rank  3 Group  0 Pid  1234 on host-a device  3 …". In some versions
// the group and the host are missing.
func ncclRank(line []byte) (rank lex.Number, group, host []byte, ok bool) {
	words := bytes.Fields(line)
	if len(words) < 4 || string(words[1]) != "Rank" {
		return rank, nil, nil, false
	}
	if len(words) > 4 && string(words[3]) == "Group" {
		group = words[4]
	}
	for i, w := range words[:len(words)-1] {
		if string(w) == "on" {
			host = words[i+1]
		}
	}
	rank, ok = lex.Parse(words[2])
	return rank, group, host, ok
}

// ncclLayout describes the columns of a header: lead columns before the first time, then for each
// place a group that begins with time, algbw, busbw and #wrong, then columns that are not read.
type ncclLayout struct {
	lead, width int // of a group
	groups      int
	others      int // columns behind the groups
}

// ncclColumns are the columns of a group, in any version. i_min and the like are of -I.
var ncclColumns = set("time", "cputime", "algbw", "busbw", "#wrong", "wrong", "error",
	"i_min", "i_max", "i_p99", "i_cv%")

// ncclLayoutOf returns the layout of a header; ok is false if the line is none.
func ncclLayoutOf(names []string) (l ncclLayout, ok bool) {
	isTime := func(name string) bool { return name == "time" || name == "cputime" }
	first := slices.IndexFunc(names, isTime)
	if first < 3 || names[0] != "size" || len(names) < first+4 || names[first+1] != "algbw" {
		return l, false
	}
	l.lead, l.groups, l.width = first, 1, 0
	end := first
	for end < len(names) && ncclColumns[names[end]] && (end == first || !isTime(names[end])) {
		end++
	}
	l.width = end - first
	// The header has a group of columns for out-of-place, and in most versions one for in-place.
	if end+l.width <= len(names) && isTime(names[end]) {
		l.groups, end = 2, end+l.width
	}
	l.others = len(names) - end
	return l, l.width >= 4
}

// ncclOperation returns the name of a collective by its program or its name in JSON: "AllReduce",
// "all_reduce_perf"; "" if it is unknown.
func ncclOperation(name string) string {
	op, _ := collectiveNamed(name)
	// No operations of MPI, and so not in the list of collectives.
	switch letters.Replace(strings.TrimSuffix(strings.ToLower(name), "_perf")) {
	case "sendrecv", "hypercube":
		return letters.Replace(strings.TrimSuffix(strings.ToLower(name), "_perf"))
	}
	return op.Name
}
