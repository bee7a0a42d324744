package table

import "strings"

// ShortPaths returns for each path its base name, with as many of its folders as tell it from the
// other paths. Equal paths keep equal names.
func ShortPaths(paths []string) []string {
	short := make([]string, len(paths))
	for i, path := range paths {
		for parts := 1; ; parts++ {
			short[i] = ending(path, parts)
			unique := true
			for _, other := range paths {
				unique = unique && (other == path || ending(other, parts) != short[i])
			}
			if unique || short[i] == path {
				break
			}
		}
	}
	return short
}

// ending returns the last parts of a path, or all of it.
func ending(path string, parts int) string {
	at := len(path)
	for ; parts > 0 && at >= 0; parts-- {
		at = strings.LastIndexAny(path[:at], `/\`)
	}
	return path[at+1:]
}
