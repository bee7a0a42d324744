package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/halfpeak/halfpeak"
	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/flags"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/study"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/message"
	"github.com/halfpeak/halfpeak/reports/whatif"
)

// parsedSizes parses a size list written in this source; a mistake in one is a
// mistake of ours.
func parsedSizes(text string) []quantity.Bytes {
	sizes, err := quantity.ParseSizes(text)
	if err != nil {
		panic(err)
	}
	return sizes
}

// declareSizes declares a flag of message sizes; otherwise is its default as a user
// would write it, and so help shows it in the same notation.
func declareSizes(cmd *cobra.Command, to *[]quantity.Bytes, name, otherwise, help string) {
	flags.Var(cmd.Flags(), to, func(text string) ([]quantity.Bytes, error) {
		sizes, err := quantity.ParseSizes(text)
		if inner := errors.Unwrap(err); inner != nil {
			err = inner // without the whole list, which flagError names
		}
		if m := decimalComma.FindStringSubmatch(text); m != nil && err == nil {
			unit := ""
			if strings.Trim(m[2], "0123456789") == "" {
				unit = "KiB, say"
			}
			cmd.PrintErrf("--%s %s is two sizes, %v and %v; for one write %s.%s%s\n", name, text,
				sizes[0], sizes[1], m[1], m[2], unit)
		}
		if m := decimalUnit.FindStringSubmatch(text); m != nil && err == nil {
			cmd.PrintErrf("--%s %s: %s counts as %siB, of powers of two\n", name, text, m[1],
				m[1][:1])
		}
		return sizes, err
	}, "sizes", name, otherwise, help)
}

// decimalUnit matches a unit that elsewhere, and of rates here, is one of powers of ten.
var decimalUnit = regexp.MustCompile(`[0-9]([KMG]B)`)

// decimalComma matches a list of two sizes that may be one with a decimal comma, such as "1,5MiB".
// Two sizes are more often powers of two.
var decimalComma = regexp.MustCompile(`^([0-9]+),((?:[35679]|[1-9][03579])[A-Za-z]*)$`)

// maxPlaceholder is the length of the longest placeholder in help: pflag begins the
// texts of all flags in the column behind the longest, so one long list of choices
// would squeeze every text of the command.
const maxPlaceholder = 20

// enum declares a flag that takes one of a few words, the first of them by default.
// Its placeholder in help is the choices, if they are few. The flag checks the word,
// so that a typing error is reported before anything is read.
func enum(cmd *cobra.Command, to *string, name, help string, choices ...string) {
	kind := strings.Join(choices, "|")
	if len(kind) > maxPlaceholder {
		kind, help = "word", help+": "+strings.Join(choices, ", ")
	}
	flags.Var(cmd.Flags(), to, func(text string) (string, error) {
		if !slices.Contains(choices, text) {
			return "", fmt.Errorf("choose one of %s", strings.Join(choices, ", "))
		}
		return text, nil
	}, kind, name, choices[0], help)
	complete(cmd, name, choices)
}

// optional declares an enum flag without a default. It is for flags whose absence
// means that something else decides, such as a file's extension.
func optional(cmd *cobra.Command, to *string, name, help string, choices ...string) {
	enum(cmd, to, name, help, choices...)
	*to, cmd.Flags().Lookup(name).DefValue = "", ""
}

// declareCycles declares the flag of times in cycles of each host's processor, for comparison with
// papers that give overheads in cycles.
func declareCycles(cmd *cobra.Command, to *bool) {
	cmd.Flags().BoolVar(to, "cycles", false,
		"also print times in cycles of the host's processor, if its clock is known")
}

// samplingFlags are the options of propagating intervals. 10,000 samples give the end
// of an interval to 1 % of its width in a fraction of a second. The seed has a fixed
// default, so that two runs print the same.
type samplingFlags struct {
	samples int
	seed    uint64
	assume  flags.Percent
}

func (s *samplingFlags) declare(f *pflag.FlagSet) {
	f.IntVar(&s.samples, "samples", 10000, "Monte Carlo samples")
	f.Uint64Var(&s.seed, "seed", 1, "seed of the samples")
	f.Var(&s.assume, "assume", "half width of the 95 % interval of times and rates without one")
}

func (s *samplingFlags) sampling(ctx context.Context) whatif.Sampling {
	return whatif.Sampling{Context: ctx, Samples: s.samples, Seed: s.seed,
		Assumed: float64(s.assume) / 100}
}

// layerOptions holds the flags that choose and change layers.
type layerOptions struct {
	packet  string
	use     levelUse
	way     study.Way // of a message on a machine of levels
	any     bool      // their times need not be those of messages
	streams bool      // they may be the gaps of a stream
}

// A levelUse says what a machine of levels stands for.
type levelUse int

const (
	wholeMachine levelUse = iota // ranks run on all levels
	eachLevel                    // the layer of each level, or that of one
	eachState                    // these, and those for other states of memory
	oneLevel                     // the layer of the level that a message crosses
)

// declareWay declares the flags that say which level of a machine a message crosses.
func declareWay(f *pflag.FlagSet, to *study.Way) {
	f.StringVar(&to.Level, "level", "", "on a machine: messages across the level of this `name`")
	rank := func(text string) (int, error) {
		n, err := strconv.Atoi(text)
		if err != nil {
			err = fmt.Errorf("%q is not the number of a rank", text)
		}
		to.Given = true
		return n, err
	}
	flags.Var(f, &to.From, rank, "rank", "from", "",
		"on a machine: messages from this rank to that of --to")
	flags.Var(f, &to.To, rank, "rank", "to", "",
		"on a machine: messages to this rank from that of --from")
}

func (o *layerOptions) declare(cmd *cobra.Command) {
	if o.use != wholeMachine {
		declareWay(cmd.Flags(), &o.way)
	}
	cmd.Flags().StringVar(&o.packet, "packet", "",
		"cut messages into packets of this `size`, or best, whole, or eq10: by equation 10 of the "+
			"CLIP paper")
	complete(cmd, "packet", model.CutWords())
}

// designs returns the layers that the arguments name, changed as the flags say.
func (o layerOptions) designs(refs []string) ([]platforms.Design, error) {
	opened, err := open(refs...)
	if err != nil {
		return nil, err
	}
	return o.changed(refs, opened)
}

// open opens the platforms that arguments name.
func open(refs ...string) ([]platforms.Design, error) {
	all, err := halfpeak.OpenAll(refs...)
	return list.Map(all, func(d halfpeak.Design) platforms.Design { return d.Design }), err
}

// changed returns the layers of the designs that references named.
func (o layerOptions) changed(refs []string, opened []platforms.Design) (
	all []platforms.Design, err error) {
	for i, d := range opened {
		stream := d.Layer.Timed.Of == platforms.Stream
		if any := o.any && d.Layer.Model != nil; !any && !(o.streams && stream) {
			if err := d.Messages(); err != nil {
				return nil, err
			}
		}
		if o.use == oneLevel || o.way != (study.Way{}) {
			if d, err = o.way.Of(d); err != nil {
				return nil, err
			}
		}
		// A machine has several layers, and a packet that suits one need not suit the
		// others.
		if o.packet != "" && d.Whole {
			return nil, usagef("--packet requires a single layer; name it, as in %s/%s",
				refs[i], d.Layer.Name)
		}
		if d, err = d.Recut(o.packet); err != nil {
			return nil, fmt.Errorf("--packet %w", err)
		}
		switch o.use {
		case eachLevel:
			all = append(all, message.Levels(d)...)
		case eachState:
			all = append(all, message.Levels(d, "relay", "fresh")...)
		default:
			all = append(all, d)
		}
	}
	return all, nil
}

// ranks returns the design that ranks run on.
func (o layerOptions) ranks(ref string) (d platforms.Design, err error) {
	all, err := o.each([]string{ref})
	if err != nil {
		return d, err
	}
	return all[0], nil
}

// each returns the designs that ranks run on.
func (o layerOptions) each(refs []string) ([]platforms.Design, error) {
	all, err := open(refs...)
	if err != nil {
		return nil, err
	}
	for i, d := range all {
		if all[i], err = d.OfRanks(); err != nil {
			return nil, err
		}
		if d = all[i]; d.Layer.Model == nil && o.packet == "" {
			continue // measured collectives alone
		}
		changed, err := o.changed(refs[i:i+1], all[i:i+1])
		if err != nil {
			return nil, err
		}
		all[i] = changed[0]
	}
	return all, nil
}

// declareCall declares the parameters of a call of a collective that schedule and
// collective share.
func declareCall(cmd *cobra.Command, call *collective.Call) {
	cmd.Flags().IntVar(&call.Root, "root", 0, "`rank` that sends to all, or receives from all")
	cmd.Flags().IntVar(&call.Fanout, "fan-out", 0,
		"`number` of chains, radix, or simultaneous exchanges; 0: the algorithm's default")
	cmd.Flags().IntVar(&call.Channels, "channels", 0,
		"`number` of rings or trees that share the message, channel c by the c-th rail of each "+
			"node; by default one for each rail if the algorithm is NCCL's")
	flags.Var(cmd.Flags(), &call.Gamma, func(text string) (float64, error) {
		gamma, err := quantity.ParseMicrosPerByte(text)
		// A call counts in ns, as the schedules of GOAL do.
		return float64(gamma) * 1e3, err // ns
	}, "time/size", "gamma", "",
		"time to combine a byte in a reduction, as in 0.1ns/B; \"engine bench --programs "+
			"combine\" measures it")
}

// usagef returns the error of a mistake on the command line, as against one in a
// file: exit status 2 instead of 1.
func usagef(format string,
	args ...any) error {
	return usage.Error{Err: fmt.Errorf(format, args...)}
}

// behindNumber reports whether the argument behind these may be the unit of a number, which is the
// last of them or the value of a flag. Else it is a name, as in "halfpeak demo s".
func behindNumber(cmd *cobra.Command, before []string) bool {
	words := slices.Clone(before[max(0, len(before)-1):])
	cmd.Flags().Visit(func(f *pflag.Flag) { words = append(words, f.Value.String()) })
	return slices.ContainsFunc(words, func(word string) bool {
		_, err := flags.ParseRanks(word)
		return err == nil
	})
}

// wantArgs returns a usage error that names the wanted arguments if one is missing or
// surplus. A negative most means no limit. The messages of cobra count the arguments,
// but do not name them.
func wantArgs(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if most >= 0 && len(args) > most {
			if err := splitChange(cmd, strings.Join(args[most:], " ")); err != nil {
				return err
			}
		}
		for i, arg := range args {
			if _, is := quantity.Unit(arg); is && behindNumber(cmd, args[:i]) {
				return usagef("%q is a unit: write it without a space, as in 64KiB", arg)
			}
		}
		if len(args) < least {
			return usagef("give %s", what)
		}
		if most >= 0 && len(args) > most {
			return usagef("unexpected argument %q; give %s", strings.Join(args[most:], " "), what)
		}
		return nil
	}
}

// splitChange returns the error of a change whose value stands apart from its name, such as --set G
// -50%; nil if the last --set has a value.
func splitChange(cmd *cobra.Command, value string) error {
	f := cmd.Flags().Lookup("set")
	if f == nil {
		return nil
	}
	values, several := f.Value.(pflag.SliceValue)
	if !several || len(values.GetSlice()) == 0 {
		return nil
	}
	names := values.GetSlice()
	name := names[len(names)-1]
	if strings.Contains(name, "=") {
		return nil
	}
	change := name + "=" + strings.TrimPrefix(value, "=")
	if factor, ok := platforms.PercentFactor(value); ok {
		change = fmt.Sprintf("%s*=%.6g", name, factor)
	}
	return usagef("--set %s %s: a change is one word; write --set %s", usage.ShellLine(name),
		usage.ShellLine(value), usage.ShellLine(change))
}

// columnsFlag gives columns of a CSV or JSON their roles, where their names do not: a
// list of ROLE=COLUMN. A role with a pointer to a text takes one column, the others
// may be given again. It is one flag for all roles, since five flags for a case that
// most files do not have would fill the help.
type columnsFlag struct {
	text  string
	roles []columnRole
}

// A columnRole is a role and where its columns go: one column, or several.
type columnRole struct {
	name    string
	one     *string
	several *[]string
	of      []string // the values, where they are no columns
}

// columnRoles returns the roles of columns of files that are read with these options.
func columnRoles(o *benchfile.Options) []columnRole {
	return []columnRole{
		{name: "size", one: &o.X}, {name: "time", one: &o.Y},
		{name: "ranks", one: &o.Ranks}, {name: "nodes", one: &o.Nodes},
		{name: "ranks-per-node", one: &o.PerNode},
		{name: "group", several: &o.Group}, {name: "pool", several: &o.Pool},
		{name: "kind", one: &o.Kind, of: benchfile.KindNames},
	}
}

// columnsHelp is the grammar of --columns.
const columnsHelp = `--columns takes ROLE=COLUMN[:UNIT], …; a column is a name or a number from 1:
  size=1:B         sizes, in B, KiB, 4B (elements of 4 bytes), 1e6B
  time=5:us        times, in ns, us, ms or s
  time=bw:MiB/s    or rates, in MB/s, GB/s, MiB/s, Gbit/s
  kind=gap         what the times are: one-way, round-trip, gap, operation
  ranks=n,nodes=m  of a collective; also ranks-per-node
  group=host       each value is a table of its own
  pool=run         values are pooled`

// addsUp annotates a flag that may be given again, although its value is no list.
const addsUp = "adds up"

func (c *columnsFlag) declare(cmd *cobra.Command, help string, roles []columnRole) {
	c.roles = roles
	flags.Var(cmd.Flags(), &c.text, c.take, "roles", "columns", "",
		"`roles` of columns in a CSV or JSON, by name or number, as in size=n:KiB,time=t:ms"+help)
	cmd.Flags().Lookup("columns").Annotations = map[string][]string{addsUp: nil}
}

// take gives the columns in a text their roles, and returns it behind the texts before.
func (c *columnsFlag) take(text string) (string, error) {
	for part := range strings.SplitSeq(text, ",") {
		name, column, _ := strings.Cut(part, "=")
		i := slices.IndexFunc(c.roles, func(r columnRole) bool { return r.name == name })
		if i < 0 || column == "" {
			names := list.Map(c.roles, func(r columnRole) string { return r.name })
			return "", fmt.Errorf("give ROLE=COLUMN, the role one of %s", strings.Join(names, ", "))
		}
		role := c.roles[i]
		if role.of != nil && !slices.Contains(role.of, column) {
			return "", fmt.Errorf("%s must be one of %s", name, strings.Join(role.of, ", "))
		}
		if role.one != nil {
			*role.one = column
		} else {
			*role.several = append(*role.several, column)
		}
	}
	return strings.TrimPrefix(c.text+","+text, ","), nil
}

// asFlag spells an option of reading files as a user of the command line gives it.
// Readers suggest options in their notes ("give the column of times"), and know axes
// only.
func asFlag(option, value string) string {
	if option == "clock" {
		return "fit --clock " + value
	}
	roles := map[string]string{"x": "size", "y": "time", "group": "group", "pool": "pool"}
	return "--columns " + roles[option] + "=" + usage.ShellLine(value)
}

// A changeGate is --fail-on-change.
type changeGate struct{ on bool }

// declare declares the flag; what is the change that it looks for.
func (g *changeGate) declare(cmd *cobra.Command, what string) {
	cmd.Flags().BoolVar(&g.on, "fail-on-change", false, "exit with 3 if "+what)
}

// check returns an error of status 3 if some of all the things that were looked at changed.
func (g *changeGate) check(some, all int, things string) error {
	if !g.on || some == 0 {
		return nil
	}
	return usage.Change{Found: fmt.Sprintf("%d of %d %s (--fail-on-change)", some, all, things)}
}
