package message

import (
	"fmt"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/platforms"
)

// clocks are those of the hosts' processors in MHz by platform, 0 where not known; nil if nobody
// asks for times in cycles.
type clocks map[string]float64

// clocksOf returns the clocks of the designs' hosts, if they are wanted. It is an error if no
// platform file states one.
func clocksOf(designs []platforms.Design, wanted bool) (clocks, error) {
	if !wanted {
		return nil, nil
	}
	of := clocks{}
	var names []string
	known := false
	for _, d := range designs {
		of[d.Platform.Name] = d.Platform.Clock
		known = known || d.Platform.Clock > 0
		if !slices.Contains(names, d.Platform.Name) {
			names = append(names, d.Platform.Name)
		}
	}
	if known {
		return of, nil
	}
	slices.Sort(names)
	return nil, usage.Fields(fmt.Errorf("%s does not give its host's clock; "+
		"add a line such as clock = \"266MHz\" to the platform's file",
		strings.Join(names, " or ")), "cycles")
}
