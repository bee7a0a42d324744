package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/internal/calibrate"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
	described "github.com/halfpeak/halfpeak/platforms"
	collectives "github.com/halfpeak/halfpeak/reports/collective"
	"github.com/halfpeak/halfpeak/reports/whatif"
)

// A forecastOfChange is the answer of whatif about a collective on a changed network, beside the
// measurement there.
type forecastOfChange struct {
	platform      platform
	asked         timed             // with the measured time on the changed network
	now           quantity.Micros   // as it is
	unchanged     quantity.Interval // as whatif prints it for the network as it is
	before, after quantity.Interval // as whatif prints them
}

// ratioError returns the logarithm of the measured ratio of both times over the predicted one.
func (f forecastOfChange) ratioError() float64 {
	return math.Log(float64(f.asked.time/f.now)) - math.Log(f.after.Value/f.before.Value)
}

// normed returns the error of the ratio in half-widths of its interval. The printed interval is
// that of the measurement too, so the squares of both are subtracted, as logarithms.
func (f forecastOfChange) normed() float64 {
	half := func(end, endNow float64) float64 {
		wide, now := math.Log(end/f.after.Value), math.Log(endNow/f.before.Value)
		return math.Sqrt(max(wide*wide-now*now, 1e-6))
	}
	e := f.ratioError()
	if e < 0 {
		return -e / half(f.after.Low, f.unchanged.Low)
	}
	return e / half(f.after.High, f.unchanged.High)
}

// A changedJudge asks about one platform.
type changedJudge struct {
	platform platform
	machine  described.Platform // that calibrate found
	times    []timed
}

// newChangedJudge reads the files of a platform in dir. If plain, all that the ranks share is
// left out, as in a machine that is known from latencies alone.
func newChangedJudge(dir string, p platform, plain bool) (j changedJudge, err error) {
	j.platform = p
	if j.times, err = readTimes(filepath.Join(dir, p.file()+"-times.csv.gz")); err != nil {
		return j, err
	}
	text, err := readGzip(filepath.Join(dir, p.file()+".csv.gz"))
	if err != nil {
		return j, err
	}
	// fits reads calibrations from files alone.
	temp, err := os.CreateTemp("", "*.csv")
	if err != nil {
		return j, err
	}
	defer os.Remove(temp.Name())
	if _, err = temp.Write(text); err == nil {
		err = temp.Close()
	}
	if err != nil {
		return j, err
	}
	d, found, err := calibrate.Open(temp.Name())
	if err != nil || !found {
		return j, fmt.Errorf("no calibration: %w", err)
	}
	j.machine = d.Platform
	if plain {
		for i, l := range j.machine.Levels {
			j.machine.Levels[i] = described.Level{
				Level:  machine.Level{Name: l.Name, Arity: l.Arity, Eager: l.Eager},
				Layers: map[string][]string{"layer": l.Layers["layer"]}, Source: l.Source}
		}
	}
	return j, nil
}

// assignments returns what a user sets who knows the changed links: the time per byte of messages
// between nodes, of their NICs and of links, and what a ping-pong of 1 B takes.
func (j changedJudge) assignments(c change) (all []string) {
	set := func(layer, key string, factor float64) {
		if layer != "" && factor != 1 {
			text := fmt.Sprintf("layer.%s.%s*=%g", layer, key, factor)
			if !slices.Contains(all, text) {
				all = append(all, text)
			}
		}
	}
	latency := float64(j.pingpong(c.name) / j.pingpong(changes[0].name))
	for _, l := range j.machine.Levels {
		if l.Name != "node" {
			for _, key := range []string{"layer", "relay", "fresh"} {
				set(l.LayerName(key), "tau", 1/c.bandwidth)
				set(l.LayerName(key), "beta", latency)
			}
		}
		for _, key := range []string{"port", "link", "local", "global"} {
			set(l.LayerName(key), "tau", 1/c.bandwidth)
		}
		if l.Hop > 0 && latency != 1 {
			all = append(all, fmt.Sprintf("level.%s.hop*=%g", l.Name, c.latency))
		}
		set(l.LayerName("hops"), "beta", c.latency)
		set(l.LayerName("hops"), "tau", c.latency)
	}
	return all
}

// pingpong returns the round trip of 1 B between two nodes.
func (j changedJudge) pingpong(change string) quantity.Micros {
	for _, t := range j.times {
		if t.collective == "pingpong" && t.change == change && t.bytes == 1 {
			return t.time
		}
	}
	return quantity.Unknown
}

// ask asks about all collectives of the platform, with each change. Questions for which keep is
// false are left out, and so are those that whatif refuses, which are counted.
func (j changedJudge) ask(ctx context.Context, keep func(timed) bool) (
	all []forecastOfChange, refused int, err error) {
	measured := map[timed]quantity.Micros{} // by all but the time
	key := func(t timed) timed { t.time = 0; return t }
	var tables []timed // one for each collective and choice
	for _, t := range j.times {
		measured[key(t)] = t.time
		table := timed{choice: t.choice, collective: t.collective}
		if t.collective != "pingpong" && !slices.Contains(tables, table) {
			tables = append(tables, table)
		}
	}
	for _, table := range tables {
		var sizes []quantity.Bytes
		for _, t := range j.times {
			if t.change == changes[0].name && t.choice == table.choice &&
				t.collective == table.collective {
				sizes = append(sizes, t.bytes)
			}
		}
		d, err := j.design(j.collective(table, sizes, measured))
		if err != nil {
			return nil, 0, err
		}
		for _, n := range sizes {
			at := timed{changes[0].name, table.choice, table.collective, n, 0}
			if !keep(at) {
				continue
			}
			f := forecastOfChange{platform: j.platform, now: measured[at]}
			calls := collectives.Calls{Collective: table.collective, Algorithm: table.choice,
				Ranks: []int{j.platform.nodes * j.platform.perNode}, Sizes: []quantity.Bytes{n}}
			if slices.Contains(libraries, table.choice) {
				calls.Algorithm = "best"
			}
			_, prepared, err := calls.Prepare(ctx, d.Design)
			if err != nil {
				refused++
				continue
			}
			with := whatif.Of(d.Design, prepared...)
			if err := f.predict(ctx, with, nil); err != nil {
				return nil, 0, err
			}
			f.unchanged = f.after
			for _, c := range changes[1:] {
				at.change = c.name
				f.asked = at
				f.asked.time = measured[at]
				if err := f.predict(ctx, with, j.assignments(c)); err != nil {
					return nil, 0, fmt.Errorf("%s, %+v: %w", j.platform.file(), f.asked, err)
				}
				all = append(all, f)
			}
		}
	}
	return all, refused, nil
}

// collective returns the times of a table on the network as it is, as a file has them.
func (j changedJudge) collective(table timed, sizes []quantity.Bytes,
	measured map[timed]quantity.Micros) described.MeasuredCollective {
	of := collective.Entry{Collective: table.collective, Name: table.choice}
	if slices.Contains(libraries, table.choice) {
		of.Name = ""
	}
	c := described.MeasuredCollective{Name: "own", Of: of,
		Statistic: "slowest", Sizes: sizes, Source: "SMPI",
		Ranks:   []int{j.platform.nodes * j.platform.perNode},
		PerNode: []int{j.platform.perNode}, Times: [][]quantity.Micros{nil}}
	for _, n := range sizes {
		at := timed{changes[0].name, table.choice, table.collective, n, 0}
		c.Times[0] = append(c.Times[0], measured[at])
	}
	return c
}

// design returns the machine with measured collectives.
func (j changedJudge) design(measured ...described.MeasuredCollective) (whatif.Design, error) {
	p := j.machine
	p.Collectives = measured
	p, err := p.Complete()
	if err != nil {
		return whatif.Design{}, err
	}
	layer, err := p.Layer(p.Default)
	return whatif.Of(described.Design{Platform: p, Layer: layer, Whole: true}), err
}

// predict sets the answer.
func (f *forecastOfChange) predict(ctx context.Context, d whatif.Design, set []string) error {
	changed, err := d.Set(set...)
	if err != nil {
		return err
	}
	answer, err := whatif.ChangeQuestion{Case: whatif.Case{Before: d, After: changed}}.Ask(ctx)
	if err != nil {
		return err
	}
	rows := answer.Rows()
	for i, c := range rows.Columns {
		v, _ := rows.Data[0][i].(float64)
		for key, to := range map[string]*float64{"before_us": &f.before.Value,
			"after_us":     &f.after.Value,
			"after_low_us": &f.after.Low, "after_high_us": &f.after.High} {
			if c.Key == key {
				*to = v
			}
		}
	}
	return nil
}
