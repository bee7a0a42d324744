package trace

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// nccl reads nccl-tests and rccl-tests. Rows have the size first, and at their end time, algbw,
// busbw and an error column twice, out of place and in place: two tables. The columns between them
// depend on the version and the collective; the redop column may be empty. The ranks are those that
// the header lists. Older versions do not print the collective: it is that of the file's name.
//
// Tested with nccl-tests of 2021 (commit 0b30de5, NCCL 2.8.4), of 2022 and 2.17.8.
type nccl struct {
	name   string
	ranks  int
	hosts  []string // of the ranks, in their order
	groups int
	open   []*builder
	texts  [16][]byte
}

// maxHosts bounds the list of hosts in a header.
const maxHosts = 1 << 12

var (
	ncclName = regexp.MustCompile(`^# (?:Collective test starting: |NCCL Tests: )?(\w+_perf)\b`)
	ncclRank = regexp.MustCompile(`^# +Rank +(\d+) (?:.* on +(\S+))?`)
)

func (f *nccl) take(p *parser, line []byte) bool {
	if f.groups > 0 && f.row(p, line) {
		return true
	}
	if line[0] != '#' {
		return false
	}
	if m := find(ncclName, "_perf", line); m != nil {
		f.name, f.ranks, f.hosts = string(m[1])+" ", 0, nil
		return true
	}
	if m := find(ncclRank, " Rank ", line); m != nil {
		v, _ := parse(m[1])
		if v.value == 0 {
			f.ranks, f.hosts = 0, nil
		}
		if host := plain(string(m[2])); host != "" && !slices.Contains(f.hosts, host) && len(f.hosts) < maxHosts {
			f.hosts = append(f.hosts, host)
		}
		f.ranks = max(f.ranks, 1+int(min(v.value, 1e9)))
		return true
	}
	if n := bytes.Count(line, []byte("algbw")); n > 0 && n <= 2 && bytes.Contains(line, []byte("size")) && bytes.Count(line, []byte("time")) == n {
		f.groups, f.open = n, nil
		op, ok := collectiveNamed(f.name)
		switch name := strings.TrimSpace(f.name); {
		case name == "sendrecv_perf", name == "hypercube_perf":
			op.Name = strings.TrimSuffix(name, "_perf")
		case !ok && f.name == "":
			op = fromFileName(p.file.Name)
			op.Name = cmp.Or(op.Name, p.opt.Collective)
		}
		op.Ranks, op.Algorithm = cmp.Or(f.ranks, p.ranksOf()), cmp.Or(op.Algorithm, p.algorithm)
		for i := range n {
			place := []string{"out-of-place", "in-place"}[i]
			f.open = append(f.open, p.begin(Table{Format: "nccl-tests", Title: f.name + place, Series: place, Kind: Collective, Collective: op, Hosts: f.hosts}))
		}
		return true
	}
	return f.groups > 0 && (bytes.Contains(line, []byte("out-of-place")) || bytes.Contains(line, []byte("(elements)")))
}

func (f *nccl) row(p *parser, line []byte) bool {
	if c := line[0]; c < '0' || c > '9' {
		return false
	}
	n := fields(line, f.texts[:])
	if n > len(f.texts) {
		return false
	}
	size, ok := parse(f.texts[0])
	if _, err := strconv.Atoi(string(f.texts[min(1, n-1)])); !ok || err != nil || n < 3 {
		return false
	}
	tail := n - 4*f.groups
	if tail < 3 || tail > 5 {
		f.open[0].cut()
		return true
	}
	for i, b := range f.open {
		if t, ok := parse(f.texts[tail+4*i]); ok {
			b.resolution(t.quantum())
			b.row(row{size: size.value, time: t.value})
		} else {
			b.row(row{})
		}
	}
	return true
}
