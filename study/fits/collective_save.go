package fits

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/fit/collective"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// collectivesDocument returns the measurements of each collective, which are fitted again when the
// file is read.
func (f *Fitted) collectivesDocument() platforms.Document {
	var files []string
	for _, s := range f.sources {
		if text := s.file.Name + s.dateSuffix(); s.table.Collective.Name != "" && !slices.Contains(files, text) {
			files = append(files, text)
		}
	}
	d := platforms.NewDocument("")
	names := map[string]int{}
	for _, c := range f.Collectives {
		name := strings.Join(slices.DeleteFunc([]string{c.Collective, c.series.Algorithm, plainName(c.Name), string(c.Statistic)}, func(s string) bool { return s == "" }), "-")
		if names[name]++; names[name] > 1 {
			name += "-" + strconv.Itoa(names[name])
		}
		t := platforms.NewTable("collective", name, "collective", c.Collective)
		if c.series.Algorithm != "" {
			t.Set("algorithm", c.series.Algorithm)
		}
		t.Set("statistic", string(c.Statistic))
		var ranks, perNode, times, runs, deviations []string
		repeated := false
		all := stats.Ascending(list.Map(c.Points, func(p collective.Point) quantity.Bytes { return p.Size }))
		for _, p := range c.Placements() {
			line := slices.Repeat([]string{"-"}, len(all))
			count, deviation := slices.Clone(line), slices.Clone(line)
			for _, o := range c.Points {
				if i, found := slices.BinarySearch(all, o.Size); found && o.Ranks == p.Ranks && o.PerNode == p.PerNode {
					line[i] = platforms.ExactMicros(o.Time)
					if o.Count > 1 && o.Deviation > 0 {
						repeated = true
						count[i], deviation[i] = strconv.FormatInt(o.Count, 10), platforms.ExactMicros(quantity.Micros(o.Deviation)*o.Time)
					}
				}
			}
			perNode = append(perNode, strconv.Itoa(p.PerNode))
			ranks, times = append(ranks, strconv.Itoa(p.Ranks)), append(times, strings.Join(line, " "))
			runs, deviations = append(runs, strings.Join(count, " ")), append(deviations, strings.Join(deviation, " "))
		}
		t.Set("ranks", ranks)
		if c.PerNode() > 0 {
			t.Set("ranks_per_node", perNode)
		}
		t.Set("sizes", list.Map(all, sizeText))
		t.Set("times", times)
		if repeated {
			t.Set("runs", runs)
			t.Set("deviations", deviations)
		}
		t.Set("source", cmp.Or(strings.Join(files, ", "), "measured"))
		d.Tables = append(d.Tables, t)
	}
	d.Keys[0].Value = "collectives of " + strings.Join(files, ", ")
	return d
}

// plainName is a text as a part of a table's name.
func plainName(text string) string {
	return strings.Trim(strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9', r == '-':
			return r
		case 'A' <= r && r <= 'Z':
			return r - 'A' + 'a'
		}
		return '-'
	}, text), "-")
}
