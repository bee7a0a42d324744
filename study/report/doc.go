// Package report writes a page about platforms: their key numbers, curves, costs by stage, and
// their agreement with measurements.
package report
