package fits

import (
	"fmt"
	"slices"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/benchmarks"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

func tablesOf(sources []benchmarks.Source) []*benchfile.Table {
	return list.Map(sources, func(s benchmarks.Source) *benchfile.Table { return s.Table })
}

// addParameter adds a parameter that all tables determine together, so it names them
// all.
func (f *Fitted) addParameter(name string, dim quantity.Dimension, in quantity.Interval) {
	f.Parameters = append(f.Parameters, Parameter{
		Table: benchmarks.Names(f.sources), Model: f.Model, Name: name, Dim: dim, Interval: in,
	})
}

// The parameters of LogP.
var (
	latency         = func(l model.LogP) float64 { return float64(l.Latency) }
	sendOverhead    = func(l model.LogP) float64 { return float64(l.SendOverhead) }
	receiveOverhead = func(l model.LogP) float64 { return float64(l.ReceiveOverhead) }
	gapTime         = func(l model.LogP) float64 { return float64(l.GapTime) }
)

// logPIntervals returns the intervals of the parameters of LogP, by their keys in a platform.
func logPIntervals(e fit.Estimate[model.LogP]) map[string]quantity.Interval {
	return map[string]quantity.Interval{"o_s": e.Of(sendOverhead), "o_r": e.Of(receiveOverhead),
		"L": e.Of(latency), "g": e.Of(gapTime)}
}

// logGP fits LogGP (Alexandrov et al. 1995) to latencies, gaps and, if measured,
// overheads.
func (f *Fitted) logGP() error {
	r, err := fit.LogGP(tablesOf(f.sources)...)
	if err != nil {
		return err
	}
	for i, s := range f.sources {
		if line := r.Lines[i]; line != nil {
			f.Lines = append(f.Lines, Curve{s, line})
		}
	}
	f.useOnly(r.Unused)
	for i := range r.Protocols {
		p := &r.Protocols[i]
		logP := fit.Estimate[model.LogP]{Value: p.Value.LogP, Low: p.Low.LogP, High: p.High.LogP}
		before := len(f.Parameters)
		// Latencies alone determine only the sum o_s + L + o_r; overheads come from
		// tables of their own. The sum is then saved as L, with overheads of 0: one-way
		// times are the same.
		if r.Separate {
			f.addParameter("L", quantity.DimTime, logP.Of(latency))
			f.addParameter("o_s", quantity.DimTime, logP.Of(sendOverhead))
			f.addParameter("o_r", quantity.DimTime, logP.Of(receiveOverhead))
		} else {
			f.addParameter("o_s + L + o_r", quantity.DimTime, logP.Of(latency))
		}
		f.addParameter("g", quantity.DimTime, logP.Of(gapTime))
		perByte := p.Of(func(l model.LogGP) float64 { return float64(l.GapPerByte) })
		f.addParameter("G", quantity.DimInverse, perByte)
		if len(r.Protocols) > 1 {
			for j := range f.Parameters[before:] {
				of := &f.Parameters[before+j]
				of.From, of.To = p.From, p.To
			}
		}
		intervals := logPIntervals(logP)
		intervals["G"] = perByte
		f.saved = append(f.saved, savedRange{p.From, p.To, &p.Value, intervals})
	}
	f.Notes, f.warned = append(f.Notes, r.Warnings...), r.Warnings
	return nil
}

// useOnly drops the sources at the indices unused, so that no row or title names them, and notes
// which these are.
func (f *Fitted) useOnly(unused []int) {
	var used, rest []benchmarks.Source
	for i, s := range f.sources {
		if slices.Contains(unused, i) {
			rest = append(rest, s)
		} else {
			used = append(used, s)
		}
	}
	if len(rest) > 0 {
		f.Notes = append(f.Notes, fmt.Sprintf("not used: %s; LogGP takes one table of latencies, "+
			"one of a stream, and overheads; files that are given as runs are merged",
			benchmarks.Names(rest)))
	}
	f.sources = used
}

// logP fits the LogP signature (HP-LAM §4.2; Culler et al. 1996): intervals of bursts
// over their length and the computation Δ between requests. rtt is the round trip in
// µs, from which L is what remains after both overheads; 0 if it is not known.
func (f *Fitted) logP(rtt quantity.Micros) error {
	// Files of a signature often have other tables too, such as the latency; they are
	// no mistake. Two signatures are: the parameters would be of two runs or
	// machines.
	all := benchmarks.Names(f.sources)
	f.sources = slices.DeleteFunc(slices.Clone(f.sources), func(s benchmarks.Source) bool {
		return s.Table.Kind != benchfile.Interval
	})
	if len(f.sources) != 1 {
		err := fmt.Errorf("%s: %d signatures; the model logp is fitted to one table of burst, "+
			"delta and interval; latencies and gaps by size are fitted with the model loggp", all,
			len(f.sources))
		return usage.Fields(err, "model")
	}
	r, err := fit.LogP(f.sources[0].Table, rtt)
	if err != nil {
		return err
	}
	if err := r.PingPong(rtt); err != nil {
		return fmt.Errorf("%s: %w", f.sources[0].Table.Name(), err)
	}
	f.addParameter("o_s", quantity.DimTime, r.Of(sendOverhead))
	f.addParameter("o_r", quantity.DimTime, r.Of(receiveOverhead))
	f.addParameter("L", quantity.DimTime, r.Of(latency))
	f.addParameter("g", quantity.DimTime, r.Of(gapTime))
	f.saved = []savedRange{{model: &r.Value, intervals: logPIntervals(r.Estimate)}}
	f.Notes, f.warned = r.Warnings, r.Warnings
	return nil
}

// pipeline fits a line to each stage and asks the pipeline model for the best
// packets. The three sizes of the notes show how the best packet grows: as the root
// of the size, by CLIP's equation 10.
func (f *Fitted) pipeline(method fit.Method) error {
	results, pipe, err := fit.Stages(tablesOf(f.sources), method)
	if err != nil {
		return err
	}
	for i, r := range results {
		f.Curves = append(f.Curves, Curve{Source: f.sources[i], Result: r})
	}
	for _, n := range []quantity.Bytes{4 * quantity.KiB, 64 * quantity.KiB, 1024 * quantity.KiB} {
		size, t := pipe.BestPacket(n)
		note := fmt.Sprintf("%s go through these stages in %s, in packets of %s", n, t, size)
		f.Best = append(f.Best, note)
	}
	return nil
}
