package simulations

import (
	"fmt"
	"strings"

	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// MachineOf returns the machine of the ranks: one of levels, where they are placed by
// [machine.Machine.Place] ("" being one core after the other), or without levels, the layer between
// all of them.
func MachineOf(m machine.Machine, l platforms.Layer, by string, ranks int, eager quantity.Bytes) (simulate.Machine, error) {
	if len(m.Levels) == 0 {
		if by != "" {
			return nil, fmt.Errorf("ranks can only be placed on a machine with levels, and %s is one layer; name the platform alone", l.Ref())
		}
		return simulate.FromLayer(l, eager)
	}
	places, err := m.Place(by, ranks)
	if err == nil {
		var on simulate.Machine
		if on, err = simulate.FromMachine(m, places, eager); err == nil {
			return on, nil
		}
	}
	return nil, fmt.Errorf("%s: %w", l.Platform, err)
}

// ShapeOf describes a machine: its levels, the placement of ranks, and the shared resources.
func ShapeOf(m machine.Machine, by string) string {
	if by == "" {
		by = machine.ByCore
	}
	text := m.String() + ", ranks by " + by
	if by[0] >= '0' && by[0] <= '9' {
		if len(by) > 60 {
			by = by[:strings.LastIndexByte(by[:60], ',')] + " …"
		}
		text = m.String() + ", ranks on cores " + by
	}
	shared := ""
	for _, l := range m.Levels {
		switch {
		case l.Lanes > 0:
			shared += fmt.Sprintf("; a %s carries %.4g transfers at once", l.Name, l.Lanes)
		case l.Shared != nil:
			shared += fmt.Sprintf("; messages inside a %s share it", l.Name)
		}
		switch {
		case l.Ports > 0:
			shared += fmt.Sprintf("; %.4g at once leave a %s, and enter it", l.Ports, l.Name)
		case l.Port != nil:
			shared += fmt.Sprintf("; messages out of a %s share its port, and those into it", l.Name)
		}
	}
	if shared == "" {
		shared = "; messages share nothing but the ways in and out of a rank"
	}
	return text + shared
}
