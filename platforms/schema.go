package platforms

import (
	"maps"
	"slices"

	"github.com/halfpeak/halfpeak/model"
)

// schema has the keys of each kind of table, and of branches; "" are those outside of tables.
var schema = map[string]map[string]form{
	"":           keys("title", "paper", "note", "clock", "default"),
	"constant":   keys("value", "source"),
	"roof":       keys("rate", "source"),
	"stage":      keys("beta", "tau", "host", "resource", "at", "queue", "full", "source"),
	"protocol":   keys("full", "source").numbers(protocolFields).add(truth, "rounds"),
	"measured":   keys("runs", "resolution", "source").add(names, "sizes", "times", "deviations").add(truth, "operation"),
	"layer":      layerKeys(),
	"level":      keys("layer", "gap", "send", "receive", "shared", "port", "link", "topology", "source").numbers(levelFields),
	"collective": keys("collective", "algorithm", "statistic", "source").add(names, "ranks", "ranks_per_node", "sizes", "times", "runs", "deviations"),
	"branch":     keys("layer", "up_to"),
}

// tableKinds lists the kinds of table.
var tableKinds = []string{"constant", "roof", "stage", "protocol", "measured", "layer", "level", "collective"}

// commonKeys are those that every layer may have.
var commonKeys = keys("model", "title", "note", "source", "protocol", "measured", "correlation", "times_of", "collective", "ranks").
	add(truth, "per_rank").add(names, "roofs").add(sources, "sources")

func layerKeys() formOf {
	f := maps.Clone(commonKeys)
	for _, k := range model.Kinds {
		for alias := range k.Aliases {
			f[alias] = texts
		}
		for _, p := range k.Parts {
			f[p.Key] = texts
		}
		if k.Branches != nil {
			f["branches"] = branches
		}
		if k.Stages != nil {
			f["stages"] = names
		}
		for _, p := range k.Fields {
			if f[p.Key] = texts; p.List {
				f[p.Key] = names
			}
		}
	}
	return f
}

type formOf map[string]form

func keys(names ...string) formOf { return formOf{}.add(texts, names...) }

func (f formOf) add(what form, names ...string) formOf {
	for _, name := range names {
		f[name] = what
	}
	return f
}

func (f formOf) numbers(fields map[string]Param) formOf {
	return f.add(texts, slices.Collect(maps.Keys(fields))...)
}

// A form is the form of a key's value.
type form int

const (
	texts    form = iota // a text
	truth                // true or false
	names                // a list of texts
	branches             // a list of { layer = "pio", up_to = "256B" }
	sources              // an inline table of texts
)

// protocolFields are the numbers of a protocol.
var protocolFields = map[string]Param{
	"credits":         {Measure: model.Count},
	"inbox":           {Measure: model.Count},
	"eager_threshold": {Measure: model.Size},
	"retry":           {Measure: model.Time},
	"poll":            {Measure: model.Time},
	"interrupt":       {Measure: model.Time},
}

var levelFields = func() map[string]Param {
	fields := map[string]Param{}
	for _, p := range levelNumbers {
		fields[p.Key] = p
	}
	return fields
}()

// levelNumbers are the numbers of a level, in the order of [Level.Params].
var levelNumbers = []Param{
	{Key: "arity", Measure: model.Count, Phrase: "units of the next inner level"},
	{Key: "lanes", Measure: model.Plain, Phrase: "transfers inside at full speed at once"},
	{Key: "ports", Measure: model.Plain, Phrase: "transfers out, and in, at full speed at once"},
	{Key: "eager_threshold", Measure: model.Size, Phrase: "largest message that does not wait for its receive"},
	{Key: "packet", Measure: model.Size, Phrase: "largest message that does not have fair shares"},
	{Key: "reverse", Measure: model.Plain, Phrase: "part of the opposite direction that a message takes"},
	{Key: "crowd", Measure: model.Time, Phrase: "more time of sender and receiver, each, among many ranks"},
	{Key: "hop", Measure: model.Time, Phrase: "latency of each link beyond the shortest route"},
	{Key: "routes", Measure: model.Count, Phrase: "links of a port, by receivers"},
}
