package fits

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/fit/contention"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// FanOut names the table that has the times of roots that send to several receivers at once: with
// the columns of [Options.Trace], one of the number of receivers, and one of the slowest rank.
type FanOut struct{ File, Receivers, Slowest string }

// sharing reports whether contention is estimated: from fans, from collectives, or for a level
// without measurements.
func (o Options) sharing() bool {
	return o.Fans.File != "" || len(o.Collectives.Paths) > 0 || slices.ContainsFunc(o.Levels, func(l Level) bool { return len(l.From) == 0 })
}

// sharing estimates the contention between the ranks of the machine.
func (f *Fitted) sharing(o Options) error {
	if o.Fans.File != "" && (len(o.Trace.Group) != 1 || o.Trace.Y == "") {
		return usage.Fields(fmt.Errorf("name the columns of the size, the average time and the level"), "fan-out-times", "x", "y", "group")
	}
	var levels []contention.Level
	for _, l := range f.levels {
		if l.Holds == 0 {
			return usage.Fields(fmt.Errorf("level %s: its arity is missing", l.Name), "arity")
		}
		of := contention.Level{Name: l.Name, Holds: l.Holds}
		times := map[quantity.Bytes][]float64{}
		for _, s := range f.sources {
			if s.level != l.Name {
				continue
			}
			if s.table.Kind != benchfile.OneWay {
				return usage.Fields(fmt.Errorf("level %s: %s has times of a %s; to estimate contention, or with a level that was not measured, levels need one-way times", l.Name, s.name(), s.table.Kind), "level")
			}
			for _, sample := range s.table.Samples {
				t := cmp.Or(sample.Median, sample.Mean)
				if sample.Size >= 1 && t > 0 {
					times[sample.Size] = append(times[sample.Size], float64(t))
				}
			}
		}
		for _, n := range slices.Sorted(maps.Keys(times)) {
			of.Sizes, of.OneWay = append(of.Sizes, n), append(of.OneWay, quantity.Micros(stats.Median(times[n])))
		}
		levels = append(levels, of)
	}
	if o.Fans.File != "" {
		if err := f.readFans(levels, o); err != nil {
			return err
		}
	}
	var err error
	if f.shared, err = contention.New(levels, max(len(levels)-2, 0)); err != nil {
		return err
	}
	f.factors, f.within = contention.Plain(), contention.Intervals{Any: f.shared.DefaultInterval()}
	if len(o.Collectives.Paths) == 0 {
		return nil
	}
	return f.sharpen(o)
}

// readFans reads the table of fans, once for the averages and once for the slowest ranks.
func (f *Fitted) readFans(levels []contention.Level, o Options) error {
	type place struct {
		level, receivers int
		size             quantity.Bytes
	}
	fans := map[place]*contention.Fan{}
	column, unit, _ := strings.Cut(o.Trace.Y, ":")
	for _, y := range []string{column, o.Fans.Slowest} {
		options := o.Trace
		options.Y, options.Group, options.Pool = strings.TrimSuffix(y+":"+unit, ":"), []string{o.Trace.Group[0], o.Fans.Receivers}, nil
		file, err := benchfile.Open(o.Fans.File, options)
		if err != nil {
			return err
		}
		for _, t := range file.Tables {
			level, receivers, err := f.fan(t.Title)
			if err != nil {
				return fmt.Errorf("%s: %w", o.Fans.File, err)
			}
			if level < 0 {
				continue
			}
			for _, s := range t.Samples {
				at := place{level, receivers, s.Size}
				if fans[at] == nil {
					fans[at] = &contention.Fan{Receivers: receivers, Size: s.Size, Times: contention.Times{Average: quantity.Micros(math.NaN()), Max: quantity.Micros(math.NaN())}}
				}
				if y == column {
					fans[at].Average = s.Mean
				} else {
					fans[at].Max = s.Mean
				}
			}
		}
	}
	if len(fans) == 0 {
		return fmt.Errorf("%s has no table of fan-out times at a level", o.Fans.File)
	}
	keys := slices.SortedFunc(maps.Keys(fans), func(a, b place) int {
		return cmp.Or(cmp.Compare(a.level, b.level), cmp.Compare(a.receivers, b.receivers), cmp.Compare(a.size, b.size))
	})
	for _, k := range keys {
		levels[k.level].Fans = append(levels[k.level].Fans, *fans[k])
	}
	return nil
}

// fan returns the level and the number of receivers in a title such as "mapby=core comm=5"; −1 for
// a level that was not asked for.
func (f *Fitted) fan(title string) (level, receivers int, err error) {
	words := strings.Fields(title)
	if len(words) != 2 {
		return 0, 0, fmt.Errorf("tables differ in %q; they may differ in the level and the number of receivers alone", title)
	}
	_, of, _ := strings.Cut(words[0], "=")
	_, number, _ := strings.Cut(words[1], "=")
	if receivers, err = strconv.Atoi(number); err != nil || receivers < 1 {
		return 0, 0, fmt.Errorf("invalid number of receivers %q", number)
	}
	return slices.IndexFunc(f.levels, func(l Level) bool { return slices.Contains(l.From, of) }), receivers, nil
}

// estimatedMachine returns a platform of a machine whose layers are tables and lines.
func (f *Fitted) estimatedMachine(m machine.Machine, title, source string) platforms.Document {
	d := platforms.NewDocument(title)
	var layers []platforms.Table
	layer := func(t *platforms.Table, key, name string, of model.Layer) {
		if of == nil {
			return
		}
		t.Set(key, name)
		layers = append(layers, estimatedLayer(name, of, source))
	}
	for _, l := range m.Levels {
		t := platforms.NewTable("level", l.Name, "arity", strconv.Itoa(l.Arity))
		layer(&t, "layer", l.Name, l.Layer)
		layer(&t, "send", l.Name+"-send", l.Send)
		layer(&t, "receive", l.Name+"-receive", l.Receive)
		layer(&t, "shared", l.Name+"-memory", l.Shared)
		layer(&t, "port", l.Name+"-port", l.Port)
		if l.Crowd > 0 {
			t.Set("crowd", fmt.Sprintf("%.4gus", float64(l.Crowd)))
		}
		if l.Reverse > 0 {
			t.Set("reverse", fmt.Sprintf("%.3g", l.Reverse))
		}
		if l.Routes > 1 {
			t.Set("routes", strconv.Itoa(l.Routes))
		}
		if text := l.Topology.String(); text != "" {
			t.Set("topology", text)
			t.Set("hop", platforms.ExactMicros(l.Hop))
			layer(&t, "link", l.Name+"-link", l.Link)
		}
		if l.Eager > 0 {
			t.Set("eager_threshold", fmt.Sprintf("%.0fB", float64(l.Eager)))
		}
		if l.Packet > 0 {
			t.Set("packet", fmt.Sprintf("%.0fB", float64(l.Packet)))
		}
		t.Set("source", source)
		d.Tables = append(d.Tables, t)
	}
	d.Tables = append(d.Tables, layers...)
	d.Tables = append(d.Tables, f.within.Tables()...)
	if f.calibrated != nil {
		for _, work := range []string{contention.Combine, contention.Copy} {
			if t := f.calibrated.PerByte(work); t > 0 {
				d.Tables = append(d.Tables, perByteConstant(work, t, source))
			}
		}
	}
	return d
}

func perByteConstant(work string, t quantity.MicrosPerByte, source string) platforms.Table {
	return platforms.NewTable("constant", work, "value", platforms.ExactInverse(t), "source", source)
}

// estimatedLayer writes a layer of an estimate: a table or a line.
func estimatedLayer(name string, l model.Layer, source string) platforms.Table {
	t := platforms.NewTable("layer", name, "source", source)
	switch l := l.(type) {
	case *model.Linear:
		t.Set("model", "linear")
		t.Set("beta", platforms.ExactMicros(l.Beta))
		t.Set("tau", platforms.ExactInverse(l.Tau))
	case *model.Table:
		t.Set("model", "table")
		t.Set("sizes", list.Map(l.Sizes, sizeText))
		t.Set("times", list.Map(l.Times, platforms.ExactMicros))
		if len(l.Gaps) > 0 {
			t.Set("gaps", list.Map(l.Gaps, platforms.ExactMicros))
		}
	}
	return t
}
