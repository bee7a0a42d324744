package export

import "fmt"

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

// The limit of CODES is a table of 100 rows.
const codesRows = 100
