package tune

import (
	"context"
	"fmt"
	"slices"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/internal/collectives"
	"github.com/halfpeak/halfpeak/internal/fitted"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/tune/tuner"
)

// A Question asks which algorithms a library should take.
type Question struct {
	Collectives []string
	Library     string // one of Libraries
	Ranks       []int
	PerNode     int // ranks on each node; 0: unknown
	Sizes       []quantity.Bytes
	Segments    []quantity.Bytes // tried beside whole messages
	Design      platforms.Design // prices the schedules; without a layer, a nominal network does
	// Progress reports on schedules, then calls, then selected measurements; nil: not reported.
	Progress func(done, total int)
}

// A Map holds the candidates of a question, and what was measured of them. Candidates
// and choices have the same indices: the model sees the first, people and scripts the
// second.
type Map struct {
	Question
	library    library
	Choices    []Choice // of the candidates
	candidates []tuner.Candidate
	tuner      *tuner.Tuner
	measured   map[int][]float64 // times in µs by candidate
	// elsewhere has the measured choices of other calls, whose indices follow those of the
	// candidates, and seen all measurements in the order of reading.
	elsewhere []Choice
	seen      []tuner.Measurement
	statistic fitted.Statistic // of the measured times; empty: as the benchmark prints
	duels     map[int]Duel
	Unknown   int // number of measurements that are of no candidate
}

// NewMap returns the candidates of a question. The errors are unknown collectives and libraries,
// collectives of which the library has no algorithm that can be forced, numbers of ranks that do
// not fill nodes, and the errors of [collectives.Calls.On].
func NewMap(ctx context.Context, q Question) (*Map, error) {
	library, err := libraryOf(q.Library)
	if err != nil {
		return nil, err
	}
	q.Ranks, q.Sizes = stats.Ascending(q.Ranks), stats.Ascending(q.Sizes)
	q.Segments = stats.Ascending(q.Segments)
	for _, ranks := range q.Ranks {
		if ranks < 2 || q.PerNode > 0 && ranks%q.PerNode != 0 {
			err := fmt.Errorf("ranks %d: take at least 2, and a multiple of the %d on each node",
				ranks, max(1, q.PerNode))
			return nil, usage.Fields(err, "ranks")
		}
	}
	m := &Map{Question: q, library: library, measured: map[int][]float64{}, duels: map[int]Duel{}}
	for _, name := range q.Collectives {
		if err := m.add(ctx, name); err != nil {
			return nil, err
		}
	}
	m.tuner = tuner.New(m.candidates, tuner.Default())
	return m, nil
}

// add adds the candidates of a collective: for each call the library's own choice,
// and all algorithms that take it.
func (m *Map) add(ctx context.Context, name string) error {
	of, err := collective.Find(name, "")
	if err != nil {
		return usage.Fields(err, "collective")
	}
	if len(m.entries(of.Collective)) == 1 {
		err = fmt.Errorf("%s has no algorithm of %s that can be forced", m.Library, name)
		return usage.Fields(err, "collective")
	}
	name = of.Collective
	if slices.ContainsFunc(m.Choices, func(c Choice) bool { return c.Collective == name }) {
		return nil // named twice
	}
	sizes := m.Sizes
	if name == "barrier" {
		// A barrier sends no data, so it has one call for each number of ranks.
		sizes = []quantity.Bytes{0}
	}
	times, err := PartsOf(ctx, m.Design, collectives.Calls{Collective: name, Algorithm: "all",
		Ranks: m.Ranks, Sizes: sizes, Segments: m.Segments, Progress: m.Progress})
	if err != nil {
		return err
	}
	call := 0
	if n := len(m.candidates); n > 0 {
		call = m.candidates[n-1].Call + 1
	}
	for _, ranks := range m.Ranks {
		for _, size := range sizes {
			choices := m.choicesOf(name, ranks, size)
			m.Choices = append(m.Choices, choices...)
			m.candidates = append(m.candidates, candidatesOf(choices, call, times)...)
			call++
		}
	}
	return nil
}

// candidatesOf returns the candidates of a call's choices, with the parts of their schedules.
func candidatesOf(choices []Choice, call int, parts map[Place]tuner.Parts) (all []tuner.Candidate) {
	for _, c := range choices {
		author := "" // the library's, but for its own choice, which may be any algorithm
		if c.Name == LibraryChoice {
			author = LibraryChoice
		}
		all = append(all, tuner.Candidate{
			Group: c.Collective, Call: call, Ranks: float64(c.Ranks), Size: max(1, float64(c.Size)),
			Author: author, Schedule: c.Name, Variant: fmt.Sprint(c.Name, " ", c.Segment),
			Parts:   parts[Place{c.Name, c.Ranks, c.Size, c.Segment}],
			Library: c.Name == LibraryChoice,
		})
	}
	tuner.Complete(all)
	return all
}

// entries returns the library's own choice for a collective, and the algorithms that it can be
// forced to take.
func (m *Map) entries(name string) []collective.Entry {
	foreign := func(e collective.Entry) bool { return !m.library.Has(e) }
	all := slices.DeleteFunc(slices.Clone(collective.Of(name)), foreign)
	return append([]collective.Entry{{Collective: name, Name: LibraryChoice}}, all...)
}

// choicesOf returns the algorithms that take a call, whole and in each of the
// question's segments that cuts the message. The library's own choice is the first,
// and every call has it. An algorithm in whose place the library runs another of them is none.
func (m *Map) choicesOf(name string, ranks int, size quantity.Bytes) (all []Choice) {
	entries := m.entries(name)
	replaced := func(e collective.Entry, segment quantity.Bytes) bool {
		c := collective.Call{Bytes: uint64(size), Segment: uint64(segment), PerNode: m.PerNode}
		runs := ""
		if e.Name != LibraryChoice {
			runs = e.Runs(ranks, c).Name
		}
		return runs != e.Name &&
			slices.ContainsFunc(entries, func(o collective.Entry) bool { return o.Name == runs })
	}
	for _, e := range entries {
		if e.Ranks != 0 && e.Ranks != ranks {
			continue
		}
		// Without a segment that is given, the library cuts by its own: any but the whole message.
		if !replaced(e, 1) {
			all = append(all, Choice{e, ranks, m.PerNode, size, 0})
		}
		if e.Params&collective.Segment == 0 {
			continue
		}
		for _, segment := range m.Segments {
			// A segment as long as the message is the whole message, which is a candidate already.
			if segment < size && !replaced(e, segment) {
				all = append(all, Choice{e, ranks, m.PerNode, size, segment})
			}
		}
	}
	return all
}

// candidate returns the index of the candidate that is a choice, as far as that says; −1 if none
// is.
func (m *Map) candidate(c Choice) int {
	return slices.IndexFunc(m.Choices, func(o Choice) bool {
		algorithm := o.Collective == c.Collective && o.Name == c.Name && o.Segment == c.Segment
		placed := o.PerNode == c.PerNode || c.PerNode == 0
		return algorithm && o.Ranks == c.Ranks && o.Size == c.Size && placed
	})
}

// measure adds the measured time of a choice and reports whether a candidate is that choice. If
// none is, it counts the time in Unknown: such times only serve the estimates of others.
func (m *Map) measure(c Choice, t quantity.Micros) bool {
	// A time of 0 or NaN has no logarithm.
	if !(t > 0) {
		m.Unknown++
		return false
	}
	i := m.candidate(c)
	if i < 0 {
		m.Unknown++
		if c.PerNode == 0 || c.PerNode == m.PerNode {
			m.seen = append(m.seen, tuner.Measurement{Candidate: m.beside(c), Time: float64(t)})
		}
		return false
	}
	m.seen = append(m.seen, tuner.Measurement{Candidate: i, Time: float64(t)})
	m.measured[i] = append(m.measured[i], float64(t))
	m.tuner.Add([]tuner.Measurement{{Candidate: i, Time: float64(t)}})
	return true
}

// beside returns the index of a choice of another call.
func (m *Map) beside(c Choice) int {
	i := slices.IndexFunc(m.elsewhere, func(o Choice) bool {
		return o.Collective == c.Collective && o.Name == c.Name && o.Segment == c.Segment &&
			o.Ranks == c.Ranks && o.Size == c.Size
	})
	if i < 0 {
		i, m.elsewhere = len(m.elsewhere), append(m.elsewhere, c)
	}
	return len(m.Choices) + i
}

// own returns the candidate of a call that is the library's choice, with which rules
// are compared.
func (m *Map) own(call int) int {
	of := m.tuner.Calls()[call]
	return of[slices.IndexFunc(of, func(i int) bool { return m.Choices[i].Name == LibraryChoice })]
}

// expected returns the expected time of a candidate in µs: the mean of a log-normal
// distribution, which is above its median. The mean of many calls is what an
// algorithm costs.
func (m *Map) expected(i int) quantity.Micros { return quantity.Micros(m.tuner.Expected(i)) }
