package page

import (
	"encoding/json"

	"github.com/halfpeak/halfpeak/reports/table"
)

// nothing is the request of a question without parameters.
type nothing struct{}

// A failedAnswer is the answer to a question that failed.
type failedAnswer struct {
	Error string `json:"error"` // one line
}

// A design is a layer of a platform with parameters changed.
type design struct {
	// Ref names platform and layer: "clip", "clip/pio". An added platform has the name of its file:
	// "my.toml", "my.toml/eager".
	Ref string `json:"ref"`
	// Set has changes as `whatif --set` reads them, done one after the other:
	// "stage.host-dma.tau=3.8us/KiB".
	Set []string `json:"set,omitempty"`
	// Name is its name in figures and tables; empty: that of the layer, as on the command line.
	Name string `json:"name,omitempty"`
}

// about lists the choices that the page offers.
type about struct {
	Version     string   `json:"version"`
	Collectives []string `json:"collectives"` // those that have algorithms
	Formats     string   `json:"formats"`     // of benchmarks' files, in words
}

// platformList lists platforms.
type platformList struct {
	Platforms []platformSummary `json:"platforms"`
}

// A platformSummary summarizes a platform.
type platformSummary struct {
	Ref     string         `json:"ref"` // its default layer; for collectives, all of a Machine
	Title   string         `json:"title"`
	Paper   string         `json:"paper"`
	Note    string         `json:"note"`
	Default string         `json:"default"`
	Machine bool           `json:"machine"` // it has levels, or measured collectives
	Layers  []layerSummary `json:"layers"`
}

// A layerSummary summarizes a layer.
type layerSummary struct {
	Ref   string `json:"ref"`
	Name  string `json:"name"`
	Title string `json:"title"`
	Note  string `json:"note"`
}

// A NewPlatform is a platform file to add. One of the same name is replaced.
type NewPlatform struct {
	Name string `json:"name"` // of the file, "my.toml"; ".toml" is added where it is missing
	TOML string `json:"toml"`
}

// A platformAnswer is a layer with the changes of the design.
type platformAnswer struct {
	platformSummary
	Layer layerSummary `json:"layer"` // the one asked for
	// Parameters are those that the layer's costs depend on, in the order of the file.
	Parameters []parameter   `json:"parameters"`
	Peak       peakBandwidth `json:"peak"`
	Thresholds []threshold   `json:"thresholds"`
}

// A parameter is a number that a slider moves. All numbers of it are in its Unit.
type parameter struct {
	Path   string `json:"path"` // "stage.host-dma.tau": the left side of an entry of Set
	Name   string `json:"name"` // "host-dma.tau"
	Owner  string `json:"owner"`
	Symbol string `json:"symbol"` // "τ"; may be empty
	Phrase string `json:"phrase"` // what it is
	Source string `json:"source"`
	Unit   string `json:"unit"` // as Set reads it after the number: "us/KiB", "B", ""
	given         // now
	File   given  `json:"file"` // in the platform's file

	Words    []string `json:"words"`    // that may stand in place of a number
	Whole    bool     `json:"whole"`    // only whole numbers can be its value
	Constant bool     `json:"constant"` // of the platform: it acts through other parameters
	Changed  bool     `json:"changed"`
	// Used is false if no parameter depends on it any more, because all parameters computed from it
	// have been set; then it cannot be set either.
	Used bool `json:"used"`

	// The ends of a logarithmic slider. If Zero is true the value may be 0 too.
	From number `json:"from"`
	To   number `json:"to"`
	Zero bool   `json:"zero"`
}

// A given is the value of a parameter.
type given struct {
	Value *number `json:"value"` // null if a word stands there
	Word  string  `json:"word"`  // in place of a number, "best"
	Text  string  `json:"text"`  // for people: "7.6 µs/KiB"
	Low   *number `json:"low"`   // of its interval; null: it has none
	High  *number `json:"high"`
}

// A peakBandwidth is the bandwidth of long messages, and the size that reaches half of it.
type peakBandwidth struct {
	RInf  *number `json:"r_inf_mb_s"`
	NHalf *number `json:"n_half_bytes"`
	Text  string  `json:"text"`
}

// A threshold is a size at which the layer changes its protocol.
type threshold struct {
	Path  string `json:"path"` // of the parameter
	InUse number `json:"in_use_bytes"`
	Text  string `json:"text"`
}

// curvesRequest asks for a figure of a quantity over sizes.
type curvesRequest struct {
	Designs  []design `json:"designs"`  // 1 to 16
	Quantity string   `json:"quantity"` // one of curves.Kinds: bandwidth, latency, …
	Sizes    string   `json:"sizes"`    // as --size reads them: "1..1MiB/16"; at most 4096
	// Plain asks for the lines alone, while a slider moves.
	Plain bool `json:"plain,omitempty"`
	// Samples, if above 0, adds to designs with intervals of parameters the 95 % interval of the
	// quantity, from this number of samples (at most 10,000). Slow: ask when the slider rests.
	Samples int `json:"samples,omitempty"`
}

// predictRequest asks for the costs of messages.
type predictRequest struct {
	Designs []design `json:"designs"` // 1 to 16
	Sizes   string   `json:"sizes"`   // at most 4096
}

// sizedRequest is the request of a question about a design at sizes.
type sizedRequest struct {
	design
	Sizes string `json:"sizes"`
}

// A shownTable is the output of a command.
type shownTable struct {
	// Rows is the output of --format json: flat objects, keys with units.
	Rows json.RawMessage `json:"rows"`
	// Heads and Cells are for people, with units.
	Heads   []string   `json:"heads"`
	Numeric []bool     `json:"numeric"` // columns to be aligned right
	Cells   [][]string `json:"cells"`
	Notes   []string   `json:"notes"`
}

// shares divide the costs of one message among the parameters.
type shares struct {
	Formula string `json:"formula"` // of the one-way time, in the symbols of the parameters
	Text    string `json:"text"`    // the one-way time for people
	// Parts are the rows of shareRows, in the order of [Platform.Parameters], without parameters
	// that are computed and without sizes.
	Parts json.RawMessage `json:"parts"`
}

// pipelineRequest asks for a message packet by packet.
type pipelineRequest struct {
	design
	Size   string `json:"size"`             // one size, "16KiB"
	Packet string `json:"packet,omitempty"` // a size, or one of model.CutWords; empty: the design's
	// Plain asks for Now alone, while a slider moves.
	Plain bool `json:"plain,omitempty"`
}

// A pipeline is a message packet by packet. If plain, it has only Size and Now.
type pipeline struct {
	Size   number          `json:"size_bytes"`
	Now    packetTimeline  `json:"now"`    // in the packets asked for
	Best   *packetTimeline `json:"best"`   // in the best equal packets
	Plan   *packetTimeline `json:"plan"`   // in the best packets of whole bytes, which may differ
	Packet *table.Figure   `json:"packet"` // one-way time against the size of equal packets
	Cuts   *shownTable     `json:"cuts"`   // the ways to cut: `halfpeak packet`
}

// A packetTimeline shows when each stage is busy with each packet.
type packetTimeline struct {
	Title   string   `json:"title"`
	Stages  []string `json:"stages"`
	Boxes   []box    `json:"boxes"`        // none with more than 20,000
	Packet  number   `json:"packet_bytes"` // the largest
	Packets int      `json:"packets"`
	OneWay  number   `json:"one_way_us"`
	Text    string   `json:"text"` // the one-way time for people
}

// A box is a packet in a stage.
type box struct {
	Stage  int    `json:"stage"`  // index into Stages
	Packet int    `json:"packet"` // from 1
	Start  number `json:"start_us"`
	End    number `json:"end_us"`
}

// A mapRequest asks for the times of algorithms over ranks and sizes.
type mapRequest struct {
	design
	Collective string `json:"collective"` // "bcast", see about
	Ranks      string `json:"ranks"`      // as --ranks reads them: "2..64", "2,4,8"
	Sizes      string `json:"sizes"`
	// Budget is the time limit, at most 60,000; 0: 1000. Left counts the cells not reached by then.
	Budget number `json:"budget_ms,omitempty"`
}

// fastestMap has the fastest algorithms.
type fastestMap struct {
	Algorithms []string `json:"algorithms"` // those that are the best somewhere
	// by ranks and sizes, an index into Algorithms; -1: unknown
	Best [][]int `json:"best"`
	Left int     `json:"left"` // cells that the budget did not reach
}

// A callRequest asks for the messages of one collective.
type callRequest struct {
	design
	Collective string `json:"collective"`
	Algorithm  string `json:"algorithm"`
	Ranks      int    `json:"ranks"` // at most 1024
	Size       string `json:"size"`
	Segment    string `json:"segment,omitempty"`
}

// A schedule is one collective, simulated.
type schedule struct {
	Title  string        `json:"title"`
	Ranks  int           `json:"ranks"`
	Finish number        `json:"finish_us"`
	Done   table.Numbers `json:"done_us"` // when each rank is done
	// Parents has, for each rank, the sender of its first message; -1: it receives no message, or
	// sends before. If each rank has at most one sender, Shape is "tree"; if each sends to one rank
	// only, and all of these form one circle, "ring"; otherwise "graph".
	Shape   string `json:"shape"`
	Parents []int  `json:"parents"`
	// Messages are the rows of messageRows, at most 20,000.
	Messages json.RawMessage `json:"messages"`
}

// A fileRequest is the output of a benchmark, to be fitted.
type fileRequest struct {
	Name  string `json:"name"`
	Data  []byte `json:"data"`            // base64; at most 64 MiB; gzip is undone
	Model string `json:"model,omitempty"` // as `fit --model`; empty: auto
	Save  string `json:"save,omitempty"`  // for the command alone: the file for the platform
}

// A fitAnswer is the result of fitting a file.
type fitAnswer struct {
	Table     shownTable    `json:"table"` // the output of `halfpeak fit`
	Curve     *table.Figure `json:"curve"` // points and lines; null: it has no picture
	Residuals *table.Figure `json:"residuals"`
	Fits      []fittedCurve `json:"fits"`
	// TOML is a platform file of the fit, already added under Platform.Ref. If the fit cannot be
	// saved, both are empty and Unsaved has the reason.
	TOML     string           `json:"toml"`
	Platform *platformSummary `json:"platform"`
	Unsaved  string           `json:"unsaved"`
	// why the file could not be read to its end; mostly empty
	Broken string `json:"broken"`
}

// A fittedCurve is the fit of one table.
type fittedCurve struct {
	Name     string        `json:"name"`
	Format   string        `json:"format"`
	Model    string        `json:"model"`
	Points   int           `json:"points"`
	Breaks   table.Numbers `json:"breaks_bytes"` // the last size of each line but the last
	Warnings []string      `json:"warnings"`
}

// A wrapped is another question.
type wrapped struct {
	Question string          `json:"question"`
	Request  json.RawMessage `json:"request"`
}

// A textFile is a file.
type textFile struct {
	Name string `json:"name"` // for saving it
	Text string `json:"text"`
}

// commandLines are command lines.
type commandLines struct {
	Commands []string `json:"commands"`
}

// A number is printed with 12 significant digits, or as null if it is not finite.
type number float64

// MarshalJSON prints the number.
func (n number) MarshalJSON() ([]byte, error) { return table.AppendNumber(nil, float64(n)), nil }

// optional returns the number if it is known, else nil.
func optional(v float64, is bool) *number {
	if !is {
		return nil
	}
	n := number(v)
	return &n
}
