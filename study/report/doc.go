// Package report writes a page about platforms: their key numbers, curves, costs by stage, and how
// well they agree with measurements.
package report
