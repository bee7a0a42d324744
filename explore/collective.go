package explore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/fit/contention"
	"github.com/halfpeak/halfpeak/internal/flags"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/study/collectives"
	"github.com/halfpeak/halfpeak/whatif"
)

// Bounds of collectives.
const (
	maxCells      = 10_000
	maxOperations = 1 << 20
	maxDrawn      = 1024     // ranks of a schedule
	maxMessages   = 20_000   // of it
	budget        = 1000.0   // ms
	maxBudget     = 60_000.0 // ms
)

// asked is a question about a collective on a design: on all levels of its platform, or on the
// layer that it names.
func asked(d whatif.Design, name string) collectives.Question {
	return collectives.Question{Calls: collectives.Calls{Collective: name}, Layer: d.Layer, Machine: d.Machine(), Within: contention.IntervalsOf(d.Platform)}
}

// fitsOf are the fits of a collective that the file of a design has measured. As for the command, a
// layer has none, and a file of changed parameters none either.
func fitsOf(r Design, d whatif.Design, name string) ([]collectives.Fit, error) {
	if platforms.NamesLayer(r.Ref) || len(r.Set) > 0 {
		return nil, nil
	}
	return collectives.PlatformFits(d.Platform, r.Ref, name)
}

// mapped reads the question of a map.
func (x *Explorer) mapped(r CollectiveMap) (q collectives.Question, fits []collectives.Fit, err error) {
	d, err := x.messages(r.Design)
	if err != nil {
		return q, fits, err
	}
	if len(r.Ranks) > 1<<12 {
		return q, fits, errors.New("the ranks are too many")
	}
	ranks, err := flags.ParseRanks(r.Ranks)
	if err != nil {
		return q, fits, fmt.Errorf("ranks %.40q: %w", r.Ranks, err)
	}
	q = asked(d, r.Collective)
	q.Algorithm, q.Ranks = "all", ranks
	if fits, err = fitsOf(r.Design, d, r.Collective); err != nil {
		return q, fits, err
	}
	if q.Sizes, err = sizes(r.Sizes); err != nil {
		return q, fits, err
	}
	if r.Segments != "" {
		if q.Segments, err = sizes(r.Segments); err != nil {
			return q, fits, err
		}
	}
	if cells := len(q.Ranks) * len(q.Sizes) * (1 + len(q.Segments)); cells > maxCells {
		return q, fits, fmt.Errorf("%d places; a map has at most %d", cells, maxCells)
	}
	operations, err := positive(float64(r.Operations), 1<<16, maxOperations, "operations")
	q.Operations = int(operations)
	return q, fits, err
}

// compute answers the question, by the fits if there are any.
func compute(q collectives.Question, fits []collectives.Fit) (*collectives.Times, error) {
	if len(fits) > 0 {
		return collectives.FittedQuestion{Calls: q.Calls, Fits: fits}.Compute(context.Background())
	}
	return q.Compute(context.Background())
}

// collective is the map of the algorithms. A place takes so long that the clock is looked at
// between places only.
func (x *Explorer) collective(r CollectiveMap) (Times, error) {
	q, fits, err := x.mapped(r)
	if err != nil {
		return Times{}, err
	}
	ms, err := positive(float64(r.Budget), budget, maxBudget, "budget_ms")
	if err != nil {
		return Times{}, err
	}
	entries, err := collectives.AlgorithmsOf(q.Collective)
	if err != nil {
		return Times{}, err
	}
	if q.Collective == "barrier" {
		q.Sizes = q.Sizes[:1]
	}
	if len(fits) > 0 {
		entries = nil
		for _, f := range fits {
			if !slices.ContainsFunc(entries, func(e collective.Entry) bool { return e.Name == f.Entry.Name }) {
				entries = append(entries, f.Entry)
			}
		}
	}
	a := newTimes(q, entries)
	until := time.Now().Add(time.Duration(ms * float64(time.Millisecond)))
	for i, ranks := range q.Ranks {
		for j, size := range q.Sizes {
			if time.Now().After(until) {
				a.Left++
				continue
			}
			one := q
			one.Ranks, one.Sizes = []int{ranks}, []quantity.Bytes{size}
			times, err := compute(one, fits)
			if err != nil {
				if len(a.Notes) == 0 { // other cells have another number of ranks, which may be possible
					a.Notes = append(a.Notes, err.Error())
				}
				continue
			}
			a.take(i, j, times)
		}
	}
	if a.Left == len(q.Ranks)*len(q.Sizes) {
		return a, errors.New("the budget was used up before the first place; give more")
	}
	return a, nil
}

// maxPlaces bounds the places of a table.
const maxPlaces = 200

// placesRows returns the times of all algorithms, as the command has them.
func (x *Explorer) placesRows(r CollectiveMap) (reports.Rows, error) {
	q, fits, err := x.mapped(r)
	if err != nil {
		return reports.Rows{}, err
	}
	if n := len(q.Ranks) * len(q.Sizes) * (1 + len(q.Segments)); n > maxPlaces {
		return reports.Rows{}, fmt.Errorf("%d places; a table has at most %d", n, maxPlaces)
	}
	times, err := compute(q, fits)
	if err != nil {
		return reports.Rows{}, err
	}
	return times.Rows(), nil
}

func newTimes(q collectives.Question, entries collectives.Algorithms) Times {
	a := Times{Ranks: q.Ranks, Notes: []string{}}
	for _, n := range q.Sizes {
		a.Sizes = append(a.Sizes, float64(n))
	}
	none := slices.Repeat(Numbers{math.NaN()}, len(q.Sizes))
	for range q.Ranks {
		a.Best, a.Next = append(a.Best, slices.Repeat([]int{-1}, len(none))), append(a.Next, slices.Repeat([]int{-1}, len(none)))
		a.Loss, a.Text = append(a.Loss, slices.Clone(none)), append(a.Text, make([]string, len(none)))
	}
	for _, e := range entries {
		var times, segments []Numbers
		for range q.Ranks {
			times, segments = append(times, slices.Clone(none)), append(segments, make(Numbers, len(none)))
		}
		a.Algorithms, a.Time, a.Segment = append(a.Algorithms, e.Name), append(a.Time, times), append(a.Segment, segments)
	}
	return a
}

// take puts the times of one place into the map.
func (a *Times) take(i, j int, times *collectives.Times) {
	for _, t := range times.Times {
		k, time := slices.Index(a.Algorithms, t.Name), t.Time
		if math.IsNaN(float64(time)) {
			time = t.Average // all that was measured
		}
		if at := &a.Time[k][i][j]; math.IsNaN(*at) || float64(time) < *at {
			*at, a.Segment[k][i][j] = float64(time), float64(t.Call.Segment)
		}
		if t.Best || len(times.Times) == 1 {
			a.Best[i][j], a.Text[i][j] = k, time.String()
			if t.Next != nil {
				a.Next[i][j], a.Loss[i][j] = slices.Index(a.Algorithms, t.Next.Name), t.NextSlower
			}
		}
	}
	if len(times.TooLarge) > 0 {
		if note := "Left out: " + times.TooLarge[0] + "."; len(a.Notes) < 8 && !slices.Contains(a.Notes, note) {
			a.Notes = append(a.Notes, note)
		}
	}
}

// called reads the question of one collective.
func (x *Explorer) called(r CollectiveCall) (q collectives.Question, err error) {
	d, err := x.messages(r.Design)
	if err != nil {
		return q, err
	}
	if r.Ranks < 1 || r.Ranks > maxDrawn {
		return q, fmt.Errorf("%d ranks; give 1 to %d", r.Ranks, maxDrawn)
	}
	if fits, err := fitsOf(r.Design, d, r.Collective); err != nil || len(fits) > 0 {
		return q, cmp.Or(err, fmt.Errorf("%s was measured on %s, and not its messages; name a layer, as in %s", r.Collective, r.Ref, d.Layer.Ref()))
	}
	q = asked(d, r.Collective)
	q.Algorithm, q.Ranks, q.Operations = r.Algorithm, []int{r.Ranks}, 1<<17
	q.Call = collective.Call{Root: r.Root, Fanout: r.Fanout}
	if r.Algorithm == "all" || r.Algorithm == "best" {
		return q, fmt.Errorf("algorithm %q; name one", r.Algorithm)
	}
	n, err := size(r.Size)
	if err != nil {
		return q, err
	}
	q.Sizes = []quantity.Bytes{n}
	if r.Segment != "" {
		if n, err = size(r.Segment); err != nil {
			return q, err
		}
		q.Segments = []quantity.Bytes{n}
	}
	return q, nil
}

// schedule is one collective with its messages.
func (x *Explorer) schedule(r CollectiveCall) (Schedule, error) {
	run, err := x.run(r)
	if err != nil {
		return Schedule{}, err
	}
	line, err := run.Result.Timeline()
	if err != nil {
		return Schedule{}, err
	}
	if len(line.Messages) > maxMessages {
		return Schedule{}, fmt.Errorf("%s %s on %d ranks has %d messages; at most %d are drawn", run.Collective, run.Name, run.Ranks, len(line.Messages), maxMessages)
	}
	a := Schedule{
		Title: fmt.Sprintf("%s, %s, %d ranks, %s: %s", run.Collective, run.Name, run.Ranks, quantity.Bytes(run.Call.Bytes), run.Time),
		Ranks: run.Ranks, Finish: Number(run.Time), Text: run.Time.String(), Messages: []Message{},
	}
	for _, ticks := range run.Result.Ranks {
		a.Done = append(a.Done, float64(run.Result.Micros(ticks)))
	}
	for _, m := range line.Messages {
		a.Messages = append(a.Messages, Message{m.From, m.To, Number(m.Size), Number(m.Sent), Number(m.Received), m.Critical})
	}
	a.Parents, a.Shape = shape(a.Ranks, a.Messages)
	return a, nil
}

func (x *Explorer) run(r CollectiveCall) (*collectives.Run, error) {
	q, err := x.called(r)
	if err != nil {
		return nil, err
	}
	return collectives.RunQuestion(q).Simulate(context.Background())
}

// shape returns the first sender to each rank, and the shape of the messages.
func shape(ranks int, messages []Message) (parents []int, shape string) {
	messages = slices.SortedStableFunc(slices.Values(messages), func(a, b Message) int { return cmp.Compare(a.Received, b.Received) })
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

// scheduleRows are the messages as a table.
func scheduleRows(a Schedule) reports.Rows {
	rows := reports.Rows{Columns: []reports.Column{{Key: "from"}, {Key: "to"}, {Key: "size_bytes"}, {Key: "sent_us"}, {Key: "received_us"}}}
	for _, m := range a.Messages {
		rows.Data = append(rows.Data, []any{m.From, m.To, float64(m.Size), float64(m.Sent), float64(m.Received)})
	}
	return rows
}
