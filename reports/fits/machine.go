package fits

import (
	"fmt"
	"strconv"

	"github.com/halfpeak/halfpeak/fit/calibrate"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/platforms"
)

// machineText returns the text of the machine's file, after reading it back.
func (f *Fitted) machineText() (string, error) {
	text, err := Encoded(f.machineDocument(), "fit.")
	if err == nil {
		_, err = platforms.Parse("the fitted machine", []byte(text))
	}
	return text, err
}

// machineDocument returns the platform of calibrate's machine, whose layers are tables and lines.
func (f *Fitted) machineDocument() platforms.Document {
	c := f.calibrated
	source := fmt.Sprintf("halfpeak calibrate, %s; %s; %s", c.file, c.Job, c.Library)
	d := platforms.NewDocument("calibrate, " + c.file)
	var layers []platforms.Table
	layer := func(t *platforms.Table, key, name string, of model.Layer) {
		if of == nil {
			return
		}
		t.Set(key, name)
		layers = append(layers, estimatedLayer(name, of, source))
	}
	for _, l := range c.machine.Levels {
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
	for _, work := range []string{calibrate.Combine, calibrate.Copy} {
		if t := c.PerByte(work); t > 0 {
			d.Tables = append(d.Tables, platforms.NewTable("constant", work,
				"value", platforms.ExactInverse(t), "source", source))
		}
	}
	return d
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
