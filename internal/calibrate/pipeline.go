package calibrate

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// PipelineHeader is the first line of the output of pipeline.c.
const PipelineHeader = "# halfpeak pipeline 1"

// columns begins the names of the columns, as in a file that pipeline.c did not write.
const columns = "pipeline,stage,"

// IsPipeline reports whether a line of a text is PipelineHeader or names the columns of pipelines.
func IsPipeline(text []byte) bool {
	for line := range bytes.Lines(text) {
		if bytes.HasPrefix(line, []byte(columns)) ||
			string(bytes.TrimRight(line, "\r\n")) == PipelineHeader {
			return true
		}
	}
	return false
}

// Rows of pipeline.c that are not a stage: all stages together, and what a message costs before its
// first packet. Rows of a stage while other processors work too have the suffix.
const (
	Whole      = "whole"
	Start      = "start"
	BusySuffix = "-busy"
)

// word is the row of the time of a word from one processor to the other, around all stages of
// a packet.
const word = "word"

// sharedCore is the fraction of the file's median of word below which the two processors share
// a core, as threads of it: the word stays in the core's cache. On a virtual machine a word took
// 0.045 to 0.075 µs, and 0.022 to 0.025 µs where the host had put both processors on one core.
const sharedCore = 2. / 3

// A PipelineCase is a stage at a size of messages and of packets, or another row of pipeline.c.
type PipelineCase struct {
	Pipeline, Stage string
	Message, Packet quantity.Bytes
}

// A Pipelines is the output of pipeline.c in several launches.
type Pipelines struct {
	Cases []PipelineCase // in the order of the file
	// Left counts the packets of launches that were left out, of All: their processors shared
	// a core, which is another machine.
	Left, All int
	times     map[PipelineCase][]float64
}

// Time returns the time in µs of a packet in a stage, or of a message: the lower quartile over the
// launches, since disturbances make a launch slower. It is 0 if the case was not measured.
func (p *Pipelines) Time(c PipelineCase) quantity.Micros {
	if len(p.times[c]) == 0 {
		return 0
	}
	return quantity.Micros(stats.QuantileOf(p.times[c], 0.25))
}

// Launches returns the time of each launch in µs.
func (p *Pipelines) Launches(c PipelineCase) []float64 { return p.times[c] }

// Spread returns half the width of the interval about [Pipelines.Time] that holds a single launch
// with 95 %, as a fraction of the time, over the packets of a stage: from the quartiles, which
// outliers do not change. About the lower quartile, nearly all launches outside are slower.
func (p *Pipelines) Spread(pipeline, stage string, message quantity.Bytes) float64 {
	var all []float64
	for _, c := range p.Cases {
		t := p.times[c]
		if c.Pipeline == pipeline && c.Stage == stage && c.Message == message && len(t) > 2 {
			all = append(all, math.Log(stats.QuantileOf(t, 0.75)/stats.QuantileOf(t, 0.25)))
		}
	}
	if len(all) == 0 {
		return 0
	}
	// Of a normal distribution, the 95th percentile is 1.645 + 0.674 standard deviations above the
	// lower quartile, and the quartiles are 1.349 apart.
	const perQuartiles = (1.645 + 0.674) / 1.349
	return math.Exp(perQuartiles*stats.Median(all)) - 1
}

// ReadPipelines reads the output of launches of pipeline.c, one after the other in one file; name
// stands in errors. Lines of other programs, a row that was cut off, and packets for which the
// processors shared a core are left out. A packet that is larger than its message counts as
// the message.
func ReadPipelines(r io.Reader, name string) (*Pipelines, error) {
	type packet struct { // of a launch
		launch          int
		pipeline        string
		message, packet quantity.Bytes
	}
	type row struct {
		PipelineCase
		of   packet
		time float64
	}
	var rows []row
	words := map[packet]float64{}
	launch := 0
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	for number := 1; lines.Scan(); number++ {
		if IsPipeline(lines.Bytes()) { // twice for a launch is enough for another number
			launch++
		}
		fields := strings.Split(lines.Text(), ",")
		if len(fields) != 5 || fields[0] == "pipeline" {
			continue
		}
		c, t, err := pipelineRow(fields)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, number, err)
		}
		of := packet{launch, c.Pipeline, c.Message, c.Packet}
		if c.Stage == word {
			words[of] = t
			continue
		}
		rows = append(rows, row{c, of, t})
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: the file is damaged (%w); fetch it again", name, err)
	}
	p := &Pipelines{times: map[PipelineCase][]float64{}, All: len(words)}
	apart := stats.Median(slices.Collect(maps.Values(words)))
	shared := func(t float64) bool { return t > 0 && t < sharedCore*apart }
	for _, t := range words {
		if shared(t) {
			p.Left++
		}
	}
	for _, r := range rows {
		if shared(words[r.of]) {
			continue
		}
		if _, known := p.times[r.PipelineCase]; !known {
			p.Cases = append(p.Cases, r.PipelineCase)
		}
		p.times[r.PipelineCase] = append(p.times[r.PipelineCase], r.time)
	}
	isStage := func(c PipelineCase) bool { return c.Stage != Whole && c.Stage != Start }
	if !slices.ContainsFunc(p.Cases, isStage) {
		return nil, fmt.Errorf("%s: pipeline was ended before its first measurement; run it again",
			name)
	}
	return p, nil
}

// pipelineRow reads the fields of a row.
func pipelineRow(fields []string) (c PipelineCase, t float64, err error) {
	message, err1 := strconv.ParseInt(fields[2], 10, 64)
	packet, err2 := strconv.ParseInt(fields[3], 10, 64)
	t, err3 := strconv.ParseFloat(fields[4], 64)
	c = PipelineCase{fields[0], fields[1], quantity.Bytes(message), quantity.Bytes(packet)}
	switch {
	case err1 != nil || err2 != nil || err3 != nil || !(t > 0 && t <= maxTime) ||
		message < 1 || packet < 1 || max(c.Message, c.Packet) > quantity.MaxBytes:
		return c, 0, fmt.Errorf("a row needs sizes of at least 1 byte and a time above 0 "+
			"(got %q); remove the line", strings.Join(fields, ","))
	case !levelName.MatchString(c.Pipeline) || !levelName.MatchString(c.Stage):
		return c, 0, fmt.Errorf("invalid pipeline or stage %q; write names of small letters, "+
			"digits, - and _", c.Pipeline+","+c.Stage)
	}
	c.Packet = min(c.Packet, c.Message)
	return c, t, nil
}
