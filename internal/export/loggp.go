package export

import (
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// loggopsim writes integers, since the program has no other numbers. Their unit is 1 ns, as for
// calc in GOAL, unless rounding would change a parameter too much.
func loggopsim(f *File, m Machine, s Sizes) error {
	l := m.outer().Layer
	f.loseInnerLevels(m)
	best, off := oneLine(l, s)
	send, receive := l.Overheads(s.From)
	overhead := float64(send+receive) / 2
	if send != receive {
		f.lose("o is the mean of o_s = %s and o_r = %s, also between the messages of a stream",
			send, receive)
	}
	// Of the smallest message, without the part that G charges for its bytes.
	gap := max(float64(interfaceGap(l, s.From))-best.per*float64(s.From-1), 0)
	latency := best.at + best.per - 2*overhead // b = n−1
	// LogGOPSim charges o, L and o in series. A sum above the one-way time would make each message
	// too slow.
	if latency < 0 {
		f.lose("L would be %s: the overheads overlap with the transfer, and are reduced here",
			quantity.Micros(latency))
		overhead, latency = (best.at+best.per)/2, 0
	}
	f.loseCurvature(off, s)
	// LogGOPSim's O, per byte, adds to both overheads, and the line above has the whole time
	// already.
	if send2, receive2 := l.Overheads(s.To); send2+receive2 > send+receive {
		f.lose("O is 0: o_s + o_r grow from %s to %s with the size", send+receive, send2+receive2)
	}
	parameters := []float64{latency, overhead, gap, best.per}
	unit, scale := unitFor(parameters)
	// LogGOPSim holds its parameters in 32 bits with a sign.
	if most := slices.Max(parameters) * scale; most >= 1<<31 {
		return fmt.Errorf("a parameter of %s is more than its 32 bits hold in ns",
			quantity.Micros(most/scale))
	}
	// S is the size from which a message waits for its receive: 2^31-1, so none does.
	f.Text = fmt.Sprintf("-L %.0f -o %.0f -g %.0f -G %.0f -O 0 -S 2147483647\n",
		latency*scale, overhead*scale, gap*scale, best.per*scale)
	if scale != 1e3 {
		f.lose("ns: times are integers, and 1 is %s, also in what LogGOPSim prints: "+
			"multiply calc in GOAL, which is in ns, by %.0f", unit, scale/1e3)
	}
	for i, name := range []string{"L", "o", "g", "G"} {
		// Below it is what floating point leaves of a whole number.
		if r := rounding(parameters[i] * scale); r > 1e-6 {
			f.lose("digits of %s, which is rounded by %s", name, percent(r))
		}
	}
	f.lose("S is above all sizes: the times include the platform's rendezvous, if any")
	return nil
}

// mostRounding is the maximum relative rounding error of a parameter in whole nanoseconds. With
// more, another unit is better, although GOAL's calc has nanoseconds.
const mostRounding = 0.05

// interfaceGap returns the longest time in µs that a message of n bytes occupies a resource
// other than a processor. Processors are covered by o.
func interfaceGap(l model.Layer, n quantity.Bytes) quantity.Micros {
	var gap quantity.Micros
	for _, load := range model.Loads(model.ResourcesOf(l), n) {
		if load.Resource != model.Processor {
			gap = max(gap, load.Busy)
		}
	}
	return gap
}

// unitFor returns the longest unit of time in which all times, in µs, are integers within
// mostRounding, or the shortest unit in which they stay below 10⁹. scale is units per µs.
func unitFor(times []float64) (name string, scale float64) {
	for at, unit := range []string{"1 ns", "100 ps", "10 ps", "1 ps", "100 fs", "10 fs", "1 fs"} {
		largest, worst := 0.0, 0.0
		name, scale = unit, 1e3*math.Pow10(at)
		for _, t := range times {
			largest, worst = max(largest, t*scale), max(worst, rounding(t*scale))
		}
		if worst <= mostRounding || largest*10 >= 1e9 {
			break
		}
	}
	return name, scale
}

// rounding returns the relative error of x as a whole number.
func rounding(x float64) float64 {
	if x == 0 {
		return 0
	}
	return math.Abs(math.Round(x)/x - 1)
}

// codes takes the first row whose size is above a message's, and charges L + (n−1)G and, to both
// NICs, g + (n−1)G (loggp.c, find_params, handle_msg_start_event and handle_msg_ready_event; its
// comment speaks of the next smaller size). The columns of round trips are those that Netgauge
// measures, with 10 messages; see Hoefler et al., Low-Overhead LogGP Parameter Assessment, 2007.
func codes(f *File, m Machine, s Sizes) error {
	const trains = 10
	l := m.outer().Layer
	f.loseInnerLevels(m)
	// A row has one L and one G, so each row is a straight piece of the curve.
	all := doublings(l, pieces(l, s, codesRows), codesRows)
	worst, clamped := 0.0, false
	rows := ""
	for _, p := range all {
		worst = max(worst, p.way.error(l, Sizes{p.from, p.to}))
		n := p.to + 1 // the row serves sizes below its own
		send, receive := l.Overheads(n)
		rtt, gap := 2*float64(l.OneWay(n)), float64(l.Gap(n))
		fixed := p.way.at + p.way.per // b = n−1
		// CODES adds (n-1)G of the one-way line to g, so g corrects for it at the largest size of
		// the row.
		gaps := p.gap(l)
		g := gaps.at + gaps.per + (gaps.per-p.way.per)*float64(p.to-1)
		if g < 0 {
			g, clamped = 0, true
		}
		// The second is paced: each message starts after the round trip of the one before it.
		stream, spaced := rtt+(trains-1)*gap, rtt+(trains-1)*(rtt+float64(send))
		rows += fmt.Sprintf("%.0f %d %s %s %s %s %s %s %s %.9g 0\n",
			float64(n), trains, number(rtt), number(stream), number(spaced), number(fixed),
			number(float64(send)), number(float64(receive)), number(g), p.way.per)
	}
	if worst > tolerance {
		f.lose("the table has at most %d rows: one way is off by up to %s",
			codesRows, percent(worst))
	}
	if clamped {
		f.lose("g + (n−1)G exceeds the gap if messages overlap in the network: " +
			"g cannot be below 0")
	}
	f.lose("CODES charges no overheads: o_s and o_r are in L")
	f.lose("sizes are from %s to %s: a larger message has the cost of the last row", s.From, s.To)
	f.Text = "# size n PRTT(1,0,s) PRTT(n,0,s) PRTT(n,PRTT(1,0,s),s) L o_s o_r g G " +
		"lsqu(g,G)\n" + f.comments("#") + rows
	return nil
}

// doublings cuts pieces at powers of two, as long as there are at most most of them, and each has
// two sizes and so a slope. A fit of the table needs rows also where the layer is one line.
func doublings(l model.Layer, all []piece, most int) []piece {
	for i := 0; i < len(all) && len(all) < most; i++ {
		p := all[i]
		at := quantity.Bytes(math.Exp2(math.Floor(math.Log2(float64(p.from)))+1)) - 1
		if at == p.from { // 1
			at = 3
		}
		if at+1 < p.to {
			all = slices.Replace(all, i, i+1,
				newPiece(l, p.from, at), newPiece(l, at+1, p.to))
		}
	}
	return all
}

// The limit of CODES is a table of 100 rows.
const codesRows = 100
