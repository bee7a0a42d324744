package fits

import (
	"fmt"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/benchmarks"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// Parameters are those of LogP or LogGP, which all tables determine together.
type Parameters struct {
	All     []Parameter
	Lines   []Curve // what the parameters of LogGP say of the tables that they are from
	model   string  // one of [Models]
	sources []benchmarks.Source
	saved   []savedRange // layers of the parameters
	warned  []string     // the warnings of the parameters
}

// A savedRange has the parameters of a range of sizes, for a platform, and the intervals of some of
// them, by their keys.
type savedRange struct {
	from, to  quantity.Bytes
	model     model.Layer
	intervals map[string]quantity.Interval
}

// A Parameter is an estimate with its 95 % interval, in µs and bytes: L, o_s, o_r, g
// in µs, G in µs/B. Table names the tables that it was estimated from. If the protocol
// changes, From and To are the measured sizes that it holds for; else they are 0.
type Parameter struct {
	Table, Model, Name string
	From, To           quantity.Bytes
	Dim                quantity.Dimension
	quantity.Interval
}

// unknown reports whether the data only bound the parameter from above, or do not show it at all.
func (p Parameter) unknown() bool { return p.Model == "logp" && p.Value == 0 && p.Low == 0 }

// add adds a parameter that all tables determine together, so it names them all.
func (f *Parameters) add(name string, dim quantity.Dimension, in quantity.Interval) {
	f.All = append(f.All, Parameter{
		Table: benchmarks.Names(f.sources), Model: f.model, Name: name, Dim: dim, Interval: in,
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
func logGP(sources []benchmarks.Source) (f *Parameters, notes []remark.Note, err error) {
	r, err := fit.LogGP(tablesOf(sources)...)
	if err != nil {
		return nil, nil, err
	}
	f = &Parameters{model: "loggp"}
	for i, s := range sources {
		if line := r.Lines[i]; line != nil {
			f.Lines = append(f.Lines, Curve{s, line})
		}
	}
	f.sources, notes = usedOnly(sources, r.Unused)
	for i := range r.Protocols {
		p := &r.Protocols[i]
		logP := fit.Estimate[model.LogP]{Value: p.Value.LogP, Low: p.Low.LogP, High: p.High.LogP}
		before := len(f.All)
		// Latencies alone determine only the sum o_s + L + o_r; overheads come from
		// tables of their own. The sum is then saved as L, with overheads of 0: one-way
		// times are the same.
		if r.Separate {
			f.add("L", quantity.DimTime, logP.Of(latency))
			f.add("o_s", quantity.DimTime, logP.Of(sendOverhead))
			f.add("o_r", quantity.DimTime, logP.Of(receiveOverhead))
		} else {
			f.add("o_s + L + o_r", quantity.DimTime, logP.Of(latency))
		}
		f.add("g", quantity.DimTime, logP.Of(gapTime))
		perByte := p.Of(func(l model.LogGP) float64 { return float64(l.GapPerByte) })
		f.add("G", quantity.DimInverse, perByte)
		if len(r.Protocols) > 1 {
			for j := range f.All[before:] {
				of := &f.All[before+j]
				of.From, of.To = p.From, p.To
			}
		}
		intervals := logPIntervals(logP)
		intervals["G"] = perByte
		f.saved = append(f.saved, savedRange{p.From, p.To, &p.Value, intervals})
	}
	f.warned = r.Warnings
	return f, append(notes, list.Map(r.Warnings, remark.Warned)...), nil
}

// usedOnly returns the sources without those at the indices unused, so that no row or title names
// them, and a note on which these are.
func usedOnly(sources []benchmarks.Source, unused []int) (
	used []benchmarks.Source, notes []remark.Note) {

	var rest []benchmarks.Source
	for i, s := range sources {
		if slices.Contains(unused, i) {
			rest = append(rest, s)
		} else {
			used = append(used, s)
		}
	}
	if len(rest) > 0 {
		notes = append(notes, remark.NotUsed(benchmarks.Names(rest)))
	}
	return used, notes
}

// logP fits the LogP signature (HP-LAM §4.2; Culler et al. 1996): intervals of bursts
// over their length and the computation Δ between requests. rtt is the round trip in
// µs, from which L is what remains after both overheads; 0 if it is not known.
func logP(sources []benchmarks.Source, rtt quantity.Micros) (
	f *Parameters, notes []remark.Note, err error) {

	// Files of a signature often have other tables too, such as the latency; they are
	// no mistake. Two signatures are: the parameters would be of two runs or
	// machines.
	f = &Parameters{model: "logp"}
	f.sources = slices.DeleteFunc(slices.Clone(sources), func(s benchmarks.Source) bool {
		return s.Table.Kind != benchfile.Interval
	})
	if len(f.sources) != 1 {
		err := fmt.Errorf("%s: %d signatures; the model logp is fitted to one table of burst, "+
			"delta and interval; latencies and gaps by size are fitted with the model loggp",
			benchmarks.Names(sources), len(f.sources))
		return nil, nil, usage.Fields(err, "model")
	}
	r, err := fit.LogP(f.sources[0].Table, rtt)
	if err != nil {
		return nil, nil, err
	}
	if err := r.PingPong(rtt); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", f.sources[0].Table.Name(), err)
	}
	f.add("o_s", quantity.DimTime, r.Of(sendOverhead))
	f.add("o_r", quantity.DimTime, r.Of(receiveOverhead))
	f.add("L", quantity.DimTime, r.Of(latency))
	f.add("g", quantity.DimTime, r.Of(gapTime))
	f.saved = []savedRange{{model: &r.Value, intervals: logPIntervals(r.Estimate)}}
	f.warned = r.Warnings
	return f, list.Map(r.Warnings, func(w string) remark.Note {
		return remark.Warned(strings.Replace(w, "(rtt)", "(--rtt)", 1))
	}), nil
}

// Made has a layer of LogP or LogGP, or one for each protocol and a switch
// between them. The model's name is that of the layer. Measured latencies go along: from their
// distance to the parameters, predictions have intervals.
func (f *Parameters) Made() (p platforms.Platform, remarks string, err error) {
	from := strings.Join(list.Map(f.sources, func(s benchmarks.Source) string {
		return s.Place() + s.Dated()
	}), ", ")
	p = platforms.Platform{Title: "fit of " + benchmarks.Names(f.sources)}
	l := platforms.Layer{Name: "fit", Source: from, Note: strings.Join(f.warned, ". "),
		Measured: f.latencies()}
	if len(f.saved) == 1 {
		l.Model, p.Params = f.saved[0].model, f.saved[0].within(l.Name)
		p.Layers = []platforms.Layer{l}
		return p, "", nil
	}
	var branches []model.Branch
	var parts []platforms.Layer
	for i, r := range f.saved {
		name := fmt.Sprintf("fit-protocol-%d", i+1)
		branches = append(branches, model.Branch{Name: name, UpTo: r.to, Layer: r.model})
		parts = append(parts, platforms.Layer{Name: name, Model: r.model,
			Source: fmt.Sprintf("%s, sizes from %s to %s", from, r.from, r.to)})
		p.Params = append(p.Params, r.within(name)...)
	}
	l.Model = &model.Switch{Branches: branches}
	p.Layers = append([]platforms.Layer{l}, parts...)
	return p, "", nil
}

// within returns the intervals as those of a layer's parameters.
func (r savedRange) within(layer string) (all []platforms.Param) {
	for key, in := range r.intervals {
		all = append(all, platforms.Param{Path: "layer." + layer + "." + key,
			PlusMinus: platforms.HalfWidth(in)})
	}
	return all
}

// latencies returns the measured one-way times behind the parameters; nil if there are none.
func (f *Parameters) latencies() *platforms.Measured {
	for _, c := range f.Lines {
		layer, err := c.Layer()
		if c.Kind == benchfile.OneWay && err == nil && layer.Measured != nil {
			points := *layer.Measured
			points.Source = c.Place() + c.Dated()
			return &points
		}
	}
	return nil
}
