package platforms

import (
	"slices"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Level is a level of the machine as a platform file has it: with the names of its layers, and
// the sources of its numbers. The layers of the embedded level are nil. [Platform.Machine] fills
// them in, since their models follow from the present values of parameters.
type Level struct {
	machine.Level
	Layers map[string]string // by key: layer, and if given gap, send, …
	Params []Param           // the numbers, in the order of levelNumbers
}

// levelFields are the numbers of a level by their keys.
var levelFields = func() map[string]Param {
	fields := map[string]Param{}
	for _, n := range levelNumbers {
		fields[n.Key] = n.Param
	}
	return fields
}()

// levelLayers are the layers of a level, by their keys.
var levelLayers = []struct {
	key string
	at  func(*machine.Level) *model.Layer
}{
	{"layer", func(l *machine.Level) *model.Layer { return &l.Layer }},
	{"gap", func(l *machine.Level) *model.Layer { return &l.Gap }},
	{"send", func(l *machine.Level) *model.Layer { return &l.Send }},
	{"receive", func(l *machine.Level) *model.Layer { return &l.Receive }},
	{"relay", func(l *machine.Level) *model.Layer { return &l.Relay }},
	{"fresh", func(l *machine.Level) *model.Layer { return &l.Fresh }},
	{"shared", func(l *machine.Level) *model.Layer { return &l.Shared }},
	{"port", func(l *machine.Level) *model.Layer { return &l.Port }},
	{"hops", func(l *machine.Level) *model.Layer { return &l.Hops }},
	{"link", func(l *machine.Level) *model.Layer { return &l.Link }},
	{"local", func(l *machine.Level) *model.Layer { return &l.Local }},
	{"global", func(l *machine.Level) *model.Layer { return &l.Global }},
}

// A levelNumber is a number of a level with its place in the machine.
type levelNumber struct {
	Param
	set func(l *machine.Level, v float64)
}

// levelNumbers are the numbers of a level, in the order of [Level.Params].
var levelNumbers = []levelNumber{
	{Param{Key: "arity", Measure: model.Count, Phrase: "units of the next inner level"},
		func(l *machine.Level, v float64) { l.Arity = int(v) }},
	// Lanes and ports need not be whole: they are rates in units of one transfer's, such as 2.5.
	{Param{Key: "lanes", Measure: model.Plain, Phrase: "transfers inside at full speed at once"},
		func(l *machine.Level, v float64) { l.Lanes = given(v) }},
	{Param{Key: "ports", Measure: model.Plain, Phrase: "transfers out, and in, " +
		"at full speed at once"},
		func(l *machine.Level, v float64) { l.Ports = given(v) }},
	{Param{Key: "eager_threshold", Measure: model.Size, Phrase: "largest message that does not " +
		"wait for its receive"},
		func(l *machine.Level, v float64) { l.Eager = quantity.Bytes(v) }},
	// Without asynchronous progress, messages from this size on are transferred in the receive.
	{Param{Key: "deferred", Measure: model.Size, Phrase: "smallest eager message that leaves " +
		"when its receive is posted"},
		func(l *machine.Level, v float64) { l.Deferred = quantity.Bytes(v) }},
	// Up to it NICs of ranks carry messages in their order; larger ones have fair shares of a NIC.
	{Param{Key: "packet", Measure: model.Size, Phrase: "largest message that NICs do not " +
		"interleave"},
		func(l *machine.Level, v float64) { l.Packet = quantity.Bytes(v) }},
	// Smaller messages between two ranks follow each other a gap apart.
	{Param{Key: "overlap", Measure: model.Size, Phrase: "smallest message that NICs interleave " +
		"with those between the same ranks"},
		func(l *machine.Level, v float64) { l.Overlap = quantity.Bytes(v) }},
	// 0 to 1; 0, or no key, leaves the two directions of a link independent.
	{Param{Key: "reverse", Measure: model.Plain, Phrase: "part of the opposite direction that a " +
		"message takes"},
		func(l *machine.Level, v float64) { l.Reverse = v }},
	{Param{Key: "crowd", Measure: model.Time, Phrase: "more time of sender and receiver, each, " +
		"among many ranks"},
		func(l *machine.Level, v float64) { l.Crowd = quantity.Micros(v) }},
	{Param{Key: "hop", Measure: model.Time, Phrase: "latency of each link beyond the shortest " +
		"route"},
		func(l *machine.Level, v float64) { l.Hop = quantity.Micros(v) }},
	// At least 1, and only with a port: it divides that.
	{Param{Key: "routes", Measure: model.Count, Phrase: "links of a port, by receivers"},
		func(l *machine.Level, v float64) { l.Routes = int(v) }},
	// As many as units of the level around it: its port is one of these links.
	{Param{Key: "direct", Measure: model.Count, Phrase: "units, to each of which a unit " +
		"has a link"},
		func(l *machine.Level, v float64) { l.Direct = int(v) }},
}

// given returns a number of transfers at once that the file gives. In a machine 0 means that
// nothing is shared, which a file says by leaving the key out; a given 0 is as impossible as any
// number below 1.
func given(v float64) float64 {
	if v == 0 {
		return -1
	}
	return v
}

// setNumber gives the number of a key to a level.
func setNumber(l *machine.Level, key string, v float64) {
	i := slices.IndexFunc(levelNumbers, func(n levelNumber) bool { return n.Key == key })
	levelNumbers[i].set(l, v)
}
