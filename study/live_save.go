//go:build linux

package study

import (
	"fmt"
	"strings"

	"github.com/halfpeak/halfpeak/platforms"
)

// Document is the models as a platform: a layer for the one-way times by size, one for LogGP if
// the signature has it, and one for packets through the stages.
func (v *LiveValidation) Document() (platforms.Document, error) {
	name := string(v.Transport)
	from := "halfpeak validate --live " + name
	d := platforms.Document{Keys: []platforms.Key{{Name: "title", Value: name + " of this machine"}}}
	var err error
	d.Tables, err = LineTables(name, fmt.Sprintf("%s: %s fit over %d sizes, median error %.2g %%", from, v.OneWay.Model, len(v.OneWay.Points), 100*v.OneWay.Median), v.OneWay)
	if v.LogPError == nil {
		large := v.Gap.Segments[len(v.Gap.Segments)-1]
		t := platforms.Table{Kind: "layer", Name: name + "-loggp"}
		t.Set("model", "loggp")
		t.Set("o_s", micros(v.LogP.SendOverhead))
		t.Set("o_r", micros(v.LogP.ReceiveOverhead))
		t.Set("L", micros(v.LogP.Latency))
		t.Set("g", micros(v.LogP.GapTime))
		t.Set("G", perKiB(large.Tau.Value))
		t.Set("source", fmt.Sprintf("%s: o_s, o_r and g of the signature, L of the round trip, G of the interval of %s and more", from, large.From))
		d.Tables = append(d.Tables, t)
	}
	hosts := []string{"sender", "", "receiver"}
	var stages []string
	for k, s := range v.Stages {
		t := platforms.Table{Kind: "stage", Name: name + "-" + strings.ReplaceAll(s.Name, " ", "-")}
		t.Set("beta", micros(s.Segments[0].Beta.Value))
		t.Set("tau", perKiB(s.Segments[0].Tau.Value))
		if hosts[k] != "" {
			t.Set("host", hosts[k])
		}
		t.Set("source", fmt.Sprintf("%s: stage %s of packets alone", from, s.Name))
		stages, d.Tables = append(stages, t.Name), append(d.Tables, t)
	}
	t := platforms.Table{Kind: "layer", Name: name + "-packets"}
	t.Set("model", "pipeline")
	t.Set("stages", stages)
	t.Set("packets", "best")
	t.Set("source", "the stages above, each alone: behind each other, packets may be slower; the transport takes packets up to "+v.Largest.String())
	d.Tables = append(d.Tables, t)
	return d, err
}
