// Package study holds what several questions ask of one thing whose time is studied: a [Call] that
// is timed again with other costs, the [Share] that a parameter has in a time, and the [Way] that a
// message takes through a machine of levels.
package study

import (
	"fmt"

	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// A Call is a collective or a program that is timed again and again, with other costs each time:
// its time is a quantity of a design. It must have been run once, since a point of a sweep has no
// way to report an error.
type Call struct {
	Name, Of string        // of the quantity ("finish"), and of what finishes, for people
	Notes    []remark.Note // what the times are of, and how far to trust them
	// Run returns when the last rank is done, with the parts of that time if they are asked for.
	// Several goroutines may call it at once, each with its own costs.
	Run func(c platforms.Costs, parts bool) (Finished, error)
	// Within returns the interval of a time at these costs, in µs, that is predicted from a
	// measurement; nil: none.
	Within func(c platforms.Costs, time float64) quantity.Interval
	// Ratio returns the time at these costs over that in the design as it is, with the interval
	// that remains where both have the same error; without ends if it is not known. nil: none is.
	Ratio func(c platforms.Costs, time float64) quantity.Interval
	// Off says how far real times were from such ones on other machines; empty if that is not
	// known, or if there is an interval.
	Off string
}

// Finished is a call that has run.
type Finished struct {
	Time  quantity.Micros
	Parts []Share // in Owner and OneWay
}

// Finish is the name of the time of a call. If there are several, their names begin with it.
const Finish = "finish"

// Step is another name of [Finish], of a program that is a step of a training.
const Step = "step"

// Kind returns the quantity. It has no size: that of the call is fixed.
func (c *Call) Kind() *model.Quantity {
	return &model.Quantity{Name: c.Name, Title: "finish of " + c.Of, Dim: quantity.DimTime}
}

// run runs the call; an error says which it is.
func (c *Call) run(costs platforms.Costs, parts bool) (Finished, error) {
	r, err := c.Run(costs, parts)
	if err != nil {
		err = fmt.Errorf("%s: %w", c.Of, err)
	}
	return r, err
}

// Time returns the time with these costs, in µs.
func (c *Call) Time(costs platforms.Costs) (float64, error) {
	r, err := c.run(costs, false)
	return float64(r.Time), err
}

// Limits returns the parts of the time.
func (c *Call) Limits(costs platforms.Costs) ([]Share, error) {
	r, err := c.run(costs, true)
	return r.Parts, err
}

// A Share is the part of a message's cost that is due to a parameter of the model; see
// whatif.Design.Shares.
type Share struct {
	Path string // "stage.copy-out.beta"
	// for people: a stage with both its parameters ("copy-out"), or a parameter ("o_r")
	Owner  string
	OneWay quantity.Micros
	Gap    quantity.Micros
}
