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

func (f *Fitted) addParameter(model, name string, value reports.Interval) {
	f.Parameters = append(f.Parameters, Parameter{sourceNames(f.sources), model, name, value})
}

// saveLogP keeps the keys of a layer, and the warnings that go with them.
func (f *Fitted) saveLogP(l model.LogP, warnings []string) {
	f.saved = []platforms.Key{{Name: "o_s", Value: platforms.ExactMicros(l.SendOverhead)}, {Name: "o_r", Value: platforms.ExactMicros(l.ReceiveOverhead)},
		{Name: "L", Value: platforms.ExactMicros(l.Latency)}, {Name: "g", Value: platforms.ExactMicros(l.GapTime)}}
	f.Notes, f.warned = warnings, warnings
}

func (f *Fitted) logGP() error {
	r, err := fit.LogGP(fitTables(f.sources)...)
	if err != nil {
		return err
	}
	if r.Separate {
		f.addParameter("loggp", "L", estimated(quantity.DimTime, r.Latency))
		f.addParameter("loggp", "o_s", estimated(quantity.DimTime, r.SendOverhead))
		f.addParameter("loggp", "o_r", estimated(quantity.DimTime, r.ReceiveOverhead))
	} else {
		f.addParameter("loggp", "o_s + L + o_r", estimated(quantity.DimTime, r.Sum))
	}
	f.addParameter("loggp", "g", estimated(quantity.DimTime, r.Gap))
	f.addParameter("loggp", "G", estimated(quantity.DimInverse, r.GapPerByte))
	l := r.Layer()
	f.saveLogP(l.LogP, r.Warnings)
	f.saved = append(f.saved, platforms.Key{Name: "G", Value: platforms.ExactInverse(l.GapPerByte)})
	return nil
}

func (f *Fitted) logP(rtt quantity.Micros) error {
	all := sourceNames(f.sources)
	f.sources = slices.DeleteFunc(slices.Clone(f.sources), func(s fitSource) bool { return s.table.Kind != benchfile.Interval })
	if len(f.sources) != 1 {
		return usage.Fields(fmt.Errorf("%s: %d signatures; the model logp is fitted to one table of burst, delta and interval", all, len(f.sources)), "model")
	}
	r, err := fit.LogP(f.sources[0].table, rtt)
	if err != nil {
		return err
	}
	f.addParameter("logp", "o_s", estimated(quantity.DimTime, r.SendOverhead))
	f.addParameter("logp", "o_r", estimated(quantity.DimTime, r.ReceiveOverhead))
	f.addParameter("logp", "L", estimated(quantity.DimTime, r.Latency))
	f.addParameter("logp", "g", estimated(quantity.DimTime, r.Gap))
	f.saveLogP(r.Layer(), r.Warnings)
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
		f.best = append(f.best, fmt.Sprintf("%s go through these stages in %s, in packets of %s", n, t, size))
	}
	return nil
}
