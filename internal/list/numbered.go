package list

import (
	"slices"
	"strconv"
)

// Numbered returns the names, those that stood before with the least number, from 2 on, behind a
// separator that makes them another name than all others. Where a name has forms of its own beside
// it, as columns with the ending "_max", no name is such a form of another either.
func Numbered(names []string, separator string, endings ...string) []string {
	taken, all := map[string]bool{}, slices.Clone(names)
	free := func(name string) bool {
		return !taken[name] && !slices.ContainsFunc(endings, func(ending string) bool {
			return taken[name+ending]
		})
	}
	for i, name := range names {
		for n := 2; !free(all[i]) || all[i] != name && slices.Contains(names, all[i]); n++ {
			all[i] = name + separator + strconv.Itoa(n)
		}
		taken[all[i]] = true
		for _, ending := range endings {
			taken[all[i]+ending] = true
		}
	}
	return all
}
