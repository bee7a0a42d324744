package check_test

import (
	"slices"
	"testing"
)

// The engine computes from resources and costs alone. Of package model it uses types and their
// fields, the description of a layer, and the choice of packets, which both must share; it calls
// no formula.
func TestNoFormulaIsShared(t *testing.T) {
	allowed := []string{"ResourcesOf", "packetizer.PacketSize"}
	calls, err := callsOf("../../internal/engine/virtual", "github.com/halfpeak/halfpeak/model")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range calls {
		if !slices.Contains(allowed, name) {
			t.Errorf("internal/engine/virtual calls model's %s", name)
		}
	}
	if len(calls) < len(allowed) {
		t.Errorf("internal/engine/virtual calls only %v: this test looks in the wrong place", calls)
	}
}
