package mpitrace

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/internal/remark"
)

// shared is what the ranks of a trace have in common.
type shared struct {
	ranks int
	world *communicator
	made  map[birth]*communicator
	ends  []string // where the traces of ranks end before their time
	// cancelled are receives that the program has cancelled.
	cancelled []uint32
	others    map[string]others
	lasted    float64 // sum over ranks, in ns
	run       string  // that the traces name, and the file of the first
	file      string
}

// others are the calls of one name that are computation though they communicate.
type others struct {
	calls int64
	ns    float64
}

func newShared(ranks int) *shared {
	return &shared{ranks: ranks, world: &communicator{size: ranks},
		made: map[birth]*communicator{}, others: map[string]others{}}
}

// cut reports whether the trace of a rank so far ends before its time.
func (s *shared) cut() bool { return len(s.ends) > 0 }

func (s *shared) count(name string, calls int64, ns float64) {
	o := s.others[name]
	s.others[name] = others{o.calls + calls, o.ns + ns}
}

// notes returns what the user must know about the schedule.
func (s *shared) notes() (notes []remark.Note) {
	if n := len(s.ends); n > 0 {
		shown := strings.Join(s.ends[:min(n, 3)], ", ")
		if n > 3 {
			shown += fmt.Sprintf(" and %d more", n-3)
		}
		notes = append(notes, remark.CutTraces(shown))
	}
	if len(s.others) == 0 {
		return notes
	}
	names := slices.SortedFunc(maps.Keys(s.others), func(a, b string) int {
		return cmp.Or(cmp.Compare(s.others[b].ns, s.others[a].ns), cmp.Compare(a, b))
	})
	var calls []string
	sum := 0.0
	for i, name := range names {
		sum += s.others[name].ns
		if i < 6 {
			calls = append(calls, fmt.Sprintf("%s (%d)", name, s.others[name].calls))
		}
	}
	more := ""
	if n := len(names) - len(calls); n > 0 {
		more = fmt.Sprintf(" and %d more functions", n)
	}
	share := ""
	if s.lasted > 0 {
		share = fmt.Sprintf(", %.3g %% of the run,", 100*sum/s.lasted)
	}
	return append(notes, remark.NotSimulated(share, strings.Join(calls, ", ")+more))
}

// build returns the schedule, without what waits for messages that do not come because a trace was
// cut or a receive cancelled.
func (s *shared) build(b *schedule.Builder) (*schedule.Schedule, []remark.Note, error) {
	made, err := b.Build()
	if err == nil && (s.cut() || len(s.cancelled) > 0) {
		mend(made, s.cancelled)
	}
	return made, s.notes(), err
}
