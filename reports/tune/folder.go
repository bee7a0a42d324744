package tune

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/halfpeak/halfpeak/internal/atomicfile"
)

// Limits are those of the measurements that [Map.WriteFolder] asks for.
type Limits struct {
	Points  int     // measurements of the next script, at least 1
	Seconds float64 // the time for them, instead of their number; 0: no limit
	Loss    float64 // no script below this expected loss, in percent
}

// WriteFolder writes into a folder the library's rules file for the decisions and, unless their
// expected loss is low, a script with the next measurements. The script runs this benchmark, one of
// [Benchmarks], or the library's default if it is empty. The notes say what to do next.
func (m *Map) WriteFolder(folder string, decisions []Decision, limits Limits,
	benchmark string) (notes []string, err error) {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return nil, err
	}
	note := ""
	if loss := 100 * meanLoss(decisions); loss < limits.Loss {
		note = fmt.Sprintf("Done: the expected loss of %.1f %% is below %g %%.",
			loss, limits.Loss)
	} else if note, err = m.writeNext(folder, limits, benchmark); err != nil {
		return nil, err
	}
	// Jobs run elsewhere than this command.
	rules, err := filepath.Abs(filepath.Join(folder, m.library.rules))
	if err != nil {
		return nil, err
	}
	notes = []string{note}
	if has, err := m.hasRules(decisions); err != nil {
		return nil, err
	} else if has {
		notes = append(notes, m.use(rules))
	} else {
		notes = append(notes, "No rules yet: the library's own choice is kept for every call.")
	}
	return notes, atomicfile.Write(rules, func(w io.Writer) error {
		return m.writeRules(w, rules, decisions)
	})
}

// hasRules reports whether the rules file of the decisions has any: calls for which the library's
// own choice is kept have none.
func (m *Map) hasRules(decisions []Decision) (bool, error) {
	var some, none strings.Builder
	err := errors.Join(m.library.write(&some, decisions), m.library.write(&none, nil))
	return some.String() != none.String(), err
}

// writeNext writes the script of the next measurements under a name that is free.
func (m *Map) writeNext(folder string, limits Limits, benchmark string) (note string, err error) {
	points := limits.Points
	if limits.Seconds > 0 {
		points = int(limits.Seconds) + 1 // each takes a second at least
	}
	next := m.tuner.Ask(points)
	if limits.Seconds > 0 {
		next = m.until(next, limits.Seconds)
	}
	if len(next) == 0 {
		return "Done: all that may be the fastest was measured.", nil
	}
	path, exists := "", error(nil)
	for n := 1; exists == nil; n++ {
		path = filepath.Join(folder, fmt.Sprintf("measure-%d.sh", n))
		_, exists = os.Lstat(path)
	}
	note = fmt.Sprintf("Next: sh %s (%d measurements), then this command again.", path, len(next))
	return note, atomicfile.Write(path, func(w io.Writer) error {
		return m.writeScript(w, next, benchmark)
	})
}
