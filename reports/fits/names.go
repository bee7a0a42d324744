package fits

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/benchmarks"
	"github.com/halfpeak/halfpeak/internal/list"
)

// layerNames returns the names of the layers that curves are saved as: "fit" for a single one, so
// that scripts need not know its table's name, otherwise those of the benchmarks: "osu-latency",
// "allreduce". Curves of one benchmark are told apart by the table's whole title ("imb-biband-4-
// processes"), then by the file ("imb-pingpong-node-tcp"), then by a number.
func layerNames(curves []Curve) []string {
	if len(curves) == 1 {
		return []string{"fit"}
	}
	names, count := make([]string, len(curves)), map[string]int{}
	for i, c := range curves {
		names[i] = benchmarkName(c.Source)
		count[names[i]]++
	}
	for i, c := range curves {
		if count[names[i]] > 1 {
			names[i] = wholeName(c.Source)
		}
	}
	for _, same := range sameNames(names) {
		other := func(i int) bool { return curves[i].File != curves[same[0]].File }
		if slices.ContainsFunc(same, other) {
			for _, i := range same {
				names[i] = withFile(names[i], curves[i].File.Name)
			}
		}
	}
	return list.Numbered(names, "-")
}

// sameNames returns the indices of equal names, in the order of the first of each.
func sameNames(names []string) (groups [][]int) {
	at := map[string]int{}
	for i, name := range names {
		g, known := at[name]
		if !known {
			g, at[name] = len(groups), len(groups)
			groups = append(groups, nil)
		}
		groups[g] = append(groups[g], i)
	}
	return groups
}

// withFile adds the name of a table's file to that of the table, unless one begins with the other.
func withFile(name, path string) string {
	base := filepath.Base(path)
	file := plainName(strings.TrimSuffix(base, filepath.Ext(base)))
	switch {
	case strings.HasPrefix(name, file):
		return name
	case strings.HasPrefix(file, name):
		return file
	}
	return name + "-" + file
}

// shortTitle has what names of benchmarks say beside the benchmark: "OSU MPI Bandwidth Test v5.8".
var shortTitle = regexp.MustCompile(`(?i)\b(?:mpi|mpi-\w+|test|v\d[\w.]*)(?:[\s,]|$)`)

// shortWords are words of titles with the names of their programs: osu_bw.
var shortWords = strings.NewReplacer(
	"bi-directional bandwidth", "bibw", "multiple bandwidth / message rate", "mbw mr",
	"bandwidth", "bw")

// benchmarkName returns a short name of a table's benchmark: the collective, or the format with the
// title's words. A table of CSV or JSON has the name of its file, as nothing else names it.
func benchmarkName(s benchmarks.Source) string {
	if op := s.Table.Collective; s.Table.Kind == benchfile.Collective && op.Name != "" {
		return plainName(op.Name)
	}
	title, _, _ := strings.Cut(s.Table.FirstName(), ",")
	return named(s, shortWords.Replace(strings.ToLower(shortTitle.ReplaceAllString(title, ""))))
}

// wholeName returns a name with all that distinguishes a table from the others of its benchmark.
func wholeName(s benchmarks.Source) string {
	if op := s.Table.Collective; s.Table.Kind == benchfile.Collective && op.Name != "" {
		name := plainName(strings.TrimSpace(op.Name + " " + op.Algorithm + " " + s.Table.Series))
		if op.Ranks > 0 {
			name += fmt.Sprintf("-%d", op.Ranks)
		}
		return name
	}
	return named(s, shortTitle.ReplaceAllString(s.Table.FirstName(), ""))
}

// named returns a name that begins with the format, once.
func named(s benchmarks.Source, title string) string {
	from := s.Table.Format
	if from == "csv" || from == "json" {
		base := filepath.Base(s.File.Name)
		from = strings.TrimSuffix(base, filepath.Ext(base))
		// A table without a title is called by its format.
		if s.Table.Title == "" {
			title = ""
		}
	}
	name := plainName(title)
	if from = plainName(from); strings.HasPrefix(name, from) {
		return name
	}
	return strings.Trim(from+"-"+name, "-")
}

// plainName turns a text into a part of a table's name. Lower case letters, digits
// and hyphens need no quotes in a TOML key, and none in a shell when a command names
// the table.
func plainName(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !('a' <= r && r <= 'z' || '0' <= r && r <= '9')
	})
	return strings.Join(words, "-")
}
