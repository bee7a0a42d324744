//go:build !js

package whatif

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/halfpeak/halfpeak/internal/study"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/table"
)

// A Target is a condition on a quantity: "bandwidth(4KiB) >= 100MB/s". Strict and
// weak inequalities are one, since a real number has no next one.
type Target struct {
	Quantity Quantity
	Least    bool    // the quantity is to be at least Value; else at most
	Value    float64 // in µs and bytes
}

// String returns the target in words that [Design.ParseTarget] reads.
func (t Target) String() string {
	return fmt.Sprintf("%s %s %s", t.Quantity, t.relation(), t.Quantity.Value(t.Value).Fixed())
}

func (t Target) relation() string {
	if t.Least {
		return ">="
	}
	return "<="
}

// met reports whether v meets the target; NaN never does.
func (t Target) met(v float64) bool { return t.lacks(v) <= 0 }

// lacks returns by how much v misses the target, at most 0 if it meets it.
func (t Target) lacks(v float64) float64 {
	if t.Least {
		return t.Value - v
	}
	return v - t.Value
}

// ParseTarget reads a quantity, >= or <=, and a formula of the design's own
// parameters and predictions: "rtt(16B) <= rtt(16B)/2" asks for half of the present
// round-trip time. With = the present value has to cross the target, so a user need
// not know on which side it is.
func (d Design) ParseTarget(text string) (Target, error) {
	t, err := d.parseTarget(text)
	if err != nil {
		err = fmt.Errorf("%s: %w", text, err)
	}
	return t, err
}

func (d Design) parseTarget(text string) (Target, error) {
	i := strings.IndexAny(text, "<>=")
	if i < 0 {
		if len(d.Calls) > 0 {
			return Target{}, fmt.Errorf(`no condition; write it as "%s <= 100us"`, d.Calls[0].Name)
		}
		return Target{}, errors.New(`no condition; write it as "bandwidth(4KiB) >= 100MB/s"`)
	}
	relation, right := text[i:i+1], text[i+1:]
	right = strings.TrimPrefix(right, "=")
	q, err := d.parseQuantity(text[:i])
	if err != nil {
		return Target{}, err
	}
	now, err := d.ValueOf(q)
	if err != nil {
		return Target{}, err
	}
	var known []platforms.Known
	if q.call != nil {
		known = append(known, platforms.Known{Name: q.Name, Value: q.Value(now)})
	}
	v, err := d.Layer.Eval(strings.TrimSpace(right), q.Size, known...)
	if err != nil {
		return Target{}, err
	}
	// A plain size is in bytes.
	if v.Dim == quantity.DimNone && q.Kind.Dim == quantity.DimSize {
		v.Dim = quantity.DimSize
	}
	if v.Dim != q.Kind.Dim {
		if err := v.Check(q.Kind.Dim); err != nil && v.Dim == quantity.DimNone {
			return Target{}, fmt.Errorf("%q has %w", strings.TrimSpace(right), err)
		}
		return Target{}, fmt.Errorf("%s %w", q.Name, v.Check(q.Kind.Dim))
	}
	t := Target{Quantity: q, Least: relation == ">", Value: v.Num}
	if relation == "=" {
		t.Least = now < v.Num
	}
	return t, nil
}

// A Solution is the change of a parameter that reaches a target, or comes closest.
// Both are answers: that no NIC helps is worth knowing.
type Solution struct {
	Param platforms.Param
	Now   float64 // the quantity as it is

	// Value is the value nearest to the parameter's own that meets the target, and At the quantity
	// there. If Reached is false no value meets it, and Value comes closest. Met says that the
	// parameter's own value meets the target; then From and To bound the values that still meet it,
	// ±Inf if unbounded.
	Reached, Met bool
	Value, At    float64
	From, To     float64

	// Limits are the owners of the one-way time, or of the gap if the quantity is of a stream, at
	// Value, the largest first.
	Limits []study.Share
}

func (s Solution) Text(v float64) string {
	return quantity.Value{Num: v, Dim: s.Param.Value.Dim}.String()
}

// The steps of a search away from a parameter, as logarithms to base 2 of the factors of its value:
// up to about a millionfold. A cost that is a millionth of itself is as good as gone. Each value of
// a [study.Call] takes a simulation, so its far steps are long.
var (
	fineSteps = sixteenths(20)
	callSteps = []float64{1, 2, 3, 4, 6, 8, 12, 16, 20}
)

func sixteenths(most int) (all []float64) {
	for k := range 16 * most {
		all = append(all, float64(k+1)/16)
	}
	return all
}

// allWhole is how far from its own value a search tries every whole value of a parameter: packets
// are seldom larger, and that many predictions take some milliseconds.
const allWhole = 1 << 16

// solve returns the [Solution] of one parameter for a quantity that is now as it is, see
// [TargetQuestion].
func (d Design) solve(t Target, now float64, r Range) (Solution, error) {
	p, from, to := r.Param, r.From, r.To
	known := map[float64]float64{p.Value.Num: now}
	s := Solution{Param: p, Now: now, From: math.Inf(-1), To: math.Inf(1)}
	if p.Whole() && p.Value.Num == 0 { // a word for the packet: begin at its size
		p.Value.Num = float64(model.PacketSize(d.Layer.Model, max(t.Quantity.Size, 1)))
	}
	prog, _ := d.Compile(p)
	at := func(v float64) float64 {
		q, is := known[v]
		if !is {
			q = math.NaN()
			if prog.Set(v) {
				q = t.Quantity.In(prog.Costs())
			}
			known[v] = q
		}
		return q
	}
	s.Met = t.met(s.Now)
	steps := fineSteps
	if t.Quantity.call != nil {
		steps = callSteps
	}
	flips, best := flipsOf(t, s, at, candidates(p, from, to, steps), p)
	for side, v := range flips {
		// A parameter outside of the range was searched from there; a target that it meets is
		// met up to the flip itself.
		if from < to && !s.Met && !math.IsInf(v, 0) {
			flips[side] = min(max(v, from), to)
		}
	}
	low, high := flips[0], flips[1]
	// The nearer of the two flips is the smaller change of the design, in absolute
	// terms.
	switch now := p.Value.Num; {
	case s.Met:
		s.Reached, s.Value, s.From, s.To = true, now, low, high
	case math.IsInf(low, 0) && math.IsInf(high, 0):
		s.Value = best
	case high-now < now-low:
		s.Reached, s.Value = true, high
	default:
		s.Reached, s.Value = true, low
	}
	s.At = at(s.Value)
	// The owners of the time at the solution tell what limits next.
	there, err := d.Design.With(platforms.Change{Path: p.Path, Text: s.Text(s.Value),
		Value: quantity.Value{Num: s.Value, Dim: p.Value.Dim}})
	if err != nil {
		return s, err
	}
	s.Limits, err = Design{there, d.Calls}.limits(t.Quantity)
	return s, err
}

// flipsOf returns the nearest values below and above the parameter's own at which the
// target begins or ceases to be met, ∓Inf if it never does, and the value that comes
// closest. Impossible values end a direction: behind them is another layer.
func flipsOf(t Target, s Solution, at func(float64) float64, sides [2][]float64,
	p platforms.Param) (flips [2]float64, best float64) {
	best, bestAt := p.Value.Num, s.Now
	isCall := t.Quantity.call != nil
	flips = [2]float64{math.Inf(-1), math.Inf(1)}
	for side, values := range sides {
		last := p.Value.Num
		for _, v := range values {
			q := at(v)
			if math.IsNaN(q) {
				break
			}
			if t.Least && q > bestAt || !t.Least && q < bestAt {
				best, bestAt = v, q
			}
			if t.met(q) == s.Met {
				// A time that has doubled in the wrong direction is on the wrong side.
				if last = v; isCall && !s.Met && t.lacks(q)-t.lacks(s.Now) > s.Now {
					break
				}
				continue
			}
			if isCall && !p.Counted() {
				lacks := func(x float64) float64 { return t.lacks(at(x)) }
				flips[side] = interpolated(last, v, lacks)
			} else {
				flips[side] = bisect(last, v, p.Counted(), func(x float64) bool {
					return t.met(at(x)) != s.Met
				})
			}
			if v == 0 && math.Abs(flips[side]) < 1e-9*math.Abs(p.Value.Num) {
				flips[side] = 0 // less than rounding leaves of the other costs
			}
			break
		}
	}
	return flips, best
}

// candidates returns values below and above the parameter's own, the nearest first,
// within the range if from < to. A parameter of 0 has no multiple, so values begin at
// 10⁻⁶ µs or bytes. The ends of a range are tried exactly.
func candidates(p platforms.Param, from, to float64, steps []float64) (sides [2][]float64) {
	if from >= to {
		from, to = 0, math.Inf(1)
	}
	now := p.Value.Num
	start := cmp.Or(now, 1e-6) // of a µs, or of a byte
	for side, ends := range [2][2]float64{{to, from}, {from, to}} {
		sign, values := float64(2*side-1), &sides[side]
		// Rounding of whole parameters gives equal neighbours, and steps may leave
		// the range.
		add := func(v float64) {
			last := len(*values) - 1
			if sign*(v-now) > 0 && from <= v && v <= to && (!p.Counted() || v >= 1) &&
				(last < 0 || sign*(v-(*values)[last]) > 0) {
				*values = append(*values, v)
			}
		}
		add(ends[0])                     // the nearest end, if the parameter is outside
		if p.Counted() && steps[0] < 1 { // between two sizes of packets the time is a sawtooth
			for v := now + sign; v >= 1 && math.Abs(v-now) <= allWhole; v += sign {
				if sign*(v-ends[1]) >= 0 {
					break
				}
				add(v)
			}
		}
		for _, k := range steps {
			v := start * math.Exp2(sign*k)
			if p.Counted() {
				v = math.Round(v)
			}
			if sign*(v-ends[1]) >= 0 {
				break
			}
			add(v)
		}
		if !math.IsInf(ends[1], 0) {
			add(ends[1])
		}
	}
	return sides
}

// neededText returns the value that reaches the target, with its relative change. A
// parameter that already meets it gets the range in which it still does.
func neededText(s Solution) string {
	switch {
	case s.Met && s.Param.Path == "":
		return "nothing"
	case s.Met:
		return "met" + rangeText(s)
	case !s.Reached:
		return "none"
	case s.Param.Value.Num > 0:
		return s.Text(s.Value) + ", " + table.PercentChange(s.Value/s.Param.Value.Num-1)
	}
	return s.Text(s.Value)
}

// atBest describes the closest value to a target that a parameter does not reach. A
// value at the end of the search is not printed as a number, since only the search
// chose it.
func atBest(s Solution, result func(float64) string) string {
	at := ", at " + s.Text(s.Value)
	switch now := s.Param.Value.Num; {
	case s.At == s.Now:
		return result(s.Now) + " at any value"
	case s.Value == 0:
		at = ", at 0"
	case s.Value > 1e5*now && now > 0:
		at = ", however large"
	case s.Value < 1e-5*now:
		at = ", however small"
	}
	return result(s.Now) + " → " + result(s.At) + " at best" + at
}

// rangeText gives the range of values that keep a target met.
func rangeText(s Solution) string {
	switch from, to := !math.IsInf(s.From, 0), !math.IsInf(s.To, 0); {
	case from && to:
		return ", down to " + s.Text(s.From) + " and up to " + s.Text(s.To)
	case from:
		return ", down to " + s.Text(s.From)
	case to:
		return ", up to " + s.Text(s.To)
	}
	return " at any value"
}

// bisect returns the value nearest to a, towards b, for which flipped is true;
// flipped is false at a and true at b. Between neighbouring numbers it ends by
// itself; the 200 steps bound the way to zero, where float64 has a thousand more
// halvings that mean nothing.
func bisect(a, b float64, whole bool, flipped func(float64) bool) float64 {
	for range 200 {
		mid := a + (b-a)/2
		if whole {
			mid = math.Trunc(mid)
		}
		if mid == a || mid == b {
			break
		}
		if flipped(mid) {
			b = mid
		} else {
			a = mid
		}
	}
	return b
}

// interpolated returns a value at which lacks has another sign than at a (a value of 0 has that of
// negative ones), within a part in 10⁹ of the nearest one towards b, where the sign is another. It
// is the method ITP (Oliveira and Takahashi, ACM TOMS 47(1), 2020): the secant, moved a little
// towards the middle, and never more than a step behind bisection. A time is nearly linear in a
// cost, so some five values suffice where bisection takes thirty: each may be a simulation.
func interpolated(a, b float64, lacks func(float64) float64) float64 {
	const apart = 1e-9
	ya, yb := lacks(a), lacks(b)
	eps := apart * max(math.Abs(a), math.Abs(b)) / 2
	width := math.Abs(b - a)
	left := eps * math.Exp2(math.Ceil(math.Log2(width/(2*eps)))+1)
	for ; math.Abs(b-a) > 2*eps; left /= 2 {
		middle, secant := a+(b-a)/2, (yb*a-ya*b)/(yb-ya)
		sign := math.Copysign(1, middle-secant)
		at := middle
		if to := 0.2 * (b - a) * (b - a) / width; math.Abs(to) <= math.Abs(middle-secant) {
			at = secant + sign*math.Abs(to)
		}
		if r := left - math.Abs(b-a)/2; !(math.Abs(at-middle) <= r) { // also of NaN
			at = middle - sign*max(r, 0)
		}
		if math.IsNaN(at) || at == a || at == b {
			at = middle
		}
		y := lacks(at)
		if (y <= 0) == (ya <= 0) {
			a, ya = at, y
		} else {
			b, yb = at, y
		}
	}
	return b
}
