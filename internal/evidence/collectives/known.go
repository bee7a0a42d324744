package main

import (
	"encoding/json"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/evidence/judge"
	numbers "github.com/halfpeak/halfpeak/internal/known"
	"github.com/halfpeak/halfpeak/internal/stats"
)

// known writes the collectives' part of internal/known/known.json: what the machines that terms are
// chosen on have in common, each number the median over these machines.
func known(w io.Writer, all []series) error {
	all = slices.DeleteFunc(slices.Clone(all), func(s series) bool {
		return judge.HalfOf(s.machine) != judge.Choose
	})
	var of numbers.Collectives
	var err error
	if of.UsualError, err = usualError(all); err != nil {
		return err
	}
	of.Message, of.Block = growth(all, false), growth(all, true)
	for _, v := range []*float64{&of.UsualError, &of.Message, &of.Block} {
		*v = math.Round(*v*100) / 100 // more digits say nothing of another machine
	}
	return json.NewEncoder(w).Encode(of)
}

// usualError returns the root mean square of the log errors on twice the measured nodes.
func usualError(all []series) (float64, error) {
	var asks []question
	for _, q := range questions(all) {
		if q.name == "×2" && judge.HalfOf(q.kept.machine) == judge.Choose {
			asks = append(asks, q)
		}
	}
	answered, err := answers(asks)
	squares := map[string][]float64{}
	for _, a := range answered {
		squares[a.Machine] = append(squares[a.Machine], a.Log()*a.Log())
	}
	return math.Sqrt(medianOfMeans(squares)), err
}

// growth returns how much the log of a time grows in an octave of nodes, of calls with a size of a
// rank's block, or of the message.
func growth(all []series, blocks bool) float64 {
	grown := map[string][]float64{}
	for _, s := range all {
		if entry(s.collective, "").InBlocks() != blocks {
			continue
		}
		for _, a := range s.points {
			for _, b := range s.points {
				if a.Size == b.Size && a.PerNode == b.PerNode && b.Ranks == 2*a.Ranks {
					log := math.Log(float64(b.Time / a.Time))
					grown[s.machine] = append(grown[s.machine], log)
				}
			}
		}
	}
	return medianOfMeans(grown)
}

func medianOfMeans(of map[string][]float64) float64 {
	var means []float64
	for _, machine := range slices.Sorted(maps.Keys(of)) {
		means = append(means, stats.Mean(of[machine]))
	}
	return stats.QuantileOf(means, 0.5)
}
