package fits

import (
	"fmt"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/internal/calibrate"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// machinePlatform returns the platform of calibrate's machine. Levels name their layers.
func (f *Fitted) machinePlatform() platforms.Platform {
	c := f.Calibrated
	source := fmt.Sprintf("halfpeak calibrate, %s; %s; %s", c.File, c.Job, c.Library)
	d := platforms.Platform{Title: "calibrate, " + c.File}
	if l, known := collective.LibraryOf(c.Library); known {
		d.Library = l
	}
	for _, l := range c.machine.Levels {
		// Estimates have no more digits than these. The layers are exact, since their
		// times are compared with the measurements.
		l.Crowd, l.Reverse = quantity.Micros(digits(float64(l.Crowd), 4)), digits(l.Reverse, 3)
		// One route, and one unit around it, are what a level without the key has.
		if l.Routes == 1 {
			l.Routes = 0
		}
		if l.Direct == 1 {
			l.Direct = 0
		}
		t := platforms.LevelTable(l, source, func(key string, of model.Layer) string {
			name := l.Name + layerSuffix(key)
			d.Layers = append(d.Layers,
				platforms.Layer{Name: name, Model: of, Source: source})
			return name
		})
		d.Levels = append(d.Levels, t)
	}
	// The errors of the checked collectives go along, so that predictions with this
	// file have an interval.
	if f.within.Source != "" { // the collectives were checked
		d.Constants = f.within.Constants()
	}
	for _, n := range c.nearest() {
		d.Constants = append(d.Constants, platforms.Param{
			Owner: calibrate.MeasuredConstant + n.collective, Text: fmt.Sprintf("%.3g", n.worst),
			Source: n.algorithms})
	}
	// The processor's times for a byte: reductions combine, and collectives copy a
	// rank's own block. Schedules read them as constants of the platform.
	for _, work := range []string{calibrate.Combine, calibrate.Copy} {
		if t := c.PerByte(work); t > 0 {
			d.Constants = append(d.Constants,
				platforms.Param{Owner: work, Text: platforms.Exact(t), Source: source})
		}
	}
	return d
}

// layerSuffix returns what the name of a level's layer has behind the level's name.
func layerSuffix(key string) string {
	switch key {
	case "layer":
		return ""
	case "shared":
		return "-memory"
	}
	return "-" + key
}
