// Package data holds the numbers that papers print about the platforms: CSV files with the place of
// each number, and the figures that are drawn again. README.md has their terms.
package data

import "embed"

// Files are the CSV files and figures.toml.
//
//go:embed *.csv figures.toml
var Files embed.FS
