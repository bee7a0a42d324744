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

// A GPURun is a table of nccl-tests as it stands: a line through its times, and its bus bandwidth.
type GPURun struct {
	benchmarks.Source
	Fit  *fitted.Result // of the table's series; nil: none
	Line *fit.Segment   // over all sizes
	Peak quantity.MBps  // the highest busbw
	At   quantity.Bytes // its size
	Half quantity.Bytes // from which all larger sizes have at least half of it
	// Bends are the sizes after which the times follow another line.
	Bends []quantity.Bytes
}

// Algorithm returns NCCL's algorithm if the log names it, else that the library chose.
func (r GPURun) Algorithm() string {
	if name := r.Table.Collective.Algorithm; name != "" {
		return strings.ToLower(name)
	}
	return "library's"
}

// GPURuns returns the runs of nccl-tests in the order of the files; none if there are collectives
// of other benchmarks, too, or a log has a single size.
func (f *Fitted) GPURuns() (all []GPURun) {
	for _, s := range f.sources {
		if s.Table.Kind != benchfile.Collective {
			continue
		}
		r, ok := reachOf(s)
		line, err := fit.Linear(s.Table, "")
		if !ok || err != nil || len(line.Segments) != 1 {
			return nil
		}
		run := GPURun{Source: s, Fit: f.fitOf(s), Line: &line.Segments[0], Peak: r.best, At: r.at,
			Half: r.half}
		if bent, err := fit.Piecewise(s.Table, 0); err == nil {
			run.Bends = list.Map(bent.Breaks, func(b fit.Break) quantity.Bytes { return b.At })
		}
		all = append(all, run)
	}
	return all
}

// fitOf returns the joint fit of a table's series; nil if it was left out.
func (f *Fitted) fitOf(s benchmarks.Source) *fitted.Result {
	of, name := s.Series()
	i := slices.IndexFunc(f.Collectives, func(c *fitted.Result) bool {
		return c.Of.Collective == of && c.Name == name
	})
	if i < 0 {
		return nil
	}
	return f.Collectives[i]
}

// bends says at which sizes the times of logs change their line, and what a log does not say about
// it: NCCL changes its protocol by the size.
func bends(all []GPURun) string {
	var parts []string
	for _, r := range all {
		if strings.HasPrefix(r.Table.Series, "in-place") || len(r.Bends) == 0 {
			continue
		}
		sizes := strings.Join(list.Map(stats.Ascending(r.Bends), quantity.Bytes.String), ", ")
		of := r.Table.Collective
		name := ""
		if slices.ContainsFunc(all, func(o GPURun) bool {
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
func peaks(all []GPURun) string {
	if len(all) == 0 {
		return ""
	}
	of := all[len(all)-1].Table.Collective.Name
	all = slices.DeleteFunc(slices.Clone(all), func(r GPURun) bool {
		return strings.HasPrefix(r.Table.Series, "in-place") || r.Table.Collective.Name != of
	})
	if len(all) == 0 {
		return ""
	}
	slices.SortStableFunc(all, func(a, b GPURun) int {
		return a.Table.Collective.Ranks - b.Table.Collective.Ranks
	})
	text := func(r GPURun) string {
		return fmt.Sprintf("%s at %s on %d ranks", gbps(r.Peak), r.At, r.Table.Collective.Ranks)
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
