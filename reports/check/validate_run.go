package check

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/curves"
	"github.com/halfpeak/halfpeak/internal/engine/programs"
	"github.com/halfpeak/halfpeak/internal/engine/virtual"
	"github.com/halfpeak/halfpeak/internal/papers"
	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// An EngineQuestion asks how the engine's results stand to the model's. With some designs and sizes
// alone, it runs all programs on 8 nodes without faults.
type EngineQuestion struct {
	On       []platforms.Design // each is one layer
	Programs []string           // of those that Programs lists; nil: all
	Sizes    []quantity.Bytes   // of messages, each at most MaxValidated
	// Measured adds the sizes that were measured, for the programs that have a measured time.
	Measured bool
	Nodes    int            // of all_to_1, test_xfer and test_med, at least 2; 0: 8
	Faults   virtual.Faults // injected into the network
	Trace    *virtual.Trace // records when each resource was busy; nil: nothing is recorded
	// Model holds the formulas that are judged; nil: those of the layer. The engine always runs
	// the layer itself, so that a wrong formula shows.
	Model model.Layer
}

// MaxValidated is the largest message that the engine runs, 64 MiB: the programs move
// its bytes.
const MaxValidated = 64 * 1024 * quantity.KiB

// different is a relative difference that is not rounding. The engine adds thousands
// of float64 times, whose rounding stays far below.
const different = 1e-9

// A Validation compares the engine with the formulas of some layers.
type Validation struct {
	Results []validated
	Notes   []remark.Note // lost packets, and programs that a layer does not allow
}

// validated is a quantity that a program measured in the engine, beside the model's
// formula. Times are in µs, packets in bytes, as Unit says.
type validated struct {
	Platform, Layer string
	Program         string
	Size            quantity.Bytes
	Quantity        string
	Model, Engine   float64 // in Unit
	NoFormula       bool    // the quantity has no formula: Model is NaN
	Unit            string
	Measured        quantity.Interval // by the paper, in Unit; NaN: not measured
	Printed         *papers.Point     // the paper's number behind Measured; nil: none
	PaperBound      float64           // CLIP's eq. 8; NaN: not of this layer
	// Bound is the effect that the formula ignores, if that explains the difference.
	Bound string
}

// Difference returns engine/model − 1; NaN without a formula, 0 for rounding errors.
// Times of 0 are compared absolutely, in µs or bytes: their ratio has no meaning.
func (r validated) Difference() float64 {
	d := r.Engine/r.Model - 1
	if math.Abs(d) <= different || math.Abs(r.Engine-r.Model) <= different { // also of times of 0
		return 0
	}
	return d
}

// A layerRun is the validation of one layer. Programs add to the results of the
// common Validation.
type layerRun struct {
	*Validation
	o      EngineQuestion
	design platforms.Design
	model  model.Layer // whose formulas are judged
	system *virtual.System
	points []papers.Point
	lost   virtual.FaultStats
	resent int64
	slow   map[quantity.Bytes]bool // sizes that outlast the protocol's retry, see repeats
	err    error                   // the first of a program; after it, none runs
}

// newRun builds the system that the engine runs from the platform's file, and takes
// the formulas from o.Model if there are any: mutants are judged in this way.
func newRun(v *Validation, o EngineQuestion, d platforms.Design) (*layerRun, error) {
	r := &layerRun{Validation: v, o: o, design: d, model: o.Model, slow: map[quantity.Bytes]bool{}}
	if r.model == nil {
		r.model = d.Layer.Model
	}
	r.system = virtual.Of(d.Platform, d.Layer)
	var err error
	r.points, err = curves.PaperPoints(d)
	return r, err
}

// add appends a result. A difference that its bounds explain gets the first reason
// that does. Reasons are ordered by the caller, the most likely first.
func (r *layerRun) add(
	program string, n quantity.Bytes, what string, modelled, ran float64, unit string,
	bounds ...bound,
) *validated {
	switch {
	// These effects concern all programs, so they replace the bounds of a single formula.
	case r.lost != (virtual.FaultStats{}):
		bounds = []bound{{reason: lossy}}
	case r.system.Poll > 0:
		bounds = []bound{{fmt.Sprintf("each look for messages that finds none takes the "+
			"processor %v, which the formula does not count", r.system.Poll), slower}}
	case r.system.Interrupt > 0:
		bounds = []bound{{fmt.Sprintf("an interrupt takes the processor %v, which the formula "+
			"does not count", r.system.Interrupt), slower}}
	}
	row := validated{
		Platform: r.design.Layer.Platform, Layer: r.design.Layer.Name,
		Program: program, Size: n, Quantity: what,
		Model: modelled, Engine: ran, Unit: unit,
		Measured: quantity.Alone(quantity.Unknown), PaperBound: math.NaN(),
	}
	if d := row.Difference(); d != 0 && !math.IsNaN(d) {
		i := slices.IndexFunc(bounds, func(b bound) bool {
			return b.side == either || (b.side == slower) == (d > 0)
		})
		if i >= 0 {
			row.Bound = bounds[i].reason
		}
	}
	r.Results = append(r.Results, row)
	return &r.Results[len(r.Results)-1]
}

// A bound is an effect that a formula ignores, and the sign of the difference that it
// causes. The sign matters: an excuse that works in both directions would excuse a
// wrong formula too.
type bound struct {
	reason string
	side   side
}

type side int

const (
	either side = iota // faster or slower
	slower
	faster
)

// lossy is the reason why a run with faults differs from a formula.
const lossy = "packets were lost, repeated or held back"

// measure runs a program on the layer's system, and returns what node 0 measured.
// After an error it does nothing, so that callers can run several programs and look
// at the error once.
func (r *layerRun) measure(p programs.Program, a programs.Args) programs.Result {
	if r.err != nil {
		return programs.Result{}
	}
	config := virtual.Config{Nodes: r.o.Nodes, Faults: r.o.Faults, Trace: r.o.Trace}
	result, report, err := virtual.Measure(r.system, config, p, a)
	// Also of a run that fails: the losses may be the cause.
	r.lost.Add(report.Faults)
	for _, s := range report.Nodes {
		r.resent += s.Resent
	}
	r.err = err
	return result
}

// repeats reports whether a message of n bytes is sent again although nothing is lost: one
// packet takes longer than the time after which the protocol sends it again. A stream of
// such messages is mostly repetitions, whose number grows until memory ends, so these
// sizes are left out, with a note.
func (r *layerRun) repeats(n quantity.Bytes) bool {
	retry := r.system.Options.Retry
	if retry == 0 || r.err != nil {
		return false
	}
	slow, known := r.slow[n]
	if known {
		return slow
	}
	p, err := programs.Find("latency", programs.Simulated)
	if err != nil {
		r.err = err
		return false
	}
	_, report, err := virtual.Measure(r.system, virtual.Config{}, p,
		programs.Args{Size: int(n), Count: 1})
	r.err = err
	for _, s := range report.Nodes {
		slow = slow || s.Resent > 0
	}
	if r.slow[n] = slow; slow {
		r.Notes = append(r.Notes, remark.SlowerThanRetry(r.design.Layer.Ref(), n, retry))
	}
	return slow
}

// other runs the program of this name for another program that needs its result, such
// as a signature the round trip.
func (r *layerRun) other(name string, a programs.Args) programs.Result {
	p, err := programs.Find(name, programs.Simulated)
	r.err = cmp.Or(r.err, err)
	return r.measure(p, a)
}

// messages returns the number of messages of n bytes after which a stream is steady:
// 31 of one packet, and at least 4, with about 20,000 packets in all.
func (r *layerRun) messages(n quantity.Bytes) int {
	// Messages of many packets fill the path by themselves; a few of them are enough.
	packets := math.Ceil(float64(n / model.PacketSize(r.design.Layer.Model, n)))
	return min(31, max(4, int(20000/packets)))
}

// requests returns the number of requests of n bytes after which their replies come
// back steadily. A window holds credits for many requests, so it takes far more of
// them than messages of a stream.
func (r *layerRun) requests(n quantity.Bytes) int { return r.messages(n) * 30 }

// resources returns the resources of the judged formulas, in the places that the file
// gives them: a mutant is run by its own parameters where a formula needs resources.
func (r *layerRun) resources() model.Resources {
	l := r.design.Layer
	l.Model = r.model
	return r.design.Platform.Resources(l)
}
