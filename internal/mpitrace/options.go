package mpitrace

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
)

// A Translation says how a trace becomes a schedule. [Defaults] are the usual ones.
type Translation struct {
	// Scale multiplies computation times; at least 0. A scale of 0.5 is a processor twice as fast.
	Scale float64
	// Collectives are the algorithms, and their local work.
	Collectives collective.Choices
	// Region is the part that is translated; the zero value stands for the whole trace.
	Region Region
	chosen bool // made of [Defaults]: a scale of 0 is meant
}

func (o Translation) check() error {
	if !(o.Scale >= 0) || math.IsInf(o.Scale, 0) {
		return fmt.Errorf("mpitrace: the scale must be at least 0 (got %g)", o.Scale)
	}
	return nil
}

// A Region is the part of a trace from mark From of each rank to mark To, counted from 1, or to the
// end if To is 0. Marks are calls of Call, "barrier" or "pcontrol". All ranks begin at the same
// time, at the end of their mark From. Messages that are on their way at a mark are lost.
type Region struct {
	Call     string
	From, To int
}

// ParseRegion parses a region such as "barrier:2..3" or "pcontrol:1..". Marks are numbered from 1,
// and a second one must be larger than the first.
func ParseRegion(text string) (r Region, err error) {
	call, marks, _ := strings.Cut(text, ":")
	from, to, ranged := strings.Cut(marks, "..")
	r.Call = call
	r.From, err = strconv.Atoi(from)
	if to != "" && err == nil {
		r.To, err = strconv.Atoi(to)
	}
	if err != nil || !ranged || r.From < 1 || to != "" && r.To <= r.From ||
		call != "barrier" && call != "pcontrol" {
		return Region{}, fmt.Errorf("invalid region %q; write barrier:2..3, pcontrol:1..2, or "+
			"pcontrol:1.. to the end", text)
	}
	return r, nil
}

// String returns the region in the form that ParseRegion reads.
func (r Region) String() string {
	switch {
	case r == Region{}:
		return ""
	case r.To == 0:
		return fmt.Sprintf("%s:%d..", r.Call, r.From)
	}
	return fmt.Sprintf("%s:%d..%d", r.Call, r.From, r.To)
}

// Defaults keeps computation times.
var Defaults = Translation{Scale: 1, chosen: true}

// OrDefaults returns the translation, or [Defaults] of the zero value.
func (o Translation) OrDefaults() Translation {
	if !o.chosen && o.Scale == 0 {
		return Defaults
	}
	return o
}
