// Package shared finds what ranks of a machine share, from measurements, and predicts what a
// benchmark of a collective prints.
package shared
