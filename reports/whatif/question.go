package whatif

import (
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Case is what a question is about: a design, and the same after a change, at which alone most
// questions look.
type Case struct {
	Before, After Design
	// nil: the times of the design's calls; without any, those of the question
	Quantities []Quantity
	Sizes      []quantity.Bytes // of the messages; nil: those of the question
	Units      quantity.UnitChoice
}

// The sizes of messages of a question that gives none.
const (
	TableSizes = "1,256,4KiB,64KiB,1MiB"
	// A sweep has its rows for each size, and a tornado shows one.
	OneSize = "64KiB"
)

// quantitiesOr returns the quantities that are asked for, else the times of the design's calls,
// else those of these names.
func (c Case) quantitiesOr(otherwise ...string) []Quantity {
	if c.Quantities != nil {
		return c.Quantities
	}
	if len(c.After.Calls) > 0 {
		otherwise = nil
	}
	all, err := c.After.Quantities(otherwise...)
	if err != nil {
		panic(err) // a name in this package
	}
	return all
}

// sizesOr returns the sizes that are asked for, else those of the text.
func (c Case) sizesOr(otherwise string) []quantity.Bytes {
	if c.Sizes != nil {
		return c.Sizes
	}
	sizes, err := quantity.ParseSizes(otherwise)
	if err != nil {
		panic(err) // a text in this package
	}
	return sizes
}

// curve returns the sizes that are asked for if they make a curve, else those of the text: the
// picture of a single size would be a point.
func (c Case) curve(otherwise string) []quantity.Bytes {
	if len(c.Sizes) == 1 {
		c.Sizes = nil
	}
	return c.sizesOr(otherwise)
}
