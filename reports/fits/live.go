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
	d := platforms.File{Title: name + " of this machine"}
	source := fmt.Sprintf("%s: %s fit over %d sizes, median error %.2g %%",
		from, v.OneWay.Model, len(v.OneWay.Points), 100*v.OneWay.Median)
	var err error
	sizes := platforms.Table{Name: name, Keys: platforms.Keys{"source": {source}}}
	if d.Layers, err = lineLayers(sizes, name, "", v.OneWay); err != nil {
		return "", err
	}
	if v.HasLogP {
		large := v.Gap.Segments[len(v.Gap.Segments)-1]
		loggp := platforms.Table{Name: name + "-loggp", Keys: logPKeys(v.LogP)}
		loggp.Set("model", "loggp")
		loggp.Set("G", platforms.Exact(large.Line().Tau))
		loggp.Set("source", fmt.Sprintf("%s: o_s, o_r and g of the signature, L of the round "+
			"trip, G of the interval of %s and more", from, large.From))
		d.Layers = append(d.Layers, loggp)
	}
	// Sending and receiving keep a processor busy; handing over does not.
	hosts := []string{"sender", "", "receiver"}
	for k, s := range v.Stages {
		d.Stages = append(d.Stages, platforms.Table{
			Name: name + "-" + strings.ReplaceAll(s.Name, " ", "-"),
			Keys: platforms.Keys{
				"beta":   {platforms.Exact(s.Segments[0].Line().Beta)},
				"tau":    {platforms.Exact(s.Segments[0].Line().Tau)},
				"host":   {hosts[k]},
				"source": {fmt.Sprintf("%s: stage %s of packets alone", from, s.Name)},
			},
		})
	}
	d.Layers = append(d.Layers, pipelineLayer(name+"-packets", d.Stages,
		"the stages above, each alone: behind each other, packets may be slower; the transport "+
			"takes packets up to "+v.Largest.String()))
	return encoded(d, "validate --live."), nil
}
