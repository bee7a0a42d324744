package fits

import (
	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/internal/benchmarks"
	"github.com/halfpeak/halfpeak/internal/calibrate"
	"github.com/halfpeak/halfpeak/internal/fitted"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Fitted is the result of fitting benchmark files. Exactly one kind of result is
// set: curves of time against size, the parameters of another model, joint fits of
// collectives, the changes between two files, or the measurements themselves if
// nothing fits. Beside joint fits there may be curves of other tables, which are saved
// and drawn. The unexported fields are what saving needs beyond what is printed.
type Fitted struct {
	Curves      []Curve
	Collectives []*fitted.Result // the joint fits
	Parameters  []Parameter
	Lines       []Curve // what Parameters of LogGP say of the tables that they are from
	Changes     []Change
	Later       []Curve   // the tables that Curves are compared with
	Alone       []string  // what was measured on one side only
	Summaries   []Summary // of the tables of one size; only if there is nothing else
	Notes       []string  // doubts about the files and the fits
	// Broken is the first error of a file that could not be used, or not to its end. The result
	// then holds the rest, which may be shown, but is incomplete.
	Broken error
	// Partial is set if a file was used in part: then a layer is not what its source says, and
	// nothing should be saved.
	Partial bool

	Model      string // one of [Models]
	sources    []benchmarks.Source
	saved      []savedRange   // layers of parameters
	warned     []string       // the warnings of these parameters
	Best       []string       // of a pipeline: notes on the best packets
	Calibrated *calibrate.Fit // the machine of calibrate.c; nil: none
	Pipelines  *Pipelines     // of pipeline.c; nil: none
	LeftOut    []string       // the errors of files and tables that could not be used
}

// A savedRange has the parameters of a range of sizes, for a platform, and the intervals of some of
// them, by their keys.
type savedRange struct {
	from, to  quantity.Bytes
	model     model.Layer
	intervals map[string]quantity.Interval
}

// A Parameter is an estimate with its 95 % interval, in µs and bytes: L, o_s, o_r, g
// in µs, G in µs/B. Table names the tables that it was estimated from. If the protocol
// changes, From and To are the measured sizes that it holds for; else they are 0.
type Parameter struct {
	Table, Model, Name string
	From, To           quantity.Bytes
	Dim                quantity.Dimension
	quantity.Interval
}

// unknown reports whether the data only bound the parameter from above, or do not show it at all.
func (p Parameter) unknown() bool { return p.Model == "logp" && p.Value == 0 && p.Low == 0 }

// A Change is the difference between two tables over a range of sizes. Before and After name the
// tables, and Call says what both measured.
type Change struct {
	Before, After, Call string
	fit.Change
}
