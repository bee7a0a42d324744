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

// adders returns functions that add an estimate of a model, in µs or in µs per byte.
func (f *Fitted) adders(model string) (micros func(string, fit.Estimate[quantity.Micros]), perByte func(string, fit.Estimate[quantity.MicrosPerByte])) {
	of := sourceNames(f.sources)
	add := func(name string, i reports.Interval) {
		f.Parameters = append(f.Parameters, Parameter{of, model, name, i.Dim, i.Value, i.Low, i.High})
	}
	return func(name string, e fit.Estimate[quantity.Micros]) { add(name, estimated(quantity.DimTime, e)) },
		func(name string, e fit.Estimate[quantity.MicrosPerByte]) {
			add(name, estimated(quantity.DimInverse, e))
		}
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
	add, addPerByte := f.adders("loggp")
	if r.Separate {
		add("L", r.Latency)
		add("o_s", r.SendOverhead)
		add("o_r", r.ReceiveOverhead)
	} else {
		add("o_s + L + o_r", r.Sum)
	}
	add("g", r.Gap)
	addPerByte("G", r.GapPerByte)
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
	add, _ := f.adders("logp")
	add("o_s", r.SendOverhead)
	add("o_r", r.ReceiveOverhead)
	add("L", r.Latency)
	add("g", r.Gap)
	f.saveLogP(r.Layer(), r.Warnings)
	return nil
}

func (f *Fitted) pipeline(method fit.Method) error {
	results, pipe, err := fit.Stages(fitTables(f.sources), method)
	if err != nil {
		return err
	}
	f.stages = true
	for i, r := range results {
		f.Curves = append(f.Curves, Curve{fitSource: f.sources[i], Result: r})
	}
	for _, n := range []quantity.Bytes{4 * quantity.KiB, 64 * quantity.KiB, 1024 * quantity.KiB} {
		size, t := pipe.BestPacket(n)
		f.best = append(f.best, fmt.Sprintf("%s go through these stages in %s, in packets of %s", n, t, size))
	}
	return nil
}

func (f *Fitted) endToEnd() error {
	r, err := fit.EndToEnd(fitTables(f.sources)...)
	if err != nil {
		return err
	}
	add, addPerByte := f.adders("pipeline")
	if r.Separate {
		add("β of the bottleneck", r.Beta)
		addPerByte("τ of the bottleneck", r.Tau)
		add("Σβ", r.SumBeta)
		addPerByte("Στ", r.SumTau)
	} else {
		add("a packet in the bottleneck", r.Packet)
		add("fill: a packet in the other stages", r.Fill)
	}
	f.Notes = append([]string{fmt.Sprintf("median error %.2g %%, worst %.2g %% at %s", 100*r.Median, 100*r.Worst, r.WorstAt),
		"The shares of the stages in the sums are not identifiable from the times of whole messages."}, r.Warnings...)
	return nil
}
