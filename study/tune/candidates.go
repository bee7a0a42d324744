package tune

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/study/collectives"
)

// LibraryChoice stands for the algorithm that the library takes when nothing is forced.
const LibraryChoice = "default"

// A Question asks which algorithms a library should take.
type Question struct {
	Collectives []string
	Library     string // one of Libraries
	Ranks       []int
	PerNode     int // ranks on each node; 0: not said
	Sizes       []quantity.Bytes
	Segments    []quantity.Bytes // tried beside whole messages
	// Layer or Machine is where schedules get their times from; without both, a nominal network.
	Layer   platforms.Layer
	Machine machine.Machine
}

// A Choice is a candidate as the library knows it.
type Choice struct {
	collective.Entry // Name is LibraryChoice where the library chooses
	Ranks, PerNode   int
	Size, Segment    quantity.Bytes // Size as in collective.Call
}

// A Map has the candidates of a question.
type Map struct {
	Question
	library    library
	Choices    []Choice // of the candidates
	candidates []Candidate
	*Tuner
	measured map[int]int // number of measurements by candidate
	Unknown  int         // measurements of other calls, which are not used
}

// NewMap returns the candidates of a question. The errors are unknown collectives and libraries,
// collectives for which a library has no two algorithms, and those of collectives.Question.
func NewMap(ctx context.Context, q Question) (*Map, error) {
	library, err := libraryOf(q.Library)
	if err != nil {
		return nil, err
	}
	q.Ranks, q.Sizes = stats.Ascending(q.Ranks), stats.Ascending(q.Sizes)
	for _, ranks := range q.Ranks {
		if ranks < 2 || q.PerNode > 0 && ranks%q.PerNode != 0 {
			return nil, usage.Fields(fmt.Errorf("ranks %d: take at least 2, and a multiple of the %d on each node", ranks, max(1, q.PerNode)), "ranks")
		}
	}
	m := &Map{Question: q, library: library, measured: map[int]int{}}
	for _, name := range q.Collectives {
		if err := m.add(ctx, name); err != nil {
			return nil, err
		}
	}
	m.Tuner = New(m.candidates, Default())
	return m, nil
}

// add adds the candidates of a collective.
func (m *Map) add(ctx context.Context, name string) error {
	all := slices.DeleteFunc(collective.Of(name), func(e collective.Entry) bool { return !m.library.has(e) })
	if len(all) == 0 {
		if _, err := collective.Find(name, ""); collective.Of(name) == nil {
			return usage.Fields(err, "collective")
		}
		return usage.Fields(fmt.Errorf("%s has no algorithm of %s that can be forced", m.Library, name), "collective")
	}
	name = all[0].Collective
	if slices.ContainsFunc(m.Choices, func(c Choice) bool { return c.Collective == name }) {
		return nil // asked for twice
	}
	sizes := m.Sizes
	if name == "barrier" {
		sizes = []quantity.Bytes{0}
	}
	times, err := PartsOf(ctx, collectives.Question{Layer: m.Layer, Machine: m.Machine,
		Calls: collectives.Calls{Collective: name, Algorithm: "all", Ranks: m.Ranks, Sizes: sizes, Segments: m.Segments}})
	if err != nil {
		return err
	}
	first := len(m.candidates)
	if first > 0 {
		first = m.candidates[first-1].Call + 1
	}
	for i, ranks := range m.Ranks {
		for j, size := range sizes {
			call := first + i*len(sizes) + j
			entries := append([]collective.Entry{{Collective: name, Name: LibraryChoice}}, all...)
			for _, e := range entries {
				if e.Ranks != 0 && e.Ranks != ranks {
					continue
				}
				for _, segment := range append([]quantity.Bytes{0}, m.Segments...) {
					if segment > 0 && (segment >= size || e.Params&collective.Segment == 0) {
						continue
					}
					m.Choices = append(m.Choices, Choice{e, ranks, m.PerNode, size, segment})
					m.candidates = append(m.candidates, Candidate{
						Group: name, Call: call, Ranks: float64(ranks), Size: max(1, float64(size)),
						Labels: [labels]string{e.Name, "", e.Name, fmt.Sprint(e.Name, " ", segment)},
						Shared: sharedOf(name, e.Name),
						Parts:  times[Place{e.Name, ranks, size, segment}],
					})
				}
			}
		}
	}
	Complete(m.candidates)
	return nil
}

// sharedOf returns the names of an algorithm's shared factors.
func sharedOf(collective, algorithm string) [shared]string {
	if algorithm == LibraryChoice {
		return [shared]string{"network"}
	}
	return [shared]string{"network", algorithm, "", "", collective + "/" + algorithm}
}

// Complete gives candidates whose schedule is not known the parts of the fastest of their call:
// they may be the best until they are measured.
func Complete(all []Candidate) {
	least := map[int]Parts{}
	for _, c := range all {
		if l, known := least[c.Call]; c.Parts.sum() > 0 && (!known || c.Parts.sum() < l.sum()) {
			least[c.Call] = c.Parts
		}
	}
	for i, c := range all {
		if c.Parts.sum() > 0 {
			continue
		}
		all[i].Parts = least[c.Call]
		if all[i].Parts.sum() == 0 {
			all[i].Parts = Parts{latency * math.Log2(2*c.Ranks), overhead, perByte * c.Size}
		}
	}
}

// A Place is an algorithm, numbers of ranks and bytes, and a segment.
type Place struct {
	Algorithm     string
	Ranks         int
	Size, Segment quantity.Bytes
}

// The nominal network: µs, µs, µs/B, and ns/B for sums. Factors of the machine are fitted.
const latency, overhead, perByte, perSum = 1.4, 0.3, 1e-4, 0.1

// PartsOf returns the parts of the times of schedules. On a machine, the time is the machine's, and
// the parts have the shares of the nominal network. Schedules that are too large are left out.
func PartsOf(ctx context.Context, q collectives.Question) (map[Place]Parts, error) {
	const none = 1e-6
	whole, layer := q.Machine, q.Layer
	q.Machine = machine.Machine{}
	takes := func(p collective.ParamSet) bool {
		return slices.ContainsFunc(collective.Of(q.Collective), func(e collective.Entry) bool { return e.Params&p != 0 })
	}
	if !takes(collective.Segment) {
		q.Segments = nil
	}
	nominal := func(o, g, sums float64) (map[Place]float64, error) {
		short := model.LogP{Latency: latency, SendOverhead: quantity.Micros(o), ReceiveOverhead: quantity.Micros(o), GapTime: quantity.Micros(o)}
		q.Layer = platforms.Layer{Platform: "nominal", Name: "network", Model: &model.LogGP{LogP: short, GapPerByte: quantity.MicrosPerByte(g)}}
		q.Call.Gamma = 0
		if takes(collective.Gamma) {
			q.Call.Gamma = sums
		}
		return timesOf(ctx, q)
	}
	var times [parts]map[Place]float64
	for i, n := range [parts][3]float64{{none, none, 0}, {overhead, none, 0}, {overhead, perByte, 0}, {overhead, perByte, perSum}} {
		var err error
		if times[i], err = nominal(n[0], n[1], n[2]); err != nil {
			return nil, err
		}
	}
	all := map[Place]Parts{}
	for at, t := range times[0] {
		p := Parts{t}
		for i := 1; i < parts; i++ {
			p[i] = max(0, times[i][at]-times[i-1][at])
		}
		all[at] = p
	}
	if len(whole.Levels) == 0 && layer.Model == nil {
		return all, nil
	}
	q.Machine, q.Layer, q.Call.Gamma = whole, layer, 0
	own, err := timesOf(ctx, q)
	for at, p := range all {
		t, known := own[at]
		for i := range p {
			p[i] *= t / all[at].sum()
		}
		if all[at] = p; !known {
			delete(all, at)
		}
	}
	return all, err
}

// timesOf returns the times of a question by place.
func timesOf(ctx context.Context, q collectives.Question) (map[Place]float64, error) {
	found, err := q.Compute(ctx)
	if err != nil {
		return nil, err
	}
	all := map[Place]float64{}
	for _, t := range found.Times {
		all[Place{t.Name, t.Ranks, quantity.Bytes(t.Call.Bytes), quantity.Bytes(t.Call.Segment)}] = float64(t.Time)
	}
	return all, nil
}

// Measure adds the time of a choice; it returns false if no candidate is that choice.
func (m *Map) Measure(c Choice, t quantity.Micros) bool {
	i := slices.IndexFunc(m.Choices, func(o Choice) bool {
		return o.Collective == c.Collective && o.Name == c.Name && o.Ranks == c.Ranks && o.Size == c.Size && o.Segment == c.Segment &&
			(o.PerNode == c.PerNode || c.PerNode == 0)
	})
	if i < 0 || !(t > 0) {
		m.Unknown++
		return false
	}
	m.measured[i]++
	m.Add([]Measurement{{i, float64(t)}})
	return true
}

// errName is the error of a file that is not named as Script names it.
var errName = errors.New("not named COLLECTIVE.ALGORITHM.SEGMENT.RANKSxPERNODE.SIZE.PASS.out")

// file returns the name of the files with a choice's measurements, without pass and extension.
func (c Choice) file() string {
	return fmt.Sprintf("%s.%s.%.0f.%dx%d.%.0f", c.Collective, c.Name, float64(c.Segment), c.Ranks, c.PerNode, float64(c.Size))
}

// choiceOf returns the choice that a file is named after.
func choiceOf(file string) (c Choice, err error) {
	parts := strings.Split(file, ".")
	if len(parts) != 7 {
		return c, errName
	}
	c.Collective, c.Name = parts[0], parts[1]
	if _, err := fmt.Sscanf(strings.Join(parts[2:5], " "), "%f %dx%d %f", &c.Segment, &c.Ranks, &c.PerNode, &c.Size); err != nil {
		return c, errName
	}
	return c, nil
}
