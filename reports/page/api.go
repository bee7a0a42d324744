package page

import (
	"encoding/json"

	"github.com/halfpeak/halfpeak/reports"
)

// Nothing is the request of a question without parameters.
type Nothing struct{}

// A Failure is the answer to a question that failed.
type Failure struct {
	Error string `json:"error"` // one line
}

// A Design is a layer of a platform with parameters changed.
type Design struct {
	// Ref names platform and layer: "clip", "clip/pio". An added platform has the name of its file:
	// "my.toml", "my.toml/eager".
	Ref string `json:"ref"`
	// Set has changes as `whatif --set` reads them, done one after the other:
	// "stage.host-dma.tau=3.8us/KiB".
	Set []string `json:"set,omitempty"`
	// Name is its name in figures and tables; empty: that of the layer, as on the command line.
	Name string `json:"name,omitempty"`
}

// About lists the choices that the page offers.
type About struct {
	Version     string            `json:"version"`
	Collectives []AboutCollective `json:"collectives"`
	Formats     string            `json:"formats"` // of benchmarks' files, in words
}

// An AboutCollective is a collective that has algorithms.
type AboutCollective struct {
	Name string `json:"name"`
}

// Platforms lists platforms.
type Platforms struct {
	Platforms []PlatformHead `json:"platforms"`
}

// A PlatformHead summarizes a platform.
type PlatformHead struct {
	Ref     string      `json:"ref"` // its default layer; for collectives, all of a Machine
	Title   string      `json:"title"`
	Paper   string      `json:"paper"`
	Note    string      `json:"note"`
	Default string      `json:"default"`
	Machine bool        `json:"machine"` // it has levels, or measured collectives
	Layers  []LayerHead `json:"layers"`
}

// A LayerHead summarizes a layer.
type LayerHead struct {
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

// A Platform is a layer with the changes of the design.
type Platform struct {
	PlatformHead
	Layer LayerHead `json:"layer"` // the one asked for
	// Parameters are those that the layer's costs depend on, in the order of the file.
	Parameters []Parameter `json:"parameters"`
	Peak       Peak        `json:"peak"`
	Thresholds []Threshold `json:"thresholds"`
}

// A Parameter is a number that a slider moves. All numbers of it are in its Unit.
type Parameter struct {
	Path   string `json:"path"` // "stage.host-dma.tau": the left side of an entry of Set
	Name   string `json:"name"` // "host-dma.tau"
	Owner  string `json:"owner"`
	Symbol string `json:"symbol"` // "τ"; may be empty
	Phrase string `json:"phrase"` // what it is
	Source string `json:"source"`
	Unit   string `json:"unit"` // as Set reads it after the number: "us/KiB", "B", ""
	Given         // now
	File   Given  `json:"file"` // in the platform's file

	Words    []string `json:"words"`    // that may stand in place of a number
	Whole    bool     `json:"whole"`    // only whole numbers can be its value
	Constant bool     `json:"constant"` // of the platform: it acts through other parameters
	Changed  bool     `json:"changed"`
	// Used is false if no parameter depends on it any more, because all parameters computed from it
	// have been set; then it cannot be set either.
	Used bool `json:"used"`

	// The ends of a logarithmic slider. If Zero is true the value may be 0 too.
	From Number `json:"from"`
	To   Number `json:"to"`
	Zero bool   `json:"zero"`
}

// A Given is the value of a parameter.
type Given struct {
	Value *Number `json:"value"` // null if a word stands there
	Word  string  `json:"word"`  // in place of a number, "best"
	Text  string  `json:"text"`  // for people: "7.6 µs/KiB"
	Low   *Number `json:"low"`   // of its interval; null: it has none
	High  *Number `json:"high"`
}

// A Peak is the bandwidth of long messages, and the size that reaches half of it.
type Peak struct {
	RInf  *Number `json:"r_inf_mb_s"`
	NHalf *Number `json:"n_half_bytes"`
	Text  string  `json:"text"`
}

// A Threshold is a size at which the layer changes its protocol.
type Threshold struct {
	Path  string `json:"path"` // of the parameter
	InUse Number `json:"in_use_bytes"`
	Text  string `json:"text"`
}

// Curves asks for a figure of a quantity over sizes.
type Curves struct {
	Designs  []Design `json:"designs"`  // 1 to 16
	Quantity string   `json:"quantity"` // a key of [About].Quantities: bandwidth, latency, …
	Sizes    string   `json:"sizes"`    // as --size reads them: "1..1MiB/16"; at most 4096
	// Plain asks for the lines alone, while a slider moves.
	Plain bool `json:"plain,omitempty"`
	// Samples, if above 0, adds to designs with intervals of parameters the 95 % interval of the
	// quantity, from this number of samples (at most 10,000). Slow: ask when the slider rests.
	Samples int `json:"samples,omitempty"`
}

// Predict asks for the costs of messages.
type Predict struct {
	Designs []Design `json:"designs"` // 1 to 16
	Sizes   string   `json:"sizes"`   // at most 4096
}

// Sized is the request of a question about a design at sizes.
type Sized struct {
	Design
	Sizes string `json:"sizes"`
}

// A Table is the output of a command.
type Table struct {
	// Rows is the output of --format json: flat objects, keys with units.
	Rows json.RawMessage `json:"rows"`
	// Heads and Cells are for people, with units.
	Heads   []string   `json:"heads"`
	Numeric []bool     `json:"numeric"` // columns to be aligned right
	Cells   [][]string `json:"cells"`
	Notes   []string   `json:"notes"`
}

// Shares divide the costs of one message among the parameters.
type Shares struct {
	Formula string `json:"formula"` // of the one-way time, in the symbols of the parameters
	// in the order of [Platform].Parameters; neither computed nor sizes
	Parts []Share `json:"parts"`
}

// A Share is the share of one parameter.
type Share struct {
	Path          string  `json:"path"`
	OneWay        *Number `json:"one_way_us"`
	OneWayPercent *Number `json:"one_way_percent"`
	Gap           *Number `json:"gap_us"`
	Text          string  `json:"text"` // of OneWayPercent: "62 %"
}

// Pipelined asks for a message packet by packet.
type Pipelined struct {
	Design
	Size   string `json:"size"`             // one size, "16KiB"
	Packet string `json:"packet,omitempty"` // a size, or one of [About].Cuts; empty: the design's
	// Plain asks for Now alone, while a slider moves.
	Plain bool `json:"plain,omitempty"`
}

// A Pipeline is a message packet by packet. If plain, it has only Size and Now.
type Pipeline struct {
	Size   Number          `json:"size_bytes"`
	Now    Timeline        `json:"now"`    // in the packets asked for
	Best   *Timeline       `json:"best"`   // in the best equal packets
	Plan   *Timeline       `json:"plan"`   // in the best packets of whole bytes, which may differ
	Packet *reports.Figure `json:"packet"` // one-way time against the size of equal packets
	Cuts   *Table          `json:"cuts"`   // the ways to cut: `halfpeak packet`
}

// A Timeline shows when each stage is busy with each packet.
type Timeline struct {
	Title   string   `json:"title"`
	Stages  []string `json:"stages"`
	Boxes   []Box    `json:"boxes"`        // none with more than 20,000
	Packet  Number   `json:"packet_bytes"` // the largest
	Packets int      `json:"packets"`
	OneWay  Number   `json:"one_way_us"`
	Text    string   `json:"text"` // the one-way time for people
}

// A Box is a packet in a stage.
type Box struct {
	Stage  int    `json:"stage"`  // index into Stages
	Packet int    `json:"packet"` // from 1
	Start  Number `json:"start_us"`
	End    Number `json:"end_us"`
}

// A CollectiveMap asks for the times of algorithms over ranks and sizes.
type CollectiveMap struct {
	Design
	Collective string `json:"collective"` // "bcast", see [About]
	Ranks      string `json:"ranks"`      // as --ranks reads them: "2..64", "2,4,8"
	Sizes      string `json:"sizes"`
	// Budget is the time limit, at most 60,000; 0: 1000. Left counts the cells not reached by then.
	Budget Number `json:"budget_ms,omitempty"`
}

// Times has the fastest algorithms.
type Times struct {
	Algorithms []string `json:"algorithms"` // those that are the best somewhere
	// by ranks and sizes, an index into Algorithms; -1: unknown
	Best [][]int `json:"best"`
	Left int     `json:"left"` // cells that the budget did not reach
}

// A CollectiveCall asks for the messages of one collective.
type CollectiveCall struct {
	Design
	Collective string `json:"collective"`
	Algorithm  string `json:"algorithm"`
	Ranks      int    `json:"ranks"` // at most 1024
	Size       string `json:"size"`
	Segment    string `json:"segment,omitempty"`
}

// A Schedule is one collective, simulated.
type Schedule struct {
	Title  string          `json:"title"`
	Ranks  int             `json:"ranks"`
	Finish Number          `json:"finish_us"`
	Done   reports.Numbers `json:"done_us"` // when each rank is done
	// Parents has, for each rank, the sender of its first message; -1: it receives no message, or
	// sends before. If each rank has at most one sender, Shape is "tree"; if each sends to one rank
	// only, and all of these form one circle, "ring"; otherwise "graph".
	Shape    string    `json:"shape"`
	Parents  []int     `json:"parents"`
	Messages []Message `json:"messages"` // in the order of Sent; at most 20,000
}

// A Message went from one rank to another.
type Message struct {
	From     int    `json:"from"`
	To       int    `json:"to"`
	Size     Number `json:"size_bytes"`
	Sent     Number `json:"sent_us"`     // when the sender's processor began with it
	Received Number `json:"received_us"` // when the receiver's processor began with it
	Critical bool   `json:"critical"`    // the last rank's finish depends on it
}

// A File is the output of a benchmark, to be fitted.
type File struct {
	Name  string `json:"name"`
	Data  []byte `json:"data"`            // base64; at most 64 MiB; gzip is undone
	Model string `json:"model,omitempty"` // as `fit --model`; empty: auto
	Save  string `json:"save,omitempty"`  // for the command alone: the file for the platform
}

// A Fit is the result of fitting a file.
type Fit struct {
	Table     Table           `json:"table"` // the output of `halfpeak fit`
	Curve     *reports.Figure `json:"curve"` // points and lines; null: it has no picture
	Residuals *reports.Figure `json:"residuals"`
	Fits      []FitCurve      `json:"fits"`
	// TOML is a platform file of the fit, already added under Platform.Ref. If the fit cannot be
	// saved, both are empty and Unsaved has the reason.
	TOML     string        `json:"toml"`
	Platform *PlatformHead `json:"platform"`
	Unsaved  string        `json:"unsaved"`
	// why the file could not be read to its end; mostly empty
	Broken string `json:"broken"`
}

// A FitCurve is the fit of one table.
type FitCurve struct {
	Name     string   `json:"name"`
	Format   string   `json:"format"`
	Model    string   `json:"model"`
	Points   int      `json:"points"`
	Breaks   []Break  `json:"breaks"`
	Warnings []string `json:"warnings"`
}

// A Break is the end of one line of a fit.
type Break struct {
	At Number `json:"at_bytes"` // the last size of the lower line
}

// A Wrapped is another question.
type Wrapped struct {
	Question string          `json:"question"`
	Request  json.RawMessage `json:"request"`
}

// A Text is a file.
type Text struct {
	Name string `json:"name"` // for saving it
	Text string `json:"text"`
}

// Commands are command lines.
type Commands struct {
	Commands []string `json:"commands"`
}

// A Number is printed with 12 significant digits, or as null if it is not finite.
type Number float64

// MarshalJSON prints the number.
func (n Number) MarshalJSON() ([]byte, error) { return reports.AppendNumber(nil, float64(n)), nil }

// optional returns the number if it is known, else nil.
func optional(v float64, is bool) *Number {
	if !is {
		return nil
	}
	n := Number(v)
	return &n
}
