package platforms

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/internal/forecast"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Platform is a message-passing system: layers with their parameters.
type Platform struct {
	Name  string // of the file, without .toml
	Title string
	Paper string  // where the numbers are from, as in "CLIP"
	Note  string  // remark for readers of the numbers
	Clock float64 // of the host processor in MHz; 0 if the file does not say
	// Params are the numbers that can be changed: constants, what a rank computes in a second
	// ("compute.flops"), those of stages, of layers and of levels, each kind in the order of the
	// file. A pipeline's packet is among them even if a word stands for its size.
	Params []Param
	Places map[string]Place // of all stages
	Roofs  []Roof
	Layers []Layer // in the order of the file, at least one, but for a file of Collectives
	Levels []Level // from inside out; none: all pairs of ranks are equally far apart
	// Collectives are the measured ones, in the order of the file.
	Collectives []MeasuredCollective
	Default     string             // the layer that the platform's name alone stands for
	Library     collective.Library // of collectives; zero: unknown
	composition *composition
	read        *Platform // as its file has it
}

// A Layer is a level of a platform with its cost model.
type Layer struct {
	Platform string
	Name     string
	Title    string
	Note     string
	Kind     string      // of model: "linear", "pipeline", …
	Model    model.Layer // a [model.Measured] if Measured is a curve
	Parts    []string    // the layers that it is made of
	Stages   []string    // the stages of a pipeline
	Setting  string      // the parameter of the real system that sets the size of packets
	Roofs    []Roof      // that bound it, the lowest first
	Source   string      // of its numbers that have none of their own
	Protocol Protocol    // how the engine runs it
	Timed    Timed       // subject of the model's times
	Measured *Measured   // what it was fitted to; nil if it does not say
	// Correlation of the errors of beta and tau, if the layer has both: −1 to 1.
	Correlation float64
	// The names of the tables of Protocol and Measured in the file.
	protocol, measured string
	scope              *Platform // has the constants, roofs and layers that formulas may name
	// curve returns the curve through Measured; nil if that has too few sizes.
	curve func() (*measuredCurve, error)
}

// A Roof is a rate that the hardware cannot exceed.
type Roof struct {
	Name   string
	Rate   quantity.MBps
	Text   string // as in the file: "33MHz*32bit"
	Source string
}

// A Level is a level of a platform's machine. A file names its layers, which are layers of the
// platform; the models are those of these layers, with the present values of their parameters.
type Level struct {
	machine.Level
	Layers map[string][]string // their names, by key: "layer", "port"
	Source string              // of its numbers
}

// LayerName returns the name of the layer of a key; "" if the level has none, or several.
func (l Level) LayerName(key string) string {
	if names := l.Layers[key]; len(names) == 1 {
		return names[0]
	}
	return ""
}

// asked returns the platform's name or path as commands take it.
func (p Platform) asked() string {
	if p.composition != nil {
		return p.composition.name
	}
	return p.Name // of no file
}

// Layer returns the named layer.
func (p Platform) Layer(name string) (Layer, error) {
	if len(p.Layers) == 0 && len(p.Collectives) == 0 {
		return Layer{}, errors.New("a platform of no file has no layer; open one")
	}
	if len(p.Layers) == 0 {
		return Layer{}, fmt.Errorf("platform %s has measured collectives and no layer; "+
			"use \"halfpeak collective %s %s.toml\"",
			p.Name, p.Collectives[0].Of.Collective, p.Name)
	}
	names := make([]string, len(p.Layers))
	for i, l := range p.Layers {
		if l.Name == name {
			return l, nil
		}
		names[i] = l.Name
	}
	return Layer{}, fmt.Errorf("platform %s has no layer %q%s",
		p.Name, name, usage.Hint(name, names))
}

// Resources returns the resources that a message of the layer occupies, in the places that the file
// gives its stages.
func (p Platform) Resources(l Layer) model.Resources {
	return model.Placed(model.ResourcesOf(l.Model), func(h model.Hop) model.Hop {
		if at, known := p.Places[h.Stage]; known {
			h.Resource, h.Side = at.Resource, at.Side()
		}
		return h
	})
}

// Ref returns the layer's name together with its platform's: "clip/user-buffer".
func (l Layer) Ref() string { return l.Platform + "/" + l.Name }

// Messages returns an error if the layer has times of something else than messages.
func (l Layer) Messages() error {
	if l.Timed.Of == Message || l.Timed.Of == "" { // a layer of no file has formulas alone
		return nil
	}
	shows := "predict shows them"
	switch l.Timed.Of {
	case Stream:
		shows = "predict, plot, report, and compare without crossovers show them; " +
			"for a model of messages, fit the output of osu_latency and osu_bw together, " +
			"with the model loggp"
	case Collective:
		shows += "; for collective, fit the file with the model collective"
	}
	return fmt.Errorf("%s has times of another kind (%s) than those of single messages; %s",
		l.Ref(), l.Timed, shows)
}

// GapError returns an error with what is missing if the gap between messages is unknown.
func (l Layer) GapError() error {
	q, _ := model.FindQuantity("gap")
	if err := q.Check(l.Model, 1); err != nil {
		return fmt.Errorf("%s: %w", l.Ref(), err)
	}
	return nil
}

// LowestRoof returns the lowest roof that the file states for the layer, and the layer's r∞ as a
// share of it; ok is false if the file states none. A share above 1 cannot be: then a parameter
// or the roof is wrong.
func (l Layer) LowestRoof() (roof Roof, share float64, ok bool) {
	if len(l.Roofs) == 0 {
		return Roof{}, 0, false
	}
	return l.Roofs[0], float64(model.Asymptote(l.Model) / l.Roofs[0].Rate), true
}

// FittedLayer returns a layer of lines that were fitted to measurements, as a platform file with
// both describes it. Its times are those of the curve through the measurements; see [Layer.Next]
// for their intervals. Above the measured sizes a stream is no faster than the roof; 0 bounds
// nothing. measured may be nil: then the times are those of the lines.
func FittedLayer(
	lines model.Layer, of Timed, measured *Measured, roof quantity.MBps) Layer {
	l := Layer{Platform: "fit", Name: "fit", Kind: model.KindOf(lines).Name, Model: lines,
		Timed: of, Measured: measured, scope: &Platform{Name: "fit"}}
	l.measure(l, roof)
	return l
}

// OneWay returns the one-way time of n bytes in µs, n ≥ 0, or what Timed says in its place: the gap
// between the messages of a stream, the time of an operation or a collective. For a fitted layer it
// is the middle of the interval of [Layer.Next].
func (l Layer) OneWay(n quantity.Bytes) quantity.Micros { return l.Model.OneWay(n) }

// Next returns the forecast of the next measurement of n bytes, with its 95 % interval, by the
// curve that the layer was fitted to, regardless of changed parameters; nil if the layer was not
// fitted. The error wraps [forecast.ErrNoCurve] if its points make no curve.
func (l Layer) Next(n quantity.Bytes) (*forecast.Forecast, error) {
	if l.curve == nil {
		return nil, nil
	}
	c, err := l.curve()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.Ref(), err)
	}
	f := c.forecast(n)
	return &f, nil
}

// MeasuredRange returns the smallest and the largest size that the layer was measured at, by the
// points that it was fitted to or of which its table consists; false: none, as of a layer of a
// paper, which has parameters alone.
func (l Layer) MeasuredRange() (first, last quantity.Bytes, measured bool) {
	var sizes []quantity.Bytes
	if table, is := l.Model.(*model.Table); is {
		sizes = table.Sizes
	}
	if l.Measured != nil {
		sizes = l.Measured.Sizes
	}
	if len(sizes) == 0 {
		return 0, 0, false
	}
	return sizes[0], sizes[len(sizes)-1], true
}

// measure replaces the layer's times by the measured curve, if it has one, to which the lines of a
// layer were fitted, unless the model of the lines was chosen. Above the measured sizes its streams
// are no faster than the roof. A layer with other lines than these was changed since, and has no
// next measurement.
func (l *Layer) measure(fitted Layer, roof quantity.MBps) {
	m := l.Measured
	if m == nil || len(m.Sizes) < forecast.MinSizes {
		return
	}
	// Each kind is calibrated on benchmarks of its own.
	kind := forecast.Operations
	switch {
	case l.Timed.Of == Stream:
		kind = forecast.Streams
	case l.Timed.Of == Message && !m.Operation:
		kind = forecast.Latencies
	}
	if l.Timed.Of != Stream {
		roof = 0
	}
	lines := model.LinesOf(fitted.Model)
	curve := sync.OnceValues(func() (*measuredCurve, error) {
		return m.curve(kind(), roof, lines)
	})
	if fitted.Name == l.Name {
		l.curve = curve
	}
	if m.Lines {
		return
	}
	time := func(n quantity.Bytes) quantity.Micros {
		c, err := curve()
		if err != nil {
			return lines.OneWay(n)
		}
		return quantity.Micros(c.forecast(n).Value)
	}
	l.Model = model.Measured(l.Model, lines, time)
}

// A Place is the place of a stage in the engine's pipeline. No formula depends on it.
type Place struct {
	Resource string // stages that name the same resource share it
	At       string // owner of the resource: "sender", "receiver" or "network"
	Queue    int    // packets that may wait for it; 0: no bound
	Drop     bool   // a packet that finds the queue full is lost; else it waits in the stage before
}

// Side returns the side of the place; the zero value is at the sender.
func (p Place) Side() model.Side { return model.Side(max(0, slices.Index(sides, p.At))) }

// sides are the names of those of [model.Side], in their order.
var sides = []string{"sender", "receiver", "network"}

// A Protocol configures the engine beyond moving packets when it runs a layer. The zero value
// disables all of it.
type Protocol struct {
	Credits        int             // requests to a node without a reply; 0: the engine's default
	EagerThreshold quantity.Bytes  // the largest message that is sent immediately; 0: all are
	Retry          quantity.Micros // until a packet without acknowledgement is resent; 0: never
	Rounds         bool            // a receiver that misses a packet asks at once
	Inbox          int             // packets that a node has room for; 0: no bound
	Drop           bool            // a packet without room is lost; else it waits in the network
	Poll           quantity.Micros // cost of a poll that finds nothing
	Interrupt      quantity.Micros // cost of an interrupt; negative: the processor polls
}

// A Subject is what takes the times of a layer.
type Subject string

const (
	// Message is a message from its start to its arrival, one way.
	Message Subject = "message"
	// Stream is a message of a stream: the time is the gap to the next one; the one-way time is
	// unknown.
	Stream Subject = "stream"
	// Operation is neither one message nor a collective: an exchange, a call on one side.
	Operation Subject = "operation"
	// Collective is a collective operation.
	Collective Subject = "collective"
)

var subjects = []string{string(Message), string(Stream), string(Operation), string(Collective)}

// Timed describes the subject of a layer's times.
type Timed struct {
	Of Subject
	// Collective is the name that MPI gives the collective, in lower case ("allreduce", "bcast");
	// empty for other subjects, or if unknown.
	Collective string
	Ranks      int  // of the collective; 0: unknown
	PerRank    bool // the size is the block of one rank, as for MPI's allgather
}

// String names the subject for people, such as "allreduce, 8 ranks".
func (t Timed) String() string {
	switch t.Of {
	case Stream:
		return "gap of a stream"
	case Collective:
		text := cmp.Or(t.Collective, "collective")
		switch {
		case t.Ranks == 1:
			text += ", 1 rank"
		case t.Ranks > 1:
			text += fmt.Sprintf(", %d ranks", t.Ranks)
		}
		return text
	}
	return string(t.Of)
}

// Bandwidths returns the bandwidths of a collective of n bytes that takes the time, as nccl-tests
// defines them:
//
//	algbw = S / t        busbw = f algbw
//
// Where: S = bytes of the whole buffer, n or, if n is the block of one rank, n times the ranks;
// f = 2(p−1)/p for allreduce, (p−1)/p for allgather, reduce_scatter and alltoall, 1 for bcast,
// reduce and sendrecv; p = Ranks. (NVIDIA/nccl-tests, doc/PERFORMANCE.md.) A bandwidth is 0 if
// the ranks or f are unknown, or if t is not a collective.
func (t Timed) Bandwidths(n quantity.Bytes, time quantity.Micros) (alg, bus quantity.MBps) {
	if t.Of != Collective || t.PerRank && t.Ranks == 0 {
		return 0, 0
	}
	p := float64(t.Ranks)
	if alg = quantity.MBps(float64(n) / float64(time)); t.PerRank {
		alg *= quantity.MBps(p)
	}
	factor := 0.0
	switch strings.TrimPrefix(t.Collective, "i") { // MPI's non-blocking ones
	case "allreduce":
		factor = 2 * (p - 1) / p
	case "allgather", "reduce_scatter", "reduce_scatter_block", "alltoall", "gather", "scatter":
		factor = (p - 1) / p
	case "bcast", "reduce", "sendrecv":
		return alg, alg
	}
	if t.Ranks == 0 {
		factor = 0
	}
	return alg, alg * quantity.MBps(factor)
}
