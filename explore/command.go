package explore

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/release"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/study/fits"
	"github.com/halfpeak/halfpeak/study/predict"
	"github.com/halfpeak/halfpeak/whatif"
)

// about lists the possible questions.
func (x *Explorer) about(Nothing) (About, error) {
	a := About{
		Version: release.Version(), Cuts: platforms.CutNames(), Formats: benchfile.Known, FitModels: fits.Models(),
		Costs: []Named{{string(whatif.OneWay), "one-way time"}, {string(whatif.Gap), "gap"}},
	}
	kinds, labels := predict.CurveKinds()
	for i, k := range kinds {
		a.Quantities = append(a.Quantities, Named{string(k), labels[i]})
	}
	for _, e := range collective.Algorithms {
		if k := len(a.Collectives); k == 0 || a.Collectives[k-1].Name != e.Collective {
			a.Collectives = append(a.Collectives, AboutCollective{Name: e.Collective})
		}
		of := &a.Collectives[len(a.Collectives)-1]
		of.Algorithms = append(of.Algorithms, AboutAlgorithm{
			Name: e.Name, Help: e.Help, Ranks: e.Ranks, Root: e.Params&collective.Root != 0,
			Segment: e.Params&collective.Segment != 0, Fanout: e.Params&collective.Fanout != 0,
		})
	}
	return a, nil
}

// A line is a command line.
type line []string

// with adds a flag if it has a value.
func (l line) with(flag, value string) line {
	if value == "" || value == "0" {
		return l
	}
	return append(l, flag, value)
}

// String quotes the words for a POSIX shell.
func (l line) String() string {
	words := make([]string, len(l))
	for i, w := range l {
		plain := func(r rune) bool {
			return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("-_./,:+@%", r)
		}
		if w == "" || strings.ContainsFunc(w, func(r rune) bool { return !plain(r) }) {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		words[i] = w
	}
	return strings.Join(words, " ")
}

// changed returns the start of a whatif command for a design with its changes.
func changed(d Design) line {
	l := line{"halfpeak", "whatif", d.Ref}
	for _, s := range d.Set {
		l = append(l, "--set", s)
	}
	return l
}

// A commander makes commands. Designs that a command other than whatif is asked of are saved first.
type commander struct {
	x        *Explorer
	commands []string
	saved    int
}

func (c *commander) add(l line) { c.commands = append(c.commands, l.String()) }

// refs returns the arguments that name designs.
func (c *commander) refs(all ...Design) (refs []string, err error) {
	for _, d := range all {
		if _, err := c.x.design(d); err != nil {
			return nil, err
		}
		ref := d.Ref
		if len(d.Set) > 0 {
			c.saved++
			ref = savedName(d, c.saved)
			c.add(append(changed(d), "--save", ref))
		}
		refs = append(refs, ref)
	}
	return refs, nil
}

// about adds a command about designs: its words before them, and those behind.
func (c *commander) about(before line, designs []Design, behind ...string) error {
	refs, err := c.refs(designs...)
	if err != nil {
		return err
	}
	c.add(append(append(append(line{"halfpeak"}, before...), refs...), behind...))
	return nil
}

// commands translate questions to command lines.
var commands = map[string]func(*commander, []byte) error{
	"platforms": commandOf(func(c *commander, _ Nothing) error {
		c.add(line{"halfpeak", "platforms"})
		return nil
	}),
	"platform": commandOf(func(c *commander, r Design) error {
		return c.about(line{"platforms", "show"}, []Design{r})
	}),
	"predict": commandOf(func(c *commander, r Predict) error {
		return c.about(line{"predict"}, r.Designs, "--size", r.Sizes)
	}),
	"curves": commandOf(func(c *commander, r Curves) error {
		return c.about(line{"plot"}, r.Designs, "--kind", r.Quantity, "--size", r.Sizes, "-o", r.Quantity+".svg")
	}),
	"contrast": commandOf(func(c *commander, r Sized) error { return c.whatif(r.Design, "--size", r.Sizes) }),
	"owners":   commandOf(func(c *commander, r Sized) error { return c.whatif(r.Design, "--breakdown", "--size", r.Sizes) }),
	"shares":   commandOf(func(c *commander, r Sized) error { return c.whatif(r.Design, "--breakdown", "--size", r.Sizes) }),
	"areas": commandOf(func(c *commander, r Areas) error {
		return c.whatif(r.Design, "--breakdown", "--quantity", r.Cost, "--size", r.Sizes, "--plot", "areas.svg")
	}),
	"toml": commandOf(func(c *commander, r Design) error { return c.whatif(r, "--save", savedName(r, 0)) }),
	"pipeline": commandOf(func(c *commander, r Pipelined) error {
		refs, err := c.refs(r.Design)
		if err == nil {
			c.add(line{"halfpeak", "plot", refs[0], "--kind", "timeline", "--size", r.Size}.with("--packet", r.Packet).with("-o", "timeline.svg"))
			c.add(line{"halfpeak", "packet", refs[0], "--size", r.Size})
		}
		return err
	}),
	"collective": commandOf((*commander).collective),
	"places":     commandOf((*commander).collective),
	"schedule": commandOf(func(c *commander, r CollectiveCall) error {
		refs, err := c.refs(r.Design)
		if err == nil {
			c.add(line{"halfpeak", "collective", r.Collective, refs[0], "--algorithm", r.Algorithm, "--ranks", strconv.Itoa(r.Ranks), "--size", r.Size}.
				with("--segment", r.Segment).with("--root", strconv.Itoa(r.Root)).with("--fan-out", strconv.Itoa(r.Fanout)))
		}
		return err
	}),
	"fit": commandOf(func(c *commander, r File) error {
		c.add(line{"halfpeak", "fit", fileName(r.Name)}.with("--model", r.Model).with("--save", r.Save))
		return nil
	}),
}

func (c *commander) collective(r CollectiveMap) error {
	refs, err := c.refs(r.Design)
	if err == nil {
		c.add(line{"halfpeak", "collective", r.Collective, refs[0], "--ranks", r.Ranks, "--size", r.Sizes}.with("--segment", r.Segments))
	}
	return err
}

// whatif adds a question of whatif.
func (c *commander) whatif(d Design, question ...string) error {
	if _, err := c.x.design(d); err != nil {
		return err
	}
	c.add(append(changed(d), question...))
	return nil
}

func commandOf[T any](make func(*commander, T) error) func(*commander, []byte) error {
	return func(c *commander, request []byte) error {
		var r T
		if err := read(request, &r); err != nil {
			return err
		}
		return make(c, r)
	}
}

// command returns the command lines with the same numbers as another question.
func (x *Explorer) command(w Wrapped) (Commands, error) {
	make, has := commands[w.Question]
	if !has {
		return Commands{}, fmt.Errorf("no command answers %q", w.Question)
	}
	c := &commander{x: x}
	err := make(c, w.Request)
	return Commands{c.commands}, err
}
