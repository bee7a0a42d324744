package benchfile

import (
	"cmp"
	"fmt"
	"hash/crc32"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/fit/benchfile/internal/lex"
)

func (s *splitter) list(i int) string {
	var values []string
	for _, x := range s.order {
		if v := cmp.Or(lex.Plain(x.values[i]), "none"); !slices.Contains(values, v) {
			if values = append(values, v); len(values) == 5 {
				return strings.Join(values[:4], ", ") + ", …"
			}
		}
	}
	return strings.Join(values, ", ")
}

// name sets the title of a table and the operation that it measured.
func (s *splitter) name(p *parser, x *splitCell) {
	t := x.b.table
	var title, series []string
	for i, c := range s.columns {
		v := x.values[i]
		switch {
		case c.role == named && v != "":
			title = append(title, v)
			t.Labels = append(t.Labels, Label{lex.Plain(c.name), lex.Plain(v)})
			if !collectiveCols[c.base] {
				series = append(series, v)
			}
		case c.role == asked:
			label := c.name
			if strings.HasPrefix(c.base, "column ") {
				label = c.base
			}
			title = append(title, label+"="+cmp.Or(v, "none"))
			t.Labels = append(t.Labels, Label{lex.Plain(label), lex.Plain(v)})
			if !rankNames[c.base] && !nodeNames[c.base] && !perNodeNames[c.base] && !algorithmNames[c.base] && !collectiveCols[c.base] {
				series = append(series, title[len(title)-1])
			}
		}
	}
	if x.packet > 0 {
		title = append(title, "packet "+strconv.FormatFloat(x.packet, 'g', -1, 64))
	}
	t.Title = lex.Plain(strings.Join(title, " "))
	if s.cols.rate {
		rate := "bandwidth, taken as that of a one-way time"
		if s.cols.kind == Gap {
			rate = "throughput: the gap between messages, not the latency"
		}
		t.Warnings = append([]string{"the times are size over " + rate}, t.Warnings...)
	} else if t.Kind == OneWay {
		if op := s.operation(p, x); op.Name != "" {
			t.Kind, t.Collective, t.Series = Collective, op, lex.Plain(strings.Join(series, " "))
		}
	}
}

// operation returns the collective that a table measured; its name is empty if it measured none.
func (s *splitter) operation(p *parser, x *splitCell) (op CollectiveOp) {
	for i, c := range s.columns {
		v := x.values[i]
		number := func() int {
			n := number10(v)
			if n <= 0 {
				p.warn("column %s: %q is no whole number above 0, so it is not used", lex.Short([]byte(c.name)), v)
			}
			return max(n, 0)
		}
		switch {
		case rankNames[c.base]:
			op.Ranks = number()
		case nodeNames[c.base]:
			op.Nodes = number()
		case perNodeNames[c.base]:
			op.PerNode = number()
		case algorithmNames[c.base]:
			op.Algorithm = lex.Plain(v)
		case collectiveCols[c.base] && op.Name == "":
			o, _ := collectiveNamed(v)
			op.Name = o.Name
		}
	}
	if op.Name == "" {
		if op.Name = fromFileName(p.file.Name).Name; op.Name != "" {
			p.warn("the file's name says that the times are those of a collective: %s", op.Name)
		}
	}
	if op.Name = cmp.Or(op.Name, p.opt.Collective); op.Name == "" {
		return op
	}
	if op.place(); op.Ranks == 0 {
		if at := p.placeOf(); op.PerNode == 0 && op.Nodes == 0 {
			op.Ranks, op.PerNode, op.Nodes = at.Ranks, at.PerNode, at.Nodes
		} else {
			op.Ranks = at.Ranks
			op.place()
		}
	}
	op.Algorithm = cmp.Or(op.Algorithm, p.algorithmOf(op.Name))
	op.Total = s.cols.total
	return op
}

// shortened returns a text or, if it is longer than names of hosts and files are, its beginning
// with a checksum of the whole, so that no two become one.
func shortened(text []byte) []byte {
	const longest = 255 // bytes
	if len(text) <= longest {
		return text
	}
	return fmt.Appendf(nil, "%s…%08x", text[:longest-32], crc32.ChecksumIEEE(text))
}
