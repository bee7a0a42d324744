package fits

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/fit/contention"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// machineText returns the text of the machine's file, after reading it back.
func (f *Fitted) machineText() (string, error) {
	var d platforms.Document
	var err error
	switch c := f.calibrated; {
	case c != nil:
		d = f.estimatedMachine(c.machine, "calibrate, "+c.file, fmt.Sprintf("halfpeak calibrate, %s; %s; %s", c.file, c.Job, c.Library))
	case f.shared != nil:
		source := "halfpeak fit"
		if f.factorSource != "" {
			source += ": " + f.factorSource
		}
		d = f.estimatedMachine(f.shared.Machine(f.factors), "fit of "+sourceNames(f.sources)+" and of contention", source)
	default:
		if d, err = f.machineDocument(); err != nil {
			return "", err
		}
	}
	if t := f.leastPerByte(nodeLevel) / 2; t > 0 {
		d.Tables = append(d.Tables, perByteConstant(contention.Copy, t, "assumed: a message in a node is copied in and out, and a local copy takes half its time per byte"),
			perByteConstant(contention.Combine, t, "assumed: a sum reads and writes as much as a copy"))
	}
	text, err := Encoded(d, "fit.")
	if err == nil {
		_, err = platforms.Parse("the fitted machine", []byte(text))
	}
	return text, err
}

// machineDocument is a platform of levels with a layer for each curve.
func (f *Fitted) machineDocument() (d platforms.Document, err error) {
	d = platforms.NewDocument("fit of " + sourceNames(sourcesOf(f.Curves)))
	var layers []platforms.Table
	inner := "cores"
	for _, level := range f.levels {
		if level.Holds == 0 {
			return d, usage.Fields(fmt.Errorf("level %s: its arity, the number of %s in one unit, is missing", level.Name, inner), "arity")
		}
		inner = fmt.Sprintf("units of level %s", level.Name)
		t := platforms.NewTable("level", level.Name, "arity", strconv.Itoa(level.Holds))
		var from []string
		for _, c := range f.Curves {
			if c.level != level.Name {
				continue
			}
			role, known := levelRoles[c.Kind]
			if !known {
				return d, fmt.Errorf("level %s: %s has times of a %s; a level is made of times of messages, of gaps and of overheads", level.Name, c.name(), c.Kind)
			}
			if slices.ContainsFunc(t.Keys, func(k platforms.Key) bool { return k.Name == role.key }) {
				return d, fmt.Errorf("level %s: %s is another table with %s; give each level one", level.Name, c.name(), role.what)
			}
			t.Set(role.key, level.Name+role.suffix)
			tables, err := curveTables(level.Name+role.suffix, c)
			if err != nil {
				return d, fmt.Errorf("level %s: %w", level.Name, err)
			}
			layers = append(layers, tables...)
			from = append(from, c.name())
		}
		if !slices.ContainsFunc(t.Keys, func(k platforms.Key) bool { return k.Name == "layer" }) {
			return d, usage.Fields(fmt.Errorf("level %s: no times of messages were read; give it a file of latencies", level.Name), "level")
		}
		shared := f.assumedSharing(level.Name)
		for _, layer := range shared {
			t.Set(layer.key, level.Name+"-"+layer.key)
			layers = append(layers, estimatedLayer(level.Name+"-"+layer.key, &model.Linear{Beta: layer.each, Tau: layer.perByte}, layer.source))
		}
		if f.insideNode(level.Name) {
			if crowd := f.assumedCrowd(level.Name); crowd > 0 {
				t.Set("crowd", fmt.Sprintf("%.4gus", float64(crowd)))
			}
			t.Set("packet", fmt.Sprintf("%dB", int(contention.AssumedPacket)))
			t.Set("reverse", fmt.Sprint(contention.AssumedReverse))
		}
		t.Set("source", strings.Join(from, ", "))
		d.Tables = append(d.Tables, t)
	}
	d.Tables = append(d.Tables, layers...)
	return d, nil
}

// levelRoles holds the keys of a level that kinds of tables give.
var levelRoles = map[benchfile.Kind]struct{ key, suffix, what string }{
	benchfile.OneWay:          {"layer", "", "times of messages"},
	benchfile.RoundTrip:       {"layer", "", "times of messages"},
	benchfile.Gap:             {"gap", "-gap", "gaps"},
	benchfile.SendOverhead:    {"send", "-send", "send overheads"},
	benchfile.ReceiveOverhead: {"receive", "-receive", "receive overheads"},
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
