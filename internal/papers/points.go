package papers

import (
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/halfpeak/halfpeak/data"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Point is a measured point of a layer's curve over message sizes.
type Point struct {
	Fact
	Size   quantity.Bytes
	OneWay quantity.Micros
	Within quantity.Interval // OneWay in µs with its error bar
	// TimeRelation is the relation of OneWay to the true time: "over 250 Mbit/s" is at most a
	// time, so it has "<" where the fact has ">".
	TimeRelation string
}

// Points returns the measured one-way times of a layer, in the order of the facts: times, and
// bandwidths as sizes over times. It includes numbers with the role Input, which do not test the
// model, since the layer's parameters come from them. An error is a fault of the embedded files.
func Points(layer string) ([]Point, error) {
	facts, err := facts()
	if err != nil {
		return nil, err
	}
	var points []Point
	for _, f := range facts {
		// A number without a size is no point of a curve.
		if f.Layer != layer || f.Role != Measured && f.Role != Input || f.Size == 0 {
			continue
		}
		unit, _ := f.unit()
		bar, err := f.bar(unit)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: bar: %w", f.At, f.ID, err)
		}
		p := Point{Fact: f, Size: f.Size, TimeRelation: f.Relation}
		// oneWay turns a printed number into a one-way time.
		var oneWay func(v float64) quantity.Micros
		switch f.Formula {
		case "one_way(n)":
			oneWay = func(v float64) quantity.Micros { return quantity.Micros(v * unit.Num) }
		case "rtt(n)":
			oneWay = func(v float64) quantity.Micros { return quantity.Micros(v * unit.Num / 2) }
		case "bandwidth(n)":
			oneWay = func(v float64) quantity.Micros {
				return quantity.Micros(float64(f.Size) / (v * unit.Num))
			}
			bar.Low, bar.High = bar.High, bar.Low // the higher rate is the shorter time
			p.TimeRelation = strings.NewReplacer("<", ">", ">", "<").Replace(f.Relation)
		default:
			continue // no one-way time follows from a gap or an overhead
		}
		p.OneWay = oneWay(f.Value)
		p.Within = quantity.Interval{Value: float64(p.OneWay), Low: float64(oneWay(bar.Low)),
			High: float64(oneWay(bar.High))}
		points = append(points, p)
	}
	return points, nil
}

// A Figure selects the layers, sizes and kind of a picture.
type Figure struct {
	Name      string   `toml:"name"` // of the file, without extension
	Title     string   `toml:"title"`
	Place     string   `toml:"place"` // the figure or table of the paper that it redraws
	Kind      string   `toml:"kind"`  // bandwidth, latency or timeline
	Platforms []string `toml:"platforms"`
	Sizes     string   `toml:"sizes"`
	Packet    string   `toml:"packet"` // "": as the platform's file says
}

// Figures returns the figures that halfpeak redraws. An error is a fault of the embedded files.
func Figures() ([]Figure, error) {
	text, err := data.Files.ReadFile("figures.toml")
	if err != nil {
		return nil, err
	}
	var file struct {
		Figure []Figure `toml:"figure"`
	}
	if err := toml.Unmarshal(text, &file); err != nil {
		return nil, fmt.Errorf("figures.toml: %w", err)
	}
	return file.Figure, nil
}
