package fits

import (
	"slices"

	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/reports/table"
)

// tableNames returns short names that distinguish the curves: the file's name, with as much of its
// path as tells it from the others or, if all are of one file, the name of the table.
func tableNames(all []Curve) []string {
	other := func(c Curve) bool { return c.File != all[0].File }
	if !slices.ContainsFunc(all, other) {
		return list.Map(all, func(c Curve) string { return c.Table.Name() })
	}
	return table.ShortPaths(list.Map(all, func(c Curve) string { return c.Place() }))
}
