// Package fits reads measurements, fits models to them, and writes the result as a
// platform file. It reads the output of benchmarks of messages and of collectives,
// and of calibrate.c. It holds no statistics: those are in fit, internal/fitted and
// internal/calibrate.
//
// The way of a file:
//
//	fit.go         Ask: paths → tables with their files (internal/benchmarks) → a [Result],
//	               by the model's name or by what the tables are
//	runs.go        tables of several runs → one table each
//	lines.go, parameters.go, pipeline.go, pipelines.go, collectives.go, machine.go, comparison.go
//	               one kind of result each, with its platform
//	verdict.go, advice.go   what follows from logs of nccl-tests, and what to do next
//
// A result is fitted once. Its rows and its figure take all from it, in rows_*.go and figure.go.
package fits

import (
	"io"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/internal/benchmarks"
	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/table"
)

// A Question asks what benchmark files say. The zero values of its fields leave the choice to what
// the files are.
type Question struct {
	// Files are paths of files, or of folders, whose files are all read.
	Files []string
	// Text is read in place of files, if it is set. Name is the name of its file in messages.
	Text io.Reader
	Name string

	fit.Options
	Links Links               // of a node, which the busbw of nccl-tests is judged by
	Saved bool                // the answer is saved, and need not say how
	Units quantity.UnitChoice // of notes
}

// An Answer is a result with what a user should know beside it.
type Answer struct {
	Result
	Notes   []remark.Note // doubts about the files and the fits
	LeftOut []remark.Note // the errors of files and tables that could not be used
	// Broken is the first error of a file that could not be used, or not to its end. The result
	// then holds the rest, which may be shown, but is incomplete.
	Broken error
	// Partial is set if a file was used in part: then a layer is not what its source says, and
	// nothing should be saved.
	Partial bool

	sources     []benchmarks.Source // the tables that the result is of
	runs        []gpuRun            // those of nccl-tests
	next        []remark.Note       // what to do with the answer
	verdict     string              // on logs of nccl-tests, in place of the result's
	bad, judged int                 // verdicts on links: those that are slow or low, and all
}

// Judged counts the verdicts on the links of a node, and those that are slow or low.
func (a *Answer) Judged() (bad, all int) { return a.bad, a.judged }

// A Result is what was fitted: [Lines], [Sizes], [Parameters], [Pipeline], [Pipelines],
// [Collectives], [Machine] or [Comparison], each by a pointer.
type Result interface {
	// Rows returns the table of the result, with its own notes and verdict.
	Rows() table.Rows
	// Figure draws times against sizes. It is an error if the result has none.
	Figure() (table.Picture, error)
	// Made returns the result as a program makes a platform, and lines about what cannot be a
	// part of it. It is an error if nothing can.
	Made() (p platforms.Platform, remarks string, err error)
}
