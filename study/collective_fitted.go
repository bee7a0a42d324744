package study

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	fitted "github.com/halfpeak/halfpeak/fit/collective"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// A CollectiveFit is a measured collective, with the algorithm that was measured, to be fitted when
// its times are asked for.
type CollectiveFit struct {
	Entry collective.Entry // its Name is "measured" where the library chose
	Table string           // the platform's
	Data  fitted.Data

	*fitted.Result // nil until it is fitted
	at             string
}

// libraryChoice stands for the algorithm where the library chose.
const libraryChoice = "measured"

// CollectiveFits are the measurements that a platform file has of a collective; none if it has none.
// The errors are those of reading.
func CollectiveFits(ref, name string) (all []CollectiveFit, err error) {
	tables, err := platforms.CollectivesOf(ref, canonicalOf(name))
	if err != nil {
		return nil, err
	}
	return fitCollectives(ref, tables)
}

// PlatformFits are [CollectiveFits] of a platform that was read, with what errors call it.
func PlatformFits(p platforms.Platform, ref, name string) ([]CollectiveFit, error) {
	return fitCollectives(ref, slices.DeleteFunc(slices.Clone(p.Collectives), func(c platforms.MeasuredCollective) bool { return c.Collective != canonicalOf(name) }))
}

func fitCollectives(ref string, tables []platforms.MeasuredCollective) (all []CollectiveFit, err error) {
	for _, t := range tables {
		d := fitted.Data{Collective: t.Collective, Statistic: fitted.Statistic(t.Statistic)}
		for i, ranks := range t.Ranks {
			for j, n := range t.Sizes {
				if v := t.Times[i][j]; v > 0 {
					p := fitted.Point{Ranks: ranks, Size: n, Time: v, Count: 1}
					if t.Runs != nil && t.Deviations != nil {
						p.Count, p.Deviation = max(1, t.Runs[i][j]), float64(t.Deviations[i][j]/v)
					}
					d.Points = append(d.Points, p)
				}
			}
		}
		e := collective.Entry{Collective: t.Collective, Name: libraryChoice}
		if t.Algorithm != "" {
			if e, err = collective.Find(t.Collective, t.Algorithm); err != nil {
				return nil, fmt.Errorf("%s: collective.%s: %w", ref, t.Name, err)
			}
		}
		all = append(all, CollectiveFit{Entry: e, Table: t.Name, Data: d, at: fmt.Sprintf("%s: collective.%s", ref, t.Name)})
	}
	return all, nil
}

// asks reports whether the question is about a fit: any, those of an algorithm, or that of a table.
func (q CollectiveQuestion) asks(f CollectiveFit) bool {
	if q.Statistic != "" && q.Statistic != f.Data.Statistic {
		return false
	}
	return slices.Contains([]string{"all", "best", f.Entry.Name, f.Table}, q.Algorithm)
}

// fit fits what the question asks for, all at once; until the context ends. The errors are those of
// fitting.
func (q CollectiveQuestion) fit(ctx context.Context, all []*CollectiveFit) error {
	done := make(chan error, len(all))
	for _, f := range all {
		if f.Result != nil { // asked before
			done <- nil
			continue
		}
		go func() {
			name := f.Entry.Name
			if name == libraryChoice {
				name = ""
			}
			r, err := fitted.Fit(f.Data, fitted.Options{Algorithm: name})
			if err != nil {
				err = fmt.Errorf("%s: %w", f.at, err)
			}
			f.Result = r
			done <- err
		}()
	}
	for range all {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-done:
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// fitted answers the question by its fits: the time of an algorithm is that of the slowest rank, as
// fitted, the average that of the average. Algorithms are compared by the slowest where all have it,
// else by the average. Of two tables of the same algorithm and statistic the first counts.
func (q CollectiveQuestion) fitted(ctx context.Context) (*CollectiveTimes, error) {
	if q.Map != "" {
		return nil, fmt.Errorf("%s was measured as it was placed: leave --map out", q.Collective)
	}
	answer := &CollectiveTimes{BestOnly: q.Algorithm == "best", Fitted: true}
	slowest := true
	by := map[string]map[fitted.Statistic]*CollectiveFit{}
	var used []*CollectiveFit
	var twice []string
	for i := range q.Fits {
		f := &q.Fits[i]
		if !q.asks(*f) {
			continue
		}
		if by[f.Entry.Name] == nil {
			by[f.Entry.Name] = map[fitted.Statistic]*CollectiveFit{}
			answer.Algorithms = append(answer.Algorithms, f.Entry)
		}
		if first := by[f.Entry.Name][f.Data.Statistic]; first != nil {
			twice = append(twice, fmt.Sprintf("%s, %s: of the table %s; --algorithm %s takes that one.", f.Entry.Name, f.Data.Statistic, first.Table, f.Table))
			continue
		}
		by[f.Entry.Name][f.Data.Statistic] = f
		used = append(used, f)
	}
	if len(by) == 0 {
		var names []string
		for _, f := range q.Fits {
			names = append(names, fmt.Sprintf("%s (%s)", f.Entry.Name, f.Data.Statistic))
		}
		asked := q.Collective
		if q.Algorithm != "all" && q.Algorithm != "best" {
			asked += " by " + strconv.Quote(q.Algorithm)
		}
		if q.Statistic != "" {
			asked += " with " + map[fitted.Statistic]string{fitted.Slowest: "the time of the slowest rank", fitted.Average: "the average over ranks"}[q.Statistic]
		}
		return nil, fmt.Errorf("no measurement of %s; there are those of %s", asked, strings.Join(slices.Compact(ascending(names)), ", "))
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
	if err := q.fit(ctx, used); err != nil {
		return nil, err
	}
	beyond, crossed := 0, 0
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
				if c.Average > c.Time { // the fits cross: the slowest takes as long as the average, or longer
					crossed++
					c.High = max(c.High, c.Average)
					c.Average = c.Time
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
	answer.Notes = append(fitNotes(used, slowest || q.Statistic != "", beyond), twice...)
	if crossed > 0 {
		answer.Notes = append(answer.Notes, fmt.Sprintf("%d averages over ranks were fitted to more than the slowest rank takes: they are given as its time, whose interval holds both.", crossed))
	}
	return answer, nil
}

// fitNotes say where the times come from.
func fitNotes(used []*CollectiveFit, slowest bool, beyond int) []string {
	var parts []string
	for _, f := range used {
		parts = append(parts, fmt.Sprintf("%s, %s: %s", f.Entry.Name, f.Data.Statistic, f.Verdict()))
	}
	parts = append(parts, "Times are fitted to measurements: the form, and what it left at the measurements nearby; intervals are of one more measurement.")
	if !slowest {
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
		var ranks, sizes, times, runs, deviations []string
		repeated := false
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
			count, deviation := slices.Clone(line), slices.Clone(line)
			for _, o := range c.Points {
				if i, found := slices.BinarySearch(all, o.Size); found && o.Ranks == p {
					line[i] = us(o.Time)
					if o.Count > 1 && o.Deviation > 0 {
						repeated = true
						count[i], deviation[i] = strconv.FormatInt(o.Count, 10), us(quantity.Micros(o.Deviation)*o.Time)
					}
				}
			}
			ranks, times = append(ranks, strconv.Itoa(p)), append(times, strings.Join(line, " "))
			runs, deviations = append(runs, strings.Join(count, " ")), append(deviations, strings.Join(deviation, " "))
		}
		t.Set("ranks", ranks)
		t.Set("sizes", sizes)
		t.Set("times", times)
		if repeated {
			t.Set("runs", runs)
			t.Set("deviations", deviations)
		}
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
