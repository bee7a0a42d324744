// Package calibrate holds the C programs that halfpeak writes for users of MPI. Nothing in Go needs MPI.
package calibrate

import _ "embed"

// Calibrate is the C99 source of calibrate.c, which measures what the messages of an MPI job cost.
// It prints the CSV that contention.ReadCalibration reads.
//
//go:embed c/calibrate.c
var Calibrate string

// Trace is the C99 source of trace.c, a PMPI library that records what a program does in the format
// of liballprof.
//
//go:embed c/trace.c
var Trace string
