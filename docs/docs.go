// Package docs holds the pages that the program also prints as help.
package docs

import _ "embed"

// Keys is keys.md, a table of the keys of CSV and JSON.
//
//go:embed keys.md
var Keys string

// Commands is commands.md, with the help of each command as a section.
//
//go:embed commands.md
var Commands string
