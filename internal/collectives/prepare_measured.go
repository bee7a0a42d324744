package collectives

import (
	"fmt"
	"math"
	"strings"

	"github.com/halfpeak/halfpeak/internal/study"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// maxScale is the largest factor, either way, between a measured and a simulated time whose ratios
// are used: the errors of [changeError] were seen up to it. Beyond it the simulation lacks, or
// invents, more than the measured time has.
const maxScale = 2

// A changeError is how far the ratio of a collective's times on two networks is from the ratio of
// two simulations, as a logarithm, in 19 of 20 cases:
//
//	least + (grows + apart·|ln(m/s)|)·D
//
// Where: m = the measured time; s = the simulated time of the same network; D = the logarithm of
// the largest factor by which the cost of a message changes.
type changeError struct{ least, grows, apart float64 }

// These errors were seen on SimGrid's clusters of four kinds, whose links got two or four times the
// bandwidth, or half of the latency (internal/evidence/proof -changed). Made from three of the
// kinds, they hold 95 % of the ratios of the fourth, whether the algorithm is named or the library
// chose it. A choice is simulated as the algorithm with the nearest time, which need not be the
// library's, so its ratios are farther off.
var (
	namedError   = changeError{0.04, 0.04, 0.35}
	libraryError = changeError{0.17, 0.17, 0.7}
)

// beyondCosts is how far, as a logarithm, a ratio was beyond the change of all messages' costs:
// times of ranks in step depend on their order.
const beyondCosts = 0.02

// scaled makes the time of a measured call the measured time m in the design with these costs,
// which was simulated in the time given. The interval of a value has that of the measurement and
// that of the ratio of two simulations, which are independent. If messages alone changed, the ratio
// is between 1 and the largest change of a message's cost.
func scaled(call *study.Call, m Timing, simulated quantity.Micros,
	before platforms.Costs) error {
	scale := float64(m.Time / simulated)
	if !(scale <= maxScale && scale >= 1./maxScale) {
		return fmt.Errorf("%s: the simulation takes %s, and the measurements give %s: too far "+
			"apart for a ratio of simulations; calibrate the machine, or ask about a file "+
			"without the measurements", call.Of, simulated, m.Time)
	}
	of := namedError
	if m.Entry.Algorithm == nil {
		of = libraryError
	}
	apart := of.grows + of.apart*math.Abs(math.Log(scale))
	run := call.Run
	call.Run = func(c platforms.Costs, parts bool) (study.Finished, error) {
		f, err := run(c, parts)
		f.Time = quantity.Micros(float64(f.Time) * scale)
		for i := range f.Parts {
			f.Parts[i].OneWay = quantity.Micros(float64(f.Parts[i].OneWay) * scale)
		}
		return f, err
	}
	// halves are the half widths of the ratio, as logarithms.
	halves := func(after platforms.Costs, v float64) (low, high float64) {
		ratio := math.Log(v / float64(m.Time))
		fastest, slowest, alone := messageChange(before, after, m.Cell)
		half := of.least + apart*max(-fastest, slowest, math.Abs(ratio))
		if !alone {
			return half, half
		}
		return min(half, max(0, ratio-fastest)+beyondCosts),
			min(half, max(0, slowest-ratio)+beyondCosts)
	}
	call.Ratio = func(after platforms.Costs, v float64) quantity.Interval {
		low, high := halves(after, v)
		ratio := v / float64(m.Time)
		return quantity.Interval{Value: ratio, Low: ratio * math.Exp(-low),
			High: ratio * math.Exp(high)}
	}
	call.Within = func(after platforms.Costs, v float64) quantity.Interval {
		low, high := halves(after, v)
		end := func(measured, sign, half float64) float64 {
			return v * math.Exp(sign*math.Hypot(math.Log(measured/float64(m.Time)), half))
		}
		return quantity.Interval{Value: v, Low: end(m.Within.Low, -1, low),
			High: end(m.Within.High, 1, high)}
	}
	return nil
}

// callOf returns a call with its names. like precedes an algorithm that stands for one not known
// here.
func (calls Calls) callOf(c Cell, like string) study.Call {
	name := c.Name
	of := name
	// The name of the quantity does not change with the choices of a library.
	if calls.Algorithm == "" {
		name = "default"
	}
	// The quantity is of no single algorithm: which one finishes first depends on the design.
	if calls.Algorithm == "best" {
		of = calls.Algorithm
		if like != "" {
			of = like + " " + name
		} else {
			c.Call.Segment = 0
		}
		name = calls.Algorithm
	}
	size := c.Size().String()
	call := study.Call{
		Name: fmt.Sprintf("%s_%s_%d_%s", study.Finish, name, c.Ranks, size),
		Of: fmt.Sprintf("%s %s, %s, %s", c.Collective, of, quantity.Plural(c.Ranks, "rank"),
			size),
	}
	if segment := quantity.Bytes(c.Call.Segment); segment > 0 {
		call.Of += " in segments of " + segment.String()
		call.Name += "_" + segment.String()
	}
	call.Name = strings.ReplaceAll(call.Name, " ", "")
	return call
}

// messageChange returns the logarithms of the smallest and of the largest factor by which the costs
// of a call's messages change: their times, gaps, and what they occupy; at most 0 and at least 0.
// alone is false if something else changes too, such as the number of nodes.
func messageChange(before, after platforms.Costs, c Cell) (fastest, slowest float64, alone bool) {
	was, is := levelsOf(before), levelsOf(after)
	if len(was) != len(is) || before.Copy != after.Copy || before.Combine != after.Combine {
		return 0, 0, false
	}
	largest := c.Size() * quantity.Bytes(c.Ranks) // as the last message of an allgather
	for i := range was {
		if numbersOf(was[i]) != numbersOf(is[i]) {
			return 0, 0, false
		}
		for _, n := range []quantity.Bytes{1, c.Size(), largest} {
			a, b := messageCosts(was[i], max(n, 1)), messageCosts(is[i], max(n, 1))
			for k := range a {
				if a[k] > 0 && b[k] > 0 {
					change := math.Log(float64(b[k] / a[k]))
					fastest, slowest = min(fastest, change), max(slowest, change)
				}
			}
		}
	}
	return fastest, slowest, true
}

// levelsOf returns the levels of the costs; a layer alone is one.
func levelsOf(c platforms.Costs) []machine.Level {
	if len(c.Machine.Levels) == 0 {
		return []machine.Level{{Layer: c.Layer}}
	}
	return c.Machine.Levels
}

// numbersOf returns the numbers of a level that no message's cost has.
func numbersOf(l machine.Level) [10]float64 {
	return [...]float64{float64(l.Arity), l.Lanes, l.Ports, float64(l.Routes), float64(l.Direct),
		float64(l.Packet), float64(l.Overlap), l.Reverse, float64(l.Eager), float64(l.Deferred)}
}

// messageCosts returns the times that a message of n bytes takes at a level.
func messageCosts(l machine.Level, n quantity.Bytes) []quantity.Micros {
	c := l.Cost(n)
	inside, port, _ := l.Occupies(n, c, 0)
	all := []quantity.Micros{c.Send + c.Latency + c.Serialization + c.Receive, c.Gap,
		inside.Each, port.Each, l.Hop}
	for _, layer := range []model.Layer{l.Link, l.Local, l.Global, l.Hops} {
		if layer != nil {
			all = append(all, layer.OneWay(n))
		}
	}
	return all
}
