package whatif

import (
	"fmt"
	"slices"

	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports"
)

// An Answer is the cost of a message of one size in a design.
type Answer struct {
	Size        quantity.Bytes
	OneWay, Gap quantity.Micros
	Bandwidth   quantity.MBps
	BestPacket  quantity.Bytes // the best equal packets of the pipeline in use; 0: no pipeline
	// the stage or parameter that owns most of the gap; see [Design.Shares]
	Bottleneck string
}

// At returns the costs of a message of n bytes, n ≥ 1.
func (d Design) At(n quantity.Bytes) (Answer, error) {
	l := d.Layer.Model
	a := Answer{Size: n, OneWay: l.OneWay(n), Gap: l.Gap(n), Bandwidth: model.Bandwidth(l, n),
		BestPacket: model.BestPacket(l, n)}
	owners, err := d.Owners(n)
	most := quantity.Micros(0)
	for _, o := range owners {
		if o.Gap > most {
			a.Bottleneck, most = o.Owner, o.Gap
		}
	}
	return a, err
}

// A Contrast is a design before and after parameters changed.
type Contrast struct {
	Before, After   Design
	Peak, PeakAfter platforms.Peak
	Costs           []contrastedCost
}

// A contrastedCost is the cost of a message of one size before and after.
type contrastedCost struct{ Before, After Answer }

// Contrasted compares two designs at sizes of at least 1 byte.
func Contrasted(before, after Design, sizes []quantity.Bytes) (*Contrast, error) {
	c := &Contrast{Before: before, After: after, Peak: before.Peak(), PeakAfter: after.Peak()}
	for _, n := range sizes {
		a, err := before.At(n)
		if err != nil {
			return nil, err
		}
		b, err := after.At(n)
		if err != nil {
			return nil, err
		}
		c.Costs = append(c.Costs, contrastedCost{a, b})
	}
	return c, nil
}

// Rows returns the table of the costs before and after.
func (c *Contrast) Rows(units quantity.UnitChoice) reports.Rows {
	type cost = contrastedCost
	half := func(p platforms.Peak) any { return reports.OrAbsent(p.Half, p.Exists && p.Known) }
	top := func(p platforms.Peak) any { return reports.OrAbsent(p.Asymptote, p.Known) }
	changes := func(name, head, unit string, dim quantity.Dimension, rank int,
		of func(Answer) float64) []reports.Field[cost] {
		return []reports.Field[cost]{
			reports.Col("", head,
				func(r cost) any {
					return reports.Change{Dim: dim, From: of(r.Before), To: of(r.After)}
				}).Ranked(rank),
			reports.Col(name+"_before"+unit, "", func(r cost) any { return of(r.Before) }),
			reports.Col(name+"_after"+unit, "", func(r cost) any { return of(r.After) }),
			reports.Col(name+"_change_percent", "", func(r cost) any {
				return 100 * (of(r.After)/of(r.Before) - 1)
			}),
		}
	}
	rows := reports.TableOf(c.Costs, slices.Concat([]reports.Field[cost]{
		reports.Col("platform", "", func(cost) any { return c.Before.Platform.Name }),
		reports.Col("layer", "", func(cost) any { return c.Before.Layer.Name }),
		reports.Col("size_bytes", "size", func(r cost) any { return r.Before.Size }),
	},
		changes("one_way", "one way", "_us", quantity.DimTime, 0, func(a Answer) float64 {
			return float64(a.OneWay)
		}),
		changes("gap", "gap", "_us", quantity.DimTime, 1, func(a Answer) float64 {
			return float64(a.Gap)
		}),
		changes("bandwidth", "bandwidth", "_mb_s", quantity.DimRate, 2, func(a Answer) float64 {
			return float64(a.Bandwidth)
		}),
		[]reports.Field[cost]{
			reports.Col("", "best packet", func(r cost) any {
				if r.Before.BestPacket == 0 {
					return nil
				}
				return reports.Change{Dim: quantity.DimSize, From: float64(r.Before.BestPacket),
					To: float64(r.After.BestPacket)}
			}).Ranked(4),
			reports.Col("best_packet_before_bytes", "", func(r cost) any {
				return reports.OrAbsent(r.Before.BestPacket, r.Before.BestPacket > 0)
			}),
			reports.Col("best_packet_after_bytes", "", func(r cost) any {
				return reports.OrAbsent(r.After.BestPacket, r.Before.BestPacket > 0)
			}),
			reports.Col("", "bottleneck", func(r cost) any {
				if r.Before.Bottleneck == r.After.Bottleneck {
					return r.After.Bottleneck
				}
				return r.Before.Bottleneck + " → " + r.After.Bottleneck
			}).Ranked(3),
			reports.Col("bottleneck_before", "", func(r cost) any { return r.Before.Bottleneck }),
			reports.Col("bottleneck_after", "", func(r cost) any { return r.After.Bottleneck }),
			reports.Col("n_half_before_bytes", "", func(cost) any { return half(c.Peak) }),
			reports.Col("n_half_after_bytes", "", func(cost) any { return half(c.PeakAfter) }),
			reports.Col("r_inf_before_mb_s", "", func(cost) any { return top(c.Peak) }),
			reports.Col("r_inf_after_mb_s", "", func(cost) any { return top(c.PeakAfter) }),
		})...)
	rows.Notes = changeNotes(c.After)
	was, is := c.Peak.Text(units), c.PeakAfter.Text(units)
	if was != is {
		is = was + " → " + is
	}
	rows.Notes = append(rows.Notes, c.Before.Layer.Ref()+": "+is)
	return rows
}

// ContrastedTimes returns the table of quantities that are times, before and after.
func ContrastedTimes(before, after Design, quantities []Quantity) reports.Rows {
	type change struct {
		Quantity
		reports.Change
	}
	all := list.Map(quantities, func(q Quantity) change {
		return change{q,
			reports.Change{Dim: q.dim(), From: q.ofLayer(before.Layer.Model),
				To: q.ofLayer(after.Layer.Model)}}
	})
	rows := reports.TableOf(all,
		reports.Col("platform", "", func(change) any { return before.Platform.Name }),
		reports.Col("layer", "", func(change) any { return before.Layer.Name }),
		reports.Col("quantity", "quantity", func(c change) any { return c.title() }),
		reports.Col("", "time", func(c change) any { return c.Change }),
		reports.Col("before_us", "", func(c change) any { return c.From }),
		reports.Col("after_us", "", func(c change) any { return c.To }),
		reports.Col("change_percent", "", func(c change) any { return 100 * (c.To/c.From - 1) }),
	)
	rows.Notes = changeNotes(after)
	return rows
}

func changeNotes(d Design) []string {
	return list.Map(d.Changes, func(c platforms.Assignment) string {
		return fmt.Sprintf("%s: %s → %s", c.Path, c.From, c.To)
	})
}
