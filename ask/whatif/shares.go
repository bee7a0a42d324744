package whatif

import (
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
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
