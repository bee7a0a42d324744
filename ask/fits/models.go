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
)

// addParameter adds a parameter that all tables determine together, so it names them
// all.
func (f *Fitted) addParameter(name string, dim quantity.Dimension, value, low, high float64) {
	in := quantity.Interval{Value: value, Low: low, High: high}
	f.Parameters = append(f.Parameters, Parameter{
		Table: sourceNames(f.sources), Model: f.Model, Name: name, Dim: dim, Interval: in,
	})
}

// addTime adds a parameter of LogP or LogGP other than G, which is per byte.
func (f *Fitted) addTime(name string, value, low, high quantity.Micros) {
	f.addParameter(name, quantity.DimTime, float64(value), float64(low), float64(high))
}

// LogPKeys returns the keys of a layer of the model logp, and those of loggp but G.
func LogPKeys(l model.LogP) platforms.Keys {
	return platforms.Keys{
		"o_s": {platforms.ExactMicros(l.SendOverhead)},
		"o_r": {platforms.ExactMicros(l.ReceiveOverhead)},
		"L":   {platforms.ExactMicros(l.Latency)},
		"g":   {platforms.ExactMicros(l.GapTime)},
	}
}

// logPTexts returns the keys of a layer of the model logp with the intervals. The values are exact,
// so that the saved layer has the times of the fit.
func logPTexts(value, low, high model.LogP) platforms.Keys {
	texts := LogPKeys(value)
	for key, v := range map[string][3]quantity.Micros{
		"o_s": {value.SendOverhead, low.SendOverhead, high.SendOverhead},
		"o_r": {value.ReceiveOverhead, low.ReceiveOverhead, high.ReceiveOverhead},
		"L":   {value.Latency, low.Latency, high.Latency},
		"g":   {value.GapTime, low.GapTime, high.GapTime},
	} {
		texts[key][0] += intervalSuffix(float64(v[0]), float64(v[1]), float64(v[2]), "us")
	}
	return texts
}

// logGP fits LogGP (Alexandrov et al. 1995) to latencies, gaps and, if measured,
// overheads.
func (f *Fitted) logGP() error {
	r, err := fit.LogGP(fitTables(f.sources)...)
	if err != nil {
		return err
	}
	f.useOnly(r.Unused)
	for i := range r.Protocols {
		p := &r.Protocols[i]
		v, low, high := &p.Value, &p.Low, &p.High
		before := len(f.Parameters)
		// Latencies alone determine only the sum o_s + L + o_r; overheads come from
		// tables of their own. The sum is then saved as L, with overheads of 0: one-way
		// times are the same.
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
		if len(r.Protocols) > 1 {
			for j := range f.Parameters[before:] {
				of := &f.Parameters[before+j]
				of.From, of.To = p.From, p.To
			}
		}
		texts := logPTexts(v.LogP, low.LogP, high.LogP)
		texts["G"] = []string{platforms.ExactInverse(v.GapPerByte) + intervalSuffix(
			quantity.PerKiB(v.GapPerByte), quantity.PerKiB(low.GapPerByte),
			quantity.PerKiB(high.GapPerByte), "us/KiB")}
		f.saved = append(f.saved, savedRange{p.From, p.To, texts})
	}
	f.Notes, f.warned = append(f.Notes, r.Warnings...), r.Warnings
	return nil
}

// useOnly drops the sources at the indices unused, so that no row or title names them, and notes
// which these are.
func (f *Fitted) useOnly(unused []int) {
	var used, rest []Source
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
			sourceNames(rest)))
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
	all := sourceNames(f.sources)
	f.sources = slices.DeleteFunc(slices.Clone(f.sources), func(s Source) bool {
		return s.Table.Kind != benchfile.Interval
	})
	if len(f.sources) != 1 {
		err := fmt.Errorf("%s: %d signatures; the model logp is fitted to one table of burst, "+
			"delta and interval", all, len(f.sources))
		return usage.Fields(err, "model")
	}
	r, err := fit.LogP(f.sources[0].Table, rtt)
	if err != nil {
		return err
	}
	if err := r.PingPong(rtt); err != nil {
		return fmt.Errorf("%s: %w", f.sources[0].Table.Name(), err)
	}
	v, low, high := &r.Value, &r.Low, &r.High
	f.addTime("o_s", v.SendOverhead, low.SendOverhead, high.SendOverhead)
	f.addTime("o_r", v.ReceiveOverhead, low.ReceiveOverhead, high.ReceiveOverhead)
	f.addTime("L", v.Latency, low.Latency, high.Latency)
	f.addTime("g", v.GapTime, low.GapTime, high.GapTime)
	f.saved = []savedRange{{texts: logPTexts(r.Value, r.Low, r.High)}}
	f.Notes, f.warned = r.Warnings, r.Warnings
	return nil
}

// pipeline fits a line to each stage and asks the pipeline model for the best
// packets. The three sizes of the notes show how the best packet grows: as the root
// of the size, by CLIP's equation 10.
func (f *Fitted) pipeline(method fit.Method) error {
	results, pipe, err := fit.Stages(fitTables(f.sources), method)
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
