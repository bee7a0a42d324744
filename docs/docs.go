// Package docs holds the pages that the program also prints as help.
package docs

import _ "embed"

//go:embed commands.md
var Commands string // a section for each command

//go:embed units.md
var Units string
