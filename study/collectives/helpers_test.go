package collectives

import (
	"testing"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/study/fits"
)

func fansOptions(t *testing.T, fans string) fits.Options {
	t.Helper()
	levels, err := fits.ParseLevels([]string{"node=in", "cluster=out"}, []string{"node=8", "cluster=4"})
	if err != nil {
		t.Fatal(err)
	}
	return fits.Options{Model: "auto", Levels: levels, Fans: fits.FanOut{File: fans, Receivers: "to", Slowest: "max"},
		Trace: benchfile.Options{X: "size:B", Y: "latency:us", Group: []string{"where"}}}
}
