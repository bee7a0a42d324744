//go:build linux

package judge

import (
	"fmt"
	"strings"

	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/study/fits"
)

// TOML is a platform file of the models: a layer for the one-way times by size, one for LogGP if
// the signature has it, and one for packets through the stages.
func (v *LiveValidation) TOML() (string, error) {
	name := string(v.Transport)
	from := "halfpeak validate --live " + name
	d := platforms.NewDocument(name + " of this machine")
	sizes := platforms.NewTable("layer", name, "source", fmt.Sprintf("%s: %s fit over %d sizes, median error %.2g %%", from, v.OneWay.Model, len(v.OneWay.Points), 100*v.OneWay.Median))
	var err error
	if d.Tables, err = fits.LineTables(sizes, name, "", v.OneWay); err != nil {
		return "", err
	}
	if v.LogPError == nil {
		large := v.Gap.Segments[len(v.Gap.Segments)-1]
		d.Tables = append(d.Tables, platforms.NewTable("layer", name+"-loggp", "model", "loggp",
			"o_s", platforms.ExactMicros(v.LogP.SendOverhead), "o_r", platforms.ExactMicros(v.LogP.ReceiveOverhead), "L", platforms.ExactMicros(v.LogP.Latency), "g", platforms.ExactMicros(v.LogP.GapTime), "G", platforms.ExactInverse(large.Tau.Value),
			"source", fmt.Sprintf("%s: o_s, o_r and g of the signature, L of the round trip, G of the interval of %s and more", from, large.From)))
	}
	hosts := []string{"sender", "", "receiver"}
	var stages []string
	for k, s := range v.Stages {
		t := platforms.Table{Kind: "stage", Name: name + "-" + strings.ReplaceAll(s.Name, " ", "-")}
		t.Set("beta", platforms.ExactMicros(s.Segments[0].Beta.Value))
		t.Set("tau", platforms.ExactInverse(s.Segments[0].Tau.Value))
		if hosts[k] != "" {
			t.Set("host", hosts[k])
		}
		t.Set("source", fmt.Sprintf("%s: stage %s of packets alone", from, s.Name))
		stages, d.Tables = append(stages, t.Name), append(d.Tables, t)
	}
	d.Tables = append(d.Tables, fits.PipelineTable(name+"-packets", stages,
		"the stages above, each alone: behind each other, packets may be slower; the transport takes packets up to "+v.Largest.String()))
	return fits.Encoded(d, "validate --live.")
}
