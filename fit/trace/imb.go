package trace

import (
	"regexp"
	"strings"
)

// imb reads the Intel MPI Benchmarks: "# Benchmarking PingPong", "# #processes = 2", a
// header of "#bytes #repetitions" and columns by benchmark, and rows.
//
// PingPong prints half of a round trip. PingPing, Sendrecv and Exchange send in
// both directions, and their time is that of the operation, as for collectives.
// Uniband and Biband print rates and no times: the time is the gap, the inverse of
// the message rate. Mbytes/sec are of 2²⁰ bytes before 2018 and 10⁶ since, and are not
// used.
type imb struct {
	title, processes, mode string
	grid                   *grid
}

var (
	imbTitle     = regexp.MustCompile(`^# ?Benchmarking:? +(\S+)`)
	imbProcesses = regexp.MustCompile(`^# ?#processes = +(\d+)`)
	imbMode      = regexp.MustCompile(`^# +MODE: +(\S+)`)
	imbWaiting   = regexp.MustCompile(`^# ?\( *\d+ additional process`)
)

func (f *imb) take(p *parser, line []byte) bool {
	if f.grid != nil && f.grid.take(p, line) {
		return true
	}
	if line[0] != '#' {
		return false
	}
	if m := imbTitle.FindSubmatch(line); m != nil {
		f.title, f.processes, f.mode, f.grid = string(m[1]), "", "", nil
		return true
	}
	if f.title == "" {
		return false
	}
	if m := imbProcesses.FindSubmatch(line); m != nil {
		f.processes = ", " + string(m[1]) + " processes"
		return true
	}
	if m := imbMode.FindSubmatch(line); m != nil {
		f.mode = ", " + strings.ToLower(string(m[1]))
		return true
	}
	if imbWaiting.Match(line) || strings.Trim(string(line), "#- ") == "" {
		return true
	}
	names := strings.Fields(string(line))
	hasSize := names[0] == "#bytes"
	if !hasSize && names[0] != "#repetitions" {
		return false
	}
	g := newGrid(len(names))
	for i, name := range names {
		switch strings.ToLower(name) {
		case "t[usec]", "t_avg[usec]", "t_ovrl[usec]":
			g.time = i
		case "t_min[usec]":
			g.min = i
		case "t_max[usec]":
			g.max = i
		case "msg/sec":
			g.rate, g.rateUnit, g.messages = i, 1e-6, true
		}
	}
	if g.time < 0 && g.max >= 0 {
		g.time = g.max
	}
	f.grid = g
	title := f.title + f.processes + f.mode
	if !g.usable(p, title, hasSize) {
		return true
	}
	t := Table{Format: "imb", Title: title, Kind: Operation}
	switch name := strings.ToLower(f.title); {
	case g.time < 0:
		t.Kind = Gap
	case strings.HasPrefix(name, "pingpong"):
		t.Kind = OneWay
	}
	g.b = p.begin(t)
	if g.time < 0 {
		g.b.warn("no times: they are the inverse of the message rate of all processes")
	}
	return true
}
