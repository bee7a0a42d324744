// Package contention estimates contention for memory and NICs from measurements, and predicts the
// times that a collective benchmark prints.
package contention
