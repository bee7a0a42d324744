package data

import (
	"fmt"

	"github.com/pelletier/go-toml/v2"
)

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

// Figures returns the figures that halfpeak redraws.
func Figures() ([]Figure, error) {
	text, err := embedded.ReadFile("figures.toml")
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
