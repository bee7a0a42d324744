// Package collectives shows how long collectives take: the answers of package ask/collectives as
// tables ([Rows]) and maps of the best algorithms ([Picture]).
package collectives
