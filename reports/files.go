package reports

import "github.com/halfpeak/halfpeak/internal/atomicfile"

// Names that have moved.
type (
	Files   = atomicfile.Files
	Partial = atomicfile.Partial
)

const (
	Imprint   = atomicfile.Imprint
	FilesText = atomicfile.Help
)

var FileError = atomicfile.FileError
