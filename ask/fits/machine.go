package fits

import (
	"fmt"
	"strconv"

	"github.com/halfpeak/halfpeak/fit/calibrate"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/platforms"
)

// machineText returns the text of the machine's file, after reading it back. Reading
// checks the rules of platforms. A measurement that breaks one must fail here, and
// not in the command that uses the file a week later.
func (f *Fitted) machineText() (string, error) {
	text := Encoded(f.machineFile(), "fit.")
	_, err := platforms.Parse("the fitted machine", []byte(text))
	return text, err
}

// machineFile returns the platform of calibrate's machine. Levels name their layers.
func (f *Fitted) machineFile() platforms.File {
	c := f.Calibrated
	source := fmt.Sprintf("halfpeak calibrate, %s; %s; %s", c.File, c.Job, c.Library)
	d := platforms.File{Title: "calibrate, " + c.File}
	// A level that shares nothing or has no overheads of its own has no such layer,
	// and no key.
	layer := func(name string, of model.Layer) string {
		if of == nil {
			return ""
		}
		d.Layers = append(d.Layers, estimatedLayer(name, of, source))
		return name
	}
	for _, l := range c.machine.Levels {
		t := platforms.LevelTable{
			Name: l.Name, Arity: strconv.Itoa(l.Arity), Source: source,
			Layer:    layer(l.Name, l.Layer),
			Send:     layer(l.Name+"-send", l.Send),
			Receive:  layer(l.Name+"-receive", l.Receive),
			Relay:    layer(l.Name+"-relay", l.Relay),
			Fresh:    layer(l.Name+"-fresh", l.Fresh),
			Shared:   layer(l.Name+"-memory", l.Shared),
			Port:     layer(l.Name+"-port", l.Port),
			Topology: l.Topology.String(),
		}
		// Estimates have no more digits than these. The layers are exact, since their
		// times are compared with the measurements.
		if l.Crowd > 0 {
			t.Crowd = fmt.Sprintf("%.4gus", float64(l.Crowd))
		}
		if l.Reverse > 0 {
			t.Reverse = fmt.Sprintf("%.3g", l.Reverse)
		}
		// One route is what a level without the key has.
		if l.Routes > 1 {
			t.Routes = strconv.Itoa(l.Routes)
		}
		if l.Direct > 1 {
			t.Direct = strconv.Itoa(l.Direct)
		}
		if t.Topology != "" {
			t.Hop, t.Link = platforms.ExactMicros(l.Hop), layer(l.Name+"-link", l.Link)
			t.Hops = layer(l.Name+"-hops", l.Hops)
			t.Local, t.Global = layer(l.Name+"-local", l.Local), layer(l.Name+"-global", l.Global)
		}
		if l.Eager > 0 { // a threshold is found to the byte
			t.EagerThreshold = fmt.Sprintf("%.0fB", float64(l.Eager))
		}
		if l.Deferred > 0 {
			t.Deferred = fmt.Sprintf("%.0fB", float64(l.Deferred))
		}
		if l.Packet > 0 {
			t.Packet = fmt.Sprintf("%.0fB", float64(l.Packet))
		}
		if l.Overlap > 0 {
			t.Overlap = fmt.Sprintf("%.0fB", float64(l.Overlap))
		}
		d.Levels = append(d.Levels, t)
	}
	// The errors of the checked collectives go along, so that predictions with this
	// file have an interval.
	if f.within.Source != "" { // the collectives were checked
		d.Constants = f.within.Constants()
	}
	for _, n := range c.nearest() {
		d.Constants = append(d.Constants, platforms.ConstantTable{
			Name: calibrate.MeasuredConstant + n.collective, Value: fmt.Sprintf("%.3g", n.worst),
			Source: n.algorithms})
	}
	// The processor's times for a byte: reductions combine, and collectives copy a
	// rank's own block. Schedules read them as constants of the platform.
	for _, work := range []string{calibrate.Combine, calibrate.Copy} {
		if t := c.PerByte(work); t > 0 {
			value := platforms.ExactInverse(t)
			d.Constants = append(d.Constants, platforms.ConstantTable{
				Name: work, Value: value, Source: source,
			})
		}
	}
	return d
}

// estimatedLayer writes a layer of an estimate. calibrate makes only tables (two
// ranks, by size) and lines (what is shared), so other kinds have no case here.
func estimatedLayer(name string, l model.Layer, source string) platforms.LayerTable {
	t := platforms.LayerTable{Name: name, Source: source}
	switch l := l.(type) {
	case *model.Linear:
		t.Model = "linear"
		t.Parameters = platforms.Parameters{
			"beta": {platforms.ExactMicros(l.Beta)}, "tau": {platforms.ExactInverse(l.Tau)},
		}
	case *model.Table:
		t.Model = "table"
		t.Parameters = platforms.Parameters{
			"sizes": list.Map(l.Sizes, sizeText), "times": list.Map(l.Times, platforms.ExactMicros),
		}
		if len(l.Gaps) > 0 {
			t.Parameters["gaps"] = list.Map(l.Gaps, platforms.ExactMicros)
		}
		if l.GapUnknown {
			t.Gap = "unknown"
		}
	}
	return t
}
