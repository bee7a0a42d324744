package tune

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/halfpeak/halfpeak/internal/atomicfile"
	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// Limits are those of the measurements that [Map.WriteFolder] asks for.
type Limits struct {
	Points  int     // measurements of the next script, at least 1
	Seconds float64 // the time for them, instead of their number; 0: no limit
	Loss    float64 // no script below this expected loss, in percent
}

// WriteFolder writes into a folder the library's rules file for the decisions and, unless their
// expected loss is low, a script with the next measurements. The script runs this benchmark, one of
// [Benchmarks], or the library's default if it is empty. The notes say what to do next. If the
// context ends, the folder has the rules without a script, and the error is the context's.
func (m *Map) WriteFolder(ctx context.Context, folder string, decisions []Decision, limits Limits,
	benchmark string) (notes []remark.Note, err error) {
	if err := os.MkdirAll(folder, os.ModePerm); err != nil {
		return nil, err
	}
	note, err := m.writeNext(ctx, folder, decisions, limits, benchmark)
	interrupted := ctx.Err()
	if err != nil && interrupted == nil {
		return nil, err
	}
	// Jobs run elsewhere than this command.
	rules, err := filepath.Abs(filepath.Join(folder, m.library.rules))
	if err != nil {
		return nil, err
	}
	err = atomicfile.Write(rules, func(w io.Writer) error {
		return m.writeRules(w, rules, decisions)
	})
	if err != nil {
		return nil, err
	}
	if interrupted != nil {
		note = remark.NoScript()
	}
	notes = []remark.Note{note}
	if has, err := m.hasRules(decisions); err != nil {
		return nil, err
	} else if has {
		notes = append(notes, remark.UseRules(m.use(rules)))
	} else {
		notes = append(notes, remark.NoRules())
	}
	return notes, interrupted
}

// hasRules reports whether the rules file of the decisions has any: calls for which the library's
// own choice is kept have none.
func (m *Map) hasRules(decisions []Decision) (bool, error) {
	var some, none strings.Builder
	err := errors.Join(m.library.write(&some, kept(decisions)), m.library.write(&none, nil))
	return some.String() != none.String(), err
}

// duelTime is the time of a duel, in measurements: rounds of two instead of passes. While there is
// something to measure, duelShare of the budget is for duels.
const duelTime, duelShare = 4, 0.25

// writeNext writes the script of the next measurements and duels under a name that is free.
func (m *Map) writeNext(ctx context.Context, folder string, decisions []Decision, limits Limits,
	benchmark string) (note remark.Note, err error) {
	var next []int
	done := "all that may be the fastest was measured."
	if loss := percent * meanLoss(decisions); loss < limits.Loss {
		done = fmt.Sprintf("the expected loss of %.1f %% is below %g %%.", loss, limits.Loss)
	} else if next, err = m.nextWithin(ctx, limits); err != nil {
		return note, err
	}
	budget := float64(m.points(limits)) / duelTime
	duels := m.nextDuels(decisions, int(math.Ceil(budget*duelShare)), 0)
	if len(next) == 0 {
		duels = m.nextDuels(decisions, int(math.Ceil(budget)), math.Inf(-1))
	}
	if len(next)+len(duels) == 0 {
		return remark.Measured(done), nil
	}
	number, path, exists := 0, "", error(nil)
	for exists == nil {
		number++
		path = filepath.Join(folder, fmt.Sprintf("measure-%d.sh", number))
		_, exists = os.Lstat(path)
	}
	note = remark.RunScript(usage.ShellLine("sh", path),
		quantity.Plural(len(next), "measurement"),
		quantity.Plural(len(duels), "duel"))
	return note, atomicfile.Write(path, func(w io.Writer) error {
		return m.writeScript(w, next, duels, number, benchmark)
	})
}

// nextWithin returns the next measurements within the limits.
func (m *Map) nextWithin(ctx context.Context, limits Limits) ([]int, error) {
	next, err := m.tuner.Next(ctx, m.points(limits), m.Progress)
	if limits.Seconds > 0 {
		next = m.until(next, limits.Seconds)
	}
	return next, err
}

// points returns the largest number of measurements within the limits.
func (m *Map) points(limits Limits) int {
	if limits.Seconds > 0 {
		return int(limits.Seconds) + 1 // each takes a second at least
	}
	return limits.Points
}
