//go:build linux

package study

import (
	"fmt"
	"strings"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
)

// TOML is the models as a platform: a layer for the one-way times, one for LogGP, and one for packets.
func (m *LiveValidation) TOML() (string, error) {
	transport := string(m.Transport)
	r := m.OneWay
	layer, err := r.Layer()
	if err != nil {
		return "", err
	}
	from := "halfpeak validate --live " + transport
	t := &tomlFile{}
	t.WriteString("# " + reports.Imprint + " validate --live.\n\n")
	t.key("title", transport+" of this machine")
	t.table("layer." + transport)
	t.key("source", fmt.Sprintf("%s: %s fit over %d sizes, median error %.2g %%", from, r.Model, len(r.Points), 100*r.Median))
	t.lines(layer, r.Segments, transport, "")
	if m.LogPError == nil {
		t.table("layer." + transport + "-loggp")
		t.key("model", "loggp")
		for _, k := range []struct {
			name  string
			value quantity.Micros
		}{{"o_s", m.LogP.SendOverhead}, {"o_r", m.LogP.ReceiveOverhead}, {"L", m.LogP.Latency}, {"g", m.LogP.GapTime}} {
			t.key(k.name, us(k.value))
		}
		large := m.Gap.Segments[len(m.Gap.Segments)-1]
		t.key("G", usPerKiB(large.Tau.Value))
		t.key("source", fmt.Sprintf("%s: o_s, o_r and g of the signature, L of the round trip, G of the interval of %s and more", from, large.From))
	}
	hosts := []string{"sender", "", "receiver"}
	var names []string
	for k, s := range m.Stages {
		name := transport + "-" + strings.ReplaceAll(s.Name, " ", "-")
		names = append(names, name)
		t.table("stage." + name)
		t.key("beta", us(s.Segments[0].Beta.Value))
		t.key("tau", usPerKiB(s.Segments[0].Tau.Value))
		if hosts[k] != "" {
			t.key("host", hosts[k])
		}
		t.key("source", fmt.Sprintf("%s: stage %s of packets alone", from, s.Name))
	}
	t.pipeline(transport+"-packets", names, "the stages above, each alone: behind each other, packets may be slower; the transport takes packets up to "+m.Largest.String())
	return t.String(), nil
}
