//go:build linux

package check

import (
	"fmt"
	"strings"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// toml returns a platform file of the models: a layer for the one-way times by size, one for LogGP
// if the signature gives it, and one for packets through the stages. G comes from the interval of
// the largest messages, since the signature is of short ones.
func (m *liveMachine) toml(name string, largest quantity.Bytes) (string, error) {
	from := "halfpeak validate --live " + name
	d := platforms.Platform{Title: name + " of this machine"}
	source := fmt.Sprintf("%s: %s fit over %d sizes, median error %.2g %%",
		from, m.OneWay.Model, len(m.OneWay.Points), 100*m.OneWay.Median)
	sizes := platforms.Layer{Name: name, Source: source}
	if err := m.OneWay.AddTo(&d, sizes, false, name, ""); err != nil {
		return "", err
	}
	if m.LogPError == nil {
		large := m.Gap.Segments[len(m.Gap.Segments)-1]
		d.Layers = append(d.Layers, platforms.Layer{
			Name:  name + "-loggp",
			Model: &model.LogGP{LogP: m.LogP, GapPerByte: large.Line().Tau},
			Source: fmt.Sprintf("%s: o_s, o_r and g of the signature, L of the round "+
				"trip, G of the interval of %s and more", from, large.From),
		})
	}
	// Sending and receiving keep a processor busy; handing over does not.
	hosts := []model.Host{model.Sender, model.NoHost, model.Receiver}
	var stages []model.Stage
	for k, s := range m.Stages {
		line := s.Segments[0].Line()
		stage := model.Stage{Name: name + "-" + strings.ReplaceAll(s.Name, " ", "-"),
			Beta: line.Beta, Tau: line.Tau, Host: hosts[k]}
		stages = append(stages, stage)
		d.Params = append(d.Params, platforms.Param{Path: "stage." + stage.Name + ".beta",
			Source: fmt.Sprintf("%s: stage %s of packets alone", from, s.Name)})
	}
	d.Layers = append(d.Layers, platforms.Layer{Name: name + "-packets",
		Model: &model.Pipeline{Stages: stages, Cut: model.Cut{Rule: model.CutBest}},
		Source: "the stages above, each alone: behind each other, packets may be slower; the " +
			"transport takes packets up to " + largest.String()})
	return string(d.Encode(platforms.WrittenBy + "validate --live.")), nil
}
