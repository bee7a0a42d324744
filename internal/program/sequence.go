package program

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/halfpeak/halfpeak/engine/schedule"
)

// A Sequence is a program cut into parts, of which equal ones are made once. A part ends on each
// rank with a blocking collective of all ranks that is followed by a computation, when no request
// is open.
type Sequence struct {
	Parts []Part
	Order []int32 // indices of parts
	Ops   int     // of all parts in their order, and of all ranks
}

// A Part is the schedule of a part, with its marks. If it has fewer ranks than the program, each
// stands for Of ranks: those that are equal to it modulo their number.
type Part struct {
	Schedule *schedule.Schedule
	Marks    *schedule.Marks
	Of       int
}

// minRepeats is the number of times that parts must occur, in the mean, for a sequence.
const minRepeats = 2

// Calls runs the program on each rank. Errors are those of Schedule.
func (p *Program) Calls(ctx context.Context, o Options) (*Calls, error) {
	if o.Ranks < 1 || o.Ranks > maxRanks {
		return nil, fmt.Errorf("%s: the number of ranks must be 1 to %d (got %d)", p.name, maxRanks,
			o.Ranks)
	}
	x, err := p.runs(ctx, o, true)
	if err != nil && len(x.ranks) < o.Ranks && !x.printed && ctx.Err() == nil {
		// The same without classes: which rank an error names depends on the order of ranks.
		x, err = p.runs(ctx, o, false)
	}
	return x, err
}

// Schedule runs the program on each rank, and returns its operations and marks. Errors name the
// line and the rank. The end of the context ends it at once.
func (p *Program) Schedule(ctx context.Context, o Options) (*schedule.Schedule, *schedule.Marks,
	error) {
	c, err := p.Calls(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	return c.Schedule(ctx)
}

// Sequence returns the program in parts; nil if it has no parts that repeat. Where each rank does
// what the rank a unit of ranks before it does, with its peers as far away, a few units may stand
// for all; unit is 0 if they must not.
func (x *Calls) Sequence(ctx context.Context, unit int) (*Sequence, error) {
	// Joint operations are numbered over the whole program.
	mesh := func(g *group) bool { return g.mesh }
	if x.Time != nil || x.Mesh != nil && slices.ContainsFunc(x.groups, mesh) {
		return nil, nil
	}
	cuts, ok := x.cuts()
	if !ok {
		cuts = map[*rank][]piece{}
		for _, r := range x.ranks {
			cuts[r] = []piece{r.whole()}
		}
	}
	turns := x.newTurn(unit)
	s := &Sequence{}
	numbers := map[string]int32{}
	contents := contentNumbers{map[string]uint64{}, map[cutPlace]uint64{}}
	n, folded := len(cuts[x.ranks[0]]), false
	for part := range n {
		key := []byte{}
		pieces := func(r *rank) piece { return cuts[r][part] }
		for _, r := range x.ranks {
			key = x.content(key, r, pieces(r), contents)
		}
		number, known := numbers[string(key)]
		if !known {
			number = int32(len(s.Parts))
			numbers[string(key)] = number
			made, ok, err := x.fold(ctx, turns, pieces)
			folded = folded || ok
			switch {
			case err != nil:
				return nil, err
			case ok:
			case !folded && (n == 1 || int(number)*minRepeats > n):
				return nil, nil
			default:
				if made, err = x.emitPart(ctx, pieces, x.Ranks, 0); err != nil {
					return nil, err
				}
			}
			s.Parts = append(s.Parts, made)
		}
		made := s.Parts[number]
		s.Order = append(s.Order, number)
		s.Ops += len(made.Schedule.Ops()) * made.Of
	}
	return s, nil
}

// FewUnits returns the numbers of units that may stand for all, in the order in which they are
// tried. Of fewer than four, NICs that interleave messages are rather in step than those of all.
func FewUnits(all int) (few []int) {
	for _, units := range []int{4, 8, 6, 5, 7, 3, 2} {
		if units < all && all%units == 0 {
			few = append(few, units)
		}
	}
	return few
}

// fold returns the schedule of a piece of each rank of a few units that stand for all; false if
// none can.
func (x *Calls) fold(ctx context.Context, t *turn, pieces func(*rank) piece) (Part, bool, error) {
	if t.by == 0 || x.Ranks%t.by > 0 || !t.alike(pieces) {
		return Part{}, false, nil
	}
	for _, units := range FewUnits(x.Ranks / t.by) {
		made, err := x.emitPart(ctx, pieces, units*t.by, t.by)
		if !errors.Is(err, schedule.ErrFold) {
			return made, true, err
		}
	}
	return Part{}, false, nil
}

// A place in a program where a rank may be cut: the call of a collective.
type cutPlace struct{ group, call uint64 }

// cuts returns the pieces of each rank that has run; false if there are no cuts.
func (x *Calls) cuts() (map[*rank][]piece, bool) {
	cuts := map[*rank][]piece{}
	common := map[cutPlace]int{}
	places := map[*rank][]cutPlace{}
	for _, r := range x.ranks {
		cuts[r], places[r] = x.cutsOf(r)
		for _, p := range places[r] {
			common[p]++
		}
	}
	x.dropIdleEnd(cuts, places, common)
	var order []cutPlace // those of all ranks
	for _, r := range x.ranks {
		var mine []cutPlace
		var all []piece
		last := piece{}
		for i, p := range places[r] {
			at := cuts[r][i]
			if common[p] == len(x.ranks) {
				mine = append(mine, p)
				last.to = at.from
				all = append(all, last)
				last = at
			}
		}
		last.to = len(r.tape.bytes)
		cuts[r] = append(all, last)
		if order == nil {
			order = mine
		}
		if len(mine) == 0 || len(mine) != len(order) {
			return nil, false
		}
		for i, p := range mine {
			if p != order[i] {
				return nil, false
			}
		}
	}
	return cuts, true
}

// dropIdleEnd drops the last common place if no rank has messages behind it: a part without the
// NICs that the part before it leaves busy would end the run in parts.
func (x *Calls) dropIdleEnd(cuts map[*rank][]piece, places map[*rank][]cutPlace,
	common map[cutPlace]int) {
	last, at := cutPlace{}, -1
	for i, p := range places[x.ranks[0]] {
		if common[p] == len(x.ranks) {
			last, at = p, i
		}
	}
	if at < 0 {
		return
	}
	for _, r := range x.ranks {
		from := reader(r.tape.bytes[cuts[r][slices.Index(places[r], last)].from:])
		for len(from) > 0 {
			switch c, _ := from.skip(); c {
			case blocking, begin, runCollective, beginRun:
				return
			}
		}
	}
	delete(common, last)
}

// cutsOf returns where a rank may be cut, as pieces without their ends.
func (x *Calls) cutsOf(r *rank) (pieces []piece, places []cutPlace) {
	open, requests := 0, 0
	size := len(r.tape.bytes)
	var at *cutPlace // if the call before was a blocking collective of all ranks
	for from := reader(r.tape.bytes); len(from) > 0; {
		offset := size - len(from)
		code, numbers := from.skip()
		if at != nil && open == 0 && (code == compute && numbers[0] > 0 || code == computeEach) {
			pieces = append(pieces, piece{from: offset, requests: requests})
			places = append(places, *at)
		}
		if code != mark { // may stand between
			at = nil
		}
		switch code {
		case begin, beginRun:
			open, requests = open+1, requests+1
		case wait:
			open -= len(numbers)
		case runCollective:
			if x.groups[numbers[0]].size == x.Ranks {
				at = &cutPlace{numbers[0], numbers[1]}
			}
		}
	}
	return pieces, places
}

// skip reads a call, and returns its code with its numbers, but those of its messages.
func (r *reader) skip() (c code, numbers []uint64) {
	c = r.code()
	r.number() // line
	count := 0
	switch c {
	case compute, computeEach, mark:
		count = 1
	case runCollective:
		count = 3
	case beginRun:
		count = 4
	case begin:
		r.number() // stream
		fallthrough
	case blocking:
		for range 5 * r.number() {
			r.number()
		}
	case wait:
		count = int(r.number())
	}
	for range count {
		numbers = append(numbers, r.number())
	}
	return c, numbers
}

// contentNumbers are the numbers of what calls of collectives have: two calls with one number are
// the same operations.
type contentNumbers struct {
	of    map[string]uint64
	known map[cutPlace]uint64 // the same by call
}

func (c contentNumbers) number(x *Calls, at cutPlace) uint64 {
	number, known := c.known[at]
	if !known {
		of := &x.groups[at.group].calls[at.call]
		text := fmt.Sprint(at.group, of.callArguments, of.kind, of.blocks, of.rows)
		if number, known = c.of[text]; !known {
			number = uint64(len(c.of))
			c.of[text] = number
		}
		c.known[at] = number
	}
	return number
}

// content appends what a piece does to a key: its calls, with the requests counted from its begin,
// and collectives by their contents.
func (x *Calls) content(key []byte, r *rank, p piece, contents contentNumbers) []byte {
	tape := r.tape.bytes[p.from:p.to]
	first := map[uint64]uint64{} // the first call of each group
	for from := reader(tape); len(from) > 0; {
		before := from
		c, numbers := from.skip()
		switch c {
		case wait:
			key = append(key, byte(c))
			for _, n := range numbers {
				key = binary.AppendUvarint(key, n-uint64(p.requests))
			}
		case runCollective, beginRun:
			g, call := numbers[len(numbers)-3], numbers[len(numbers)-2]
			if _, known := first[g]; !known {
				first[g] = call
			}
			key = append(key, byte(c))
			key = binary.AppendUvarint(key, contents.number(x, cutPlace{g, call}))
			key = binary.AppendUvarint(key, call-first[g])
			key = binary.AppendUvarint(key, numbers[len(numbers)-1])
		default:
			key = append(key, before[:len(before)-len(from)]...)
		}
	}
	return append(key, 0xff) // no code: the end of the rank
}

// emitPart returns the schedule of a piece of each of the first ranks, which may stand for all.
func (x *Calls) emitPart(ctx context.Context, pieces func(*rank) piece, ranks, unit int) (Part,
	error) {
	b := x.builder(ranks)
	if ranks < x.Ranks {
		b.Fold(x.Ranks, unit)
	}
	marks := &schedule.Marks{Names: x.marks}
	index := map[*rank]int{}
	for number, r := range x.of[:ranks] {
		if err := ctx.Err(); err != nil {
			return Part{}, err
		}
		b.NextRank()
		if err := x.emitPiece(b, r, pieces(r), number, index[r], marks); err != nil {
			return Part{}, err
		}
		index[r]++
	}
	s, err := b.Build()
	return Part{s, marks, x.Ranks / ranks}, err
}
