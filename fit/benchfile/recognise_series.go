package benchfile

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/internal/lex"
	"github.com/halfpeak/halfpeak/internal/list"
)

// A series is one measured quantity of a record: a column of times or rates, with its statistics.
type series struct {
	table            Table
	value            *column
	as               guess
	messages         *column // a rate beside it, which may have more digits
	messagesAs       guess
	min, max, median *column
	statistic        float64 // its place in statistics
	quantity, place  string
	tied             bool    // by an identity
	share            float64 // of a rate that belongs to one stream
	tables           map[string]*builder
	key              string
	open             *builder // of that key
	perRank          func(ranks float64) float64
	ranks            *column
}

// placeWord matches what nccl-tests write over a group of columns.
var placeWord = lex.NewPattern(`(?i)\b(out-of-place|in-place)\b`)

// chooseSeries returns the columns that are read. Statistics of one quantity are one series;
// quantities of other names are not chosen among, unless an identity ties one to a rate.
func chooseSeries(all []*column, top reading, title titleRow) (chosen []*series, why string) {
	var values []*series
	for _, c := range all {
		if strings.Contains(strings.ToLower(c.name), "cputime") {
			return nil, "cputime is not the time of the operation"
		}
		g, ok := top.values[c]
		if !ok || g.dim != times && g.dim != rates {
			continue
		}
		s := &series{value: c, as: g, share: 1, tables: map[string]*builder{}}
		s.statistic, s.quantity = statisticOf(placeWord().ReplaceAllString(c.name, ""))
		s.place = strings.ToLower(placeWord().FindString(c.name))
		for _, id := range top.ids {
			s.tied = s.tied || id.a == c || id.b == c
			if id.a == c && g.dim == rates && id.bs.dim == messages {
				s.messages, s.messagesAs = id.b, id.bs
			}
		}
		values = append(values, s)
	}
	values = keep(values, func(s *series) bool { return s.as.dim == times })
	tail := float64(len(statistics) - 1)
	values = keep(values, func(s *series) bool { return s.statistic != tail })
	if title.prefer != nil {
		isPreferred := func(s *series) bool { return title.prefer().MatchString(s.value.name) }
		values = keep(values, isPreferred)
	}
	if len(quantities(values)) > 1 {
		tied := keep(values, func(s *series) bool { return s.tied })
		if len(tied) < len(values) && values[0].as.dim == times {
			values = sameQuantity(values, tied)
		}
	}
	if len(quantities(values)) > 1 && !slices.ContainsFunc(values, hasSibling(values)) {
		values = keep(values, func(s *series) bool { return s.quantity == "" })
	}
	if values[0].as.dim == rates {
		values = mergeRates(values)
	}
	if names := quantities(values); len(names) > 1 {
		return values, undecided(names)
	}
	return joinStatistics(values)
}

// hasSibling returns a function that reports whether a column without a quantity stands beside one
// whose name is its own behind a word: "time" and "NCCL time". The word over it may be lost.
func hasSibling(all []*series) func(*series) bool {
	return func(s *series) bool {
		return s.quantity == "" && slices.ContainsFunc(all, func(o *series) bool {
			return o.quantity != "" && strings.HasSuffix(o.value.name, " "+s.value.name)
		})
	}
}

// undecided returns why columns are not chosen among.
func undecided(names []string) string {
	if names = slices.Compact(names); names[0] == `""` {
		return "several columns without a name may each be the one that is meant"
	}
	if len(names) == 1 {
		return fmt.Sprintf("several columns %s may each be the one that is meant", names[0])
	}
	return fmt.Sprintf("columns %s may each be the one that is meant", strings.Join(names, ", "))
}

// keep returns the series for which is holds; all if it holds for none.
func keep(all []*series, is func(*series) bool) []*series {
	var some []*series
	for _, s := range all {
		if is(s) {
			some = append(some, s)
		}
	}
	if some == nil {
		return all
	}
	return some
}

// sameQuantity returns the series whose quantity is that of one of others.
func sameQuantity(all, others []*series) []*series {
	return keep(all, func(s *series) bool {
		return slices.ContainsFunc(others, func(o *series) bool { return o.quantity == s.quantity })
	})
}

// quantities returns the names of the first column of each quantity.
func quantities(all []*series) (names []string) {
	seen := map[string]bool{}
	for _, s := range all {
		if !seen[s.quantity] {
			seen[s.quantity] = true
			names = append(names, strconv.Quote(lex.Short([]byte(s.value.name))))
		}
	}
	return names
}

// mergeRates leaves out bus bandwidths, and rates that are another one in other units.
func mergeRates(all []*series) []*series {
	all = keep(all, func(s *series) bool { return !busName().MatchString(s.value.name) })
	slices.SortStableFunc(all, byStatistic)
	var kept []*series
	for _, s := range all {
		isSame := func(o *series) bool { return o.place == s.place && o.equals(s) }
		if !slices.ContainsFunc(kept, isSame) {
			kept = append(kept, s)
		}
	}
	return kept
}

var busName = lex.NewPattern(`(?i)bus`)

// equals reports whether two series have the same values in all rows, within 2 %: one is the other
// in another unit, or with other digits. Fewer than three rows show nothing.
func (s *series) equals(o *series) bool {
	rows := 0
	for i, a := range s.value.values {
		if q := a * s.as.factor / (o.value.values[i] * o.as.factor); q > 0 {
			if rows++; math.Abs(q-1) > 0.02 {
				return false
			}
		}
	}
	return rows >= 3
}

// joinStatistics makes the statistics of one quantity and place one series.
func joinStatistics(all []*series) (chosen []*series, why string) {
	for _, place := range places(all) {
		group := keep(all, func(s *series) bool { return s.place == place })
		slices.SortStableFunc(group, byStatistic)
		main := group[0]
		if len(group) > 1 && group[1].statistic == main.statistic && !main.equals(group[1]) {
			return group, undecided(list.Map(group[:2], func(s *series) string {
				return strconv.Quote(s.value.name)
			}))
		}
		for _, s := range group[1:] {
			main.join(s)
		}
		chosen = append(chosen, main)
	}
	return chosen, ""
}

func byStatistic(a, b *series) int { return cmp.Compare(a.statistic, b.statistic) }

// places returns the places of all series in the order of their columns.
func places(all []*series) (names []string) {
	for _, s := range all {
		if !slices.Contains(names, s.place) {
			names = append(names, s.place)
		}
	}
	return names
}

// join takes the column of another statistic, if it is a bound that holds in each row, or a median.
func (s *series) join(o *series) {
	if s.as.dim != times || o.as.dim != times || s.as.factor != o.as.factor {
		return
	}
	holds := func(sign float64) bool {
		for i, v := range s.value.values {
			if w := o.value.values[i]; sign*(w-v) < -o.value.halves[i]-s.value.halves[i] {
				return false
			}
		}
		return true
	}
	if o.statistic == otherStatistic { // the same numbers again
		return
	}
	switch statistics[int(o.statistic)].name {
	case "min":
		if holds(-1) {
			s.min = o.value
		}
	case "max":
		if holds(1) {
			s.max = o.value
		}
	case "median", "typical":
		s.median = o.value
	}
}
