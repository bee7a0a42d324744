package fits

import (
	"path/filepath"

	"github.com/halfpeak/halfpeak/ask/fits"
)

// tableName returns a short name that distinguishes the curves: the file's base name
// or, if all are of one file, the name of the table.
func tableName(s fits.Source, all []fits.Curve) string {
	for _, c := range all {
		if c.File != s.File {
			return filepath.Base(s.Place())
		}
	}
	return s.Table.Name()
}
