package study

import (
	"cmp"
	"fmt"

	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	fitted "github.com/halfpeak/halfpeak/fit/collective"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// A CollectiveFit is a joint fit of a measured collective, with the algorithm that was measured.
type CollectiveFit struct {
	Entry  collective.Entry // its Name is "measured" where the library chose
	Source string           // the platform's table
	*fitted.Result
}

// libraryChoice stands for the algorithm where the library chose.
const libraryChoice = "measured"

// CollectiveFits are the fits of a collective whose measurements a platform file has; none if it has
// none. The errors are those of reading and fitting.
func CollectiveFits(ref, name string) (all []CollectiveFit, err error) {
	tables, err := platforms.CollectivesOf(ref, canonicalOf(name))
	if err != nil {
		return nil, err
	}
	return fitsOf(ref, tables)
}

// PlatformFits are [CollectiveFits] of a platform that was read, with what errors call it.
func PlatformFits(p platforms.Platform, ref, name string) ([]CollectiveFit, error) {
	return fitsOf(ref, slices.DeleteFunc(slices.Clone(p.Collectives), func(c platforms.MeasuredCollective) bool { return c.Collective != canonicalOf(name) }))
}

func fitsOf(ref string, tables []platforms.MeasuredCollective) (all []CollectiveFit, err error) {
	for _, t := range tables {
		d := fitted.Data{Collective: t.Collective, Statistic: fitted.Statistic(t.Statistic)}
		for i, ranks := range t.Ranks {
			for j, n := range t.Sizes {
				if v := t.Times[i][j]; v > 0 {
					d.Points = append(d.Points, fitted.Point{Ranks: ranks, Size: n, Time: v, Count: 1})
				}
			}
		}
		r, err := fitted.Fit(d, fitted.Options{Algorithm: t.Algorithm})
		if err != nil {
			return nil, fmt.Errorf("%s: collective.%s: %w", ref, t.Name, err)
		}
		e := collective.Entry{Collective: t.Collective, Name: libraryChoice}
		if t.Algorithm != "" {
			if e, err = collective.Find(t.Collective, t.Algorithm); err != nil {
				return nil, fmt.Errorf("%s: collective.%s: %w", ref, t.Name, err)
			}
		}
		all = append(all, CollectiveFit{e, t.Name, r})
	}
	return all, nil
}

// fitted answers the question by its fits: the time of an algorithm is that of the slowest rank, as
// fitted, the average that of the average. Algorithms are compared by the slowest where all have it,
// else by the average.
func (q CollectiveQuestion) fitted() (*CollectiveTimes, error) {
	answer := &CollectiveTimes{BestOnly: q.Algorithm == "best", Fitted: true}
	slowest := true
	by := map[string]map[fitted.Statistic]CollectiveFit{}
	for _, f := range q.Fits {
		if q.Algorithm != "all" && q.Algorithm != "best" && q.Algorithm != f.Entry.Name || q.Statistic != "" && q.Statistic != f.Statistic {
			continue
		}
		if by[f.Entry.Name] == nil {
			by[f.Entry.Name] = map[fitted.Statistic]CollectiveFit{}
			answer.Algorithms = append(answer.Algorithms, f.Entry)
		}
		if _, twice := by[f.Entry.Name][f.Statistic]; twice {
			return nil, fmt.Errorf("two tables of %s %s, %s; keep one in the file", f.Collective, f.Entry.Name, f.Statistic)
		}
		by[f.Entry.Name][f.Statistic] = f
	}
	if len(by) == 0 {
		var names []string
		for _, f := range q.Fits {
			names = append(names, fmt.Sprintf("%s (%s)", f.Entry.Name, f.Statistic))
		}
		return nil, fmt.Errorf("no measurement of %s %s%s; there are those of %s", q.Collective, q.Algorithm, ifElse(q.Statistic != "", ", "+string(q.Statistic), ""), strings.Join(ascending(names), ", "))
	}
	if q.Library != "" {
		l, err := libraryOf(q.Library)
		if err != nil {
			return nil, err
		}
		if answer.Algorithms = slices.DeleteFunc(answer.Algorithms, func(e collective.Entry) bool { return !l.has(e) }); len(answer.Algorithms) == 0 {
			return nil, fmt.Errorf("rules of the form %s can say none of the algorithms that were measured", q.Library)
		}
	}
	if len(q.Segments) > 0 || q.Call.Gamma != 0 || q.Call.Root != 0 || q.Call.Fanout != 0 {
		return nil, fmt.Errorf("%s was measured whole, from root 0: leave --segment, --root, --fan-out and --gamma out", q.Collective)
	}
	for _, e := range answer.Algorithms {
		_, has := by[e.Name][fitted.Slowest]
		slowest = slowest && has
	}
	beyond := 0
	for _, ranks := range ascending(q.Ranks) {
		for _, n := range ascending(q.Sizes) {
			var here []CollectiveTime
			for _, e := range answer.Algorithms {
				c := CollectiveTime{Entry: e, Ranks: ranks, From: FromFit, Time: absent, Average: absent, Low: absent, High: absent}
				c.Call.Bytes = uint64(n)
				for _, statistic := range fitted.Statistics {
					f, has := by[e.Name][statistic]
					if !has {
						continue
					}
					p, err := f.Predict(ranks, n)
					if err != nil {
						return nil, err
					}
					if p.Beyond {
						beyond++
					}
					if statistic == fitted.Average {
						c.Average, c.Low, c.High = p.Time, p.Low, p.High
					}
					if statistic == fitted.Slowest || !slowest { // compared by what all have
						c.Time, c.Low, c.High = p.Time, p.Low, p.High
					}
				}
				here = append(here, c)
			}
			if len(here) > 1 {
				compare(here)
			}
			if !slowest {
				for i := range here {
					here[i].Time = absent
				}
			}
			answer.Times = append(answer.Times, here...)
		}
	}
	answer.Notes = q.fitNotes(by, slowest, beyond)
	return answer, nil
}

// fitNotes say where the times come from.
func (q CollectiveQuestion) fitNotes(by map[string]map[fitted.Statistic]CollectiveFit, slowest bool, beyond int) []string {
	var parts []string
	for _, f := range q.Fits {
		if by[f.Entry.Name][f.Statistic].Result == f.Result {
			parts = append(parts, fmt.Sprintf("%s, %s: %s", f.Entry.Name, f.Statistic, f.Verdict()))
		}
	}
	parts = append(parts, "Times are fitted to measurements: the form, and what it left at the measurements nearby; intervals are of one more measurement.")
	if !slowest && q.Statistic == "" {
		parts = append(parts, "The time of the slowest rank was not measured for all: algorithms are compared by the average over ranks, whose interval this is.")
	}
	if beyond > 0 {
		parts = append(parts, fmt.Sprintf("%d of the times are beyond the ranks or sizes that were measured.", beyond))
	}
	return parts
}

// collectivesDocument has what was measured of each collective: fits are made of it again.
func (f *Fitted) collectivesDocument() platforms.Document {
	var files []string
	d := newDocument("")
	names := map[string]int{}
	for _, c := range f.Collectives {
		name := strings.Join(slices.DeleteFunc([]string{c.Collective, c.series.algorithm, plainName(c.Name), string(c.Statistic)}, func(s string) bool { return s == "" }), "-")
		if names[name]++; names[name] > 1 {
			name += "-" + strconv.Itoa(names[name])
		}
		t := newTable("collective", name, "collective", c.Collective)
		if c.series.algorithm != "" {
			t.Set("algorithm", c.series.algorithm)
		}
		t.Set("statistic", string(c.Statistic))
		var ranks, sizes, times []string
		var all []quantity.Bytes
		for _, p := range c.Points {
			all = append(all, p.Size)
		}
		all = ascending(all)
		for _, n := range all {
			sizes = append(sizes, fmt.Sprintf("%.12gB", float64(n)))
		}
		for _, p := range c.Ranks {
			line := slices.Repeat([]string{"-"}, len(all))
			for _, o := range c.Points {
				if i, found := slices.BinarySearch(all, o.Size); found && o.Ranks == p {
					line[i] = us(o.Time)
				}
			}
			ranks, times = append(ranks, strconv.Itoa(p)), append(times, strings.Join(line, " "))
		}
		t.Set("ranks", ranks)
		t.Set("sizes", sizes)
		t.Set("times", times)
		for _, s := range f.sources {
			if text := s.file.Name + s.when(); s.table.Collective.Name != "" && !slices.Contains(files, text) {
				files = append(files, text)
			}
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
