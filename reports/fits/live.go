package fits

import (
	"fmt"
	"strings"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// A Live has what was fitted to measurements of a transport of this machine.
type Live struct {
	Name        string      // of the transport
	OneWay, Gap *fit.Result // of messages by size
	LogP        model.LogP  // of the signature
	HasLogP     bool
	Stages      []*fit.Result  // of packets alone: of the sender, between, and of the receiver
	Largest     quantity.Bytes // packet that the transport takes
}

// TOML returns a platform file of the models: a layer for the one-way times by size, one for LogGP
// if the signature gives it, and one for packets through the stages. G comes from the interval of
// the largest messages, since the signature is of short ones.
func (v Live) TOML() (string, error) {
	name := v.Name
	from := "halfpeak validate --live " + name
	d := platforms.Platform{Title: name + " of this machine"}
	source := fmt.Sprintf("%s: %s fit over %d sizes, median error %.2g %%",
		from, v.OneWay.Model, len(v.OneWay.Points), 100*v.OneWay.Median)
	var err error
	sizes := platforms.Layer{Name: name, Source: source}
	if d.Layers, err = lineLayers(sizes, false, name, "", v.OneWay); err != nil {
		return "", err
	}
	if v.HasLogP {
		large := v.Gap.Segments[len(v.Gap.Segments)-1]
		d.Layers = append(d.Layers, platforms.Layer{
			Name:  name + "-loggp",
			Model: &model.LogGP{LogP: v.LogP, GapPerByte: large.Line().Tau},
			Source: fmt.Sprintf("%s: o_s, o_r and g of the signature, L of the round "+
				"trip, G of the interval of %s and more", from, large.From),
		})
	}
	// Sending and receiving keep a processor busy; handing over does not.
	hosts := []model.Host{model.Sender, model.NoHost, model.Receiver}
	var stages []model.Stage
	for k, s := range v.Stages {
		line := s.Segments[0].Line()
		stage := model.Stage{Name: name + "-" + strings.ReplaceAll(s.Name, " ", "-"),
			Beta: line.Beta, Tau: line.Tau, Host: hosts[k]}
		stages = append(stages, stage)
		d.Stages = append(d.Stages, platforms.Param{Owner: stage.Name, Key: "beta",
			Source: fmt.Sprintf("%s: stage %s of packets alone", from, s.Name)})
	}
	d.Layers = append(d.Layers, pipelineLayer(name+"-packets", stages,
		"the stages above, each alone: behind each other, packets may be slower; the transport "+
			"takes packets up to "+v.Largest.String()))
	return encoded(d, "validate --live."), nil
}
