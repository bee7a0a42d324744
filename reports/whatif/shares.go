package whatif

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/study"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// Shares returns the shares of parameters in the costs of n bytes, n ≥ 1, in the order of the
// file. They add up to the one-way time and to the gap, but for a part in 10¹². Parameters that
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
func (d Design) Shares(n quantity.Bytes) ([]study.Share, error) {
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
	shares := make([]study.Share, len(leaves))
	for i, v := range values {
		shares[i] = study.Share{Path: leaves[i].Path, Owner: names[i]}
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
		shares[i].OneWay = share(v, oneWay, step)
		shares[i].Gap = share(v, gap, step)
	}
	// Equally slow ways both claim what they share.
	m := d.Layer.Model
	divide(shares, func(s *study.Share) *quantity.Micros { return &s.OneWay }, m.OneWay(n))
	divide(shares, func(s *study.Share) *quantity.Micros { return &s.Gap }, m.Gap(n))
	return shares, nil
}

// share returns v·∂T/∂v, given the times of v less a step and of v more a step, as parts of v. The
// derivative by a time is the number of packets on the slowest way, and by an inverse bandwidth
// their bytes: whole numbers, or halves where two ways are equally slow. A difference quotient
// within its rounding of one of them is that.
func share(v float64, times [2]quantity.Micros, step float64) quantity.Micros {
	quotient := float64(times[1]-times[0]) / (2 * step)
	slope := quotient / v
	whole := math.Round(2*slope) / 2
	// Each of the times is rounded in a few operations, by 10⁻¹⁶ of it.
	rounding := 1e-15*math.Abs(float64(times[1])/(step*v)) + 1e-9*math.Abs(whole)
	if math.Abs(slope-whole) < min(rounding, 0.01) {
		return quantity.Micros(v * whole)
	}
	return quantity.Micros(quotient)
}

// divide scales parts so that their sum is the whole. Unless they have that sum, they are rounded
// to the eighth decimal below the leading digit of the whole: the difference quotients have errors
// of some 10⁻¹⁰ of it, so the digits beyond are noise. What rounding leaves is the largest part's.
func divide(shares []study.Share, part func(*study.Share) *quantity.Micros, whole quantity.Micros) {
	var sum quantity.Micros
	for i := range shares {
		sum += *part(&shares[i])
	}
	if sum == 0 || math.Abs(float64(sum-whole)) <= 1e-12*float64(whole) {
		return
	}
	digits := math.Pow(10, 8-math.Floor(math.Log10(float64(whole))))
	left, largest := whole, part(&shares[0])
	for i := range shares {
		p := part(&shares[i])
		*p = quantity.Micros(math.Round(float64(*p*(whole/sum))*digits) / digits)
		if left -= *p; *p > *largest {
			largest = p
		}
	}
	*largest = quantity.Micros(math.Round(float64(*largest+left)*1e6*digits) / (1e6 * digits))
}

// Owners returns the shares of n bytes, n ≥ 1, added up by owner, in the order of the
// file. Path is empty. A stage's β and τ are one owner: it is the stage that is slow.
func (d Design) Owners(n quantity.Bytes) ([]study.Share, error) {
	shares, err := d.Shares(n)
	var owners []study.Share
	for _, s := range shares {
		i := slices.IndexFunc(owners, func(o study.Share) bool { return o.Owner == s.Owner })
		if i < 0 {
			i = len(owners)
			owners = append(owners, study.Share{Owner: s.Owner})
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

// limits returns the owners of the time behind the quantity, the largest first.
func (d Design) limits(q Quantity) (owners []study.Share, err error) {
	if q.call != nil {
		owners, err = q.call.Limits(d.Costs())
	} else {
		owners, err = d.Owners(max(q.Size, 1))
	}
	slices.SortStableFunc(owners, func(a, b study.Share) int {
		return cmp.Compare(q.Part(b), q.Part(a))
	})
	return owners, err
}

// Part returns the owner's part of the quantity.
func (q Quantity) Part(s study.Share) quantity.Micros {
	if q.Kind.Stream {
		return s.Gap
	}
	return s.OneWay
}

// partOf returns the share of owner i in the quantity; 0 of nothing.
func partOf(owners []study.Share, q Quantity, i int) float64 {
	var sum quantity.Micros
	for _, o := range owners {
		sum += q.Part(o)
	}
	if sum == 0 {
		return 0
	}
	return float64(q.Part(owners[i]) / sum)
}
