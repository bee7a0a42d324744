package benchfile

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/lex"
)

// end decides which columns are dimensions, and gives the tables their titles.
func (s *splitter) end(p *parser) {
	for i := range s.columns {
		c := &s.columns[i]
		name := lex.Short([]byte(c.name))
		// Decided before: by the options, by its name, or given up. Only the last needs a note, if
		// rows of one size were merged because of it.
		if c.role != candidate && c.role != repeated {
			if c.role == pooled && s.rows > s.sizes() {
				p.note("column %q has %d values or more: rows of the same size are merged "+
					"(%s separates them)", name, len(c.values), p.spell("group", name))
			}
			continue
		}
		splits, dimension := s.isDimension(i)
		// Two algorithms are never repeats of one, however few sizes they share.
		dimension = dimension || splits && c.means == meansAlgorithm
		switch {
		case c.role == candidate && (dimension || s.isPlacement(p, i)):
			c.role = asked
			if s.placesRanks(p, i) || c.means == meansAlgorithm && p.ofCollective() {
				continue // the collective's fit takes all tables together
			}
			p.note("column %q separates tables (%s); %s merges them",
				name, s.list(i), p.spell("pool", name))
		// Several values for one size, but not for most: a result with few values, or a broken
		// sweep.
		case splits:
			p.note("column %q has %d values for the same sizes, which are merged "+
				"(%s separates them)", name, len(c.values), p.spell("group", name))
		}
	}
	for i := range s.columns {
		if r := s.columns[i].role; r == candidate || r == repeated {
			s.pool(i)
		}
	}
	for i, x := range s.order {
		// A file may have thousands of tables: one look at the context for each thousand is enough.
		if i%1024 == 0 && p.ended() {
			break
		}
		s.name(p, x)
	}
}

// isDimension reports whether the values of column i split the sizes into repeated sets: at least
// one size has several values, and most values appear with most sizes, among the rows that names
// and options keep together. If there is only one size, values that do not repeat are results if
// they have decimals or the column has no name (the index that pandas writes).
func (s *splitter) isDimension(i int) (splits, dimension bool) {
	// sizes by value, by what names and options keep together
	sets := map[string]map[string]map[uint64]bool{}
	for _, x := range s.order {
		key := string(s.keyOf(x, asked))
		if sets[key] == nil {
			sets[key] = map[string]map[uint64]bool{}
		}
		sizes := sets[key][x.values[i]]
		if sizes == nil {
			sizes = map[uint64]bool{}
			sets[key][x.values[i]] = sizes
		}
		for _, a := range x.b.bySize() {
			sizes[math.Float64bits(a.size)] = true
		}
		// A signature has no sizes: it counts as one.
		if len(x.b.table.Bursts) > 0 {
			sizes[0] = true
		}
	}
	pairs, full, one, fractions := 0, 0, true, true
	for _, set := range sets {
		n, all := 0, map[uint64]bool{}
		for value, sizes := range set {
			n += len(sizes)
			maps.Copy(all, sizes)
			_, isNumber := lex.Parse([]byte(value))
			fractions = fractions && isNumber && strings.Contains(value, ".")
		}
		// A column with one value separates nothing.
		if len(set) < 2 {
			continue
		}
		splits = splits || n > len(all)
		one = one && len(all) == 1
		pairs += n
		full += len(set) * len(all)
	}
	unnamed := strings.HasPrefix(s.columns[i].base, "column ")
	single := one && pairs == s.rows && (fractions || unnamed)
	// A full grid has every size with every value. 60 % of it are enough, as measurements fail
	// and large sizes are left out on many nodes; results that happen to repeat have less.
	return splits, splits && !single && 10*pairs >= 6*full
}

// placesRanks reports whether column i has the meaning of a collective's ranks or nodes.
func (s *splitter) placesRanks(p *parser, i int) bool {
	return p.ofCollective() && s.columns[i].means.isPlacement()
}

// ofCollective reports whether the option or the file's name gives the collective of all tables.
func (p *parser) ofCollective() bool {
	return p.opt.Collective != "" || fromFileName(p.file.Name).Name != ""
}

// isPlacement reports whether column i gives the number or placement of a collective's ranks,
// beyond the columns that already are dimensions. The sizes need not repeat: blocks of a total do
// not.
func (s *splitter) isPlacement(p *parser, i int) bool {
	if !s.placesRanks(p, i) {
		return false
	}
	seen := map[string]string{}
	for _, x := range s.order {
		key := string(s.keyOf(x, asked))
		if v, has := seen[key]; has && v != x.values[i] {
			return true
		}
		seen[key] = x.values[i]
	}
	return false
}

// list returns the first values of column i, for messages.
func (s *splitter) list(i int) string {
	var values []string
	for _, x := range s.order {
		if v := cmp.Or(lex.Plain(x.values[i]), "none"); !slices.Contains(values, v) {
			// Four values fit into a line with its advice.
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
			// The collective's name is a field of its own, and not part of the series.
			if c.means != meansCollective {
				series = append(series, v)
			}
		case c.role == asked:
			label := c.name
			if strings.HasPrefix(c.base, "column ") {
				label = c.base
			}
			title = append(title, label+"="+cmp.Or(v, "none"))
			t.Labels = append(t.Labels, Label{lex.Plain(label), lex.Plain(v)})
			if c.means == noMeaning {
				series = append(series, title[len(title)-1])
			}
		}
	}
	t.Title = lex.Plain(strings.Join(title, " "))
	if s.cols.rate {
		rate := "bandwidth, taken as that of a one-way time"
		if s.like.Kind == Gap {
			rate = "throughput: the gap between messages, not the latency"
		}
		// First, as it changes the meaning of all others.
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
		// A column of ranks may hold "all" or 2.5; the table is then read without its number.
		number := func() int {
			n := lex.Count(v)
			if n <= 0 {
				p.warn("column %s: %q is no whole number above 0, so it is not used",
					lex.Short([]byte(c.name)), v)
			}
			return max(n, 0)
		}
		switch c.means {
		case meansRanks:
			op.Ranks = number()
		case meansNodes:
			op.Nodes = number()
		case meansPerNode:
			op.PerNode = number()
		case meansAlgorithm:
			op.Algorithm = lex.Plain(v)
		// The first column that names a collective counts: "op" may be one, "test" another.
		case meansCollective:
			if op.Name == "" {
				o, _ := collectiveNamed(v)
				op.Name = o.Name
			}
		}
	}
	if op.Name == "" {
		// From the surest to the least sure: a column, a line above the header, the file's name,
		// the option. The option comes last, as it is one for all files of a command.
		if o, _ := collectiveIn(s.near); o.Name != "" {
			op.Name = o.Name
			p.warn("a line above the header says that the times are those of a collective: %s",
				op.Name)
		} else if op.Name = fromFileName(p.file.Name).Name; op.Name != "" {
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

// sizes returns the number of different sizes, over all tables: fewer than rows if rows share
// one.
func (s *splitter) sizes() int {
	n := 0
	for _, x := range s.order {
		n += len(x.b.sizes) + len(x.b.held)
	}
	return n
}
