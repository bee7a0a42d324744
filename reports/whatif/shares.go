package whatif

import (
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/reports/predict"
)

// Shares returns the shares of parameters in the costs of n bytes, n ≥ 1, in the order of the
// file. They add up to the one-way time and to the gap, but for a part in 10⁸. Parameters that
// cost nothing at n are included, with zeros.
//
// One-way time and gap are homogeneous functions of the times and inverse bandwidths in a model: if
// all are twice as large, so is the cost. So by Euler's theorem, with the packets kept as they are,
//
//	T = Σ_i p_i·∂T/∂p_i
//
// Where: p_i = a time or an inverse bandwidth of the model; p_i·∂T/∂p_i = its share in µs. In
// a pipeline that is the time along the slowest way through stages and packets. Where several ways
// are equally slow they share.
func (d Design) Shares(n quantity.Bytes) ([]Share, error) {
	d.Ranks = false // a message has the parameters of its layer alone
	// The times and inverse bandwidths that stand in the model itself, not the constants behind
	// them.
	leaves := slices.DeleteFunc(d.Uses(), func(p platforms.Param) bool { return !p.Measure.Cost() })
	prog, values := d.Compile(leaves...)
	// A cost is linear in each of them near its value, so a central difference has no error but
	// that of rounding: about 10⁻¹⁶/10⁻⁶ of the cost.
	const step = 1e-6
	for i, v := range values { // before freezing, since Set does not check a frozen layer
		for _, factor := range []float64{1 - step, 1 + step, 1} {
			values[i] = v * factor
			if !prog.Set(values...) {
				return nil,
					fmt.Errorf("%s: %s is at the limit of its possible values, so its share "+
						"cannot be computed", leaves[i].Path, leaves[i].Text)
			}
		}
	}
	l := prog.Layer()
	model.Freeze(l, n)
	// From here on the packets and branches are those of n bytes: a share must not
	// contain what another plan would save.
	names := ownerNames(leaves)
	shares := make([]Share, len(leaves))
	for i, v := range values {
		shares[i] = Share{Path: leaves[i].Path, Owner: names[i]}
		if v == 0 {
			continue
		}
		var oneWay, gap [2]quantity.Micros
		for k, factor := range []float64{1 - step, 1 + step} {
			values[i] = v * factor
			prog.Set(values...) // false says nothing of a frozen layer; its values are possible
			oneWay[k], gap[k] = l.OneWay(n), l.Gap(n)
		}
		values[i] = v
		shares[i].OneWay, shares[i].Gap = (oneWay[1]-oneWay[0])/(2*step), (gap[1]-gap[0])/(2*step)
	}
	var oneWay, gap quantity.Micros
	for _, s := range shares {
		oneWay, gap = oneWay+s.OneWay, gap+s.Gap
	}
	for i := range shares { // divides what equally slow ways both claim
		shares[i].OneWay = scaledShare(shares[i].OneWay, oneWay, d.Layer.Model.OneWay(n))
		shares[i].Gap = scaledShare(shares[i].Gap, gap, d.Layer.Model.Gap(n))
	}
	return shares, nil
}

// scaledShare returns whole·share/sum, rounded to 10⁻⁸ of the whole. The difference
// quotients have errors of some 10⁻¹⁰ of the cost, so the digits beyond are noise.
func scaledShare(share, sum, whole quantity.Micros) quantity.Micros {
	if sum == 0 {
		return 0
	}
	return quantity.Micros(math.Round(float64(share/sum)*1e8)/1e8) * whole
}

// Owners returns the shares of n bytes, n ≥ 1, added up by owner, in the order of the
// file. Path is empty. A stage's β and τ are one owner: it is the stage that is slow.
func (d Design) Owners(n quantity.Bytes) ([]Share, error) {
	shares, err := d.Shares(n)
	var owners []Share
	for _, s := range shares {
		i := slices.IndexFunc(owners, func(o Share) bool { return o.Owner == s.Owner })
		if i < 0 {
			i = len(owners)
			owners = append(owners, Share{Owner: s.Owner})
		}
		owners[i].OneWay += s.OneWay
		owners[i].Gap += s.Gap
	}
	return owners, err
}

// ownerNames names the owner of each leaf: its stage, or its symbol, behind the name
// of its layer if parameters of several layers are among them, whose symbols are
// alike.
func ownerNames(leaves []platforms.Param) []string {
	layers := map[string]bool{}
	for _, p := range leaves {
		if p.Table == "layer" {
			layers[p.Owner] = true
		}
	}
	names := make([]string, len(leaves))
	for i, p := range leaves {
		switch {
		case p.Table == "stage":
			names[i] = p.Owner
		case len(layers) > 1 || len(layers) < len(leaves) && p.Symbol == "β" || p.Symbol == "τ":
			names[i] = p.Owner + " " + p.Symbol
		default:
			names[i] = p.Symbol
		}
	}
	return names
}

// OwnerRows lists which stage or parameter owns how much of the one-way time and of the gap of
// messages of these sizes.
func OwnerRows(d Design, sizes []quantity.Bytes) (reports.Rows, error) {
	type owned struct {
		Share
		size        quantity.Bytes
		oneWay, gap float64 // percent
	}
	gap := model.HasGap(d.Layer.Model)
	var all []owned
	for _, n := range sizes {
		owners, err := d.Owners(n)
		if err != nil {
			return reports.Rows{}, err
		}
		for _, s := range owners {
			o := owned{s, n, 100 * float64(s.OneWay/d.Layer.Model.OneWay(n)),
				100 * float64(s.Gap/d.Layer.Model.Gap(n))}
			if math.Abs(o.oneWay) >= leastListed || math.Abs(o.gap) >= leastListed {
				all = append(all, o)
			}
		}
	}
	rows := reports.TableOf(all,
		reports.Col("platform", "", func(owned) any { return d.Platform.Name }),
		reports.Col("layer", "", func(owned) any { return d.Layer.Name }),
		reports.Col("size_bytes", "size", func(o owned) any { return o.size }),
		reports.Col("owner", "component", func(o owned) any { return o.Owner }),
		reports.Col("one_way_us", "of one way", func(o owned) any { return o.OneWay }),
		reports.Col("one_way_percent", "share",
			func(o owned) any { return o.oneWay }).Texted(reports.PercentShare),
		reports.Col("gap_us", "of gap", func(o owned) any { return reports.OrAbsent(o.Gap, gap) }),
		reports.Col("gap_percent", "share", func(o owned) any {
			return reports.OrAbsent(o.gap, gap)
		}).Texted(reports.PercentShare),
	)
	if slices.ContainsFunc(sizes,
		func(n quantity.Bytes) bool { return model.PacketSize(d.Layer.Model, n) < n }) {
		rows.Notes = []string{"Packets wait for the slowest stage, and this time counts as that " +
			"of the stage. If it becomes faster, they wait for the next slowest."}
	}
	if model.LinesOf(d.Layer.Model) != d.Layer.Model {
		rows.Notes = append(rows.Notes,
			"The times are those of the measured curve, the shares those of the fitted lines.")
	}
	if err := d.Layer.GapError(); err != nil {
		rows.Notes = append(rows.Notes, "no gap: "+err.Error())
	}
	return rows, nil
}

// leastListed is the share below which an owner has no row, in percent: it would be
// printed as 0.0 %.
const leastListed = 0.05

// Shares draws which stage or parameter owns how much of the one-way time, or of the gap, over
// sizes of at least 1 byte, with the last size of each branch and the first of the
// next, where shares jump. Owners that never reach half a percent of either cost are
// left out: both drawings then have the same colours.
func Shares(d Design, gap bool, sizes []quantity.Bytes) (reports.Areas, error) {
	if gap {
		if err := d.Layer.GapError(); err != nil {
			return reports.Areas{}, err
		}
	}
	all, marks := predict.Boundaries(d.Layer, sizes)
	a := reports.Areas{
		Title: d.Layer.Ref() + ": where the one-way time goes",
		X:     reports.Axis{Label: "message size", Log: true, Bytes: true},
		Y:     reports.Axis{Label: "part of the one-way time (%)", Max: 100},
		Marks: marks,
	}
	if gap {
		a.Title, a.Y.Label = d.Layer.Ref()+": what keeps the next message waiting",
			"part of the gap (%)"
	}
	most := map[string]float64{} // of each owner in either cost, for equal parts and colours
	for i, n := range all {
		owners, err := d.Owners(n)
		if err != nil {
			return a, err
		}
		a.XS = append(a.XS, float64(n))
		for _, s := range owners {
			k := slices.IndexFunc(a.Parts, func(p reports.AreaPart) bool {
				return p.Name == s.Owner
			})
			if k < 0 {
				k = len(a.Parts)
				a.Parts = append(a.Parts,
					reports.AreaPart{Name: s.Owner, Y: make([]float64, len(all))})
			}
			ofOneWay := 100 * shareOf(s.OneWay, d.Layer.Model.OneWay(n))
			ofGap := 100 * shareOf(s.Gap, d.Layer.Model.Gap(n))
			if a.Parts[k].Y[i] = ofOneWay; gap {
				a.Parts[k].Y[i] = ofGap
			}
			most[s.Owner] = max(most[s.Owner], ofOneWay, ofGap)
		}
	}
	a.Parts = slices.DeleteFunc(a.Parts, func(p reports.AreaPart) bool {
		return most[p.Name] < leastShown
	})
	return a, nil
}

// shareOf returns the share of an owner in a cost, from 0 to 1. Rounding may leave a share just
// below 0, which an area cannot show.
func shareOf(owned, whole quantity.Micros) float64 {
	return max(0, reports.Finite(float64(owned/whole)))
}

// leastShown is the share of an owner, in percent, below which it is too small to see.
const leastShown = 0.5
