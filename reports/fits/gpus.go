package fits

import (
	"fmt"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/benchmarks"
	"github.com/halfpeak/halfpeak/internal/fitted"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A gpuRun is a table of nccl-tests as it stands: a line through its times, and its bus bandwidth.
type gpuRun struct {
	reach
	fit  *fitted.Result // of the table's series; nil: none
	line *fit.Segment   // over all sizes
	// bends are the sizes after which the times follow another line.
	bends []quantity.Bytes
}

// algorithm returns NCCL's algorithm if the log names it, else that the library chose.
func (r gpuRun) algorithm() string {
	if name := r.Table.Collective.Algorithm; name != "" {
		return strings.ToLower(name)
	}
	return "library's"
}

// runsOf returns the runs of nccl-tests in the order of the files; none if there are collectives
// of other benchmarks, too, or a log has a single size.
func runsOf(sources []benchmarks.Source, fits []*fitted.Result) (all []gpuRun) {
	for _, s := range sources {
		if s.Table.Kind != benchfile.Collective {
			continue
		}
		r, ok := reachOf(s)
		line, err := fit.Linear(s.Table, "")
		if !ok || err != nil || len(line.Segments) != 1 {
			return nil
		}
		run := gpuRun{reach: r, fit: fitOf(s, fits), line: &line.Segments[0]}
		if bent, err := fit.Piecewise(s.Table, 0); err == nil {
			run.bends = list.Map(bent.Breaks, func(b fit.Break) quantity.Bytes { return b.At })
		}
		all = append(all, run)
	}
	return all
}

// fitOf returns the joint fit of a table's series; nil if it was left out.
func fitOf(s benchmarks.Source, fits []*fitted.Result) *fitted.Result {
	of, name := s.Series()
	i := slices.IndexFunc(fits, func(c *fitted.Result) bool {
		return c.Of.Collective == of && c.Name == name
	})
	if i < 0 {
		return nil
	}
	return fits[i]
}

// bends says at which sizes the times of logs change their line, and what a log does not say about
// it: NCCL changes its protocol by the size.
func bends(all []gpuRun) string {
	var parts []string
	for _, r := range all {
		if strings.HasPrefix(r.Table.Series, "in-place") || len(r.bends) == 0 {
			continue
		}
		sizes := strings.Join(list.Map(stats.Ascending(r.bends), quantity.Bytes.String), ", ")
		of := r.Table.Collective
		name := ""
		if slices.ContainsFunc(all, func(o gpuRun) bool {
			return o.Table.Collective.Name != of.Name
		}) {
			name = of.Name + " on "
		}
		parts = append(parts, fmt.Sprintf("%s (%s%d ranks)", sizes, name, of.Ranks))
	}
	where := "no size"
	if len(parts) > 0 {
		where = strings.Join(parts, ", ")
	}
	return "the times change their line after " + where + "; whether NCCL changes its protocol " +
		"there (LL, LL128, Simple) is not in a log: rerun with NCCL_PROTO=Simple and with LL"
}

// peaks is the verdict on logs without links to compare with: the highest busbw of the last
// collective, on the most and on the fewest ranks. It is empty without any.
func peaks(all []gpuRun) string {
	if len(all) == 0 {
		return ""
	}
	of := all[len(all)-1].Table.Collective.Name
	all = slices.DeleteFunc(slices.Clone(all), func(r gpuRun) bool {
		return strings.HasPrefix(r.Table.Series, "in-place") || r.Table.Collective.Name != of
	})
	if len(all) == 0 {
		return ""
	}
	slices.SortStableFunc(all, func(a, b gpuRun) int {
		return a.Table.Collective.Ranks - b.Table.Collective.Ranks
	})
	text := func(r gpuRun) string {
		return fmt.Sprintf("%s at %s on %d ranks", gbps(r.best), r.at, r.Table.Collective.Ranks)
	}
	last := all[len(all)-1]
	said := fmt.Sprintf("%s: busbw peaks at %s", last.Table.Collective.Name, text(last))
	if len(all) > 1 {
		said += ", " + text(all[0])
	}
	if last.Table.Collective.Nodes > 1 {
		said += "; to judge it, give the links of a node, as in --link 4x200Gbit/s"
	}
	return said
}
