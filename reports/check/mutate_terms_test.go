package check_test

import (
	"slices"
	"testing"
)

// The terms of the formulas are found, whatever writes them, and what is left out stays out.
func TestPackage(t *testing.T) {
	r, err := rewritePackage("../../model", []string{"OneWay", "Gap", "Overheads", "FanIn", "Requests"}, "PacketSize")
	if err != nil {
		t.Fatal(err)
	}
	has := func(fn, term string) bool {
		return slices.ContainsFunc(r.Mutants, func(m mutant) bool { return m.Func == fn && m.Term == term })
	}
	for _, want := range [][2]string{
		{"Linear.OneWay", "l.Beta"}, {"Linear.OneWay", "l.Tau.Times(n)"}, // operands of +
		{"LogP.Gap", "l.GapTime"},                // an argument of max
		{"Linear.Gap", "l.OneWay(n)"},            // a result
		{"Pipeline.OneWayIn", "again * slowest"}, // an operand in a function that a method calls
	} {
		if !has(want[0], want[1]) {
			t.Errorf("%s has no term %s", want[0], want[1])
		}
	}
	for _, m := range r.Mutants {
		if m.Func == "Pipeline.PacketSize" || m.Func == "paperPacket" {
			t.Errorf("%+v belongs to the choice of packets, which is left out", m)
		}
	}
}

// The functions of another package that a package uses are listed by name.
func TestCalls(t *testing.T) {
	calls, err := callsOf("../../internal/engine/virtual", "github.com/halfpeak/halfpeak/model")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(calls, "packetizer.PacketSize") || !slices.IsSorted(calls) {
		t.Errorf("calls %v", calls)
	}
}
