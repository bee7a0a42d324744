package fits

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/fit/contention"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/nearest"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// A Level is a level of a machine that is to be fitted.
type Level struct {
	Name  string
	Holds int // units of the level inside it, or cores; 0: not given
	// From are files, each of times of messages, of gaps or of overheads between ranks that meet at
	// this level; or where files are read besides, values of the column that
	// distinguishes their tables. None: nothing was measured between ranks that meet at this level.
	From []string
}

// ParseLevels reads levels from inside out, as in "node=latency.txt", a name again for another
// file, or "node" alone if nothing was measured there; and how many units of the level inside each
// holds, as in "node=32".
func ParseLevels(levels, holds []string) ([]Level, error) {
	var all []Level
	names := func() []string { return list.Map(all, func(l Level) string { return l.Name }) }
	for _, text := range levels {
		name, from, given := strings.Cut(text, "=")
		if name == "" || given && from == "" {
			return nil, usage.Fields(fmt.Errorf("%q: write NAME=FILE, for example node=latency.txt, or NAME if nothing was measured there", text), "level")
		}
		if err := platforms.CheckLevelName(name); err != nil {
			return nil, usage.Fields(fmt.Errorf("%q: %w", name, err), "level")
		}
		at := slices.Index(names(), name)
		if at < 0 {
			at, all = len(all), append(all, Level{Name: name})
		}
		if given {
			all[at].From = append(all[at].From, from)
		}
	}
	if len(all) > 0 && !slices.ContainsFunc(all, func(l Level) bool { return len(l.From) > 0 }) {
		return nil, usage.Fields(fmt.Errorf("%q: nothing was measured at any level; write NAME=FILE, for example node=latency.txt", levels[0]), "level")
	}
	for _, text := range holds {
		name, number, _ := strings.Cut(text, "=")
		n, err := strconv.Atoi(number)
		at := slices.Index(names(), name)
		switch {
		case err != nil || n < 1:
			return nil, usage.Fields(fmt.Errorf("%q: write NAME=NUMBER with a number of at least 1, for example node=32", text), "arity")
		case at < 0:
			return nil, usage.Fields(fmt.Errorf("%q: no level %q%s", text, name, nearest.Hint(name, names())), "arity")
		case all[at].Holds > 0:
			return nil, usage.Fields(fmt.Errorf("the arity of level %q is given twice", name), "arity")
		}
		all[at].Holds = n
	}
	return all, nil
}

// levelSources returns the tables of levels: those of their files, or those of the given files that
// have the level's value in the column that distinguishes tables.
func levelSources(read input, paths []string, o Options) (in input, err error) {
	in = read
	in.Sources = nil
	for _, level := range o.Levels {
		for _, from := range level.From {
			var found []fitSource
			if len(paths) == 0 {
				one, err := ReadFit([]string{from}, o)
				if err != nil {
					return in, fmt.Errorf("level %s: %w", level.Name, err)
				}
				found, in.Notes = one.Sources, append(in.Notes, one.Notes...)
				in.Broken = cmp.Or(in.Broken, one.Broken)
			} else if found, err = valued(read.Sources, from); err != nil {
				return in, fmt.Errorf("level %s: %w", level.Name, err)
			}
			for _, s := range found {
				s.alone, s.level = false, level.Name
				in.Sources = append(in.Sources, s)
			}
		}
	}
	return in, nil
}

// valued returns the tables that have the value in the column that distinguishes tables.
func valued(sources []fitSource, value string) (found []fitSource, err error) {
	var values []string
	for _, s := range sources {
		column, of, ok := strings.Cut(s.table.Title, "=")
		if !ok {
			continue
		}
		if _, other, more := strings.Cut(of, " "); more {
			return nil, usage.Fields(fmt.Errorf("tables differ in %q and also in %q; pool the column %s",
				column, other, strings.Split(other, "=")[0]), "pool")
		}
		values = append(values, of)
		if of == value {
			found = append(found, s)
		}
	}
	if len(values) == 0 {
		return nil, usage.Fields(fmt.Errorf("no column distinguishes the tables of levels; name it"), "group")
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("no table with the value %q%s", value, nearest.Hint(value, values))
	}
	return found, nil
}

// A levelRole is the key of a level that a kind of table gives.
type levelRole struct{ key, suffix, what string }

var levelRoles = map[benchfile.Kind]levelRole{
	benchfile.OneWay:          {"layer", "", "times of messages"},
	benchfile.RoundTrip:       {"layer", "", "times of messages"},
	benchfile.Gap:             {"gap", "-gap", "gaps"},
	benchfile.SendOverhead:    {"send", "-send", "send overheads"},
	benchfile.ReceiveOverhead: {"receive", "-receive", "receive overheads"},
}

// machineDocument is a platform of levels with a layer for each curve.
func (f *Fitted) machineDocument() (d platforms.Document, err error) {
	d = platforms.NewDocument("fit of " + sourceNames(sourcesOf(f.Curves)))
	var layers []platforms.Table
	inner := "cores"
	for _, level := range f.levels {
		if level.Holds == 0 {
			return d, usage.Fields(fmt.Errorf("level %s: its arity, the number of %s in one unit, is missing", level.Name, inner), "arity")
		}
		inner = fmt.Sprintf("units of level %s", level.Name)
		t := platforms.NewTable("level", level.Name, "arity", strconv.Itoa(level.Holds))
		var from []string
		for _, c := range f.Curves {
			if c.level != level.Name {
				continue
			}
			role, known := levelRoles[c.Kind]
			if !known {
				return d, fmt.Errorf("level %s: %s has times of a %s; a level is made of times of messages, of gaps and of overheads", level.Name, c.name(), c.Kind)
			}
			if slices.ContainsFunc(t.Keys, func(k platforms.Key) bool { return k.Name == role.key }) {
				return d, fmt.Errorf("level %s: %s is another table with %s; give each level one", level.Name, c.name(), role.what)
			}
			t.Set(role.key, level.Name+role.suffix)
			tables, err := curveTables(level.Name+role.suffix, c)
			if err != nil {
				return d, fmt.Errorf("level %s: %w", level.Name, err)
			}
			layers = append(layers, tables...)
			from = append(from, c.name())
		}
		if !slices.ContainsFunc(t.Keys, func(k platforms.Key) bool { return k.Name == "layer" }) {
			return d, usage.Fields(fmt.Errorf("level %s: no times of messages were read; give it a file of latencies", level.Name), "level")
		}
		shared := f.assumedSharing(level.Name)
		for _, layer := range shared {
			t.Set(layer.key, level.Name+"-"+layer.key)
			layers = append(layers, estimatedLayer(level.Name+"-"+layer.key, &model.Linear{Beta: layer.each, Tau: layer.perByte}, layer.source))
		}
		if f.insideNode(level.Name) {
			if crowd := f.assumedCrowd(level.Name); crowd > 0 {
				t.Set("crowd", fmt.Sprintf("%.4gus", float64(crowd)))
			}
			t.Set("packet", fmt.Sprintf("%dB", int(contention.AssumedPacket)))
			t.Set("reverse", fmt.Sprint(contention.AssumedReverse))
		}
		t.Set("source", strings.Join(from, ", "))
		d.Tables = append(d.Tables, t)
	}
	d.Tables = append(d.Tables, layers...)
	return d, nil
}

// nodeLevel is the name of the level whose ranks share memory.
const nodeLevel = "node"

// insideNode reports whether ranks that meet at a level exchange messages through memory.
func (f *Fitted) insideNode(level string) bool {
	index := func(name string) int {
		return slices.IndexFunc(f.levels, func(l Level) bool { return l.Name == name })
	}
	return index(level) <= index(nodeLevel)
}

// An assumption is what a unit's ranks share if nothing shows it.
type assumption struct {
	key, source string
	each        quantity.Micros // per message
	perByte     quantity.MicrosPerByte
}

// assumedSharing returns what the ranks of a node share: its memory and, if there is a level
// outside, its NIC. It returns none for other levels.
func (f *Fitted) assumedSharing(level string) (all []assumption) {
	at := slices.IndexFunc(f.levels, func(l Level) bool { return l.Name == level })
	if level != nodeLevel || at == 0 && f.levels[0].Holds < 2 {
		return nil
	}
	if perByte := f.leastPerByte(level); perByte > 0 {
		all = append(all, assumption{"shared", fmt.Sprintf("assumed: the memory of a node carries %d pairs of ranks at full speed", contention.AssumedPairs), 0, perByte / contention.AssumedPairs})
	}
	if at+1 < len(f.levels) {
		if perByte := f.leastPerByte(f.levels[at+1].Name); perByte > 0 {
			all = append(all, assumption{"port", fmt.Sprintf("assumed: the NIC of a node carries one pair of ranks at full speed, and a message each %v µs", contention.AssumedHand), contention.AssumedHand, perByte})
		}
	}
	return all
}

// assumedCrowd returns the Crowd of a level inside the node: a part of its least one-way time or,
// if its unit holds few cores, of that of the level outside it. It is 0 if the node holds few
// cores.
func (f *Fitted) assumedCrowd(level string) quantity.Micros {
	cores, inside := 1, false
	for _, l := range f.levels {
		cores *= l.Holds
		inside = inside || l.Name == level
		switch {
		case inside && cores > machine.FewRanks:
			return contention.AssumedCrowd * quantity.Micros(f.least(l.Name, func(gap bool, n quantity.Bytes, t quantity.Micros) float64 {
				if gap {
					return 0
				}
				return float64(t)
			}))
		case l.Name == nodeLevel:
			return 0
		}
	}
	return 0
}

// leastPerByte returns the least time per byte of a level's messages of at least 4 KiB; 0 if there
// are none.
func (f *Fitted) leastPerByte(level string) quantity.MicrosPerByte {
	return quantity.MicrosPerByte(f.least(level, func(_ bool, n quantity.Bytes, t quantity.Micros) float64 {
		if n < 4<<10 {
			return 0
		}
		return float64(t.Per(n))
	}))
}

// least returns the least value above 0 of a level's one-way times and gaps; 0 if there is none.
func (f *Fitted) least(level string, value func(gap bool, n quantity.Bytes, t quantity.Micros) float64) (least float64) {
	for _, c := range f.Curves {
		share := map[benchfile.Kind]quantity.Micros{benchfile.OneWay: 1, benchfile.Gap: 1, benchfile.RoundTrip: 0.5}[c.Kind]
		if c.level != level || share == 0 {
			continue
		}
		for _, s := range c.table.Samples {
			if v := value(c.Kind == benchfile.Gap, s.Size, cmp.Or(s.Median, s.Mean)*share); v > 0 && (least == 0 || v < least) {
				least = v
			}
		}
	}
	return least
}

// withoutGaps returns remarks about levels without measured gaps.
func (f *Fitted) withoutGaps() (notes []string) {
	if f.shared != nil {
		return nil
	}
	for _, level := range f.levels {
		if !slices.ContainsFunc(f.Curves, func(c Curve) bool { return c.level == level.Name && c.Kind == benchfile.Gap }) {
			notes = append(notes, fmt.Sprintf("level %s: no gaps were measured, so a sender's next message begins when the previous one has arrived; give the level a file of bandwidths or message rates too",
				level.Name))
		}
		for _, a := range f.assumedSharing(level.Name) {
			notes = append(notes, fmt.Sprintf("level %s: %s; nothing measured shows it", level.Name, a.source))
		}
	}
	return notes
}

// machineText returns the text of the machine's file, after reading it back.
func (f *Fitted) machineText() (string, error) {
	var d platforms.Document
	var err error
	switch c := f.calibrated; {
	case c != nil:
		d = f.estimatedMachine(c.machine, "calibrate, "+c.file, fmt.Sprintf("halfpeak calibrate, %s; %s; %s", c.file, c.Job, c.Library))
	case f.shared != nil:
		source := "halfpeak fit"
		if f.seen != "" {
			source += ": " + f.seen
		}
		d = f.estimatedMachine(f.shared.Machine(f.factors), "fit of "+sourceNames(f.sources)+" and of contention", source)
	default:
		if d, err = f.machineDocument(); err != nil {
			return "", err
		}
	}
	if t := f.leastPerByte(nodeLevel) / 2; t > 0 {
		d.Tables = append(d.Tables, perByteConstant(contention.Copy, t, "assumed: a message in a node is copied in and out, and a local copy takes half its time per byte"),
			perByteConstant(contention.Combine, t, "assumed: a sum reads and writes as much as a copy"))
	}
	text, err := Encoded(d, "fit.")
	if err == nil {
		_, err = platforms.Parse("the fitted machine", []byte(text))
	}
	return text, err
}
