package platforms

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/internal/formula"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// clock reads the rate of the host processor, in which times can be printed as cycles.
func (b *builder) clock() {
	given := b.top().Text("clock")
	if given == "" {
		return
	}
	v, err := formula.Eval(given, nil)
	b.must("clock", err)
	// A rate of 0 would make every time 0 cycles.
	if v.Dim != quantity.DimClock || !(v.Num > 0) {
		b.fail("clock", "%q: a clock rate is above zero, in kHz, MHz or GHz", given)
	}
	b.p.Clock = v.Num
}

// library reads the library of collectives.
func (b *builder) library() {
	if name := b.top().Text("library"); name != "" {
		var err error
		b.p.Library, err = collective.FindLibrary(name)
		b.must("library", err)
	}
}

// MeasuredConstant and the name of a collective are the path of the constant whose source names, by
// size, the algorithms with the times nearest to the measured ones, if those of the library are not
// known. Its value is their largest relative error.
const MeasuredConstant = "constant.as_measured_"

// maxUnlike is the largest error at which the nearest algorithm is taken for the library's: other
// algorithms of a collective are often as near as a quarter.
const maxUnlike = 0.25

// measuredChoices returns the measured algorithms as [collective.Library] has them.
func measuredChoices(params []Param) string {
	var all []string
	for _, c := range params {
		name, is := strings.CutPrefix(c.Path, MeasuredConstant)
		if is && c.Value.Num <= maxUnlike {
			all = append(all, name+" "+c.Source)
		}
	}
	return strings.Join(all, "; ")
}

// constantTables reads the constants. They may name each other in any order, so all scopes are made
// before the first is computed.
func (b *builder) constantTables() {
	for _, t := range b.file["constant"] {
		s := b.section(constantKind, t)
		if !constantRule.MatchString(t.Name) {
			s.fail("", "formulas cannot name %q; use letters, digits and _", t.Name)
		}
		// Path is the table's, constant.NAME: "value" would say nothing in an assignment.
		s.fields = map[string]Param{"value": {Path: s.path}}
		b.constants[t.Name] = s
	}
	for _, t := range b.file["constant"] {
		b.shown = append(b.shown, b.constants[t.Name].param("value"))
	}
}

// computeTable reads what a rank computes in a second.
func (b *builder) computeTable() {
	for _, t := range b.file["compute"] {
		s := b.section(computeKind, t)
		for _, row := range computeKind.keys {
			if row.number != nil && s.has(row.name) {
				b.shown = append(b.shown, s.param(row.name))
			}
		}
	}
}

// constantRule matches names of constants, which stand in formulas.
var constantRule = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)

// roofTables reads the physical ceilings. A roof is a formula of the hardware's clock and width.
func (b *builder) roofTables() {
	for _, t := range b.file["roof"] {
		s := b.section(roofKind, t)
		value := b.params[s.param("rate")].Value
		rate := quantity.MBps(value.Num)
		if err := value.Check(quantity.DimRate); err != nil {
			s.fail("rate", "%q: %w", s.Text("rate"), err)
		}
		// Shares of the roof divide by it.
		if rate == 0 {
			s.fail("rate", "%q: a roof is above zero", s.Text("rate"))
		}
		b.p.Roofs = append(b.p.Roofs, Roof{t.Name, rate, s.Text("rate"), s.origin()})
	}
}

// hosts are the words for the processors that stages occupy.
var hosts = map[string]model.Host{"sender": model.Sender, "receiver": model.Receiver}

// stageTables reads the stages of pipelines, with the places that the engine gives them.
func (b *builder) stageTables() {
	for _, t := range b.file["stage"] {
		s := b.section(stageKind, t)
		b.must(s.path, checkName(t.Name))
		host := choose(s, "host", hosts)
		beta, tau := s.param("beta"), s.param("tau")
		curve := s.stageCurve(b.values[beta], b.values[tau])
		b.stages[t.Name] = stageSpec{
			model.Stage{Name: t.Name, Host: host, Measured: curve}, beta, tau}
		b.shown = append(b.shown, beta, tau)
		b.p.Places[t.Name] = s.place(host)
	}
}

// checkStages checks the names of a pipeline's stages.
func (s *section) checkStages() {
	names := s.Keys["stages"]
	if len(names) == 0 {
		s.fail("", `no stages; write stages = ["NAME", …], each with a table [stage.NAME]`)
	}
	taken := map[string]string{} // stages by what they occupy
	for i, name := range names {
		key := fmt.Sprintf("stages.%d", i)
		if _, known := s.stages[name]; !known {
			s.fail(key, "no stage %q%s", name, usage.Hint(name, s.names("stage")))
		}
		// The formulas of a pipeline have a resource for each stage: packets in two stages of one
		// resource would wait for each other, in an order that no formula has.
		at := s.p.Places[name]
		occupied := at.Resource + " of the " + at.At
		if s.stages[name].Host != model.NoHost {
			occupied = "the processor of the " + at.At
		}
		if other := taken[occupied]; other != "" {
			s.fail(key, "stages %s and %s both occupy %s, and the stages of a pipeline work at "+
				"the same time; make them one stage, or let each occupy its own", other, name,
				occupied)
		}
		taken[occupied] = name
	}
}

// stageCurve reads the measured times of a stage, which its line explains; nil without any.
func (s *section) stageCurve(beta, tau float64) *model.StageCurve {
	sizes, times, overlapped := s.Keys["sizes"], s.Keys["times"],
		s.Keys["overlapped"]
	if len(sizes)+len(times)+len(overlapped) == 0 {
		return nil
	}
	if len(sizes) < 2 {
		s.fail("sizes", `%d sizes; give at least 2, as in sizes = ["1KiB", "1MiB"]`, len(sizes))
	}
	if s.Text("host") != "" {
		s.fail("host", "a stage with measured times has no host; leave it out")
	}
	at := s.sizes(sizes, 1)
	curve := func(key string, texts []string) model.Curve {
		if len(texts) != len(at) {
			s.fail(key, "%d times for %d sizes", len(texts), len(at))
		}
		return model.Curve{Sizes: at, Costs: each(s, key, texts, aboveZero)}
	}
	c := &model.StageCurve{
		Alone: curve("times", times),
		Beta:  quantity.Micros(beta), Tau: quantity.MicrosPerByte(tau),
	}
	if len(overlapped) > 0 {
		c.Overlapped = curve("overlapped", overlapped)
	}
	return c
}

// place reads where the engine runs a stage. A stage of a processor has its place already.
func (s *section) place(host model.Host) Place {
	side := "sender"
	if host == model.Receiver {
		side = "receiver"
	}
	resource, at := s.Text("resource"), s.Text("at")
	p := Place{Resource: cmp.Or(resource, s.Name), At: cmp.Or(at, side)}
	if resource != "" {
		s.must(s.path+".resource", checkName(resource))
	}
	if !slices.Contains(sides, p.At) {
		s.fail("at", "%q%s", p.At, usage.Hint(p.At, sides))
	}
	// The processor is a resource already, and the engine has one queue for it.
	if host != model.NoHost && (resource != "" || at != "" || s.Text("queue") != "") {
		s.fail("host", "a stage of a processor occupies that; leave out resource, at and queue")
	}
	p.Queue = int(s.optional("queue"))
	p.Drop = s.full(p.Queue > 0, "queue")
	return p
}

// protocolTables reads how the engine runs layers. No cost of a model depends on it.
func (b *builder) protocolTables() {
	b.protocols[""] = Protocol{Interrupt: -1} // of a layer that names none
	for _, t := range b.file["protocol"] {
		s := b.section(protocolKind, t)
		s.named()
		// Negative, since an interrupt may cost 0.
		p := Protocol{Interrupt: -1} // the processor polls
		s.read(&p)
		// Without retry no sender keeps packets, so there would be nothing to send again.
		if p.Rounds && p.Retry == 0 {
			s.fail("rounds", "rounds send again what retry keeps; give retry too")
		}
		if s.Text("poll") != "" && s.Text("interrupt") != "" {
			s.fail("interrupt", "a processor that is interrupted does not poll; leave one out")
		}
		p.Drop = s.full(p.Inbox > 0, "inbox")
		b.protocols[t.Name] = p
	}
}

// full reports whether a packet without room is dropped.
func (s *section) full(bounded bool, what string) (drop bool) {
	if s.Text("full") != "" && !bounded {
		s.fail("full", "without %s there is always room", what)
	}
	return choose(s, "full", map[string]bool{"wait": false, "drop": true})
}

// measuredTables reads the measurements behind fitted layers: sizes, and for each its time.
func (b *builder) measuredTables() {
	for _, t := range b.file["measured"] {
		s := b.section(measuredKind, t)
		s.named()
		// One time determines no line: β and τ are two numbers.
		if n := len(t.Keys["sizes"]); n < 2 {
			s.fail("sizes", `%d sizes; give at least 2, as in sizes = ["1B", "1KiB"]`, n)
		}
		m := &Measured{}
		s.read(m)
		m.Runs = max(1, m.Runs)
		if len(m.Times) != len(m.Sizes) {
			s.fail("times", "%d times for %d sizes", len(m.Times), len(m.Sizes))
		}
		if m.Deviations != nil && len(m.Deviations) != len(m.Sizes) {
			s.fail("deviations", "%d deviations for %d sizes", len(m.Deviations), len(m.Sizes))
		}
		// The uncertainty of a mean is deviation/√runs, and one run has no deviation.
		if (m.Runs > 1) != (m.Deviations != nil) {
			s.fail("", "runs and deviations go together: give at least 2 runs, "+
				"and their standard deviation at each size")
		}
		s.ascending(m.Sizes, 1)
		b.measured[t.Name] = m
	}
}

// collectiveTables reads measured times of collectives: a row of times for each number of ranks.
func (b *builder) collectiveTables() {
	for _, t := range b.file["collective"] {
		s := b.section(collectiveKind, t)
		s.named()
		c := MeasuredCollective{Name: t.Name}
		s.read(&c)
		if c.Of.Collective == "" {
			s.fail("collective", `no collective; give its name, as in collective = "allreduce"`)
		}
		if c.Of.Name != "" && c.LibraryAlgorithm != "" {
			s.fail("library_algorithm", "%q beside the algorithm %q; give one of the two",
				c.LibraryAlgorithm, c.Of.Name)
		}
		of, err := collective.Find(c.Of.Collective, c.Of.Name)
		b.must(s.path, err)
		c.Of = of
		// Benchmarks print either. They differ where ranks finish at different times, as in a tree.
		if c.Statistic != "average" && c.Statistic != "slowest" {
			s.fail("statistic", `%q: over ranks, "average" or "slowest"`, c.Statistic)
		}
		s.ranks(&c)
		s.ascending(c.Sizes, 0)
		if len(c.Ranks) == 0 || len(c.Sizes) == 0 || len(c.Times) != len(c.Ranks) {
			s.fail("times", "%d texts of times for %d numbers of ranks and %d sizes; "+
				`give one for each number of ranks, with a time for each size, as in "2us 5us"`,
				len(c.Times), len(c.Ranks), len(c.Sizes))
		}
		s.square("times", list.Map(c.Times, words), c)
		s.square("runs", list.Map(c.Runs, words), c)
		s.square("deviations", list.Map(c.Deviations, words), c)
		b.p.Collectives = append(b.p.Collectives, c)
	}
}

func words[V any](line []V) int { return len(line) }

// ranks checks the numbers of ranks, and how many of them a node has. One number of ranks may come
// again with more on each node.
func (s *section) ranks(c *MeasuredCollective) {
	for i, n := range c.Ranks {
		if n < 2 {
			s.must(s.path+".ranks", notWhole(s.Keys["ranks"][i], rankCount, 2, maxRanks))
		}
		placed := i > 0 && i < len(c.PerNode) && c.PerNode[i] > c.PerNode[i-1] && n == c.Ranks[i-1]
		if i > 0 && n <= c.Ranks[i-1] && !placed {
			s.fail("ranks", "%q: numbers of ranks ascend", s.Keys["ranks"][i])
		}
	}
	if c.PerNode != nil && len(c.PerNode) != len(c.Ranks) {
		s.fail("ranks_per_node", "%d ranks on a node for %d numbers of ranks; give one for each",
			len(c.PerNode), len(c.Ranks))
	}
}

// square checks that a key has a line for each number of ranks, with a word for each size. A key
// that is missing has none.
func (s *section) square(key string, lines []int, c MeasuredCollective) {
	if len(lines) > 0 && len(lines) != len(c.Ranks) {
		s.fail(key, "%d texts for %d numbers of ranks; give one for each", len(lines), len(c.Ranks))
	}
	for i, n := range lines {
		if n != len(c.Sizes) {
			s.fail(key, "%d %s on %d ranks for %d sizes; "+
				`write "-" for a size that was not measured`, n, key, c.Ranks[i], len(c.Sizes))
		}
	}
}

const (
	rankCount = "a number of ranks"
	// maxRanks is the largest number of ranks for which package collective makes a schedule.
	maxRanks = 1 << 17
	// maxRepeats is the largest whole number up to which a float64 holds all.
	maxRepeats = 1 << 53
)

// read reads the texts of the table into the values that the schema's rows point to.
func (s *section) read(of any) {
	for _, row := range s.kind.keys {
		switch {
		case row.at == nil:
			continue
		case row.number != nil: // it may be a formula
			if s.Text(row.name) != "" {
				setNumber(row.at(of), s.optional(row.name))
			}
			continue
		}
		key, given, text := row.name, s.Keys[row.name], s.Text(row.name)
		time := aboveZero
		if key == "deviations" {
			time = quantity.ParseMicros
		}
		switch at := row.at(of).(type) {
		case *string:
			*at = text
		case *bool:
			*at = text != ""
		case *int:
			*at = s.count(key)
		case *quantity.Micros:
			var err error
			if *at, err = quantity.ParseMicros(text); text != "" && err != nil {
				s.fail(key, "%q: a time, as in \"0.01us\"", text)
			}
		case *[]int:
			*at = each(s, key, given, whole(rankCount, 1, maxRanks))
		case *[]quantity.Bytes:
			*at = each(s, key, given, quantity.ParseBytes)
		case *[]quantity.Micros:
			*at = each(s, key, given, time)
		case *[][]quantity.Micros:
			*at = grid(s, key, given, time)
		case *[][]int64:
			*at = grid(s, key, given, whole[int64]("a number of repeats", 1, maxRepeats))
		}
	}
}

// grid reads the words of each line; nil without lines.
func grid[V any](
	s *section, key string, lines []string, parse func(string) (V, error)) (all [][]V) {

	for _, line := range lines {
		all = append(all, each(s, key, strings.Fields(line), func(word string) (v V, err error) {
			if word != notMeasured {
				v, err = parse(word)
			}
			return v, err
		}))
	}
	return all
}

// sizes reads ascending sizes. A collective may have 0 bytes; a message has at least 1.
func (s *section) sizes(texts []string, least quantity.Bytes) []quantity.Bytes {
	sizes := each(s, "sizes", texts, quantity.ParseBytes)
	s.ascending(sizes, least)
	return sizes
}

// ascending checks that sizes ascend from a least one.
func (s *section) ascending(sizes []quantity.Bytes, least quantity.Bytes) {
	for i, n := range sizes {
		if n < least || i > 0 && n <= sizes[i-1] {
			given := s.Keys["sizes"][i]
			s.fail("sizes", "%q: sizes are at least %s, and ascend", given, least)
		}
	}
}

// aboveZero parses a measured time. The curve through times is in their logarithms, and 0 has none.
func aboveZero(word string) (quantity.Micros, error) {
	v, err := quantity.ParseMicros(word)
	if err == nil && !(v > 0) {
		return 0, fmt.Errorf("%q: a measured time must be above zero", word)
	}
	return v, err
}
