package export

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// mostRounding is the maximum relative rounding error of a parameter in whole nanoseconds. With
// more, another unit is better, although GOAL's calc has nanoseconds.
const mostRounding = 0.05

// loggopsim writes integers, since the program has no other numbers. Their unit is 1 ns, as for
// calc in GOAL, unless rounding would change a parameter too much.
func loggopsim(f *File, m Machine, s Sizes) error {
	l := m.outer().Layer
	f.loseInnerLevels(m)
	best, off := oneLine(l, s)
	send, receive := l.Overheads(s.Low)
	overhead := float64(send+receive) / 2
	if send != receive {
		f.lose("o is the mean of o_s = %s and o_r = %s, also between the messages of a stream", send, receive)
	}
	gap := max(float64(interfaceGap(l, s.Low))-best.per*float64(s.Low-1), 0)
	latency := best.at + best.per - 2*overhead // b = n−1
	if latency < 0 {
		f.lose("L would be %s: the overheads overlap with the transfer, and are reduced here", quantity.Micros(latency))
		overhead, latency = (best.at+best.per)/2, 0
	}
	f.loseCurvature(off, s)
	if send2, receive2 := l.Overheads(s.High); send2+receive2 > send+receive {
		f.lose("O is 0: o_s + o_r grow from %s to %s with the size", send+receive, send2+receive2)
	}
	unit, scale := unitFor(mostRounding, latency, overhead, gap, best.per)
	if most := max(latency, overhead, gap, best.per) * scale; most >= 1<<31 {
		return fmt.Errorf("a parameter of %s is more than its 32 bits hold in ns", quantity.Micros(most/scale))
	}
	f.Text = fmt.Sprintf("-L %.0f -o %.0f -g %.0f -G %.0f -O 0 -S 2147483647\n", latency*scale, overhead*scale, gap*scale, best.per*scale)
	if scale != 1e3 {
		f.lose("ns: times are integers, and 1 is %s, also in what LogGOPSim prints: multiply calc in GOAL, which is in ns, by %.0f", unit, scale/1e3)
	}
	for _, p := range []struct {
		name  string
		value float64
	}{{"L", latency}, {"o", overhead}, {"g", gap}, {"G", best.per}} {
		if r := rounding(p.value * scale); r > 1e-6 {
			f.lose("digits of %s, which is rounded by %s", p.name, percent(r))
		}
	}
	f.lose("S is above all sizes: the times include the platform's rendezvous, if any")
	return nil
}

// interfaceGap returns the longest time in µs that a message of n bytes occupies a resource
// other than a processor. Processors are covered by o.
func interfaceGap(l model.Layer, n quantity.Bytes) quantity.Micros {
	var gap quantity.Micros
	for _, load := range model.Loads(l.Resources(), n) {
		if load.Resource != model.Processor {
			gap = max(gap, load.Busy)
		}
	}
	return gap
}

func rounding(x float64) float64 {
	if x == 0 {
		return 0
	}
	return math.Abs(math.Round(x)/x - 1)
}

// unitFor returns the longest unit of time that all times, in µs, are integers within the
// relative tolerance, or the shortest unit for which they stay below 10⁹. scale is units per µs.
func unitFor(tolerance float64, times ...float64) (name string, scale float64) {
	names := []string{"1 ns", "100 ps", "10 ps", "1 ps", "100 fs", "10 fs", "1 fs"}
	largest, worst := 0.0, 1.0
	at := -1
	for worst > tolerance && at < len(names)-1 && (at < 0 || largest*10 < 1e9) {
		at++
		scale = 1e3 * math.Pow10(at)
		largest, worst = 0, 0
		for _, t := range times {
			largest, worst = max(largest, t*scale), max(worst, rounding(t*scale))
		}
	}
	return names[at], scale
}

func (f *File) loseInnerLevels(m Machine) {
	for _, l := range m.Levels[:len(m.Levels)-1] {
		f.lose("the level %s: messages inside it cost as much as those between its units", l.Name)
	}
}

// loseCurvature notes the relative error off of one line for all sizes if it exceeds 0.05 %.
func (f *File) loseCurvature(off float64, s Sizes) {
	if off > 0.0005 {
		f.lose("one straight line represents the times of all sizes: from %s to %s it is off by up to %s", s.Low, s.High, percent(off))
	}
}

// percent formats the upper bound x of an error, rounded up to two digits.
func percent(x float64) string {
	if x <= 0 {
		return "0 %"
	}
	digit := math.Pow10(int(math.Floor(math.Log10(100*x))) - 1)
	return fmt.Sprintf("%.2g %%", digit*math.Ceil(100*x/digit-1e-6))
}

// The limit of CODES is a table of 100 rows.
const codesRows = 100

// codes takes the first row whose size is above a message's, and charges L + (n−1)G and, to both
// NICs, g + (n−1)G (loggp.c, find_params, handle_msg_start_event and handle_msg_ready_event; its
// comment speaks of the next smaller size). The columns of round trips are those that Netgauge
// measures, with 10 messages; see Hoefler et al., Low-Overhead LogGP Parameter Assessment, 2007.
func codes(f *File, m Machine, s Sizes) error {
	const trains = 10
	l := m.outer().Layer
	f.loseInnerLevels(m)
	all := pieces(l, s, codesRows)
	worst, clamped := 0.0, false
	rows := ""
	for _, p := range all {
		worst = max(worst, p.way.error(l, (Sizes{p.from, p.to}).dense()))
		n := p.to + 1 // the row serves sizes below its own
		send, receive := l.Overheads(n)
		rtt, gap := 2*float64(l.OneWay(n)), float64(l.Gap(n))
		fixed := p.way.at + p.way.per // b = n−1
		g := p.gap.at + p.gap.per + (p.gap.per-p.way.per)*float64(p.to-1)
		if g < 0 {
			g, clamped = 0, true
		}
		rows += fmt.Sprintf("%.0f %d %s %s %s %s %s %s %s %s 0\n", float64(n), trains, number(rtt), number(rtt+(trains-1)*gap),
			number(rtt+(trains-1)*(rtt+float64(send))), number(fixed), number(float64(send)), number(float64(receive)), number(g), fmt.Sprintf("%.9g", p.way.per))
	}
	if worst > tolerance {
		f.lose("the table has at most %d rows: one way is off by up to %s", codesRows, percent(worst))
	}
	if clamped {
		f.lose("g + (n−1)G exceeds the gap if messages overlap in the network: g cannot be below 0")
	}
	f.lose("CODES charges no overheads: o_s and o_r are in L")
	f.lose("sizes are from %s to %s: a larger message has the cost of the last row", s.Low, s.High)
	f.Text = "# size n PRTT(1,0,s) PRTT(n,0,s) PRTT(n,PRTT(1,0,s),s) L o_s o_r g G lsqu(g,G)\n" + f.comments("#") + rows
	return nil
}

// astra writes a topology with one dimension per level; in each, a switch connects all units.
func astra(f *File, m Machine, s Sizes) error {
	var topology, counts, bandwidth, latency []string
	for _, l := range m.Levels {
		best, off := oneLine(l.Layer, s)
		if best.per == 0 {
			return fmt.Errorf("level %s: no cost is per byte, and a bandwidth must be finite", l.Name)
		}
		f.loseCurvature(off, s)
		topology, counts = append(topology, "Switch"), append(counts, fmt.Sprint(l.Units))
		// Two hops, up to the switch and down, share the latency. 1 GB is 2³⁰ B there
		// (bw_GBps_to_Bpns).
		latency = append(latency, number(best.at*1e3/2))
		bandwidth = append(bandwidth, number(1e6/best.per/(1<<30)))
	}
	f.lose("overheads and gaps: ASTRA-sim has latency and bandwidth only")
	f.lose("a Switch has two hops, so latency is half of the time of 0 bytes")
	f.Text = f.comments("#")
	f.printf("# levels from inside out: %s\n", strings.Join(list.Map(m.Levels, func(l Level) string { return l.Name }), ", "))
	f.printf("topology: [ %s ]\nnpus_count: [ %s ]\nbandwidth: [ %s ]  # GB/s of 2^30 B\nlatency: [ %s ]  # ns\n",
		strings.Join(topology, ", "), strings.Join(counts, ", "), strings.Join(bandwidth, ", "), strings.Join(latency, ", "))
	return nil
}

// A network is one of Calculon's (calculon/network.py), for p ranks and an operation [scalar,
// offset]:
//
//	scalar·op_size·(1 + offset/p)/(bandwidth·efficiency) + latency
type network struct {
	Bandwidth      json.Number       `json:"bandwidth"` // GB/s
	Efficiency     json.Number       `json:"efficiency"`
	Size           int               `json:"size"`
	Latency        json.Number       `json:"latency"` // s
	Ops            map[string][2]any `json:"ops"`     // the offset of p2p is null
	MustBeFilled   bool              `json:"must_be_filled"`
	ProcessorUsage json.Number       `json:"processor_usage"`
}

func calculon(f *File, m Machine, s Sizes) error {
	var all struct {
		Networks []network `json:"networks"`
	}
	ranks := 1
	for _, l := range m.Levels {
		ranks *= l.Units
		best, off := oneLine(l.Layer, s)
		if best.per == 0 {
			return fmt.Errorf("level %s: no cost is per byte, and a bandwidth must be finite", l.Name)
		}
		f.loseCurvature(off, s)
		all.Networks = append(all.Networks, network{
			Bandwidth: json.Number(number(1e-3 / best.per)), Efficiency: "1.0", Size: ranks, Latency: json.Number(number(best.at * 1e-6)),
			Ops:            map[string][2]any{"p2p": {1, nil}, "reduce_scatter": {1, -1}, "all_gather": {1, -1}, "all_reduce": {2, -1}},
			ProcessorUsage: "0.0",
		})
	}
	f.lose("collectives: ops are those of a ring that costs bandwidth only (all_reduce sends twice (p−1)/p of the bytes); Calculon charges the latency once")
	f.lose("processor_usage is 0 and must_be_filled false: the machine does not define them")
	text, err := json.MarshalIndent(all, "", "  ")
	f.Text = string(text) + "\n"
	return err
}

// inference writes the network's keys of inference-sim: effective rates in one
// direction for a GPU, and the latency of a hop between nodes.
func inference(f *File, m Machine, s Sizes) error {
	if len(m.Levels) < 2 {
		return fmt.Errorf("it wants a rate inside a node and one between nodes, and this platform has one level; give a machine with levels")
	}
	inside, between := m.Levels[len(m.Levels)-2], m.outer()
	a, offInside := oneLine(inside.Layer, s)
	b, offBetween := oneLine(between.Layer, s)
	if a.per == 0 || b.per == 0 {
		return fmt.Errorf("no cost is per byte, and a bandwidth must be finite")
	}
	f.loseCurvature(max(offInside, offBetween), s)
	for _, l := range m.Levels[:len(m.Levels)-2] {
		f.lose("the level %s", l.Name)
	}
	f.lose("these are three keys of a GPU's entry: the others (TFlopsPeak, MemoryGiB, …) are not about messages; add them, or it does not load")
	f.lose("the latency inside the node, overheads and gaps")
	text, err := json.MarshalIndent(map[string]any{m.Name: struct {
		Intra json.Number `json:"IntraNodeBwGBps"`
		Inter json.Number `json:"InterNodeBwGBps"`
		Hop   json.Number `json:"InterNodeHopLatencyUs"`
	}{json.Number(number(1e-3 / a.per)), json.Number(number(1e-3 / b.per)), json.Number(number(b.at))}}, "", "  ")
	f.Text = string(text) + "\n"
	return err
}

// table writes all costs by level and size.
func table(f *File, m Machine, s Sizes) error {
	var b strings.Builder
	w := csv.NewWriter(&b)
	w.Write([]string{"level", "size_bytes", "one_way_us", "gap_us", "o_s_us", "o_r_us"})
	for _, l := range m.Levels {
		for n := s.Low; ; n = min(2*n, s.High) {
			send, receive := l.Layer.Overheads(n)
			w.Write([]string{l.Name, fmt.Sprintf("%.0f", float64(n)), exact(l.Layer.OneWay(n)), exact(l.Layer.Gap(n)), exact(send), exact(receive)})
			if n >= s.High {
				break
			}
		}
	}
	w.Flush()
	f.Text = b.String()
	return w.Error()
}

func exact(t quantity.Micros) string { return fmt.Sprintf("%.12g", float64(t)) }
