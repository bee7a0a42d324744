package export

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"math"
	"strings"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// smpiHeader is the number of bytes that SMPI adds to each message, as measured with smpirun 3.32.
const smpiHeader = 16

// The minimum latency of a link, in µs, and time per byte, in µs/B: 1 fs and 1 fs/B.
const (
	leastLatency = 1e-9
	leastPerByte = 1e-9
)

// simgrid writes a star of hosts. SMPI charges, for n bytes,
//
//	os(n) + latency·lat(n+16) + (n+16)/(bandwidth·bw(n+16)) + or(n)
//
// with values by size: a section holds for sizes above its first number. The keys smpi/lat-factor
// and smpi/bw-factor are called network/latency-factor and network/bandwidth-factor in 4.x, which
// takes the old names too.
func simgrid(f *File, m Machine, s Sizes) error {
	level := m.outer()
	f.loseInnerLevels(m)
	sections := f.sections(level.Layer, s)
	// The link has the largest latency of all sections, so that no factor is above 1.
	latency, worst, stream := leastLatency, 0.0, 0.0
	for _, p := range sections {
		latency = max(latency, p.wire.at)
		for _, n := range (Sizes{p.from, p.to}).dense() {
			way := p.send.time(n) + p.receive.time(n) + p.wire.time(n+smpiHeader)
			worst = max(worst, math.Abs(way/float64(level.Layer.OneWay(n))-1))
			if gap := float64(level.Layer.Gap(n)); gap > 0 {
				// A host sends the next message once its processor and its link are free again.
				takes := max(p.send.time(n), p.wire.per*float64(n+smpiHeader))
				if off := takes/gap - 1; math.Abs(off) > math.Abs(stream) {
					stream = off
				}
			}
		}
	}
	// Factors are relative to the last section, whose rate a long message has.
	rate := 1 / sections[len(sections)-1].wire.per // of the link; in B/µs
	if worst > 2*tolerance {
		f.lose("sections of sizes are straight lines without negative parts: "+
			"one way is off by up to %s", percent(worst))
	}
	var lat, bw, send, receive []string
	for i, p := range sections {
		above := float64(p.from) - 1
		header := above + smpiHeader
		// The first section begins at 0: it also holds for messages below the smallest size.
		if i == 0 {
			above, header = 0, 0
		}
		lat = append(lat, fmt.Sprintf("%.0f:%s", header, number(p.wire.at/latency)))
		bw = append(bw, fmt.Sprintf("%.0f:%s", header, number(1/p.wire.per/rate)))
		// size:fixed:perByte, in s and s/B, as smpi/os and smpi/or take them.
		inSeconds := func(l line) string {
			return fmt.Sprintf("%.0f:%s:%s", above, number(l.at*1e-6), number(l.per*1e-6))
		}
		send, receive = append(send, inSeconds(p.send)), append(receive, inSeconds(p.receive))
	}
	signed := strings.Replace(fmt.Sprintf("%+.0f", 100*stream), "-", "−", 1)
	off := "off by up to " + signed + " %, and so may be a collective of many messages"
	if !hasGap(level) {
		off = "unknown"
	}
	f.lose("gaps: messages of a host follow each other as overheads and bandwidth allow, "+
		"so that the interval between messages of one size is %s", off)
	f.lose("sizes are from %s to %s: the last section continues beyond them", s.From, s.To)
	f.printf("<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM " +
		"\"https://simgrid.org/simgrid.dtd\">\n")
	f.printf("<!-- %s, for smpirun; not in it:\n%s-->\n<platform version=\"4.1\">\n  <config>\n",
		escape(m.Name), dashes(f.comments("  ")))
	// smpi/ois is the overhead of MPI_Isend; MPI_Send uses os. Here both cost the same.
	for _, p := range [][2]string{
		{"smpi/lat-factor", strings.Join(lat, ";")},
		{"smpi/bw-factor", strings.Join(bw, ";")},
		{"smpi/os", strings.Join(send, ";")},
		{"smpi/ois", strings.Join(send, ";")},
		{"smpi/or", strings.Join(receive, ";")},
		{"smpi/send-is-detached-thresh", "2147483647"}, // os applies below it only
		{"network/TCP-gamma", "0"},                     // no window of TCP
		// In SimGrid's model of TCP these two weight flows that share a link, and charge a flow for
		// those in the other direction. The layer's times have neither.
		{"network/weight-S", "0"},
		{"network/crosstraffic", "no"},
	} {
		f.printf("    <prop id=\"%s\" value=\"%s\"/>\n", p[0], p[1])
	}
	// Each host has its own link up and down; half of the latency is on each. Each rank has a host:
	// ranks of one host would cross SimGrid's loopback, which costs nothing.
	f.printf("  </config>\n  <cluster id=\"nodes\" prefix=\"node-\" suffix=\"\" radical=\"0-%d\" "+
		"speed=\"1Gf\" bw=\"%sBps\" lat=\"%ss\"/>\n</platform>\n",
		m.Cores()-1, number(rate*1e6), number(latency*1e-6/2))
	return nil
}

// maxSections is the number of sections of a file that people read.
const maxSections = 32

// A section is SMPI's times of a range of sizes, without negative parts.
type section struct {
	from, to            quantity.Bytes
	send, receive, wire line
}

// sections cuts the sizes into ranges where overheads and the rest of the time are straight lines,
// none of them negative. SMPI adds its header to each message, so the wire's line starts lower.
func (f *File) sections(l model.Layer, s Sizes) (all []section) {
	overheadsOf := f.inSeries(l, s)
	for _, p := range pieces(l, s, maxSections) {
		firstSend, firstReceive := overheadsOf(p.from)
		lastSend, lastReceive := overheadsOf(p.to)
		send := positiveLine(p.from, p.to, float64(firstSend), float64(lastSend))
		receive := positiveLine(p.from, p.to, float64(firstReceive), float64(lastReceive))
		rest := func(n quantity.Bytes) float64 {
			return float64(l.OneWay(n)) - send.time(n) - receive.time(n)
		}
		wire := positiveLine(p.from, p.to, rest(p.from), rest(p.to))
		// A link without a cost per byte would have an infinite bandwidth.
		wire.per = max(wire.per, leastPerByte)
		// SMPI charges the header per byte as well, so the fixed part is less by that.
		wire.at = max(wire.at-smpiHeader*wire.per, 0)
		all = append(all, section{p.from, p.to, send, receive, wire})
	}
	return all
}

// overheads returns the times on both processors for a message of n bytes.
type overheads func(n quantity.Bytes) (send, receive quantity.Micros)

// inSeries returns the overheads for a program in which processors and network take turns. They are
// those of the layer, unless they overlap with the network and exceed the one-way time of a size.
// Then all sizes have those of the smallest size, or zeros if these exceed its one-way time too.
func (f *File) inSeries(l model.Layer, s Sizes) overheads {
	fits := func(n quantity.Bytes, send, receive quantity.Micros) bool {
		return send+receive <= l.OneWay(n)
	}
	series := true
	for _, n := range s.grid() {
		send, receive := l.Overheads(n)
		series = series && fits(n, send, receive)
	}
	if series {
		return l.Overheads
	}
	send, receive := l.Overheads(s.From)
	if !fits(s.From, send, receive) {
		send, receive = 0, 0
	}
	// A comment of the file repeats it, which does not change with the printing for people.
	fixed := func(t quantity.Micros) string {
		return quantity.Value{Num: float64(t), Dim: quantity.DimTime}.Fixed()
	}
	f.lose("the processors work during the transfer: o_s = %s and o_r = %s stand for all sizes",
		fixed(send), fixed(receive))
	return func(quantity.Bytes) (quantity.Micros, quantity.Micros) { return send, receive }
}

// escape returns a text for the comment of an XML file.
func escape(s string) string {
	var b bytes.Buffer
	xml.EscapeText(&b, []byte(s))
	return dashes(b.String())
}

// dashes leaves no "--", which ends comments.
func dashes(s string) string {
	for strings.Contains(s, "--") {
		s = strings.ReplaceAll(s, "--", "- -")
	}
	return s
}
