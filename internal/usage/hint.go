package usage

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// Hint returns `; did you mean "clip"?` for the name closest to wrong. If none is
// close, it lists the names if they are few, and is empty otherwise. Close is at most
// two of five letters wrong, without the dashes of a flag, or the beginning of a name:
// a word of which more is wrong was meant as another one.
func Hint(wrong string, names []string) string {
	const few = 16
	if near := Near(wrong, names); near != "" || len(names) == 0 || len(names) > few {
		return near
	}
	return "; choose from " + strings.Join(names, ", ")
}

// Near is Hint without a list of names.
func Near(wrong string, names []string) string {
	best := nearest(wrong, names)
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// NearFile returns `; did you mean "latency.txt"?` for the file of the same folder whose name is
// closest to that of a missing one; "" if none is close. The extension makes names no more alike: a
// file with another one has the same name before it. If extensions are given, only files with those
// count, whatever the missing one has. Of a pattern that matches files, it says how to give them.
func NearFile(missing string, extensions ...string) string {
	switch found := Matches(missing); len(found) {
	case 0:
	case 1:
		return "; as a pattern, without quotes, it stands for " + found[0]
	default:
		return fmt.Sprintf("; as a pattern, without quotes, it stands for %d files", len(found))
	}
	folder, base := filepath.Split(missing)
	entries, err := os.ReadDir(cmp.Or(folder, "."))
	if err != nil {
		return ""
	}
	ext := filepath.Ext(base)
	missed := strings.TrimSuffix(base, ext)
	var stems []string
	files := map[string]string{} // by stem
	for _, e := range entries {
		is := filepath.Ext(e.Name())
		stem := strings.TrimSuffix(e.Name(), is)
		wanted := is == ext || stem == missed
		if len(extensions) > 0 {
			wanted = slices.Contains(extensions, is)
		}
		last, known := files[stem]
		if wanted && (!known || distance(ext, is) < distance(ext, filepath.Ext(last))) {
			files[stem] = e.Name()
			stems = append(stems, stem)
		}
	}
	if near := nearest(missed, stems); near != "" {
		return fmt.Sprintf("; did you mean %q?", folder+files[near])
	}
	return ""
}

// Matches returns the files that a pattern such as "*.txt" matches, which a shell does not expand
// within quotes; nil if it matches none, or is itself the name of a file.
func Matches(pattern string) []string {
	found, err := filepath.Glob(pattern)
	if err != nil || slices.Contains(found, pattern) {
		return nil
	}
	return found
}

// nearest returns the name closest to wrong, or "" if none is close.
func nearest(wrong string, names []string) string {
	word := strings.ToLower(strings.TrimLeft(wrong, "-"))
	letters := utf8.RuneCountInString(word)
	best, least := "", math.MaxInt
	for _, name := range names {
		plain := strings.ToLower(strings.TrimLeft(name, "-"))
		d := distance(word, plain)
		if letters > 2 && strings.HasPrefix(plain, word) {
			d = 1
		}
		longer := max(letters, utf8.RuneCountInString(plain))
		if d < least && d <= max(1, 2*longer/5) {
			best, least = name, d
		}
	}
	return best
}

// distance returns the number of letters to insert, delete, replace or swap with the
// next (optimal string alignment): swaps are the most frequent typing errors. It
// keeps three rows of the table, since a swap looks two rows back.
func distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	before, last, row := make([]int, len(t)+1), make([]int, len(t)+1), make([]int, len(t)+1)
	for j := range last {
		last[j] = j
	}
	for i := range s {
		row[0] = i + 1
		for j := range t {
			cost := 1
			if s[i] == t[j] {
				cost = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+cost)
			if i > 0 && j > 0 && s[i] == t[j-1] && s[i-1] == t[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(t)]
}
