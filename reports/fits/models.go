package fits

import (
	"fmt"
	"slices"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports"
)

func (f *Fitted) addParameter(name string, dim quantity.Dimension, value, low, high float64) {
	in := quantity.Interval{Value: value, Low: low, High: high}
	interval := reports.Interval{Dim: dim, Interval: in}
	f.Parameters = append(f.Parameters, Parameter{sourceNames(f.sources), f.model, name, interval})
}

// addTime adds a parameter of LogP or LogGP.
func (f *Fitted) addTime(name string, value, low, high quantity.Micros) {
	f.addParameter(name, quantity.DimTime, float64(value), float64(low), float64(high))
}

// saveLogP keeps the keys of a layer, and the warnings that go with them.
func (f *Fitted) saveLogP(l model.LogP, warnings []string) {
	f.saved = []platforms.Key{
		{Name: "o_s", Value: platforms.ExactMicros(l.SendOverhead)},
		{Name: "o_r", Value: platforms.ExactMicros(l.ReceiveOverhead)},
		{Name: "L", Value: platforms.ExactMicros(l.Latency)},
		{Name: "g", Value: platforms.ExactMicros(l.GapTime)},
	}
	f.Notes, f.warned = warnings, warnings
}

func (f *Fitted) logGP() error {
	r, err := fit.LogGP(fitTables(f.sources)...)
	if err != nil {
		return err
	}
	v, low, high := &r.Value, &r.Low, &r.High
	if r.Separate {
		f.addTime("L", v.Latency, low.Latency, high.Latency)
		f.addTime("o_s", v.SendOverhead, low.SendOverhead, high.SendOverhead)
		f.addTime("o_r", v.ReceiveOverhead, low.ReceiveOverhead, high.ReceiveOverhead)
	} else {
		f.addTime("o_s + L + o_r", v.Latency, low.Latency, high.Latency)
	}
	f.addTime("g", v.GapTime, low.GapTime, high.GapTime)
	f.addParameter("G", quantity.DimInverse,
		float64(v.GapPerByte), float64(low.GapPerByte), float64(high.GapPerByte))
	f.saveLogP(v.LogP, r.Warnings)
	f.saved = append(f.saved, platforms.Key{Name: "G", Value: platforms.ExactInverse(v.GapPerByte)})
	return nil
}

func (f *Fitted) logP(rtt quantity.Micros) error {
	all := sourceNames(f.sources)
	f.sources = slices.DeleteFunc(slices.Clone(f.sources), func(s fitSource) bool {
		return s.table.Kind != benchfile.Interval
	})
	if len(f.sources) != 1 {
		err := fmt.Errorf("%s: %d signatures; the model logp is fitted to one table of burst, "+
			"delta and interval", all, len(f.sources))
		return usage.Fields(err, "model")
	}
	r, err := fit.LogP(f.sources[0].table, rtt)
	if err != nil {
		return err
	}
	v, low, high := &r.Value, &r.Low, &r.High
	f.addTime("o_s", v.SendOverhead, low.SendOverhead, high.SendOverhead)
	f.addTime("o_r", v.ReceiveOverhead, low.ReceiveOverhead, high.ReceiveOverhead)
	f.addTime("L", v.Latency, low.Latency, high.Latency)
	f.addTime("g", v.GapTime, low.GapTime, high.GapTime)
	f.saveLogP(r.Value, r.Warnings)
	return nil
}

func (f *Fitted) pipeline(method fit.Method) error {
	results, pipe, err := fit.Stages(fitTables(f.sources), method)
	if err != nil {
		return err
	}
	for i, r := range results {
		f.Curves = append(f.Curves, Curve{fitSource: f.sources[i], Result: r})
	}
	for _, n := range []quantity.Bytes{4 * quantity.KiB, 64 * quantity.KiB, 1024 * quantity.KiB} {
		size, t := pipe.BestPacket(n)
		note := fmt.Sprintf("%s go through these stages in %s, in packets of %s", n, t, size)
		f.best = append(f.best, note)
	}
	return nil
}
