// Package calibrate measures a cluster. It holds the C programs that halfpeak writes for users of
// MPI, reads what they print ([Read]), makes a machine of levels of it ([Calibration.Machine]), and
// checks the machine against measurements that it was not made of ([Calibration.Check]). Nothing in
// Go needs MPI.
package calibrate

import _ "embed"

// Source is the C99 source of calibrate.c, which measures what the messages of an MPI job cost. It
// prints the CSV that [Read] reads.
//
//go:embed c/calibrate.c
var Source string

// TraceSource is the C source of trace.c, a PMPI library that records what a program does in the
// format that package mpitrace describes.
//
//go:embed c/trace.c
var TraceSource string

// PipelineSource is the C99 source of pipeline.c, which measures the stages of pipelines. It prints
// the CSV that [ReadPipelines] reads.
//
//go:embed c/pipeline.c
var PipelineSource string

// Script is a shell script that compiles both programs, measures a machine and records a program.
//
//go:embed c/measure.sh
var Script string
