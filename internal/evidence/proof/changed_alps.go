package main

import (
	"context"
	_ "embed"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"

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
	r := csv.NewReader(strings.NewReader(alpsCSV))
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		return nil, 0, err
	}
	var sizes []quantity.Bytes
	values := map[string][]float64{} // by network and benchmark
	for _, row := range rows[1:] {
		v, err := strconv.ParseFloat(row[3], 64)
		if err != nil {
			return nil, 0, err
		}
		of := row[0] + " " + row[1]
		if n := quantity.Bytes(int(1) << len(values[of])); len(values[of]) == len(sizes) {
			sizes = append(sizes, n)
		}
		values[of] = append(values[of], v)
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
	texts := func(of string, text func(v float64, n quantity.Bytes) string) (all []string) {
		for i, v := range values[of] {
			all = append(all, text(v, sizes[i]))
		}
		return all
	}
	size := func(_ float64, n quantity.Bytes) string { return fmt.Sprintf("%.0fB", float64(n)) }
	time := func(v float64, _ quantity.Bytes) string { return fmt.Sprintf("%gus", v) }
	gap := func(v float64, n quantity.Bytes) string { return fmt.Sprintf("%gus", float64(n)/v) }
	const source = "docs.cscs.ch"
	own, alltoall := network+" latency", network+" alltoall"
	f := described.File{
		Levels: []described.Table{
			{Name: "node", Keys: described.Keys{
				"arity": {"4"}, "layer": {"node"}, "source": {source}}},
			{Name: "cluster", Keys: described.Keys{
				"arity": {"2"}, "layer": {"network"}, "source": {source}}},
		},
		Layers: []described.Table{
			// A latency within the node was not published.
			{Name: "node", Keys: described.Keys{"model": {"table"}, "source": {source},
				"sizes": texts("node bandwidth", size), "times": texts("node bandwidth", gap)}},
			{Name: "network", Keys: described.Keys{"model": {"table"}, "source": {source},
				"sizes": texts(own, size), "times": texts(own, time),
				"gaps": texts(network+" bandwidth", gap)}},
		},
		Collectives: []described.Table{{Name: "own", Keys: described.Keys{
			"collective": {"alltoall"}, "statistic": {"average"}, "ranks": {"8"},
			"ranks_per_node": {"4"}, "sizes": texts(alltoall, size),
			"times": {strings.Join(texts(alltoall, time), " ")}, "source": {source}}}},
	}
	p, err := f.Platform("alps")
	if err != nil {
		return whatif.Design{}, err
	}
	layer, err := p.Layer(p.Default)
	return whatif.Of(described.Design{Platform: p, Layer: layer, Whole: true}), err
}
