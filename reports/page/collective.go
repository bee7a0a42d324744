package page

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/halfpeak/halfpeak"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/collectives"
	"github.com/halfpeak/halfpeak/internal/flags"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/collective"
	"github.com/halfpeak/halfpeak/reports/table"
)

// Bounds of collectives. A request comes from a file or an address that somebody sent, so each
// bounds time or memory.
const (
	maxCells = 10_000 // ranks times sizes of a map

	// maxOperations bounds each simulated schedule of a map. The budget is checked between places
	// alone, so this bounds by how much one place can exceed it.
	maxOperations = 1 << 16

	maxDrawn    = 1024   // ranks of a schedule
	maxMessages = 20_000 // of it; each is a line in the picture

	budget    = 1000.0   // ms, if the request has none
	maxBudget = 60_000.0 // ms
)

// calls reads the request of a map or a table of collectives.
func (x *Explorer) calls(r mapRequest) (d halfpeak.Design, c halfpeak.Collectives, err error) {
	if d, err = x.ranks(r.design); err != nil {
		return d, c, err
	}
	if len(r.Ranks) > 1<<12 {
		return d, c, fmt.Errorf("ranks must have at most %d bytes (got %d)", 1<<12, len(r.Ranks))
	}
	c.Collective, c.Algorithm, c.Operations = r.Collective, "all", maxOperations
	if c.Ranks, err = flags.ParseRanks(r.Ranks); err != nil {
		return d, c, fmt.Errorf("ranks %.40q: %w", r.Ranks, err)
	}
	if c.Sizes, err = sizes(r.Sizes); err != nil {
		return d, c, err
	}
	if cells := len(c.Ranks) * len(c.Sizes); cells > maxCells {
		err = fmt.Errorf("%d places; a map has at most %d", cells, maxCells)
	}
	return d, c, err
}

// collective returns the map of the algorithms. The time of a place cannot be
// foreseen, so there is a budget of time instead of a bound of work; what it does not
// reach is unknown (-1). Since one place may take long, the budget is checked between
// places.
func (x *Explorer) collective(r mapRequest) (fastestMap, error) {
	d, q, err := x.calls(r)
	if err != nil {
		return fastestMap{}, err
	}
	ms := cmp.Or(float64(r.Budget), budget)
	if !(ms >= 1 && ms <= maxBudget) {
		return fastestMap{}, fmt.Errorf("budget_ms %g; give 1 to %g", ms, maxBudget)
	}
	if _, err := collective.List(q.Collective); err != nil {
		return fastestMap{}, err
	}
	// A barrier moves no data, so all sizes are one.
	if q.Collective == "barrier" {
		q.Sizes = q.Sizes[:1]
	}
	a := fastestMap{Best: make([][]int, len(q.Ranks))}
	until := time.Now().Add(time.Duration(ms * float64(time.Millisecond)))
	for i, ranks := range q.Ranks {
		for _, size := range q.Sizes {
			if time.Now().After(until) {
				a.Left++
				a.Best[i] = append(a.Best[i], -1)
				continue
			}
			// One place at a time: the whole question could not be interrupted.
			one := q
			one.Ranks, one.Sizes = []int{ranks}, []quantity.Bytes{size}
			found, err := d.Times(context.Background(), one)
			if err != nil { // this number of ranks is impossible
				found.Times = []*collective.Times{{}}
			}
			a.Best[i] = append(a.Best[i], a.best(found.Times[0]))
		}
	}
	// A map without a cell would look like an answer.
	if a.Left == len(q.Ranks)*len(q.Sizes) {
		return a, fmt.Errorf("budget_ms %g ended before the first place; give more", ms)
	}
	return a, nil
}

// best returns the index of the fastest algorithm of one cell, and adds a new one; -1
// if the cell has no time. A cell with a single algorithm has no mark of the best.
func (a *fastestMap) best(cell *collective.Times) int {
	for _, t := range cell.Times {
		if t.Undecided || !t.Best && len(cell.Times) > 1 {
			continue
		}
		k := slices.Index(a.Algorithms, t.Name)
		if k < 0 {
			k = len(a.Algorithms)
			a.Algorithms = append(a.Algorithms, t.Name)
		}
		return k
	}
	return -1
}

// maxPlaces bounds a table, which has a row for each algorithm at each place.
const maxPlaces = 200

// placesRows answers with the rows of `halfpeak collective` at these places, with no
// budget: their number is small.
func (x *Explorer) placesRows(r mapRequest) (table.Rows, error) {
	d, q, err := x.calls(r)
	if err != nil {
		return table.Rows{}, err
	}
	if n := len(q.Ranks) * len(q.Sizes); n > maxPlaces {
		return table.Rows{}, fmt.Errorf("%d places; a table has at most %d", n, maxPlaces)
	}
	found, err := d.Times(context.Background(), q)
	if err != nil {
		return table.Rows{}, err
	}
	return found.Rows(), nil
}

// call reads the request of one drawn collective. Measured collectives cannot be drawn: a
// measurement has times and no messages.
func (x *Explorer) call(r callRequest) (d halfpeak.Design, q halfpeak.Collectives, err error) {
	if d, err = x.ranks(r.design); err != nil {
		return d, q, err
	}
	if r.Ranks < 1 || r.Ranks > maxDrawn {
		return d, q, fmt.Errorf("%d ranks; give 1 to %d", r.Ranks, maxDrawn)
	}
	q.Collective = r.Collective
	if d.Measured(r.Collective) {
		return d, q, fmt.Errorf("%s was measured on %s, and not its messages; name a layer, "+
			"as in %s/%s",
			r.Collective, r.Ref, r.Ref, d.Platform.Default)
	}
	// A single schedule may have twice the operations of a place of a map: it is
	// asked for once.
	q.Algorithm, q.Ranks, q.Operations = r.Algorithm, []int{r.Ranks}, 1<<17
	if r.Algorithm == "all" || r.Algorithm == "best" {
		return d, q, fmt.Errorf("algorithm %q; name one", r.Algorithm)
	}
	n, err := size(r.Size)
	if err != nil {
		return d, q, err
	}
	q.Sizes = []quantity.Bytes{n}
	if r.Segment != "" {
		if n, err = size(r.Segment); err != nil {
			return d, q, err
		}
		q.Segments = []quantity.Bytes{n}
	}
	return d, q, nil
}

// simulated runs one collective and returns its messages in the order in which they are sent.
func (x *Explorer) simulated(r callRequest) (*collectives.Run, []simulate.Message, error) {
	d, q, err := x.call(r)
	if err != nil {
		return nil, nil, err
	}
	run, err := q.Simulate(context.Background(), d.Design)
	if err != nil {
		return nil, nil, err
	}
	line, err := run.Result.Timeline()
	if err != nil {
		return nil, nil, err
	}
	messages := slices.Collect(line.Messages)
	for i := range messages {
		messages[i].Sent += run.Copying
		messages[i].Received += run.Copying
	}
	if len(messages) > maxMessages {
		return nil, nil,
			fmt.Errorf("%s %s on %d ranks has %d messages; at most %d are drawn", run.Collective,
				run.Name, run.Ranks, len(messages), maxMessages)
	}
	return run, messages, nil
}

func (x *Explorer) schedule(r callRequest) (schedule, error) {
	run, messages, err := x.simulated(r)
	if err != nil {
		return schedule{}, err
	}
	a := schedule{
		Title: fmt.Sprintf("%s, %s, %d ranks, %s", run.Collective, run.Name, run.Ranks,
			quantity.Bytes(run.Call.Bytes)),
		Ranks: run.Ranks, Finish: number(run.Time),
	}
	a.Done = list.Map(run.Result.Ranks, func(ticks uint64) float64 {
		return float64(run.Copying + run.Result.Micros(ticks))
	})
	a.Parents, a.Shape = shape(a.Ranks, messages)
	a.Messages, err = messageRows(messages).JSON()
	return a, err
}

// shape returns the first sender to each rank, and the shape of the messages, which
// decides how the page draws them. Messages are taken in the order of receiving: in a
// tree, a rank has its data before it sends.
func shape(ranks int, messages []simulate.Message) (parents []int, shape string) {
	messages = slices.SortedStableFunc(slices.Values(messages), func(a, b simulate.Message) int {
		return cmp.Compare(a.Received, b.Received)
	})
	parents = make([]int, ranks)
	to := make([]int, ranks) // the only rank that each sends to; −1: none, −2: several
	for i := range ranks {
		parents[i], to[i] = -1, -1
	}
	sent := make([]bool, ranks)
	tree := true
	for _, m := range messages {
		if parents[m.To] < 0 && !sent[m.To] {
			parents[m.To] = m.From
		} else if parents[m.To] != m.From {
			tree = false
		}
		sent[m.From] = true
		if to[m.From] == -1 || to[m.From] == m.To {
			to[m.From] = m.To
		} else {
			to[m.From] = -2
		}
	}
	// Follow the only receivers from rank 0: a ring is back there after all ranks.
	// The count ends the loop if the walk enters a smaller circle.
	at, steps := 0, 0
	for at >= 0 && steps <= ranks {
		at = to[at]
		steps++
		if at == 0 {
			break
		}
	}
	switch {
	case at == 0 && steps == ranks && ranks > 1:
		return parents, "ring"
	case tree:
		return parents, "tree"
	}
	return parents, "graph"
}

// messageRows lists messages, for the picture of a schedule and for its CSV, so that
// both have the same numbers.
func messageRows(messages []simulate.Message) table.Rows {
	type message = simulate.Message
	return table.TableOf(messages,
		table.Col("from", "", func(m message) any { return m.From }),
		table.Col("to", "", func(m message) any { return m.To }),
		table.Col("size_bytes", "", func(m message) any { return float64(m.Size) }),
		// when the processors of sender and receiver began with it
		table.Col("sent_us", "", func(m message) any { return float64(m.Sent) }),
		table.Col("received_us", "", func(m message) any { return float64(m.Received) }),
		// whether the finish of the last rank depends on it
		table.Col("critical", "", func(m message) any { return m.Critical }),
	)
}
