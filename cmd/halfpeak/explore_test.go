package main

import (
	"slices"
	"testing"
)

// A platform with levels is shown as a machine, unless a layer is named.
func TestExploreStart(t *testing.T) {
	const rack = "../../model/machine/testdata/rack.toml"
	start, err := startOf([]string{rack, rack + "/node", "clip"})
	if want := []string{"rack.toml", "rack.toml/node", "clip/system-buffer"}; err != nil || !slices.Equal(start.Show, want) {
		t.Errorf("%q (%v), want %q", start.Show, err, want)
	}
}
