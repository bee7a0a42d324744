package main

import (
	"regexp"
	"slices"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/fit/forecast"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Curve is one table of a benchmark's file.
type Curve struct {
	// Machine is the machine of the curve; see [Load].
	Machine string
	// Name is the file within its folder, and the table.
	Name string
	Kind benchfile.Kind
	// Points by size, without the empty message.
	Points     []forecast.Point
	Resolution quantity.Micros
	// Planted marks a curve that [Planted] made.
	Planted bool
}

// minSizes is the minimum number of sizes of a curve; with fewer, none can be held out.
const minSizes = 12

// Latency reports whether the curve has times of messages.
func Latency(c *Curve) bool { return c.Kind == benchfile.OneWay || c.Kind == benchfile.RoundTrip }

// Operation reports whether the curve has times of operations, of collectives or of the gaps of
// streams, which jump more.
func Operation(c *Curve) bool {
	return c.Kind == benchfile.Operation || c.Kind == benchfile.Collective || c.Kind == benchfile.Gap
}

func (c *Curve) sameRun(other Curve) bool {
	return c.Kind == other.Kind && slices.Equal(c.Points, other.Points)
}

// run matches the part of a name that distinguishes the runs of one measurement: run_3, iter-3,
// -3.out, and the number of a table among those with the same title.
var run = regexp.MustCompile(`run_\d+|iter-\d+(-\d+)?|-\d+\.out| \(\d+\)$`)

// measurement returns the name of the measurement; its runs share it.
func (c *Curve) measurement() string {
	return c.Machine + "|" + c.Kind.String() + "|" + run.ReplaceAllString(c.Name, "")
}
