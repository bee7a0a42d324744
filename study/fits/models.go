package fits

import (
	"fmt"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// addParameter adds an estimate in µs or µs per byte.
func addParameter[T ~float64](f *Fitted, table, model, name string, dim quantity.Dimension, e fit.Estimate[T]) {
	f.Parameters = append(f.Parameters, Parameter{table, model, name, dim, float64(e.Value), float64(e.Low), float64(e.High)})
}

func (f *Fitted) logGP() error {
	r, err := fit.LogGP(fitTables(f.sources)...)
	if err != nil {
		return err
	}
	of := sourceNames(f.sources)
	if r.Separate {
		addParameter(f, of, "loggp", "L", quantity.DimTime, r.Latency)
		addParameter(f, of, "loggp", "o_s", quantity.DimTime, r.SendOverhead)
		addParameter(f, of, "loggp", "o_r", quantity.DimTime, r.ReceiveOverhead)
	} else {
		addParameter(f, of, "loggp", "o_s + L + o_r", quantity.DimTime, r.Sum)
	}
	addParameter(f, of, "loggp", "g", quantity.DimTime, r.Gap)
	addParameter(f, of, "loggp", "G", quantity.DimInverse, r.GapPerByte)
	l := r.Layer()
	f.saved = [][2]string{{"o_s", platforms.ExactMicros(l.SendOverhead)}, {"o_r", platforms.ExactMicros(l.ReceiveOverhead)}, {"L", platforms.ExactMicros(l.Latency)}, {"g", platforms.ExactMicros(l.GapTime)}, {"G", platforms.ExactInverse(l.GapPerByte)}}
	f.Notes, f.warned = r.Warnings, r.Warnings
	return nil
}

func (f *Fitted) logP(rtt quantity.Micros) error {
	var signatures []fitSource
	for _, s := range f.sources {
		if s.table.Kind == benchfile.Interval {
			signatures = append(signatures, s)
		}
	}
	if len(signatures) != 1 {
		return usage.Fields(fmt.Errorf("%s: %d signatures; the model logp is fitted to one table of burst, delta and interval", sourceNames(f.sources), len(signatures)), "model")
	}
	f.sources = signatures
	r, err := fit.LogP(signatures[0].table, rtt)
	if err != nil {
		return err
	}
	of := sourceNames(signatures)
	addParameter(f, of, "logp", "o_s", quantity.DimTime, r.SendOverhead)
	addParameter(f, of, "logp", "o_r", quantity.DimTime, r.ReceiveOverhead)
	addParameter(f, of, "logp", "L", quantity.DimTime, r.Latency)
	addParameter(f, of, "logp", "g", quantity.DimTime, r.Gap)
	l := r.Layer()
	f.saved = [][2]string{{"o_s", platforms.ExactMicros(l.SendOverhead)}, {"o_r", platforms.ExactMicros(l.ReceiveOverhead)}, {"L", platforms.ExactMicros(l.Latency)}, {"g", platforms.ExactMicros(l.GapTime)}}
	f.Notes, f.warned = r.Warnings, r.Warnings
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
	of := sourceNames(f.sources)
	if r.Separate {
		addParameter(f, of, "pipeline", "β of the bottleneck", quantity.DimTime, r.Beta)
		addParameter(f, of, "pipeline", "τ of the bottleneck", quantity.DimInverse, r.Tau)
		addParameter(f, of, "pipeline", "Σβ", quantity.DimTime, r.SumBeta)
		addParameter(f, of, "pipeline", "Στ", quantity.DimInverse, r.SumTau)
	} else {
		addParameter(f, of, "pipeline", "a packet in the bottleneck", quantity.DimTime, r.Packet)
		addParameter(f, of, "pipeline", "fill: a packet in the other stages", quantity.DimTime, r.Fill)
	}
	f.Notes = append([]string{fmt.Sprintf("median error %.2g %%, worst %.2g %% at %s", 100*r.Median, 100*r.Worst, r.WorstAt),
		"How the stages share the sums cannot be told from the times of whole messages."}, r.Warnings...)
	return nil
}
