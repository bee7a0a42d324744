package platforms

import (
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/machine"
)

// The schema describes the keys of platform files. What is read, written, changed and explained
// follows from its rows; a new key is a row here, or in [model.Kind] or [machine.Keys].

// A form is what TOML has behind a key.
type form int

const (
	asText form = iota
	asList
	asFlag       // true or false
	asBranches   // of a layer
	asTable      // texts by key
	asTextOrList // one text, or several
)

// A key is a row of the schema.
type key struct {
	name   string
	form   form
	names  string // the kind of tables whose name, or names, the text is
	number *Param // what the number is, with its Measure; nil for other texts
	// at returns what the text sets; nil if the key's meaning takes more than the text. Of is a
	// *[Platform], *[Layer], *[Protocol], *[Measured] or *[MeasuredCollective].
	at   func(of any) any
	help string // a row of FORMAT.md; "": the row before tells of this key, too
}

// A tableKind describes the tables [NAME.*], or the one table [NAME]; without a name, the file.
type tableKind struct {
	name string
	one  bool // there is one table, whose name is empty
	keys []key
}

// find returns the row of a key; nil if the tables do not have it.
func (k *tableKind) find(name string) *key {
	if i := k.place(name); i >= 0 {
		return &k.keys[i]
	}
	return nil
}

// place returns the place of a key in the order of a written table; -1 if tables do not have it.
func (k *tableKind) place(name string) int {
	return slices.IndexFunc(k.keys, func(row key) bool { return row.name == name })
}

// names returns the keys, to hint at after a wrong one; those of the file are also the kinds of its
// tables. Of equally close names, a hint takes the first.
func (k *tableKind) names() (all []string) {
	for _, row := range k.keys {
		all = append(all, row.name)
	}
	if k == topKind {
		for _, of := range tableKinds[1:] {
			all = append(all, of.name)
		}
	}
	slices.Sort(all)
	return all
}

// numbers returns the parameters of a table, by key.
func (k *tableKind) numbers() map[string]Param {
	all := map[string]Param{}
	for _, row := range k.keys {
		if row.number != nil {
			all[row.name] = *row.number
		}
	}
	return all
}

// number returns the row of a number that an engine alone reads.
func number(name string, m model.Measure, at func(of any) any, help string) key {
	return key{name: name, number: &Param{Measure: m}, at: at, help: help}
}

// source is the last row of each table with numbers.
var sourceKey = key{name: "source"}

var topKind = &tableKind{one: true, keys: []key{
	{name: "title", at: func(of any) any { return &of.(*Platform).Title },
		help: "what it is; the paper's short name; a remark for readers of the numbers"},
	{name: "paper", at: func(of any) any { return &of.(*Platform).Paper }},
	{name: "note", at: func(of any) any { return &of.(*Platform).Note }},
	{name: "clock",
		help: "of the host processor: `\"266MHz\"`; times can then be printed in cycles"},
	{name: "default",
		help: "the layer that the platform's name stands for; without it, the first"},
	{name: "library",
		help: "the library whose choice of algorithms collectives follow: `\"openmpi\"`, " +
			"`\"mpich\"`, `\"nccl\"` or `\"intel\"`; `calibrate` writes it"},
}}

// tableKinds are the kinds of tables in the order of a written file: the file itself, a machine,
// its layers behind the stages that they name, and below these what bounds and explains them.
var tableKinds = []*tableKind{topKind, levelKind, computeKind, stageKind, layerKind, measuredKind,
	collectiveKind, constantKind, roofKind, protocolKind}

var computeKind = &tableKind{
	name: "compute", one: true,
	keys: []key{
		{name: "flops", number: &Param{Measure: model.Flops, Phrase: "operations a second"},
			help: "what a rank computes in a program that counts its operations and its bytes of " +
				"memory: `\"250Tflop/s\"` of the large products of matrices, " +
				"`\"1.4TB/s\"` of what only moves; each takes the larger of the two times"},
		{name: "memory", number: &Param{Measure: model.Rate, Phrase: "bytes of memory a second"}},
		sourceKey,
	},
}

var constantKind = &tableKind{
	name: "constant",
	keys: []key{
		// Of any dimension, since only formulas read it.
		{name: "value", help: "a number that formulas name; NAME has letters, digits and `_`"},
		sourceKey,
	},
}

var roofKind = &tableKind{
	name: "roof",
	keys: []key{
		{name: "rate", number: &Param{}, help: "a rate that the hardware cannot exceed"},
		sourceKey,
	},
}

var stageKind = &tableKind{
	name: "stage",
	keys: []key{
		{name: "beta", number: &Param{Measure: model.Time, Symbol: "β",
			Phrase: "fixed cost of a packet"},
			help: "a stage of pipelines: time per packet, time per byte"},
		{name: "tau", number: &Param{Measure: model.PerByte, Symbol: "τ",
			Phrase: "time per byte"}},
		{name: "sizes", form: asList,
			help: "measured times of packets that are alone in the pipeline, `sizes = [\"1KiB\", " +
				"\"64KiB\"]`, `times = [\"0.3us\", \"4.1us\"]`: they replace the line of `beta` " +
				"and `tau`, which then serves the paper's equations and plans of unequal packets " +
				"alone; if one of the two changes, the times change in proportion. Between sizes " +
				"and beyond them as in `table`"},
		{name: "times", form: asList},
		{name: "overlapped", form: asList,
			help: "the times of the same sizes while other packets are in the pipeline, if " +
				"stages share a processor, a cache or a bus: of all packets but the first one " +
				"in the first stage, the last one in the last stage, and a single one"},
		{name: "host", help: "`\"sender\"` or `\"receiver\"`, if the stage occupies that " +
			"processor"},
		{name: "resource",
			help: "for the engine: what the stage occupies (by default itself), and whose it " +
				"is: `\"sender\"` (the default), `\"receiver\"` or `\"network\"`; the " +
				"stages of several pipelines that name one resource of one node share it"},
		{name: "at"},
		number("queue", model.Count, nil,
			"for the engine: packets that may wait for it, `\"8\"`; one that finds the queue full "+
				"waits in the stage before (`\"wait\"`, the default) or is lost (`\"drop\"`)"),
		{name: "full"},
		sourceKey,
	},
}

var protocolKind = &tableKind{
	name: "protocol",
	keys: []key{
		number("credits", model.Count, func(of any) any { return &of.(*Protocol).Credits },
			"for the engine: requests to a node without a reply (32 if not given); packets that a "+
				"node has room for, and whether further packets wait or are dropped"),
		number("inbox", model.Count, func(of any) any { return &of.(*Protocol).Inbox }, ""),
		{name: "full"},
		number("retry", model.Time, func(of any) any { return &of.(*Protocol).Retry },
			"the time after which a packet without acknowledgement is sent again; `true`: a "+
				"receiver that misses one asks at once"),
		{name: "rounds", form: asFlag, at: func(of any) any { return &of.(*Protocol).Rounds }},
		number("eager_threshold", model.Size,
			func(of any) any { return &of.(*Protocol).EagerThreshold },
			"the largest message that is sent without a request; a larger one waits for a request "+
				"and its answer, in place of what a `series` adds"),
		number("poll", model.Time, func(of any) any { return &of.(*Protocol).Poll },
			"cost of a poll that finds nothing; or cost of an interrupt by a packet"),
		number("interrupt", model.Time, func(of any) any { return &of.(*Protocol).Interrupt }, ""),
		sourceKey,
	},
}

var measuredKind = &tableKind{
	name: "measured",
	keys: []key{
		{name: "sizes", form: asList, at: func(of any) any { return &of.(*Measured).Sizes },
			help: "the measurements behind a fitted layer, from small to large: `sizes = " +
				"[\"1B\", \"1KiB\"]`, `times = [\"2us\", \"5us\"]`"},
		{name: "times", form: asList, at: func(of any) any { return &of.(*Measured).Times }},
		{name: "runs", at: func(of any) any { return &of.(*Measured).Runs },
			help: "number of runs, whose mean the times are, `\"3\"`, and their standard " +
				"deviation at each size, a time"},
		{name: "deviations", form: asList,
			at: func(of any) any { return &of.(*Measured).Deviations }},
		{name: "resolution", at: func(of any) any { return &of.(*Measured).Resolution },
			help: "the step of the times as printed, `\"0.01us\"`"},
		{name: "operation", form: asFlag, at: func(of any) any { return &of.(*Measured).Operation },
			help: "`true`: the times are those of an operation, such as a collective, and not of " +
				"a message"},
		{name: "lines", form: asFlag, at: func(of any) any { return &of.(*Measured).Lines },
			help: "`true`: the layer's times are those of its lines, whose model was chosen by " +
				"name, and the intervals have their error at these points"},
		{name: "layer", names: "layer", at: func(of any) any { return &of.(*Measured).Layer },
			help: "the layer whose lines were fitted to the points, if another layer names them " +
				"too. That one has changed lines, and times in proportion, but no interval. " +
				"A saved what-if has it"},
		{name: "source", at: func(of any) any { return &of.(*Measured).Source }},
	},
}

var collectiveKind = &tableKind{
	name: "collective",
	keys: []key{
		{name: "collective",
			at: func(of any) any { return &of.(*MeasuredCollective).Of.Collective },
			help: "measured times of a collective, which `halfpeak collective` fits: " +
				"`\"bcast\"`; `\"binomial\"` by halfpeak's name, or none where the library " +
				"chose. A file of these needs no layer"},
		{name: "algorithm", at: func(of any) any { return &of.(*MeasuredCollective).Of.Name }},
		{name: "library_algorithm",
			at: func(of any) any { return &of.(*MeasuredCollective).LibraryAlgorithm },
			help: "in place of `algorithm`: the library's name of an algorithm that was forced, " +
				"and that halfpeak does not have"},
		{name: "statistic", at: func(of any) any { return &of.(*MeasuredCollective).Statistic },
			help: "whose time it is, `\"average\"` over ranks or `\"slowest\"`"},
		{name: "groups", at: func(of any) any { return &of.(*MeasuredCollective).Groups },
			help: "how many groups of so many ranks called at once on each node, `\"8\"`; " +
				"without it one"},
		{name: "ranks", form: asList,
			at: func(of any) any { return &of.(*MeasuredCollective).Ranks },
			help: "numbers of ranks, `ranks = [\"2\", \"4\"]`, and how many of them a node " +
				"has, one for each number of ranks, `ranks_per_node = [\"4\", \"4\"]`; without " +
				"it the placement is not known. Equal numbers of ranks then ascend by it"},
		{name: "ranks_per_node", form: asList,
			at: func(of any) any { return &of.(*MeasuredCollective).PerNode }},
		{name: "sizes", form: asList,
			at: func(of any) any { return &of.(*MeasuredCollective).Sizes },
			help: "`sizes = [\"8B\", \"1KiB\"]`, and for each number of ranks a text of times, " +
				"one for each size: `times = [\"1us 2us\", \"2us -\"]`; `-` was not measured. " +
				"Sizes are those of the message, or of one rank's block for allgather, " +
				"alltoall, gather, scatter and reduce-scatter"},
		{name: "times", form: asList,
			at: func(of any) any { return &of.(*MeasuredCollective).Times }},
		{name: "runs", form: asList, at: func(of any) any { return &of.(*MeasuredCollective).Runs },
			help: "as `times`: how many repeats a time is the mean of, `runs = [\"20 20\", " +
				"\"20 -\"]`, and their standard deviations, `deviations = [\"0.01us 0.02us\", " +
				"\"0.01us -\"]`; without them a time counts as measured once"},
		{name: "deviations", form: asList,
			at: func(of any) any { return &of.(*MeasuredCollective).Deviations }},
		{name: "source", at: func(of any) any { return &of.(*MeasuredCollective).Source }},
	},
}

var layerKind = &tableKind{
	name: "layer",
	keys: slices.Concat([]key{
		{name: "title", at: func(of any) any { return &of.(*Layer).Title },
			help: "what it is; why it misses the measurements; the roofs that " +
				"bound it"},
		{name: "note", at: func(of any) any { return &of.(*Layer).Note }},
		{name: "from",
			help: "in place of all other keys: another platform file, `\"intra.toml\"`, whose " +
				"default layer this one is, or a layer of it, `\"intra.toml/fit-2\"`. The path " +
				"is relative to this file. What the layer is made of and what it was fitted to " +
				"come along, under names that begin with NAME; values that the other file " +
				"computes become numbers"},
		{name: "model", help: "one of the models below, with its keys"},
	}, modelRows, []key{
		{name: "gap",
			help: "`\"unknown\"`, for `" + strings.Join(openGaps(), "` and `") +
				"` alone: the numbers are of one-way times, as those of a ping-pong, which do " +
				"not show when the next message may follow. Then no command prints a gap or a " +
				"throughput, also of layers made of this one, and simulations let a message " +
				"block its sender until it has arrived. What fit saves has it. Without it, the " +
				"gap is the one-way time"},
		// From -1 to 1, and only of a beta and a tau that both have an interval.
		{name: "correlation",
			help: "of the errors of a fitted `beta` and `tau`, `\"-0.4\"`: a line that starts " +
				"higher rises less"},
		{name: "measured", names: "measured",
			help: "the `[measured.NAME]` that it was fitted to: with five sizes or more, its " +
				"times are those of the curve through these, and its parameters explain them; " +
				"a changed parameter changes the time in proportion"},
		{name: "times_of",
			help: "the subject of the model's times: `\"message\"` (the default), one way; " +
				"`\"stream\"`: the gap between messages of a stream; `\"operation\"`: an " +
				"exchange, or another call; `\"collective\"`. Of the last three `predict` " +
				"prints what applies, no RTT and no latency; `plot`, `compare` and `report` " +
				"take streams as well, and other commands refuse them. The layers that a layer " +
				"is made of have the same"},
		{name: "collective", at: func(of any) any { return &of.(*Layer).Timed.Collective },
			help: "of `times_of = \"collective\"`: its name as MPI has it, `\"allreduce\"`, and " +
				"how many ranks took part, `\"8\"`; without ranks, no busbw"},
		{name: "ranks", at: func(of any) any { return &of.(*Layer).Timed.Ranks }},
		{name: "per_rank", form: asFlag,
			at: func(of any) any { return &of.(*Layer).Timed.PerRank },
			help: "`true`: the sizes are the block of one rank, as OSU and IMB print them for " +
				"allgather and alltoall, and not the whole buffer"},
		{name: "protocol", names: "protocol", at: func(of any) any { return &of.(*Layer).protocol },
			help: "the `[protocol.NAME]` that the engine uses for the layer; by default none"},
		// Of a pipeline, or of a switch between pipelines, whose packets it sets.
		{name: "setting", at: func(of any) any { return &of.(*Layer).Setting },
			help: "the parameter of the real system that sets the size of packets, " +
				"`\"btl_vader_max_send_size\"`; `packet` then says what to set it to"},
		{name: "roofs", form: asList, names: "roof", help: "the roofs that bound it"},
		sourceKey,
		{name: "sources", form: asTable},
	}),
}

var modelRows = modelKeys()

// isModelKey reports whether a kind of models has the key.
func isModelKey(name string) bool {
	return slices.ContainsFunc(modelRows, func(k key) bool { return k.name == name })
}

// modelKeys returns the rows of the keys of all kinds of models, in the order of the registry, and
// that of branches. Two kinds may have a key in common, such as beta; it then has a list in both,
// or a text in both.
func modelKeys() (all []key) {
	known := tableKind{}
	add := func(k key) {
		if known.place(k.name) < 0 {
			known.keys = append(known.keys, k)
		}
	}
	for _, k := range model.Kinds {
		for _, p := range k.Parts {
			add(key{name: p.Key, names: "layer"})
		}
		if k.Stages != nil {
			add(key{name: "stages", form: asList, names: "stage"})
		}
		for _, f := range k.Fields {
			row := key{name: f.Key}
			if f.List {
				row.form = asList
			}
			add(row)
		}
		for alias := range k.Aliases {
			add(key{name: alias})
		}
	}
	return append(known.keys, key{name: "branches", form: asBranches})
}

// openGaps returns the kinds of models whose gap can be unknown.
func openGaps() (names []string) {
	for _, k := range model.Kinds {
		if k.GapUnknown != nil {
			names = append(names, k.Name)
		}
	}
	return names
}

var levelKind = &tableKind{
	name: "level",
	keys: levelKeys(),
}

// levelKeys returns the rows of [machine.Keys].
func levelKeys() (all []key) {
	for _, k := range machine.Keys {
		row := key{name: k.Name, help: k.Help}
		switch {
		case k.IsNumber():
			row.number = &Param{Measure: k.Measure, Phrase: k.Phrase}
		default:
			switch k.At(&machine.Level{}).(type) {
			case *model.Layer:
				row.names = "layer"
			case *machine.Port:
				row.names, row.form = "layer", asTextOrList
			}
		}
		all = append(all, row)
	}
	return append(all, sourceKey)
}

// rename gives a layer, and the tables that it refers to, other names. Its maps and lists belong to
// the other file's platform, so these are replaced.
func (t *table) rename(rename func(kind, old string) string) {
	keys := map[string][]string{}
	for key, texts := range t.Keys {
		if k := layerKind.find(key); k != nil && k.names != "" {
			texts = list.Map(texts, func(name string) string { return rename(k.names, name) })
		}
		keys[key] = texts
	}
	t.Name, t.Keys = rename("layer", t.Name), keys
	t.Branches = list.Map(t.Branches, func(b branch) branch {
		return branch{rename("layer", b.Layer), b.UpTo}
	})
}
