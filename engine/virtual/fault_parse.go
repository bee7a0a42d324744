package virtual

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/internal/nearest"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// ParseFaults parses a list of faults: "drop=0.01,reorder=0.02,late=100us" or
// "die=1@500us", which is node 1 at 500 µs.
func ParseFaults(text string) (Faults, error) {
	f := Faults{Stop: map[int]quantity.Micros{}, Die: map[int]quantity.Micros{}}
	chances := map[string]*float64{"drop": &f.Drop, "duplicate": &f.Duplicate, "corrupt": &f.Corrupt, "reorder": &f.Reorder, "delay": &f.Delay}
	deaths := map[string]map[int]quantity.Micros{"stop": f.Stop, "die": f.Die}
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(part, "=")
		var err error
		switch chance, known := chances[name]; {
		case known:
			if *chance, err = strconv.ParseFloat(value, 64); err != nil || !(*chance >= 0 && *chance <= 1) {
				return f, fmt.Errorf("%q: a probability from 0 to 1, as in %s=0.01", part, name)
			}
		case name == "late":
			if f.Late, err = quantity.ParseMicros(value); err != nil {
				return f, fmt.Errorf("%q: %w", part, err)
			}
		case deaths[name] != nil:
			node, at, _ := strings.Cut(value, "@")
			id, err := strconv.Atoi(node)
			when, err2 := quantity.ParseMicros(at)
			if err != nil || err2 != nil || id < 0 {
				return f, fmt.Errorf("%q: a node and a time, as in %s=1@500us", part, name)
			}
			deaths[name][id] = when
		default:
			return f, fmt.Errorf("no fault %q%s", name, nearest.Hint(name, []string{"drop", "duplicate", "corrupt", "reorder", "delay", "late", "stop", "die"}))
		}
	}
	if (f.Reorder > 0 || f.Delay > 0) && f.Late == 0 {
		return f, fmt.Errorf("the time by which packets are delayed is missing; add late=100us")
	}
	return f, nil
}
