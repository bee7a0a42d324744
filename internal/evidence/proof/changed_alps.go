package main

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	scheduled "github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/internal/evidence/judge"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
	described "github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/collective"
	"github.com/halfpeak/halfpeak/reports/whatif"
)

//go:embed testdata/whatif/alps.csv
var alpsCSV string

// alps asks about the published collective of one cluster over two networks: from each of them,
// with the ping-pong of the other. The software changes with the network too, so the answers show
// where the question ends. It returns the answers by the network that was measured, and how many
// whatif refuses.
func alps(ctx context.Context) (answers map[string][]forecastOfChange, refused int, err error) {
	rows, err := judge.ReadRows(strings.NewReader(alpsCSV))
	if err != nil {
		return nil, 0, err
	}
	var sizes []quantity.Bytes
	values := map[string][]float64{} // by network and benchmark
	for _, row := range rows {
		of := row["network"] + " " + row["benchmark"]
		if n := quantity.Bytes(int(1) << len(values[of])); len(values[of]) == len(sizes) {
			sizes = append(sizes, n)
		}
		values[of] = append(values[of], row.Number("value"))
	}
	answers = map[string][]forecastOfChange{}
	last := len(sizes) - 1
	for from, to := range map[string]string{"slingshot": "tcp", "tcp": "slingshot"} {
		was, is := values[from+" latency"], values[to+" latency"]
		set := []string{fmt.Sprintf("network.beta=%gus", is[0]),
			fmt.Sprintf("network.tau*=%g", (is[last]-is[0])/(was[last]-was[0]))}
		d, err := alpsDesign(from, sizes, values)
		if err != nil {
			return nil, 0, err
		}
		for i, t := range values[to+" alltoall"] {
			_, prepared, err := collective.Calls{Collective: "alltoall", Algorithm: "best",
				Ranks: []int{8}, Sizes: sizes[i : i+1]}.Prepare(ctx, d.Design)
			if err != nil {
				refused++
				continue
			}
			f := forecastOfChange{now: quantity.Micros(values[from+" alltoall"][i])}
			f.asked.bytes, f.asked.time = sizes[i], quantity.Micros(t)
			if err := f.predict(ctx, whatif.Of(d.Design, prepared...), set); err != nil {
				return nil, 0, err
			}
			answers[from] = append(answers[from], f)
		}
	}
	return answers, refused, nil
}

// alpsDesign returns the machine with one of the networks and its measured collective.
func alpsDesign(network string, sizes []quantity.Bytes, values map[string][]float64) (
	whatif.Design, error) {
	times := func(of string, time func(v float64, n quantity.Bytes) float64) (
		all []quantity.Micros) {

		for i, v := range values[of] {
			all = append(all, quantity.Micros(time(v, sizes[i])))
		}
		return all
	}
	sizesOf := func(of string) []quantity.Bytes { return sizes[:len(values[of])] }
	time := func(v float64, _ quantity.Bytes) float64 { return v }
	gap := func(v float64, n quantity.Bytes) float64 { return float64(n) / v }
	const source = "docs.cscs.ch"
	own, alltoall := network+" latency", network+" alltoall"
	p := described.Platform{
		Name: "alps",
		Levels: []described.Level{
			{Level: machine.Level{Name: "node", Arity: 4}, Source: source,
				Layers: map[string][]string{"layer": {"node"}}},
			{Level: machine.Level{Name: "cluster", Arity: 2}, Source: source,
				Layers: map[string][]string{"layer": {"network"}}},
		},
		Layers: []described.Layer{
			// A latency within the node was not published.
			{Name: "node", Source: source, Model: &model.Table{Sizes: sizesOf("node bandwidth"),
				Times: times("node bandwidth", gap)}},
			{Name: "network", Source: source, Model: &model.Table{Sizes: sizesOf(own),
				Times: times(own, time), Gaps: times(network+" bandwidth", gap)}},
		},
		Collectives: []described.MeasuredCollective{{Name: "own",
			Of: scheduled.Entry{Collective: "alltoall"}, Statistic: "average", Ranks: []int{8},
			PerNode: []int{4}, Sizes: sizesOf(alltoall),
			Times: [][]quantity.Micros{times(alltoall, time)}, Source: source}},
	}
	p, err := p.Complete()
	if err != nil {
		return whatif.Design{}, err
	}
	layer, err := p.Layer(p.Default)
	return whatif.Of(described.Design{Platform: p, Layer: layer, Whole: true}), err
}
