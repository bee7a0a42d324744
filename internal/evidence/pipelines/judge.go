//go:build linux

package main

import (
	"cmp"
	"compress/gzip"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/draw"
	"github.com/halfpeak/halfpeak/reports/fits"
	"github.com/halfpeak/halfpeak/reports/table"
)

// A run is a pipeline at a size of messages and packets: the times of whole messages in each
// launch, read from the file again, and the time that the stages predict, with its interval.
type run struct {
	pipeline        string
	message, packet float64
	launches        []float64
	measured        float64 // lower quartile of the launches
	predicted       quantity.Interval
}

// error is relative to the measured time, as all errors of the docs are.
func (r run) error() float64 { return r.predicted.Value/r.measured - 1 }

// measured reads the whole messages of a file, which may be compressed by gzip.
func measured(path string) (all []run, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	// Launches of some machines are kept compressed, since they are ten thousands of lines.
	text := io.Reader(f)
	if filepath.Ext(path) == ".gz" {
		if text, err = gzip.NewReader(f); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	r := csv.NewReader(text)
	r.Comment, r.FieldsPerRecord = '#', 5
	rows, err := r.ReadAll()
	if err != nil {
		return nil, err
	}
	rows, err = apart(rows)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		// Times of single stages belong to the prediction. To judge by them as well would be to
		// judge a number by itself.
		if row[1] != "whole" {
			continue
		}
		var v [3]float64
		for i := range v {
			if v[i], err = strconv.ParseFloat(row[2+i], 64); err != nil {
				return nil, err
			}
		}
		// A packet larger than its message is the whole message: all such rows are one case.
		one := run{pipeline: row[0], message: v[0], packet: min(v[0], v[1])}
		at := slices.IndexFunc(all, func(r run) bool {
			return r.pipeline == one.pipeline && r.message == one.message && r.packet == one.packet
		})
		if at < 0 {
			at, all = len(all), append(all, one)
		}
		all[at].launches = append(all[at].launches, v[2])
	}
	for i := range all {
		// What disturbs a launch makes it slower and never faster, so the lower quartile is nearer
		// to the undisturbed time than the median; the minimum would be the luck of one launch.
		all[i].measured = stats.QuantileOf(all[i].launches, 0.25)
	}
	slices.SortFunc(all, func(a, b run) int {
		return cmp.Or(cmp.Compare(a.pipeline, b.pipeline), cmp.Compare(a.message, b.message),
			cmp.Compare(a.packet, b.packet))
	})
	return all, nil
}

// apart returns the rows without those of launches whose processors shared a core, by the time of
// a word between them. The row of a word stands among those of its packet.
func apart(rows [][]string) (kept [][]string, err error) {
	var times []float64
	of := make([]float64, len(rows)) // the word of each row's packet
	for i, from := 0, 0; i <= len(rows); i++ {
		if i < len(rows) && slices.Equal(rows[i][2:4], rows[from][2:4]) {
			continue
		}
		for _, row := range rows[from:i] {
			if row[1] != "word" {
				continue
			}
			t, err := strconv.ParseFloat(row[4], 64)
			if err != nil {
				return nil, err
			}
			times = append(times, t)
			for j := from; j < i; j++ {
				of[j] = t
			}
		}
		from = i
	}
	if len(times) == 0 {
		return rows, nil
	}
	shared := stats.QuantileOf(times, 0.5) * 2 / 3
	for i, row := range rows {
		if of[i] == 0 || of[i] >= shared {
			kept = append(kept, row)
		}
	}
	return kept, nil
}

// predict fits the stages of the file, as a user does, and predicts the runs. The interval has all
// stages as slow, or as fast, as 95 % of their launches.
func predict(path string, all []run) (platforms.Platform, error) {
	f, err := fits.Question{Files: []string{path}}.Ask(context.Background())
	if err != nil {
		return platforms.Platform{}, err
	}
	p, err := f.Platform(filepath.Base(path))
	if err != nil {
		return p, err
	}
	// The larger of the relative intervals of β and τ stands for a stage. Both come from the same
	// launches, so they are wrong together and not one against the other.
	uncertain := map[string]float64{}
	for _, q := range p.Params {
		if q.Table == "stage" && q.Value.Num > 0 {
			uncertain[q.Owner] = max(uncertain[q.Owner], q.PlusMinus/q.Value.Num)
		}
	}
	for i := range all {
		r := &all[i]
		pipe, err := stages(p, *r)
		if err != nil {
			return p, err
		}
		at := func(sign float64) float64 {
			changed := *pipe
			changed.Stages = slices.Clone(pipe.Stages)
			for j := range changed.Stages {
				s := &changed.Stages[j]
				factor := max(0, 1+sign*uncertain[s.Name])
				s.Beta *= quantity.Micros(factor)
				s.Tau *= quantity.MicrosPerByte(factor)
			}
			return float64(changed.OneWayIn(quantity.Bytes(r.message), quantity.Bytes(r.packet)))
		}
		r.predicted = quantity.Interval{Value: at(0), Low: at(-1), High: at(1)}
	}
	return p, nil
}

// stages returns the pipeline of a run.
func stages(p platforms.Platform, r run) (*model.Pipeline, error) {
	layer, err := p.Layer(r.pipeline)
	if err != nil {
		return nil, err
	}
	return model.At(layer.Model, quantity.Bytes(r.message)).(*model.Pipeline), nil
}

// judge prints, for each pipeline and size of messages, what the predicted packet loses, beside
// packets of equation 10 and unequal ones; then the errors of all times.
func judge(w io.Writer, files []string, drawn picture) error {
	var every []run
	fmt.Fprintln(w, "| pipeline | message | predicted best | measured there | fastest packet | "+
		"loss | in other launches | median error | eq. 10 | unequal packets |\n"+
		"|---|---|---|---|---|---|---|---|---|---|")
	for i, path := range files {
		all, err := measured(path)
		if err != nil {
			return err
		}
		p, err := predict(path, all)
		if err != nil {
			return err
		}
		for rest := all; len(rest) > 0; {
			n := slices.IndexFunc(rest, func(r run) bool {
				return r.pipeline != rest[0].pipeline || r.message != rest[0].message
			})
			if n < 0 {
				n = len(rest)
			}
			if err := printMessage(w, p, rest[:n]); err != nil {
				return err
			}
			if i == 0 && rest[0].message == float64(drawn.size) && drawn.file != "" {
				if err := drawn.draw(rest[:n]); err != nil {
					return err
				}
				drawn.file = ""
			}
			rest = rest[n:]
		}
		every = append(every, all...)
		printErrors(w, filepath.Base(path), all)
	}
	printErrors(w, "all", every)
	return nil
}

// lossInHalves returns what a packet takes longer than the fastest one, which each half of the
// launches chooses for the other half: of the lower quartiles of few launches, the least is too low
// by chance, where it was chosen.
func lossInHalves(all []run, packet run) float64 {
	half := func(r run, odd int) float64 {
		var t []float64
		for i := odd; i < len(r.launches); i += 2 {
			t = append(t, r.launches[i])
		}
		return stats.QuantileOf(t, 0.25)
	}
	sum := 0.
	for odd := range 2 {
		fastest := slices.MinFunc(all, func(a, b run) int {
			return cmp.Compare(half(a, odd), half(b, odd))
		})
		sum += half(packet, 1-odd)/half(fastest, 1-odd) - 1
	}
	return sum / 2
}

// printMessage prints the row of a size of messages. Its loss compares two measured times, that at
// the predicted packet and that at the fastest one: the prediction chooses, and does not judge
// itself.
func printMessage(w io.Writer, p platforms.Platform, all []run) error {
	pipe, err := stages(p, all[0])
	if err != nil {
		return err
	}
	n := quantity.Bytes(all[0].message)
	best := slices.MinFunc(all, func(a, b run) int {
		return cmp.Compare(a.predicted.Value, b.predicted.Value)
	})
	fastest := slices.MinFunc(all, func(a, b run) int {
		return cmp.Compare(a.measured, b.measured)
	})
	var errors []float64
	for _, r := range all {
		errors = append(errors, math.Abs(r.error()))
	}
	eq10 := "–" // of three stages
	if len(pipe.Stages) >= model.PaperStages {
		p := pipe.PaperPacket(n)
		eq10 = fmt.Sprintf("%v, %.1f µs", p, float64(pipe.OneWayIn(n, p)))
	}
	_, unequal := pipe.BestPlan(n)
	fmt.Fprintf(w, "| %s | %v | %v, %.1f µs | %.1f µs | %v, %.1f µs | %.1f %% | %.1f %% | "+
		"%.1f %% | %s | %.1f µs |\n", all[0].pipeline, n, quantity.Bytes(best.packet),
		best.predicted.Value, best.measured, quantity.Bytes(fastest.packet), fastest.measured,
		100*(best.measured/fastest.measured-1), 100*lossInHalves(all, best),
		100*stats.QuantileOf(errors, 0.5),
		eq10, float64(unequal))
	return nil
}

// printErrors prints the errors of all times of a file, and how often an interval holds the time
// that is judged, and a single launch. The second is lower, since an interval is of the typical
// launch.
func printErrors(w io.Writer, name string, all []run) {
	var errors []float64
	held, single, launches := 0, 0, 0
	for _, r := range all {
		errors = append(errors, math.Abs(r.error()))
		if r.predicted.Low <= r.measured && r.measured <= r.predicted.High {
			held++
		}
		for _, t := range r.launches {
			launches++
			if r.predicted.Low <= t && t <= r.predicted.High {
				single++
			}
		}
	}
	fmt.Fprintf(w, "%s: %d times, median error %.1f %%, 90 %% below %.1f %%; ",
		name, len(all), 100*stats.QuantileOf(errors, 0.5), 100*stats.QuantileOf(errors, 0.9))
	fmt.Fprintf(w, "intervals hold %.0f %%, of %d single launches %.0f %%\n",
		100*float64(held)/float64(len(all)), launches, 100*float64(single)/float64(launches))
}

// A picture is the time of a message against its packets.
type picture struct {
	file      string
	size, now int
}

func (p picture) draw(all []run) error {
	line := table.Series{Name: "predicted from the stages", Kind: table.Line}
	points := table.Series{Name: "measured", Kind: table.Points}
	best, now := all[0], all[0]
	for _, r := range all {
		line.X, line.Y = append(line.X, r.packet), append(line.Y, r.predicted.Value)
		points.X, points.Y = append(points.X, r.packet), append(points.Y, r.measured)
		// The bars have the undisturbed half and more of the launches. The slowest one would draw
		// the noise of other programs.
		points.Low = append(points.Low, slices.Min(r.launches))
		points.High = append(points.High, stats.QuantileOf(r.launches, 0.75))
		if r.predicted.Value < best.predicted.Value {
			best = r
		}
		if r.packet == float64(p.now) {
			now = r
		}
	}
	f := table.Figure{
		Title:  fmt.Sprintf("%s: %v in packets", all[0].pipeline, quantity.Bytes(p.size)),
		X:      table.Axis{Label: "packet", Log: true, Bytes: true},
		Y:      table.Axis{Label: "time (µs)", Log: true},
		Series: []table.Series{line, points},
		Marks: []table.Mark{
			{Kind: table.AtPoint, X: now.packet, Y: now.predicted.Value, Label: "default"},
			{Kind: table.AtPoint, X: best.packet, Y: best.predicted.Value, Label: "best"},
		},
	}
	out, err := os.Create(p.file)
	if err != nil {
		return err
	}
	defer out.Close()
	return draw.WriteImage(out, f, filepath.Ext(p.file)[1:], 720, 420, nil)
}
