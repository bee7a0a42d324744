package program

import (
	"strings"

	"github.com/halfpeak/halfpeak/internal/list"
)

// markKeys returns the beginnings of the keys of marks, each followed by _us and _max_us. Of names
// with the same letters the later ones have a number, since JSON has one value for each key.
func markKeys(names []string) []string {
	keys := list.Map(names, func(name string) string { return "mark_" + slug(name) })
	return list.Numbered(keys, "_", "_max")
}

// slug returns the name as a part of a key.
func slug(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '_'
	}, name)
}
