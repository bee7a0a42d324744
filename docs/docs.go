// Package docs holds the pages that the program also prints as help.
package docs

import _ "embed"

// Commands is commands.md, with the help of each command as a section.
//
//go:embed commands.md
var Commands string

// Units is units.md, the table of the units that are read and printed.
//
//go:embed units.md
var Units string
