// Package docs holds the page that the program also prints as help.
package docs

import _ "embed"

// Commands is commands.md, with the help of each command as a section.
//
//go:embed commands.md
var Commands string
