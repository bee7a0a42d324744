package benchfile

import (
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/internal/lex"
)

// A splitter sorts the rows under a header into tables. Rows are separated by the names in a
// column of names (stage, transport, program, …), and by the values of dimensions. A
// dimension is any other column that splits the sizes into repeated sets, such as nodes if
// all sizes were measured on 2 nodes and again on 4. Results of a benchmark (iterations,
// errors, busbw, …) and counters of repetitions are not dimensions.
//
//	nodes,run,size,time_us,errors
//	2,1,8,1.25,0                 nodes separates: both values have both sizes
//	2,1,64,1.5,0                 run counts repetitions, errors is a result
//	2,2,8,1.27,0
//	4,1,8,2.25,0
//	4,1,64,2.75,0
//
// Without this, a sweep over nodes would be fitted as one curve with a large scatter.
// Dimensions are decided at the end of the table, since the first rows do not show what
// repeats. Until then every combination of values is a table; at the end, tables that no
// dimension separates are merged. A column with more than maxDistinct values is taken to be a
// result.
type splitter struct {
	cols    *columns
	like    Table // the format and kind of the tables
	columns []splitColumn
	cells   map[string]*splitCell
	order   []*splitCell // in file order
	only    *splitCell   // the only table, if no column separates rows
	key     []byte
	rows    int
	near    []string // the lines above the header
}

// maxNear is the number of lines above a header that may name its collective.
const maxNear = 3

type splitColumn struct {
	at     int
	name   string // as in the header
	base   string
	means  meaning
	role   splitRole
	values map[string]bool
}

type splitRole uint8

const (
	pooled    splitRole = iota // does not separate rows, or no longer does
	candidate                  // a dimension if its values split the sizes into repeated sets
	repeated                   // counts repetitions: pooled at the end
	asked                      // a dimension by Options.Group
	named                      // a column of names
)

// A splitCell is the table of a combination of values.
type splitCell struct {
	values []string // of the columns; "" where rows differ
	b      *builder
}

const (
	// Sweeps have tens of values: nodes, algorithms, pairs of hosts. Times, dates and counters
	// have thousands.
	maxDistinct = 1 << 10 // maximum number of values of a dimension
	// The widest CSV files of benchmarks have some 30 columns. Each column costs a part of every
	// row's key.
	maxColumns = 64 // maximum number of possible dimensions
)

func newSplitter(p *parser, header []columnName, c *columns, like Table) splitter {
	s := splitter{cols: c, like: like}
	for _, line := range slices.Backward(p.above()) {
		if text := strings.Trim(line, " `-=#"); text != "" && len(s.near) < maxNear {
			s.near = append(s.near, text)
		}
	}
	slices.Reverse(s.near)
	if p.asked == nil {
		p.asked = map[string]bool{}
	}
	for i, name := range header {
		s.add(p, name, i)
	}
	// The first list whose columns all exist counts.
	for _, names := range p.opt.Names {
		if s.groupBy(names) {
			break
		}
	}
	return s
}

// groupBy makes the named columns dimensions regardless of the rows. It reports whether all exist.
func (s *splitter) groupBy(names []string) bool {
	var at []int
	for _, name := range names {
		i := slices.IndexFunc(s.columns, func(c splitColumn) bool { return c.name == name })
		if i < 0 {
			return false
		}
		at = append(at, i)
	}
	for _, i := range at {
		s.columns[i].role = max(s.columns[i].role, asked)
	}
	return true
}

// add adds a column, and reports whether it may separate rows.
func (s *splitter) add(p *parser, col columnName, i int) bool {
	c := s.cols
	x := splitColumn{
		at: i, name: col.full, base: col.base, means: p.meaningOf(col, i+1),
		values: map[string]bool{},
	}
	// pandas writes its index as a column without a name.
	if x.name == "" {
		x.name, x.base = strconv.Itoa(i+1), "column "+strconv.Itoa(i+1)
	}
	group := p.optionNames(p.opt.Group, col.full, i+1) ||
		p.opt.placements()[x.means] != ""
	pool := p.optionNames(p.opt.Pool, col.full, i+1)
	switch {
	// An option that has no effect would be taken for one that has.
	case group && (pool || slices.Contains(c.at[:], i)):
		p.fail(p.file.Lines, "column %q cannot group: it is read as a size or time, or pooled",
			lex.Short([]byte(x.name)))
		return false
	case pool || slices.Contains(c.at[:], i):
		return false
	case group:
		x.role = asked
	case slices.Contains(c.groups, i):
		x.role = named
	case col.isResult() || len(s.columns) >= maxColumns:
		return false
	// Kept apart until all rows are known, to count its values for a note; then its tables are
	// merged.
	case col.isRepeat():
		x.role = repeated
	default:
		x.role = candidate
	}
	s.columns = append(s.columns, x)
	return true
}

// optionNames reports whether an option names the column, by header or by number from 1.
func (p *parser) optionNames(option []string, name string, number int) (asks bool) {
	for _, o := range option {
		if o == name || o == strconv.Itoa(number) {
			p.asked[o], asks = true, true
		}
	}
	return asks
}

// meaningOf returns the fact about a collective that a column holds: by an option or, if no option
// names a column of that fact, by its name.
func (p *parser) meaningOf(col columnName, number int) meaning {
	options := p.opt.placements()
	for m, option := range options {
		if option != "" && p.optionNames([]string{option}, col.full, number) {
			return m
		}
	}
	if m := col.meaning(); options[m] == "" {
		return m
	}
	return noMeaning
}

// placements returns the columns that options name by the fact that they hold.
func (o *Options) placements() map[meaning]string {
	return map[meaning]string{
		meansRanks: o.Ranks, meansPerNode: o.PerNode, meansNodes: o.Nodes,
	}
}

// separates reports whether column i may separate rows.
func (s *splitter) separates(i int) bool {
	return slices.ContainsFunc(s.columns, func(c splitColumn) bool {
		return c.at == i && c.role != pooled
	})
}

// extend adds a column that the rows so far do not have: their value in it is empty.
func (s *splitter) extend(p *parser, name columnName, i int) {
	if !s.add(p, name, i) {
		return
	}
	for _, x := range s.order {
		x.values = append(x.values, "")
	}
	if len(s.order) > 0 {
		s.columns[len(s.columns)-1].values[""] = true
	}
	s.regroup()
}

func (s *splitter) table(p *parser, r *sheetRow) *builder {
	s.rows++
	if s.only != nil {
		return s.only.b
	}
	// Giving up a column changes the key of this row, which may then have a table.
	for {
		s.key = s.key[:0]
		for i := range s.columns {
			if c := &s.columns[i]; c.role != pooled {
				// A zero byte ends each value, so that "a", "bc" and "ab", "c" differ.
				s.key = append(append(s.key, r.text(c.at)...), 0)
			}
		}
		if x := s.cells[string(s.key)]; x != nil {
			return x.b
		}
		if !s.giveUp(p, r) {
			break
		}
		if s.only != nil {
			return s.only.b
		}
	}
	x := &splitCell{values: make([]string, len(s.columns))}
	for i := range s.columns {
		c := &s.columns[i]
		x.values[i] = string(r.text(c.at))
		if c.role != pooled {
			c.values[string(r.text(c.at))] = true
		}
	}
	dropped := p.dropped
	x.b = p.begin(s.like)
	x.b.free = true
	if p.dropped > dropped {
		// Rows of CSV are not dropped in silence: the limit is an error that names the remedy.
		p.dropped = dropped
		p.fail(p.file.Lines, "more than %d tables or %d sizes in them; "+
			"%s merges the values of a column, or split the file",
			p.tableLimit, sizesEach*p.tableLimit, p.spell("pool", "COLUMN"))
		return x.b
	}
	s.order = append(s.order, x)
	s.index(x)
	return x.b
}

// keyOf sets s.key to the values that a cell has in the columns of at least the given role.
func (s *splitter) keyOf(x *splitCell, least splitRole) []byte {
	s.key = s.key[:0]
	for k := range s.columns {
		if s.columns[k].role >= least {
			s.key = append(append(s.key, x.values[k]...), 0)
		}
	}
	return s.key
}

func (s *splitter) index(x *splitCell) {
	// No column separates rows, as in most files: the table is found without a key.
	if len(s.key) == 0 {
		s.only = x
		return
	}
	if s.cells == nil {
		s.cells = map[string]*splitCell{}
	}
	s.cells[string(s.key)] = x
}

// giveUp pools a column if the row would exceed the maximum number of values or combinations.
func (s *splitter) giveUp(p *parser, r *sheetRow) bool {
	worst := -1
	for i := range s.columns {
		c := &s.columns[i]
		if c.role != candidate && c.role != repeated {
			continue
		}
		if len(c.values) >= maxDistinct && !c.values[string(r.text(c.at))] {
			worst = i
			break
		}
		// Pooling the column with the most values merges the most tables.
		larger := worst < 0 || len(c.values) > len(s.columns[worst].values)
		if larger && len(s.order) >= p.tableLimit {
			worst = i
		}
	}
	if worst >= 0 {
		s.pool(worst)
	}
	return worst >= 0
}

func (s *splitter) pool(i int) {
	s.columns[i].role = pooled
	s.regroup()
}

// regroup stores cells under the present columns, and merges cells that no column separates.
func (s *splitter) regroup() {
	old := s.order
	s.only, s.cells, s.order = nil, nil, nil
	for _, x := range old {
		key := s.keyOf(x, candidate)
		to := s.only
		if to == nil {
			to = s.cells[string(key)]
		}
		if to == nil {
			s.order = append(s.order, x)
			s.index(x)
			continue
		}
		// The first table of a group takes the rows of the others, in file order.
		to.b.absorb(x.b)
		for k, v := range x.values {
			if to.values[k] != v {
				to.values[k] = ""
			}
		}
	}
}
