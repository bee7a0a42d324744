// Package model predicts the cost of a message.
//
// A [Layer] is a cost model of one level of a message-passing system; the layers of this package
// nest. All other quantities follow from the interface: [RTT], [Bandwidth], [Throughput],
// [Asymptote] (r∞) and [HalfPeak] (n½). All functions are pure: they compute a time from
// parameters and a message size. Parameters must be finite and not negative, sizes at least one
// byte; package platforms checks both for files.
//
// # References
//
//	[hockney]  Hockney. The communication challenge for MPP: Intel Paragon and Meiko CS-2.
//	           Parallel Computing 20, 1994.
//	[logp]     Culler, Karp, Patterson and others. LogP: Towards a Realistic
//	           Model of Parallel Computation. PPoPP 1993.
//	[loggp]    Alexandrov, Ionescu, Schauser, Scheiman. LogGP: Incorporating Long Messages
//	           into the LogP Model. SPAA 1995.
//	[clip]     Pokam Tiencheu. CLIP, a communication library on a Myrinet SMP cluster.
//	           Diploma thesis, TU Berlin, 1999.
//	[wang]     Wang, Krishnamurthy, Martin, Anderson, Culler. Modeling Communication Pipeline
//	           Latency. SIGMETRICS 1998.
package model

import (
	"iter"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Layer predicts the costs of a message of n bytes, n ≥ 1.
type Layer interface {
	// OneWay returns the time in µs from the start of the send to the arrival of the whole message
	// at the receiver.
	OneWay(n quantity.Bytes) quantity.Micros
	// Gap returns the minimum time in µs between messages of a steady stream.
	Gap(n quantity.Bytes) quantity.Micros
	// Overheads returns the times in µs that the message occupies the sending and the
	// receiving processor: o_s and o_r.
	Overheads(n quantity.Bytes) (send, receive quantity.Micros)
	// resources describes the resources that a message occupies, by the layer's parameters alone.
	resources() Resources
	// kind returns the layer's row in the registry. So the layers are those of this package; types
	// of other packages embed one.
	kind() *Kind
}

// A Kind is a row of the registry: all that the reader of platform files, what-if questions and
// help need to know about a kind of model. So a new kind needs a type and a row, and no other code.
type Kind struct {
	Name string // in a platform file: model = "linear"
	Cost string // the one-way time of n bytes as a formula or in a few words, for help

	Fields   []Field                 // its parameters
	Parts    []Part                  // the layers that it contains
	Branches func(l Layer) *[]Branch // key "branches"
	Stages   func(l Layer) *[]Stage  // key "stages"
	Bounds   bool                    // branches have maximum sizes
	Aliases  map[string][]string     // keys that set several fields: o
	// GapUnknown returns the mark of a layer whose gap is unknown, since its parameters are from
	// one-way times alone; see [HasGap]. nil: the model states the gap.
	GapUnknown func(l Layer) *bool
	// Given checks which keys a file has together. It returns the offending key and a message, or
	// two empty texts. nil: every field that is not Optional must be given.
	Given func(has func(key string) bool) (key, wrong string)
	// Check returns the key of an invalid parameter, and the reason. It allocates nothing for a
	// valid layer. nil: every layer is valid.
	Check func(l Layer) (key string, err error)

	// zero is a layer without parts whose parameters are all zero; New copies it. A type would not
	// do, since one Go type can serve several kinds (switch and envelope).
	zero Layer
}

// Keys returns the keys of the kind in a platform file.
func (k *Kind) Keys() []string {
	var keys []string
	for _, p := range k.Parts {
		keys = append(keys, p.Key)
	}
	if k.Branches != nil {
		keys = append(keys, "branches")
	}
	if k.Stages != nil {
		keys = append(keys, "stages")
	}
	for _, f := range k.Fields {
		keys = append(keys, f.Key)
	}
	return keys
}

// A Part describes a layer inside another.
type Part struct {
	Key      string // in a platform file; its value names a layer
	Optional bool
	At       func(l Layer) *Layer
}

// A Branch of a [Switch] is a layer with the largest size that it serves.
type Branch struct {
	Name  string
	UpTo  quantity.Bytes // the boundary belongs to this branch
	Layer Layer
}

// A Field is a parameter of a kind of model: a row for each key that a file may give.
type Field struct {
	Key      string
	Measure  Measure
	Optional bool
	List     bool     // the key has a list of values
	Symbol   string   // "β"; required for a Time or PerByte
	Phrase   string   // "fixed cost of a message"
	Words    []string // that can replace a number
	// Ends marks the line through the ends of the lists of sizes and times: a layer has the field
	// even if its file does not give it.
	Ends bool
	// At returns a pointer to the parameter: a *quantity.Micros, *quantity.MicrosPerByte,
	// *quantity.Bytes, *int or *Cut; for a list a pointer to a slice of those.
	At func(l Layer) any
}

// A selector is a layer that selects one of several branches for a message of n bytes: a protocol
// switch.
type selector interface {
	// selected returns the name of the branch and its layer.
	selected(n quantity.Bytes) (string, Layer)
}

// At returns the layer that serves n bytes, inside all switches.
func At(l Layer, n quantity.Bytes) Layer {
	for {
		s, ok := l.(selector)
		if !ok {
			return l
		}
		_, l = s.selected(n)
	}
}

// HasGap reports whether the gap of the layer, and of all its parts, is known. A ping-pong times
// one message at a time, so no gap follows from it. The formulas then take the one-way time, by
// which a message blocks its sender until it has arrived.
func HasGap(l Layer) bool {
	return !contains(l, func(l Layer) bool {
		k := l.kind()
		return k.GapUnknown != nil && *k.GapUnknown(l)
	})
}

// contains reports whether is holds for the layer or for one of its parts.
func contains(l Layer, is func(Layer) bool) bool {
	if is(l) {
		return true
	}
	for part := range parts(l) {
		if contains(*part, is) {
			return true
		}
	}
	return false
}

// parts returns the places of the layers that a layer is made of.
func parts(l Layer) iter.Seq[*Layer] {
	return func(yield func(*Layer) bool) {
		k := l.kind()
		for _, p := range k.Parts {
			if at := p.At(l); *at != nil && !yield(at) {
				return
			}
		}
		if k.Branches == nil {
			return
		}
		branches := *k.Branches(l)
		for i := range branches {
			if !yield(&branches[i].Layer) {
				return
			}
		}
	}
}

// PacketSize returns the packet size of a message of n bytes: n for a layer that does not cut
// messages.
func PacketSize(l Layer, n quantity.Bytes) quantity.Bytes {
	if p, ok := At(l, n).(packetizer); ok {
		return p.PacketSize(n)
	}
	return n
}

// ResourcesOf describes the resources that a message occupies, by the layer's parameters alone.
func ResourcesOf(l Layer) Resources { return l.resources() }
