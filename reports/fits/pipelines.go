package fits

import (
	"bufio"
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/calibrate"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// Pipelines are the pipelines that pipeline.c's output describes. Times of whole messages are not
// used in the fit, so they test it.
type Pipelines struct {
	*calibrate.Pipelines
	File  string
	Tests []PipelineTest
}

// pipelinesOf fits the stages of pipeline.c's output, and compares them with the whole messages of
// the same launches.
func pipelinesOf(text *bufio.Reader, path string) (*Pipelines, error) {
	read, err := calibrate.ReadPipelines(text, path)
	if err != nil {
		return nil, err
	}
	p := &Pipelines{Pipelines: read, File: filepath.Base(path)}
	made, _, err := p.Made()
	if err != nil {
		return nil, err
	}
	made.Name = "the fitted pipelines"
	if made, err = made.Complete(); err != nil {
		return nil, err
	}
	p.Tests = p.testsOf(made)
	return p, nil
}

// messages returns the sizes of a pipeline's messages, ascending.
func (p *Pipelines) messages(pipeline string) (sizes []quantity.Bytes) {
	for _, c := range p.Cases {
		if c.Pipeline == pipeline && !slices.Contains(sizes, c.Message) {
			sizes = append(sizes, c.Message)
		}
	}
	slices.Sort(sizes)
	return sizes
}

// isStage reports whether the case is a stage alone.
func isStage(c calibrate.PipelineCase) bool {
	return c.Stage != calibrate.Whole && c.Stage != calibrate.Start &&
		!strings.HasSuffix(c.Stage, calibrate.BusySuffix)
}

// names returns the pipelines that have stages, in the order of the file.
func (p *Pipelines) names() (names []string) {
	for _, c := range p.Cases {
		if isStage(c) && !slices.Contains(names, c.Pipeline) {
			names = append(names, c.Pipeline)
		}
	}
	return names
}

// Made has a switch for each pipeline, whose branches have the stages that were
// measured for a size of messages: a copy's time depends on the cache that holds the message. The
// boundary between two sizes is their geometric mean.
func (p *Pipelines) Made() (made platforms.Platform, remarks string, err error) {
	made = platforms.Platform{Title: "pipelines of " + p.File}
	for _, pipeline := range p.names() {
		top := &model.Switch{}
		sizes := p.messages(pipeline)
		var layers []platforms.Layer
		for i, n := range sizes {
			name := pipeline + "-" + strings.ToLower(strings.ReplaceAll(n.String(), " ", ""))
			if len(sizes) == 1 {
				name = pipeline // a switch has two branches
			}
			stages, params, err := p.stages(name, pipeline, n)
			if err != nil {
				return made, "", err
			}
			made.Params = append(made.Params, params...)
			layer := pipelineLayer(name, stages, "the stages of its name; best packets")
			layers = append(layers, layer)
			branch := model.Branch{Name: name, Layer: layer.Model}
			if i+1 < len(sizes) {
				mean := math.Round(math.Sqrt(float64(n) * float64(sizes[i+1])))
				branch.UpTo = quantity.Bytes(mean)
			}
			top.Branches = append(top.Branches, branch)
		}
		if len(sizes) > 1 {
			made.Layers = append(made.Layers, platforms.Layer{Name: pipeline, Model: top,
				Source: "the layers below, each measured for one size of messages"})
		}
		made.Layers = append(made.Layers, layers...)
	}
	return made, "", nil
}

// stages returns the stages of a pipeline for messages of n bytes, with the texts of their
// parameters.
func (p *Pipelines) stages(name, pipeline string, n quantity.Bytes) (
	all []model.Stage, params []platforms.Param, err error) {

	var names []string
	for _, c := range p.Cases {
		of := c.Pipeline == pipeline && c.Message == n && isStage(c)
		if of && !slices.Contains(names, c.Stage) {
			names = append(names, c.Stage)
		}
	}
	for i, stage := range names {
		s, texts, err := p.stage(pipeline, stage, n, i == 0)
		if err != nil {
			return nil, nil, err
		}
		s.Name = name + "-" + stage
		for k := range texts {
			texts[k].Path = "stage." + s.Name + "." + texts[k].Key
		}
		all, params = append(all, s), append(params, texts...)
	}
	return all, params, nil
}

// stage returns a stage with its measured times and the line that explains them. Its interval is
// that of a single launch. What a message costs before its first packet is added to the packet that
// is alone in the first stage, which each message has once.
func (p *Pipelines) stage(pipeline, stage string, n quantity.Bytes, first bool) (
	of model.Stage, params []platforms.Param, err error) {

	line := &benchfile.Table{Title: pipeline + " " + stage, Kind: benchfile.OneWay}
	spread := p.Spread(pipeline, stage, n)
	start, busy := false, false
	var alone, crowded model.Curve
	cases := slices.DeleteFunc(slices.Clone(p.Cases), func(c calibrate.PipelineCase) bool {
		return c.Pipeline != pipeline || c.Stage != stage || c.Message != n
	})
	slices.SortFunc(cases, func(a, b calibrate.PipelineCase) int {
		return cmp.Compare(a.Packet, b.Packet)
	})
	for _, c := range cases {
		time := p.Time(c)
		among, extra := c, c
		among.Stage, extra.Stage = stage+calibrate.BusySuffix, calibrate.Start
		overlapped := cmp.Or(p.Time(among), time)
		busy = busy || p.Time(among) > 0
		line.Samples = append(line.Samples, benchfile.Sample{
			Size: c.Packet, Count: 1,
			Mean: overlapped, Median: overlapped, Min: overlapped, Max: overlapped,
		})
		if before := p.Time(extra); first && before > 0 {
			start = true
			time += before
		}
		alone.Sizes = append(alone.Sizes, c.Packet)
		alone.Costs = append(alone.Costs, quantity.Micros(stats.Digits(float64(time), 4)))
		crowded.Costs = append(crowded.Costs, quantity.Micros(stats.Digits(float64(overlapped), 4)))
	}
	of.Measured = &model.StageCurve{Alone: alone}
	if busy || start {
		of.Measured.Overlapped = crowded
	}
	r, err := fit.Linear(line, fit.Relative)
	if err != nil {
		return of, nil, fmt.Errorf("%s: stage %s of %s, messages of %s: %w; measure more packets",
			p.File, stage, pipeline, n, err)
	}
	s := r.Segments[0].Line()
	percent := ""
	if spread > 0 {
		percent = fmt.Sprintf(" ± %.2g%%", 100*spread)
	}
	source := fmt.Sprintf("pipeline.c, %s: the stage alone, %d launches", p.File,
		len(p.Launches(cases[0])))
	if start {
		source += "; times include the request of a message"
	}
	return of, []platforms.Param{
		{Key: "beta", Text: fmt.Sprintf("%.4gus", float64(s.Beta)) + percent, Source: source},
		{Key: "tau", Text: fmt.Sprintf("%.4gus/KiB", quantity.PerKiB(s.Tau)) + percent},
	}, nil
}

// A PipelineTest is the test of a pipeline at a size of messages: the packet with the least
// predicted time among the measured ones, and what the packets took.
type PipelineTest struct {
	Pipeline              string
	Message               quantity.Bytes
	Packet, Fastest       quantity.Bytes
	Predicted, Took, Best quantity.Micros
	Median                float64
}

// testsOf compares the stages of a platform with the whole messages of the same launches.
func (p *Pipelines) testsOf(made platforms.Platform) (all []PipelineTest) {
	for _, pipeline := range p.names() {
		layer, err := made.Layer(pipeline)
		if err != nil {
			return nil
		}
		for _, n := range p.messages(pipeline) {
			row := PipelineTest{Pipeline: pipeline, Message: n}
			var errors []float64
			for _, c := range p.Cases {
				whole := p.Time(c)
				if c.Pipeline != pipeline || c.Message != n || c.Stage != calibrate.Whole {
					continue
				}
				predicted := model.At(layer.Model, n).(*model.Pipeline).OneWayIn(n, c.Packet)
				errors = append(errors, math.Abs(float64(predicted/whole)-1))
				if row.Packet == 0 || predicted < row.Predicted {
					row.Packet, row.Predicted, row.Took = c.Packet, predicted, whole
				}
				if row.Fastest == 0 || whole < row.Best {
					row.Fastest, row.Best = c.Packet, whole
				}
			}
			if len(errors) > 0 {
				row.Median = stats.Median(errors)
				all = append(all, row)
			}
		}
	}
	return all
}
