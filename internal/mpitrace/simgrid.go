package mpitrace

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule"
)

// A line of a time-independent trace is an action: the rank, the name of the action and its
// parameters, separated by blanks. Amounts of data are numbers of elements of a type, whose number
// may follow. The default type is a byte, or a double if init has a parameter. (SimGrid's
// documentation, Offline simulation; the parameters are those of its replayer,
// src/smpi/internals/smpi_replay.cpp.) smpirun -trace-ti of SMPI 3.32 writes a file for each rank,
// and one with their names; see peers.go for what it leaves out.
//
//	0 init
//	1 init
//	0 compute 1e6
//	0 isend 1 0 1e3
//	1 recv 0 0 1e3
//	0 wait 0 1 0
//	0 reduce 10 1e3 0 5
//	1 reduce 10 1e3 0 5
//	0 finalize
//	1 finalize
//
// Each word of args is the meaning of a parameter; those in [] are optional:
//
//	flops seconds       of a computation
//	peer tag size       of a message; from to tag of a request
//	size size2          sent to a rank, and received from it; with peer2, of an exchange
//	sizes sizes2        one for each rank
//	root type type2     of a collective
//	-                   ignored
type action struct {
	args string
	do   func(p *replayed, a *arguments) error
}

// typeBytes holds the sizes of types by their numbers, in the order of SimGrid: double, int, char,
// short, long, float, byte.
var typeBytes = [...]int64{8, 4, 1, 2, 8, 4, 1}

var actions = func() map[string]action {
	nothing := func(*replayed, *arguments) error { return nil }
	blocking := func(kind schedule.Kind) action {
		return action{"peer tag size [type]", func(p *replayed, a *arguments) error {
			return p.blocking(a, kind)
		}}
	}
	nonBlocking := func(kind schedule.Kind) action {
		return action{"peer tag size [type]", func(p *replayed, a *arguments) error {
			from, to := int64(p.group.Place), a.way[0].peer
			if kind == schedule.Recv {
				from, to = to, from
			}
			return p.nonBlocking(a, kind, request{from, to, a.way[0].tag})
		}}
	}
	all := map[string]action{
		"init":      {"[-]", nil},
		"finalize":  {"", nil},
		"comm_size": {"[-]", nothing},
		"comm_dup":  {"[-]", nothing},
		"location":  {"- -", nothing},
		"test":      {"from to tag", nothing},
		"compute":   {"flops", (*replayed).flops},
		"sleep": {"seconds", func(p *replayed, a *arguments) error {
			return p.compute(a.amount * 1e9)
		}},
		"send":    blocking(schedule.Send),
		"isend":   nonBlocking(schedule.Send),
		"recv":    blocking(schedule.Recv),
		"irecv":   nonBlocking(schedule.Recv),
		"wait":    {"from to tag", (*replayed).waitOne},
		"waitall": {"[-]", (*replayed).waitAll},
		"ssend":   blocking(schedule.Send),
		"issend":  nonBlocking(schedule.Send),
		"sendrecv": {"size peer size2 peer2 [type] [type2]",
			func(p *replayed, a *arguments) error {
				return p.blocking(a, schedule.Send, schedule.Recv)
			}},
	}
	for of, args := range map[string]string{
		"allgatherv": "size sizes [type2] [type]", "gatherv": "size sizes [root] [type] [type2]",
		"scatterv":  "sizes size2 [root] [type] [type2]",
		"alltoallv": "- sizes - sizes2 [type] [type2]",
		"barrier":   "", "bcast": "size [root] [type]", "reduce": "size flops [root] [type]",
		"allreduce": "size flops [type]",
		"gather":    "size size2 [root] [type] [type2]",
		"scatter":   "size size2 [root] [type] [type2]",
		"allgather": "size size2 [type] [type2]", "alltoall": "size size2 [type] [type2]",
		"reducescatter": "sizes flops [type]", "scan": "size flops [type]",
		"exscan": "size flops [type]",
	} {
		name := cmp.Or(simgridNames[of], of)

		// a reduction's flops come after it
		all[of] = action{args, func(p *replayed, a *arguments) error {
			if err := p.withBlocks(name, a, nil); err != nil || a.amount == 0 {
				return err
			}
			return p.flops(a)
		}}
	}
	return all
}()

// simgridNames are the collectives whose names differ. An exscan sends what a scan sends.
var simgridNames = map[string]string{"reducescatter": "reduce-scatter", "exscan": "scan"}

// replayed is a rank of a time-independent trace.
type replayed struct {
	*rank
	defaultBytes int64 // of the default type
	begun, ended bool
	at           place
	unknown      *unknownPeers
}

func newReplayed(r *rank, unknown *unknownPeers) replayed {
	r.dialect = smpi
	return replayed{rank: r, defaultBytes: 1, unknown: unknown, at: r.o.Region.start()}
}

func translateSimGrid(r *rank, f *file, unknown *unknownPeers) error {
	p := newReplayed(r, unknown)
	for l, err := range f.lines() {
		if err != nil {
			return err
		}
		if f.cut && !finalizes(l) {
			continue // the end of a line is missing
		}
		if err := p.action(f, l); err != nil {
			return err
		}
	}
	if !p.ended {
		r.endEarly(f, f.line-1)
	}
	return nil
}

// readAll translates a trace with all ranks in one file. It keeps the lines of each rank until all
// ranks are known, since a schedule is built rank by rank.
func readAll(f *file, o Translation, unknown *unknownPeers) (*schedule.Schedule, []string,
	error) {
	type numbered struct {
		line int
		text string
	}
	ranks := map[int][]numbered{}
	for l, err := range f.lines() {
		if err != nil {
			return nil, nil, err
		}
		// Lines of different ranks may alternate.
		var word []byte
		if words := bytes.Fields(l); len(words) > 0 {
			word = words[0]
		}
		if len(word) == 0 || word[0] == '#' || f.cut && !finalizes(l) {
			continue
		}
		rank, err := strconv.ParseUint(string(word), 10, 32)
		if err != nil {
			return nil, nil, f.errorf("%.40q is not the number of a rank", word)
		}
		ranks[int(rank)] = append(ranks[int(rank)], numbered{f.line, string(l)})
	}
	b, all := schedule.NewBuilder(len(ranks)), newShared(len(ranks))
	b.Calls()
	for place := range len(ranks) {
		lines, ok := ranks[place]
		if !ok {
			return nil, nil,
				f.errorf("%d ranks have actions, but rank %d has none; ranks count from 0",
					len(ranks), place)
		}
		b.NextRank()
		p := newReplayed(newRank(b, &o, all, place), unknown)
		for _, l := range lines {
			f.line = l.line
			if err := p.action(f, []byte(l.text)); err != nil {
				return nil, nil, err
			}
		}
		if !p.ended {
			p.endEarly(f, f.line)
		}
		if err := p.sameNumber(); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return all.build(b)
}

// finalizes reports whether a line without its end is whole, as the last line of a trace.
func finalizes(l []byte) bool {
	return bytes.HasSuffix(bytes.TrimRight(l, " \t"), []byte("finalize"))
}

// action translates one line.
func (p *replayed) action(f *file, l []byte) error {
	words := strings.Fields(string(l))
	if len(words) == 0 || words[0][0] == '#' {
		return nil
	}
	// Files of one rank repeat its number in each line. The user has given them in another order
	// if it differs.
	if n, err := strconv.ParseUint(words[0], 10, 32); err != nil || n != uint64(p.group.Place) {
		return f.errorf("%.40q is not rank %d; is this the file of another rank?", words[0],
			p.group.Place)
	}
	if len(words) == 1 {
		return f.errorf("an action is missing after the rank")
	}
	name := strings.ToLower(words[1]) // sendRecv, Ssend, ISsend
	action, ok := actions[name]
	switch {
	case !ok:
		return f.errorf("action %.40q is not supported", words[1])
	case p.ended:
		return f.errorf("%s after finalize", name)
	case name == "init" && p.begun:
		return f.errorf("init a second time")
	case name != "init" && !p.begun:
		return f.errorf("%s before init", name)
	}
	p.line, p.call = f.line, name
	var a arguments
	a.way[0].size, a.way[1].size = p.defaultBytes, p.defaultBytes
	if err := a.parse(action.args, words[2:], p.group.Size); err != nil {
		return f.errorf("%s: %w", name, err)
	}
	if err := p.resolve(name, &a); err != nil {
		return f.errorf("%s: %w", name, err)
	}
	if err := p.take(f, name, len(words) > 2, action, &a); err != nil {
		return err
	}
	if err := p.Err(); err != nil {
		return f.errorf("%s: %w", name, err)
	}
	return nil
}

// take does what an action of the name says; more tells whether it has parameters.
func (p *replayed) take(f *file, name string, more bool, done action, a *arguments) error {
	switch name {
	case "init":
		// As in the replayer: traces of MPE have this parameter and count doubles, those of TAU
		// have none and count bytes.
		if p.begun = true; more {
			p.defaultBytes = 8
		}
	case "finalize":
		p.ended = true
		return p.missing(f, p.at)
	default:
		if p.at.ends(p.rank, name) {
			p.at++
			return nil
		}
		if p.at != within {
			return nil
		}
		if err := done.do(p, a); err != nil {
			return f.errorf("%s: %w", name, err)
		}
	}
	return nil
}

// parse parses the parameters of an action in a trace of this number of ranks.
func (a *arguments) parse(args string, words []string, ranks int) error {
	var names []string
	for name := range strings.FieldsSeq(args) {
		n := 1
		if strings.HasPrefix(name, "sizes") {
			n = ranks
		}
		names = append(names, slices.Repeat([]string{name}, n)...)
	}
	least := len(names) - strings.Count(args, "[")
	if len(words) < least || len(words) > len(names) {
		if strings.HasPrefix(args, "sizes flops") {
			return fmt.Errorf("a size for each of %d ranks is missing; SimGrid loses those of "+
				"MPI_Reduce_scatter_block, so use MPI_Reduce_scatter", ranks)
		}
		return fmt.Errorf("its parameters are: %[2]s (got %[1]d)", len(words), cmp.Or(args, "none"))
	}
	for i, word := range words {
		if err := a.set(strings.Trim(names[i], "[]"), word); err != nil {
			return fmt.Errorf("parameter %d: %w", i+1, err)
		}
	}
	return nil
}

func (a *arguments) set(name, word string) (err error) {
	amounts := [...]*float64{&a.amount, &a.amount, &a.way[0].count, &a.way[1].count}
	if i := slices.Index([]string{"flops", "seconds", "size", "size2"}, name); i >= 0 {
		if *amounts[i], err = strconv.ParseFloat(word, 64); err != nil || !(*amounts[i] >= 0) ||
			math.IsInf(*amounts[i], 0) {
			return fmt.Errorf("an amount must be at least 0 (got %.40q)", word)
		}
		return nil
	}
	if i := slices.Index([]string{"sizes", "sizes2"}, name); i >= 0 {
		n, err := strconv.ParseUint(word, 10, 40)
		a.blocks[i] = append(a.blocks[i], n)
		return err
	}
	numbers := [...]*int64{&a.way[0].size, &a.way[1].size, &a.way[0].peer, &a.way[0].tag,
		&a.request[0], &a.request[1], &a.root, &a.way[1].peer}
	i := slices.Index([]string{"type", "type2", "peer", "tag", "from", "to", "root", "peer2"},
		name)
	if i < 0 {
		return nil
	}
	n, err := integer([]byte(word))
	if i < 2 && err == nil {
		if n < 0 || n >= int64(len(typeBytes)) {
			return fmt.Errorf("types must be 0 to %d (got %d)", len(typeBytes)-1, n)
		}
		n = typeBytes[n]
	}
	*numbers[i] = n
	return err
}

func (p *replayed) flops(a *arguments) error {
	return p.compute(a.amount / p.o.FlopsPerSecond * 1e9)
}

// waitOne waits for a request; if none matches exactly, for a receive from any rank or with any
// tag. If there is none either, a test of the traced run has found the request done.
func (p *replayed) waitOne(a *arguments) error {
	from, to, tag := a.request[0], a.request[1], a.way[0].tag
	// The trace names the sender that was found, the receive may have asked for any.
	for _, q := range []request{{from, to, tag}, {p.anyRank, to, tag}, {from, to, p.anyTag},
		{p.anyRank, to, p.anyTag}} {
		if op, ok := p.oldest(q); ok {
			p.wait(op)
			break
		}
	}
	return nil
}

// waitAll waits for all requests. Its parameter, their number, is that of the traced run,
// where tests may have completed some.
func (p *replayed) waitAll(*arguments) error {
	var ops []uint32
	for _, all := range p.requests {
		ops = append(ops, all...)
	}
	clear(p.requests)
	p.wait(ops...)
	return nil
}

// resolve replaces −333 by the number of any source or of the null process.
func (p *replayed) resolve(action string, a *arguments) error {
	from := &a.way[0]
	if action == "sendrecv" {
		from = &a.way[1]
	}
	if strings.Contains(action, "send") && a.way[0].peer == smpiUnknown {
		a.way[0].peer = p.nullRank
	}
	if strings.HasSuffix(action, "recv") && from.peer == smpiUnknown {
		from.peer = p.nullRank
		takes, err := p.unknown.take(int64(p.group.Place), from.tag)
		if err != nil {
			return err
		}
		if takes {
			from.peer = p.anyRank
		}
	}
	// Its request is waited for by the same numbers.
	for i := range a.request {
		if a.request[i] == smpiUnknown {
			a.request[i] = p.anyRank
		}
	}
	return nil
}
